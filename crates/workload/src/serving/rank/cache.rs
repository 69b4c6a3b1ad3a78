//! Transfers of KV caches from instances that prefill to instances that decode.

use fabricsim_core::plugin::AppContext;

use super::super::plan::Place;
use super::super::tag::Message;
use super::ServingRank;

impl ServingRank {
    /// Lets the ranks of the instance that have the cache of `request` send it to their counterparts.
    pub(super) fn spread_cache(
        &mut self,
        context: &mut AppContext<'_>,
        request: u32,
        decoder: u32,
    ) {
        let layout = self.plan.layout.clone();
        let members = self.plan.cache_members(request);
        for stage in 0..layout.stages {
            for member in members.clone() {
                let place = Place {
                    stage,
                    member,
                    ..self.place
                };
                if place != self.place {
                    let message = Message::SendCache { request, decoder };
                    self.control(context, layout.host(place), message);
                }
            }
        }
        if members.contains(&self.place.member) {
            self.send_cache(context, request, decoder);
        }
    }

    pub(super) fn send_cache(&mut self, context: &mut AppContext<'_>, request: u32, decoder: u32) {
        let tokens = self.plan.requests[request as usize].input;
        let size = self.plan.cache(tokens);
        self.cache_bytes += size.get();
        let to = self.plan.layout.host(Place {
            instance: decoder,
            ..self.place
        });
        self.send(context, to, (size, Message::Cache { request }));
    }

    /// Tells the first rank that the own part of a cache has arrived.
    pub(super) fn receive_cache(&mut self, context: &mut AppContext<'_>, request: u32) {
        if self.leader.is_some() {
            return self.cached(context, request);
        }
        let leader = self.plan.layout.leader(self.place.instance);
        self.control(context, leader, Message::Cached { request });
    }
}
