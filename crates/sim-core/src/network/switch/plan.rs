//! The plan of an epoch: the only code that asks the plugins how a switch may order its packets.
//!
//! The departures of a port, and their times, follow from its arrivals. So a switch need not
//! process events in time order across ports if nothing else depends on the order in which its
//! ports send. Each [`EpochOrder`] is faster than the previous one, and all of them have the same
//! results. The plugins decide the fastest possible order ([`EpochPlan`]); the buffer and the
//! packets of an epoch may require a slower one.

use super::Switch;
use crate::plugin::{
    Admission, EventOrder, Interest, Model, Observer, PortOrder, Routing, Telemetry,
};

/// The order in which a switch handles the events of its ports in an epoch.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum EpochOrder {
    /// The switch handles events in time order. A port has a timer for the end of the transmission
    /// on its wire.
    Timed,
    /// The switch handles events in time order, but without timers: a port catches up when the next
    /// packet for it arrives.
    Late,
    /// The switch handles all events of one port, then all events of the next port.
    ByPort,
}

/// A plugin that prevents a faster order.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Obstacle {
    /// Simultaneous events are handled in the order they were set.
    EventOrder,
    /// The observer needs calls in time order, or calls about queues.
    Observer(Interest),
    /// The ports of the telemetry share state.
    Telemetry,
    /// The routing reads the state of ports.
    Routing,
}

/// The fastest order that the plugins of a switch allow, and the obstacle to a faster one.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct EpochPlan {
    /// The order, provided that the buffer is far from its thresholds and no pause frame arrives.
    pub order: EpochOrder,
    /// The first plugin that prevents a faster order.
    pub obstacle: Option<Obstacle>,
}

impl EpochPlan {
    /// The plan of hosts, and of switches if all plugins allow every order.
    pub const FASTEST: Self = Self {
        order: EpochOrder::ByPort,
        obstacle: None,
    };

    const fn slowed(order: EpochOrder, obstacle: Obstacle) -> Self {
        Self {
            order,
            obstacle: Some(obstacle),
        }
    }
}

/// The packets of an epoch, as far as they are known before the first one is handled.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Arriving {
    pub(super) bytes: u64,
    /// `true` if one of them is a pause frame, or has no egress port in advance.
    pub(super) is_mixed: bool,
}

impl<M: Model> Switch<M> {
    /// Returns the plan that the plugins allow.
    #[inline(always)]
    pub(in crate::network) fn plan(&self) -> EpochPlan {
        let interest = self.observer.interest();
        let free = if interest.has(Interest::DEQUEUES) {
            PortOrder::Free
        } else {
            PortOrder::Restored
        };
        if M::Order::BY_INSERTION {
            EpochPlan::slowed(EpochOrder::Timed, Obstacle::EventOrder)
        } else if interest.has(Interest::ORDER) {
            EpochPlan::slowed(EpochOrder::Timed, Obstacle::Observer(interest))
        } else if self.telemetry.order() > free {
            EpochPlan::slowed(EpochOrder::Timed, Obstacle::Telemetry)
        } else if self.routing.reads_ports() {
            EpochPlan::slowed(EpochOrder::Timed, Obstacle::Routing)
        } else if interest.has(Interest::QUEUES) {
            EpochPlan::slowed(EpochOrder::Late, Obstacle::Observer(interest))
        } else {
            EpochPlan::FASTEST
        }
    }

    /// Returns the number of ports by which the prepared packets should be sorted, or 0 for time
    /// order.
    ///
    /// The switch sorts by port if no plugin objects, every packet has a known egress port, and no
    /// threshold of the buffer is near even if all of the packets are stored.
    #[inline]
    pub(in crate::network) fn groups(&self) -> usize {
        let Arriving { bytes, is_mixed } = self.arriving;
        if self.late
            && !is_mixed
            && self.plan().order == EpochOrder::ByPort
            && bytes < self.buffer.slack().room.get()
        {
            self.ports.len()
        } else {
            0
        }
    }

    /// Chooses at the beginning of an epoch if ports are served late. All ports have caught up by
    /// then.
    #[inline]
    pub(super) fn choose_order(&mut self) {
        let may_be_late = self.plan().order >= EpochOrder::Late;
        if self.late && !may_be_late {
            self.set_timers();
        } else if !self.late && may_be_late && self.buffer.slack().is_calm() {
            self.drop_timers();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::switch::testing::{Endless, Nowhere, Seen, Told, switch};
    use crate::plugin::Slack;
    use fabricsim_base::units::Bytes;

    /// Returns the order of a switch with these plugins, and `true` if there is an obstacle.
    fn plan(interest: Interest, order: PortOrder, reads_ports: bool) -> (EpochOrder, bool) {
        let (mut switch, _) = switch(None);
        switch.observer = Seen {
            calls: Vec::new(),
            interest,
        };
        switch.telemetry = Told {
            departures: Vec::new(),
            order,
        };
        switch.routing = Nowhere { reads_ports };
        let plan = switch.plan();
        (plan.order, plan.obstacle.is_some())
    }

    #[test]
    fn ports_are_alone_unless_a_plugin_looks_at_several() {
        let nothing = Interest::NOTHING;
        assert_eq!(
            plan(nothing, PortOrder::Free, false),
            (EpochOrder::ByPort, false)
        );
        assert_eq!(
            plan(nothing, PortOrder::Restored, false),
            (EpochOrder::ByPort, false)
        );
        assert_eq!(
            plan(nothing, PortOrder::Needed, false),
            (EpochOrder::Timed, true)
        );
        assert_eq!(
            plan(nothing, PortOrder::Free, true),
            (EpochOrder::Timed, true)
        );
        assert_eq!(
            plan(Interest::ORDER, PortOrder::Free, false),
            (EpochOrder::Timed, true)
        );
        assert_eq!(
            plan(Interest::QUEUES, PortOrder::Free, false),
            (EpochOrder::Late, true)
        );
        // Telemetry that an observer sees cannot be deferred.
        assert_eq!(
            plan(Interest::DEQUEUES, PortOrder::Free, false),
            (EpochOrder::ByPort, false)
        );
        assert_eq!(
            plan(Interest::DEQUEUES, PortOrder::Restored, false),
            (EpochOrder::Timed, true)
        );
    }

    #[test]
    fn packets_are_sorted_by_port_while_no_threshold_is_near() {
        let (mut switch, _) = switch(None);
        let slack = |room| Endless {
            slack: Slack {
                room: Bytes::new(room),
                packet: Bytes::new(room),
            },
        };
        switch.buffer = slack(0);
        switch.choose_order();
        assert!(!switch.late && switch.groups() == 0);
        switch.buffer = slack(2_000);
        switch.choose_order();
        assert!(switch.late);
        for (bytes, is_mixed, by_port) in [
            (1_999, false, true),
            (2_000, false, false),
            (1, true, false),
        ] {
            switch.arriving = Arriving { bytes, is_mixed };
            let groups = if by_port { 3 } else { 0 };
            assert_eq!(switch.groups(), groups, "{bytes} bytes");
        }
        // Ports may stay late with less room: the next stored packet decides.
        switch.buffer = slack(0);
        switch.choose_order();
        assert!(switch.late);
        switch.observer.interest = Interest::EVERYTHING;
        switch.choose_order();
        assert!(!switch.late);
    }
}
