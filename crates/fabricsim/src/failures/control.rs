//! Carries events out at their times, and lets the routes follow.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use fabricsim_core::id::{NodeId, PortId};
use fabricsim_core::network::{Change, LinkChange, LinkEnds};
use fabricsim_core::units::{Bytes, Duration, Time};
use fabricsim_topology::{DownLinks, Routes, SwitchRoutes, Topology};

use crate::failures::states::{Effect, LinkStates};
use crate::network::model::{Timings, loss_stream};
use crate::network::nic_rules::path_stats;
use fabricsim_scenario::scenario::Scenario;
use fabricsim_scenario::schema::event::{Event, EventKind};
use fabricsim_scenario::schema::routing::RoutingSettings;

/// The events to come, what is down, and what the routes know of it.
///
/// Routes follow a change after the convergence time, in all switches at one instant, and know what
/// was down when the change happened.
#[derive(Debug)]
pub(crate) struct ControlPlane {
    /// Events to come by time and order of addition.
    events: BTreeMap<(Time, u64), EventKind>,
    added: u64,
    states: LinkStates,
    convergence: Duration,
    routing: RoutingSettings,
    /// Times at which routes are recomputed, each with the links that the new routes avoid.
    pending: VecDeque<(Time, DownLinks)>,
    /// Links avoided by the latest routes, or by the latest pending ones.
    followed: DownLinks,
    intact: Arc<Routes>,
    timings: Timings,
    seed: u64,
}

impl ControlPlane {
    /// The control plane of `scenario`, whose intact network has `routes`.
    pub(crate) fn new(scenario: &Scenario, routes: &Arc<Routes>) -> Self {
        let topology = routes.topology().clone();
        let mut control = Self {
            events: BTreeMap::new(),
            added: 0,
            followed: DownLinks::none(&topology),
            states: LinkStates::new(topology),
            convergence: scenario.routing().convergence,
            routing: scenario.routing().clone(),
            pending: VecDeque::new(),
            intact: Arc::clone(routes),
            timings: Timings::new(scenario.quirks().transmission),
            seed: scenario.seed(),
        };
        for &event in scenario.events() {
            control.schedule(event);
        }
        control
    }

    /// Adds an event that has been checked and is not in the past.
    pub(crate) fn schedule(&mut self, event: Event) {
        self.events.insert((event.at, self.added), event.kind);
        self.added += 1;
    }

    /// Returns when the network changes next; [`Time::MAX`] for never.
    pub(crate) fn next_change(&self) -> Time {
        self.next_event().min(self.next_reroute())
    }

    fn next_event(&self) -> Time {
        let next = self.events.first_key_value();
        next.map_or(Time::MAX, |(&(at, _), _)| at)
    }

    fn next_reroute(&self) -> Time {
        self.pending.front().map_or(Time::MAX, |(at, _)| *at)
    }

    /// Applies and returns the changes due at [`Self::next_change`]: link changes in the order of
    /// their events, then new forwarding tables. Replaces `routes` if they are recomputed at that
    /// time.
    pub(crate) fn change(&mut self, routes: &mut Arc<Routes>) -> Vec<Change<SwitchRoutes>> {
        let now = self.next_change();
        let mut changes = Vec::new();
        while self.next_event() == now {
            let Some((_, event)) = self.events.pop_first() else {
                break;
            };
            for (link, effect) in self.states.apply(now, event) {
                let (ends, change) = self.on_link(link, effect);
                changes.push(Change::Link(ends, change));
            }
        }
        let down = self.states.down();
        if down != self.followed {
            let at = now.saturating_add(self.convergence);
            self.pending.push_back((at, down.clone()));
            self.followed = down;
        }
        let mut due = None;
        while self.next_reroute() == now {
            due = self.pending.pop_front();
        }
        if let Some((_, down)) = due {
            *routes = self.routes_without(&down);
            let switches = self.states.topology().switches();
            changes.extend(switches.map(|node| Change::Routing(node, routes.switch(node))));
        }
        changes
    }

    fn routes_without(&self, down: &DownLinks) -> Arc<Routes> {
        if down.is_empty() {
            Arc::clone(&self.intact)
        } else {
            Arc::new(self.intact.without(down))
        }
    }

    fn on_link(&mut self, link: u32, effect: Effect) -> (LinkEnds, LinkChange) {
        let topology = self.states.topology();
        let ends = ends(topology, link);
        let change = match effect {
            Effect::Down => LinkChange::Down,
            Effect::Up => LinkChange::Up,
            Effect::Rate(rate) => LinkChange::Rate(rate, self.timings.of(rate)),
            Effect::Loss(probability) => {
                let streams = ends.map(|(node, port)| {
                    loss_stream(&topology.ports(node)[port.index()], node, self.seed)
                });
                LinkChange::Loss(probability, streams)
            }
        };
        (ends, change)
    }

    /// The most switches on a path over all the networks that the events to come, and `another`
    /// one, lead through. `mtu` is the payload of a full packet.
    pub(crate) fn longest_path(&self, another: Option<&Event>, mtu: Bytes) -> u16 {
        let mut events = self.events.clone();
        if let Some(event) = another {
            events.insert((event.at, self.added), event.kind);
        }
        let mut states = self.states.clone();
        let mut seen = BTreeSet::from([DownLinks::none(states.topology())]);
        let mut longest = 0;
        while let Some((&(now, _), _)) = events.first_key_value() {
            while let Some(entry) = events.first_entry().filter(|entry| entry.key().0 == now) {
                states.apply(now, entry.remove());
            }
            let down = states.down();
            if seen.insert(down.clone()) {
                let routes = self.intact.without(&down);
                longest = longest.max(path_stats(&routes, &self.routing, mtu).switches);
            }
        }
        longest
    }

    /// Why no route leads from `src` to `dst`, in words.
    pub(crate) fn why_apart(&self, src: NodeId, dst: NodeId) -> String {
        self.states.why_apart(src, dst)
    }
}

/// The ports at both ends of a link.
fn ends(topology: &Topology, link: u32) -> LinkEnds {
    let ends = &topology.links()[link as usize];
    [ends.a, ends.b].map(|node| {
        let port = topology
            .ports(node)
            .iter()
            .position(|port| port.link == link);
        let port = port.expect("a link is a port of both its ends");
        (node, PortId::from_index(port))
    })
}
