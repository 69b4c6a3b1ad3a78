//! The probes of a sender for its controller.

use fabricsim_base::units::Time;
use fabricsim_core::plugin::{ReturnedProbe, TelemetryView};

use super::TcpSender;
use crate::tcp::probing::{Departure, Probing, Returned};

/// A separate probe that leaves now.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::tcp) struct OwnProbe {
    /// `snd_nxt` of the sender when the probe leaves.
    pub(in crate::tcp) seq: u64,
    /// Bytes on the wire.
    pub(in crate::tcp) wire: u16,
}

impl TcpSender {
    /// Handles a departing segment that begins at `seq`; `sent_next` was the next byte before it.
    /// If the segment is the probe, returns the bytes of telemetry to reserve in it.
    #[cold]
    pub(super) fn probe_with_segment(
        &mut self,
        now: Time,
        seq: u64,
        sent_next: u64,
    ) -> Option<u16> {
        let (probing, departure) = self.probing_at(now, sent_next)?;
        probing.on_segment(seq, &departure)
    }

    /// Returns the separate probe that leaves now, if one is due.
    pub(in crate::tcp) fn next_probe(&mut self, now: Time) -> Option<OwnProbe> {
        let (seq, outstanding) = (self.next, self.board.outstanding());
        let (probing, departure) = self.probing_at(now, seq)?;
        let wire = probing.packet_bytes();
        let turn = probing.take_turn(&departure, outstanding);
        turn.then_some(OwnProbe { seq, wire })
    }

    fn probing_at(&mut self, now: Time, sent_next: u64) -> Option<(&mut Probing, Departure<'_>)> {
        let departure = Departure {
            now,
            sent_next,
            rtt: &self.rtt,
            parameters: &self.parameters,
        };
        Some((self.probing.as_deref_mut()?, departure))
    }

    /// Treats an overdue probe as lost. Returns `true` if another one may leave.
    pub(in crate::tcp) fn give_up_probe(&mut self, now: Time) -> bool {
        let due = self.probing.as_mut().filter(|own| own.deadline() <= now);
        due.map(|probing| probing.on_deadline()).is_some()
    }

    /// Handles the return of the probe with number `seq`; `read` decodes its telemetry for the
    /// controller.
    pub(in crate::tcp) fn on_probe(
        &mut self,
        now: Time,
        seq: u64,
        read: impl FnOnce(&mut TelemetryView),
    ) {
        let Some(probing) = &mut self.probing else {
            return;
        };
        let Some(Returned { sent_next, rtt }) = probing.on_return(now, seq) else {
            return;
        };
        let mut view = TelemetryView::default();
        read(&mut view);
        let probe = ReturnedProbe {
            now,
            sent_next,
            next_seq: self.next,
            rtt,
            telemetry: &view,
        };
        self.cc.report(|cc| cc.on_probe(&probe));
    }
}
