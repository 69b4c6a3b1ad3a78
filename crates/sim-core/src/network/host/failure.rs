//! Failures of a host's links and changes of their rates. Only applications change rates within an
//! epoch.

use super::{Host, RANK_SEND};
use crate::network::egress::LinkState;
use crate::network::line::LineTiming;
use crate::packet::{Packet, PacketKind};
use crate::plugin::{DropReason, EventOrder, Model, Observer, PortFactor};
use fabricsim_base::id::PortId;
use fabricsim_base::priority::PrioritySet;
use fabricsim_base::units::{Rate, Time};
use fabricsim_engine::Timer;

impl<M: Model> Host<M> {
    /// Counts `packet`, which was on its way here when its link failed.
    pub(in crate::network) fn lose(&mut self, now: Time, packet: &Packet<M::Header>) {
        if packet.kind() != PacketKind::Pause {
            self.counters.lose(DropReason::LinkDown, packet);
            self.observer
                .on_drop(now, self.id, DropReason::LinkDown, packet);
        }
    }

    /// Counts `packets` that had left by `port` and were lost with its link.
    pub(in crate::network) fn count_lost(&mut self, port: PortId, packets: u64) {
        self.meters[port.index()].dropped += packets;
    }

    pub(in crate::network) fn set_rate(&mut self, port: PortId, rate: Rate, timing: LineTiming) {
        let index = port.index();
        self.meters[index].settle_rate(&self.nics[index].egress);
        self.egress(port).set_rate(rate, timing);
    }

    /// Multiplies the transmission times of all ports by `factor` from the next packet on.
    pub(super) fn slow_ports(&mut self, factor: PortFactor) {
        for (nic, meter) in self.nics.iter_mut().zip(&mut self.meters) {
            meter.settle_rate(&nic.egress);
            nic.egress.slow(factor);
        }
    }

    /// Handles a failure of the link at `port`: the transport keeps its packets.
    pub(in crate::network) fn link_down(&mut self, now: Time, port: PortId) {
        self.egress(port).cut();
        self.observer.on_link_down(now, self.id, port);
        let pauses = &mut self.nics[port.index()].pauses;
        pauses.update(now, PrioritySet::default());
    }

    /// Handles the return of the link at `port`: the transport is polled.
    pub(in crate::network) fn link_up(&mut self, now: Time, port: PortId) {
        let nic = &mut self.nics[port.index()];
        nic.egress.state = LinkState::Up;
        nic.wake = now;
        self.timers.set(Timer {
            at: now,
            set: M::Order::stamp(now),
            rank: RANK_SEND,
            index: port.0,
        });
    }
}
