//! The first rank of an instance: it takes requests, composes batches and counts tokens.

use std::collections::BTreeMap;

use fabricsim_base::checkpoint::Stored;
use fabricsim_base::units::Time;
use fabricsim_core::plugin::AppContext;

use super::super::plan::Place;
use super::super::scheduler::{Scheduler, Sequence};
use super::super::tag::{Message, Step};
use super::{ARRIVAL, ServingRank};

/// The first token of a request.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Stored)]
#[checkpoint(plain)]
pub struct ServedFirst {
    /// The number of the request.
    pub request: u32,
    /// The beginning of its first step.
    pub begun: Time,
    /// The end of the step that generated its first token.
    pub first: Time,
}

/// The last token of a request.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Stored)]
#[checkpoint(plain)]
pub struct ServedLast {
    /// The number of the request.
    pub request: u32,
    /// The time at which its KV cache had arrived, and with it the first token; `None` if it was not
    /// transferred.
    pub cached: Option<Time>,
    /// The end of the step that generated its last token.
    pub last: Time,
}

/// The state of the first rank of an instance.
#[derive(Debug, Default, Stored)]
#[checkpoint(plain)]
pub(super) struct Leader {
    scheduler: Scheduler,
    /// The first request that has not been examined, if no front end sends them.
    next: u32,
    /// The decoding instance of each request that is prefilled here.
    decoders: BTreeMap<u32, u32>,
    /// For each request whose cache is on the way, the ranks that have their parts.
    parts: BTreeMap<u32, u32>,
    /// The arrival of the caches of requests that decode here.
    cached: BTreeMap<u32, Time>,
    firsts: Vec<ServedFirst>,
    lasts: Vec<ServedLast>,
}

impl Leader {
    pub(super) fn live(&self) -> usize {
        self.scheduler.live() + self.parts.len()
    }

    pub(super) fn firsts(&self) -> &[ServedFirst] {
        &self.firsts
    }

    pub(super) fn lasts(&self) -> &[ServedLast] {
        &self.lasts
    }
}

impl ServingRank {
    /// Sets the timer of the next request of this instance, unless a front end sends them.
    pub(super) fn await_arrival(&mut self, context: &mut AppContext<'_>) {
        let Some(leader) = &mut self.leader else {
            return;
        };
        if self.plan.front_end.is_some() {
            return;
        }
        let count = u32::try_from(self.plan.requests.len()).expect("requests have 32-bit numbers");
        let own = |request: &u32| self.plan.fixed_route(*request).0 == self.place.instance;
        leader.next = (leader.next..count).find(own).unwrap_or(count);
        if leader.next < count {
            let at = self.plan.arrival(leader.next);
            context.set_timer(at.since(context.now()), ARRIVAL);
        }
    }

    /// Takes the request that is due.
    pub(super) fn arrivals(&mut self, context: &mut AppContext<'_>) {
        let Some(leader) = &mut self.leader else {
            return;
        };
        let request = leader.next;
        leader.next += 1;
        let decoder = self.plan.fixed_route(request).1;
        self.arrives(context, request, decoder);
        self.await_arrival(context);
    }

    pub(super) fn arrives(&mut self, context: &mut AppContext<'_>, request: u32, decoder: u32) {
        let Some(leader) = &mut self.leader else {
            return;
        };
        let asked = self.plan.requests[request as usize];
        let leaves = decoder != self.place.instance && asked.output > 1;
        if leaves {
            leader.decoders.insert(request, decoder);
        }
        leader.scheduler.add(Sequence {
            request,
            input: asked.input,
            output: if leaves { 1 } else { asked.output },
            prefilled: 0,
            generated: 0,
            chunk: 0,
            begun: None,
        });
        self.schedule(context);
    }

    /// Begins steps, as many as may be under way at the same time.
    fn schedule(&mut self, context: &mut AppContext<'_>) {
        loop {
            let Some(leader) = &mut self.leader else {
                return;
            };
            let Some(load) = leader.scheduler.begin(context.now(), &self.plan.limits) else {
                return;
            };
            let tokens = load.tokens();
            let time = self.plan.timing.of(&load);
            let time = time.saturating_add(self.plan.scale_up(tokens));
            let step = Step { tokens, time };
            if self.plan.involves_members() {
                for member in 1..self.plan.layout.width {
                    let other = self.plan.layout.host(Place {
                        member,
                        ..self.place
                    });
                    self.control(context, other, Message::Step(step));
                }
            }
            self.take_step(context, step);
        }
    }

    /// Counts the tokens of the batch that has ended, and begins the next one.
    pub(super) fn batch_ended(&mut self, context: &mut AppContext<'_>) {
        let now = context.now();
        let Some(leader) = &mut self.leader else {
            return;
        };
        let mut ended = Vec::new();
        leader.scheduler.end(|sequence| {
            let leaves = sequence.generated == sequence.output;
            if leaves || sequence.generated == 1 {
                ended.push(*sequence);
            }
            leaves
        });
        for sequence in ended {
            self.generated(context, &sequence, now);
        }
        self.schedule(context);
    }

    /// Handles the first or the last token of a request here.
    fn generated(&mut self, context: &mut AppContext<'_>, sequence: &Sequence, now: Time) {
        let Some(leader) = &mut self.leader else {
            return;
        };
        let request = sequence.request;
        if sequence.generated == 1 {
            leader.firsts.push(ServedFirst {
                request,
                begun: sequence.begun.unwrap_or(now),
                first: now,
            });
        }
        let decoder = leader.decoders.remove(&request);
        let is_last = sequence.generated == sequence.output && decoder.is_none();
        if is_last {
            leader.lasts.push(ServedLast {
                request,
                cached: leader.cached.remove(&request),
                last: now,
            });
        }
        match decoder {
            // The first token travels with the cache.
            Some(decoder) => self.spread_cache(context, request, decoder),
            None if is_last => {
                let more = self.plan.requests[request as usize].output - 1;
                self.deliver(context, more.max(1), Message::Last { request });
            }
            None => self.deliver(context, 1, Message::First { request }),
        }
    }

    /// Sends `tokens` to the front end, if there is one.
    fn deliver(&mut self, context: &mut AppContext<'_>, tokens: u32, message: Message) {
        if let Some(host) = self.plan.front_end {
            self.send(context, host, (self.plan.text(tokens), message));
        }
    }

    /// Counts a part of the cache of `request`. When all have arrived, the first token is delivered,
    /// and the request can decode.
    pub(super) fn cached(&mut self, context: &mut AppContext<'_>, request: u32) {
        let Some(leader) = &mut self.leader else {
            return;
        };
        let parts = leader.parts.entry(request).or_default();
        *parts += 1;
        if *parts < self.plan.layout.cache_ranks() {
            return;
        }
        leader.parts.remove(&request);
        leader.cached.insert(request, context.now());
        let asked = self.plan.requests[request as usize];
        leader.scheduler.add(Sequence {
            request,
            input: asked.input,
            output: asked.output,
            prefilled: asked.input,
            generated: 1,
            chunk: 0,
            begun: None,
        });
        self.deliver(context, 1, Message::First { request });
        self.schedule(context);
    }
}
