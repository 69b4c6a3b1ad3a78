//! The plan of an epoch: the one place that asks plugins how a switch may handle its packets.
//!
//! The arrivals at a port decide its departures and their times. So a switch need not go by time from
//! one port to another if nothing else depends on the order in which its ports send. Each
//! [`EpochOrder`] is faster than the one before, and all of them have the same results. The plugins
//! decide the fastest one ([`EpochPlan`]); the buffer and the packets of an epoch may call for a slower
//! one.

use super::Switch;
use crate::plugin::{
    Admission, EventOrder, Interest, Model, Observer, PortOrder, Routing, Telemetry,
};

/// The order in which a switch handles the events of its ports in an epoch.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum EpochOrder {
    /// By time. A port has a timer for the end of the packet on its wire.
    Timed,
    /// By time, but without timers: a port catches up when the next packet comes for it.
    Late,
    /// All of one port, then all of the next.
    ByPort,
}

/// A plugin that keeps switches from a faster order.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Obstacle {
    /// Simultaneous events have the order in which they were set.
    EventOrder,
    /// The observer needs calls in the order of time, or calls about queues.
    Observer(Interest),
    /// The ports of the telemetry share something.
    Telemetry,
    /// The routing looks at ports.
    Routing,
}

/// The fastest order that the plugins of a switch allow, and the obstacle to a faster one.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct EpochPlan {
    /// The order, as long as the buffer is far from its thresholds and no pause frame comes.
    pub order: EpochOrder,
    /// The first plugin in its way.
    pub obstacle: Option<Obstacle>,
}

impl EpochPlan {
    /// The plan of hosts and of switches whose plugins allow everything.
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

/// The packets of an epoch, as far as they are known before the first of them is handled.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Arriving {
    pub(super) bytes: u64,
    /// One of them is a pause frame, or has no port beforehand.
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

    /// Returns by how many ports the packets that have been prepared are to be sorted; 0 to have them in
    /// the order of time. They are sorted if no plugin objects, no threshold of the buffer is near even
    /// if all of them are stored, and each leaves by a port that is known.
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

    /// Chooses at the beginning of an epoch, when all ports are up to the present, whether they are
    /// served late.
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

    /// The order of a switch with these plugins, and whether something is in its way.
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
        // Telemetry for the eyes of an observer cannot be put off.
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
        // Ports may go on late with less room: the next packet that comes decides.
        switch.buffer = slack(0);
        switch.choose_order();
        assert!(switch.late);
        switch.observer.interest = Interest::EVERYTHING;
        switch.choose_order();
        assert!(!switch.late);
    }
}
