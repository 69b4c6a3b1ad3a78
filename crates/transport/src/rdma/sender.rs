//! The sending side of one flow.

use fabricsim_core::flow::Flow;
use fabricsim_core::id::PortId;
use fabricsim_core::packet::{Flags, Header, Packet, PacketKind};
use fabricsim_core::plugin::{CongestionControl, FlowKey, Loss, LossKind};
use fabricsim_core::units::{Bytes, Duration, Rate, Time};

use super::config::{PacingTimes, RdmaSettings};

/// The most doublings of the timeout.
const MAX_BACKOFF: u32 = 6;

/// A live flow at its sender.
#[derive(Clone, Debug)]
pub(super) struct Sender<L> {
    pub(super) flow: Flow,
    pub(super) law: L,
    pub(super) nic: PortId,
    key: FlowKey,
    /// The next byte to send (`snd_nxt`).
    pub(super) next: u64,
    /// All bytes below are acknowledged (`snd_una`).
    pub(super) acknowledged: u64,
    /// All bytes below have been sent at least once.
    sent_once: u64,
    pub(super) retransmitted: u64,
    /// When the next packet may leave.
    pub(super) next_send: Time,
    /// The spacing that `next_send` includes, at `rate`.
    gap: Duration,
    rate: Rate,
    last_wire: u16,
    /// The pacing entry that the NIC holds for this flow; [`Time::MAX`] for none.
    pub(super) paced_at: Time,
    /// The timer entry that the endpoint holds for this flow; [`Time::MAX`] for none.
    pub(super) timer_at: Time,
    /// When bytes were last acknowledged, or the first of a flight was sent.
    progress: Time,
    smoothed_rtt: Duration,
    rtt_deviation: Duration,
    backoff: u32,
}

impl<L> Sender<L> {
    /// A flow that starts now, in a network whose largest window is `window`.
    pub(super) fn new(
        flow: Flow,
        law: L,
        nic: PortId,
        now: Time,
        line_rate: Rate,
        window: Bytes,
    ) -> Self {
        let request = &flow.request;
        Self {
            key: FlowKey {
                src: request.src,
                dst: request.dst,
                src_port: request.src_port.unwrap_or_default(),
                dst_port: request.dst_port,
            },
            law,
            nic,
            next: 0,
            acknowledged: 0,
            sent_once: 0,
            retransmitted: 0,
            next_send: now,
            gap: Duration::ZERO,
            rate: line_rate,
            last_wire: 0,
            paced_at: Time::MAX,
            timer_at: Time::MAX,
            progress: now,
            smoothed_rtt: flow.path.base_rtt,
            // RFC 6298, section 2: half the first round trip; and a whole window may be waiting for
            // the slowest link before this flow's first packet.
            rtt_deviation: Duration::from_ps(flow.path.base_rtt.as_ps() / 2)
                + flow.path.bottleneck.serialisation(window),
            backoff: 0,
            flow,
        }
    }

    #[inline]
    pub(super) const fn size(&self) -> u64 {
        self.flow.request.size.get()
    }

    #[inline]
    pub(super) const fn is_complete(&self) -> bool {
        self.acknowledged >= self.size()
    }

    #[inline]
    pub(super) const fn in_flight(&self) -> u64 {
        self.next - self.acknowledged
    }

    /// Whether bytes are left and the window lets one more packet go.
    #[inline]
    pub(super) fn may_send<H: Header>(&self) -> bool
    where
        L: CongestionControl<H>,
    {
        self.next < self.size()
            && self
                .law
                .window()
                .is_none_or(|window| self.in_flight() < window.get())
    }

    /// The next packet; it leaves now.
    #[inline]
    pub(super) fn send<H: Header, F>(
        &mut self,
        now: Time,
        settings: &RdmaSettings<F>,
    ) -> (Packet<H>, bool)
    where
        L: CongestionControl<H>,
    {
        let left = self.size() - self.next;
        let payload = left.min(settings.config.mtu.get());
        let mut packet = Packet::new(
            PacketKind::Data,
            self.flow.request.priority,
            self.key,
            self.flow.id,
        );
        #[expect(
            clippy::cast_possible_truncation,
            reason = "at most the MTU, which fits u16"
        )]
        {
            packet.payload = payload as u16;
        }
        let telemetry = self.law.prepare(&mut packet.telemetry);
        packet.wire = packet.payload + settings.data_header + telemetry;
        packet.seq = self.next;
        packet.sent_at = now;
        packet.flags = Flags::NONE
            .and_if(left == payload, Flags::LAST)
            .and_if(self.acknowledged > 0, Flags::CONTINUED);
        if self.in_flight() == 0 {
            self.progress = now;
        }
        let again = self.next < self.sent_once;
        if again {
            self.retransmitted += payload;
        }
        self.next += payload;
        self.sent_once = self.sent_once.max(self.next);
        self.last_wire = packet.wire;
        self.gap = match self.law.pacing_rate() {
            Some(rate) => settings.pacing.gap(packet.wire, rate),
            None => Duration::ZERO,
        };
        self.next_send = now + self.gap;
        (packet, again)
    }

    /// Takes an acknowledgement of all bytes below `cumulative`; the bytes that it newly covers.
    #[inline]
    pub(super) fn acknowledge(&mut self, now: Time, cumulative: u64, rtt: Duration) -> Bytes {
        let newly = cumulative.saturating_sub(self.acknowledged);
        if newly > 0 {
            self.acknowledged = cumulative;
            self.next = self.next.max(cumulative);
            self.progress = now;
            self.backoff = 0;
        }
        let error = if rtt > self.smoothed_rtt {
            rtt - self.smoothed_rtt
        } else {
            self.smoothed_rtt - rtt
        };
        // RFC 6298, section 2: gains of 1/8 and 1/4.
        self.smoothed_rtt = Duration::from_ps((self.smoothed_rtt.as_ps() * 7 + rtt.as_ps()) / 8);
        self.rtt_deviation =
            Duration::from_ps((self.rtt_deviation.as_ps() * 3 + error.as_ps()) / 4);
        Bytes::new(newly)
    }

    /// Moves the pending send with the law's rate: what the last packet would have been spaced by.
    #[inline]
    pub(super) fn follow_rate<H: Header>(&mut self, times: PacingTimes)
    where
        L: CongestionControl<H>,
    {
        let Some(rate) = self.law.pacing_rate() else {
            return;
        };
        if rate == self.rate {
            return;
        }
        self.rate = rate;
        let gap = times.gap(self.last_wire, rate);
        let moved = self.next_send.as_ps() + gap.as_ps();
        self.next_send = Time::from_ps(moved.saturating_sub(self.gap.as_ps()));
        self.gap = gap;
    }

    /// Goes back to the first byte that is not acknowledged.
    pub(super) fn go_back<H: Header>(&mut self, now: Time, kind: LossKind)
    where
        L: CongestionControl<H>,
    {
        let loss = Loss {
            now,
            kind,
            next_seq: self.next,
        };
        self.next = self.acknowledged;
        if kind == LossKind::Timeout {
            self.backoff = (self.backoff + 1).min(MAX_BACKOFF);
            self.progress = now;
        }
        self.law.on_loss(&loss);
    }

    /// When the flow times out if nothing is acknowledged until then.
    #[inline]
    pub(super) fn timeout_at(&self, rto_min: Duration) -> Time {
        if self.in_flight() == 0 {
            return Time::MAX;
        }
        let rto = (self.smoothed_rtt + self.rtt_deviation.saturating_mul(4))
            .max(self.flow.path.base_rtt.saturating_mul(2))
            .max(rto_min);
        self.progress
            .saturating_add(rto.saturating_mul(1 << self.backoff))
    }

    /// What the sender waits for, in words.
    pub(super) fn waits_for<H: Header>(&self) -> String
    where
        L: CongestionControl<H>,
    {
        if self.in_flight() > 0 && self.next >= self.size() {
            format!(
                "all bytes sent, {} of them not acknowledged",
                self.in_flight()
            )
        } else if !self.may_send::<H>() {
            format!(
                "the window is full with {} bytes in flight",
                self.in_flight()
            )
        } else {
            format!(
                "{} bytes in flight, and the next packet waits for its pacing time ({}), its port or \
                 a pause",
                self.in_flight(),
                self.next_send
            )
        }
    }
}
