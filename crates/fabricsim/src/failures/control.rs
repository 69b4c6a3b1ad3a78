//! Carries out events at their times, and updates the routes.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use fabricsim_base::checkpoint::{Checkpointed, LoadError, Reader, Stored, Writer};
use fabricsim_base::id::{NodeId, PortId};
use fabricsim_base::units::{Bytes, Duration, Rate, Time};
use fabricsim_core::network::{Change, LinkChange, LinkEnds};
use fabricsim_topology::{DownLinks, Routes, SwitchRoutes, Topology};

use crate::failures::states::{Effect, LinkStates};
use crate::network::nic_rules::path_stats;
use fabricsim_network::{Timings, loss_stream};
use fabricsim_scenario::scenario::Scenario;
use fabricsim_scenario::schema::event::{Event, EventKind};
use fabricsim_scenario::schema::routing::RoutingSettings;

/// The future events, the failures in effect, and the routes' knowledge of them.
///
/// Routes follow a change after the convergence time, in all switches at one instant. They avoid
/// the links that were down at the time of the change.
#[derive(Debug)]
pub(crate) struct ControlPlane {
    /// Future events by time and order of addition.
    events: BTreeMap<(Time, u64), EventKind>,
    added: u64,
    /// The number of these events that belong to the scenario; they are the first ones.
    of_scenario: u64,
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
    /// Returns the control plane of `scenario`. The intact network has `routes`.
    pub(crate) fn new(scenario: &Scenario, routes: &Arc<Routes>) -> Self {
        let topology = routes.topology().clone();
        let mut control = Self {
            events: BTreeMap::new(),
            added: 0,
            of_scenario: scenario.events().len() as u64,
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

    /// Returns the time of the next change of the network; [`Time::MAX`] for never.
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
            let switches = self.states.topology().forwarders();
            changes.extend(switches.map(|node| Change::Routing(node, routes.switch(node))));
        }
        changes
    }

    /// Returns the changes from the intact network to the current one.
    pub(crate) fn changes_so_far(&mut self, routes: &Arc<Routes>) -> Vec<Change<SwitchRoutes>> {
        let rates: Vec<(u32, Rate)> = self.states.rates().collect();
        let rates = rates.into_iter();
        let mut changes: Vec<_> = rates
            .map(|(link, rate)| {
                let (ends, change) = self.on_link(link, Effect::Rate(rate));
                Change::Link(ends, change)
            })
            .collect();
        if !Arc::ptr_eq(routes, &self.intact) {
            let switches = self.states.topology().forwarders();
            changes.extend(switches.map(|node| Change::Routing(node, routes.switch(node))));
        }
        changes
    }

    pub(crate) fn routes_without(&self, down: &DownLinks) -> Arc<Routes> {
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

    /// Returns the largest number of switches on a path, over all networks that result from the
    /// future events and from `another` one. `mtu` is the payload of a full packet.
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

    /// Describes why no route leads from `src` to `dst`.
    pub(crate) fn why_apart(&self, src: NodeId, dst: NodeId) -> String {
        self.states.why_apart(src, dst)
    }
}

/// The scenario that continues provides the future events, because they may differ from the
/// scenario of the checkpoint. Past events are over.
impl Checkpointed for ControlPlane {
    fn save(&self, out: &mut Writer) {
        let Self {
            events,
            added,
            of_scenario,
            states,
            convergence: _,
            routing: _,
            pending,
            followed,
            intact: _,
            timings: _,
            seed: _,
        } = self;
        states.save(out);
        pending.store(out);
        followed.store(out);
        let later = |number: u64| number >= *of_scenario;
        let own = events.iter().filter(|((_, number), _)| later(*number));
        let own: Vec<(Time, EventKind)> = own.map(|((at, _), kind)| (*at, *kind)).collect();
        own.store(out);
        (added - of_scenario).store(out);
    }

    fn load(&mut self, input: &mut Reader<'_>) -> Result<(), LoadError> {
        self.states.load(input)?;
        self.pending.load(input)?;
        self.followed.load(input)?;
        let now = input.now();
        self.events.retain(|&(at, _), _| at >= now);
        for (at, kind) in Vec::<(Time, EventKind)>::fetch(input)? {
            self.schedule(Event { at, kind });
        }
        self.added = self.of_scenario + u64::fetch(input)?;
        Ok(())
    }
}

/// Returns the ports at both ends of a link.
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
