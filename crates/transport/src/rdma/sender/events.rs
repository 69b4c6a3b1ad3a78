//! Events that are reported to a controller.

use fabricsim_base::units::{Bytes, Duration, Time};
use fabricsim_core::packet::{Flags, Header, Packet};
use fabricsim_core::plugin::{Ack, Congestion, Growth, Recovering, Round, Signal};

use super::RdmaSender;

impl<L> RdmaSender<L> {
    /// Returns the event for the controller after `packet`, an acknowledgement of all bytes below
    /// `cumulative`, has been processed.
    #[inline]
    pub(in crate::rdma) fn ack<'p, H: Header>(
        &mut self,
        now: Time,
        cumulative: u64,
        newly_acked: Bytes,
        rtt: Duration,
        packet: &'p Packet<H>,
    ) -> Ack<'p, H> {
        let next_seq = self.sent();
        let is_marked = packet.flags.has(Flags::ECHO);
        if is_marked {
            self.events.marked += 1;
        }
        let (recovering, reported) = self.note_packet(now, packet);
        let round = if cumulative > self.round_end {
            self.round_end = next_seq;
            Round::New
        } else {
            Round::Same
        };
        Ack {
            now,
            cumulative,
            newly_acked,
            reported,
            next_seq,
            delivered: 1,
            marked: u32::from(is_marked),
            rtt: Some(rtt),
            least_rtt: self.least_rtt,
            smoothed_rtt: self.smoothed_rtt,
            in_flight: Bytes::new(self.payload_in_flight()),
            recovering: if recovering || self.next < self.sent_once {
                Recovering::Yes
            } else {
                Recovering::No
            },
            round,
            growth: Growth::Allowed,
            sample: None,
            telemetry: &packet.telemetry,
        }
    }

    /// Returns `true` if an episode of recovery is in progress or if packets are reported beyond a
    /// real gap, and the value of [`Ack::reported`]. If packets have entropy values, the value of
    /// the packet that `reply` acknowledges or reports is reused, unless the packet was marked or
    /// trimmed.
    #[inline]
    fn note_packet<H: Header>(&mut self, now: Time, reply: &Packet<H>) -> (bool, i64) {
        let Some(scoreboard) = &mut self.scoreboard else {
            return (false, 0);
        };
        if let Some(entropies) = scoreboard.entropies()
            && !(reply.flags).has_any(Flags::ECHO.and_if(true, Flags::TRIMMED))
        {
            entropies.note_good(now, reply.key.dst_port);
        }
        let reported = scoreboard.take_news();
        (scoreboard.is_recovering(self.acknowledged), reported)
    }

    /// Returns a congestion event for the controller.
    pub(super) fn congestion(&self, now: Time, signal: Signal) -> Congestion {
        Congestion {
            now,
            signal,
            in_flight: Bytes::new(self.payload_in_flight()),
            next_seq: self.sent(),
        }
    }
}
