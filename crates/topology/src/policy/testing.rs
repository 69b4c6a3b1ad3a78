//! Switches and packets for tests of policies.

use fabricsim_base::flow::FlowKey;
use fabricsim_base::id::{FlowId, NodeId, PortId};
use fabricsim_base::priority::Priority;
use fabricsim_base::units::{Bytes, Time};
use fabricsim_core::packet::PacketKind;
use fabricsim_core::plugin::PortStates;

use super::{Arrival, Choice, NextHopChoice, PolicyContext, RoutingPolicy};
use crate::ecmp::EcmpHash;

/// The ports of a switch.
#[derive(Debug, Default)]
pub(super) struct Ports {
    pub(super) queued: [u64; 16],
    pub(super) down: [bool; 16],
}

impl PortStates for Ports {
    fn queued(&self, port: PortId) -> Bytes {
        Bytes::new(self.queued[port.index()])
    }

    fn is_paused(&self, _: PortId, _: Priority) -> bool {
        false
    }

    fn is_up(&self, port: PortId) -> bool {
        !self.down[port.index()]
    }
}

/// A data packet.
#[derive(Debug)]
pub(super) struct Data {
    now: Time,
    key: FlowKey,
}

impl Data {
    pub(super) fn show<T>(&self, see: impl FnOnce(&Arrival<'_>) -> T) -> T {
        see(&Arrival {
            now: self.now,
            key: &self.key,
            flow: FlowId(0),
            kind: PacketKind::Data,
            priority: Priority::new(3),
            size: Bytes::new(1_048),
            seq: 0,
        })
    }
}

/// Returns a packet of the flow from `src_port` that arrives at `now`.
pub(super) const fn data_at(now: Time, src_port: u16) -> Data {
    Data {
        now,
        key: FlowKey {
            src: NodeId(0),
            dst: NodeId(1),
            src_port,
            dst_port: 100,
        },
    }
}

/// Returns packet `number` of one flow.
pub(super) const fn data(number: u64) -> Data {
    data_at(Time::from_ns(number * 100), 1)
}

pub(super) const fn context(switch: u32) -> PolicyContext {
    PolicyContext {
        switch: NodeId(switch),
        seed: 1,
        hash: EcmpHash::Seeded(1),
    }
}

/// The chooser of a policy at one switch.
#[derive(Debug)]
pub(super) struct Own(Box<dyn NextHopChoice>);

impl Own {
    /// Returns the position among the first `count` ports that the chooser selects for `packet`.
    pub(super) fn at(&mut self, packet: &Data, count: usize, ports: &Ports) -> usize {
        let hops: Vec<PortId> = (0..count).map(PortId::from_index).collect();
        packet.show(|arrival| self.0.choose(arrival, &hops, ports))
    }
}

pub(super) fn chooser(policy: &dyn RoutingPolicy, switch: u32) -> Own {
    match policy.chooser(&context(switch)).0 {
        Choice::Own(choice) => Own(choice),
        Choice::Hash(_) => panic!("{} is a hash", policy.name()),
    }
}
