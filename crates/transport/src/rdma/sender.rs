//! The sending side of one flow.

mod credit;
mod events;
mod losses;
mod stream;

use std::fmt::Write as _;

use fabricsim_base::checkpoint::Checkpointed;
use fabricsim_base::flow::Flow;
use fabricsim_base::id::PortId;
use fabricsim_base::limits::MAX_DURATION;
use fabricsim_base::units::{Bytes, Duration, Rate, Time};
use fabricsim_core::packet::{Flags, Header, Packet, PacketKind};
use fabricsim_core::plugin::quirks::TimeUnit;
use fabricsim_core::plugin::{CongestionControl, SendLimits};

use super::config::{RdmaSettings, gap};
use super::selective::Scoreboard;
use stream::Stream;

/// The most doublings of the timeout.
const MAX_BACKOFF: u32 = 6;

/// A live flow at its sender.
#[derive(Checkpointed, Clone, Debug)]
#[checkpoint(bound())]
pub(super) struct RdmaSender<L> {
    #[checkpoint(rebuilt)]
    pub(super) flow: Flow,
    #[checkpoint(elsewhere)]
    pub(super) cc: L,
    /// The window and the rate that the controller allows, since the last event that it was told of;
    /// 2^64 - 1 for no window.
    #[checkpoint(rebuilt)]
    window: u64,
    #[checkpoint(rebuilt)]
    allowed_rate: Option<Rate>,
    #[checkpoint(rebuilt)]
    pub(super) nic: PortId,
    /// The end of what there is to send: the size of the flow.
    written: u64,
    /// The flow, or the first message, is complete when all bytes below are acknowledged.
    target: u64,
    /// The byte with which the next packet begins, be it new or retransmitted.
    pub(super) next: u64,
    /// All bytes below are acknowledged (`snd_una`).
    pub(super) acknowledged: u64,
    /// All bytes below have been sent at least once.
    sent_once: u64,
    pub(super) retransmitted: u64,
    /// Sequence numbers between `acknowledged` and `sent_once` of packets that have arrived or are
    /// known to be lost and wait to be retransmitted, where packets arrive in any order; else 0.
    held: u64,
    /// Earliest time at which the next packet may leave.
    pub(super) next_send: Time,
    /// The spacing that `next_send` includes, at `rate`.
    gap: Duration,
    rate: Rate,
    last_wire: u16,
    /// The pacing entry that the NIC holds for this flow; [`Time::MAX`] for none.
    pub(super) paced_at: Time,
    /// The timer entry that the endpoint holds for this flow; [`Time::MAX`] for none.
    pub(super) timer_at: Time,
    /// Time at which bytes were last acknowledged, the first packet of a flight was sent, or a
    /// timeout occurred.
    progress: Time,
    smoothed_rtt: Duration,
    least_rtt: Duration,
    rtt_deviation: Duration,
    /// The `snd_nxt` when the running round trip began.
    round_end: u64,
    backoff: u32,
    /// Losses known so far while selective recovery runs.
    scoreboard: Option<Box<Scoreboard>>,
    /// The messages of a connection; `None` for a flow of its own.
    stream: Option<Box<Stream>>,
}

/// The bytes of a window, or 2^64 - 1 where there is none.
#[inline]
const fn most(window: Option<Bytes>) -> u64 {
    match window {
        Some(window) => window.get(),
        None => u64::MAX,
    }
}

impl<L> RdmaSender<L> {
    /// A flow that starts now, in a network whose largest window is `window`.
    pub(super) fn new<H>(
        flow: Flow,
        cc: L,
        nic: PortId,
        now: Time,
        line_rate: Rate,
        window: Bytes,
    ) -> Self
    where
        L: CongestionControl<H>,
    {
        let limits = cc.limits();
        Self {
            window: most(limits.window),
            allowed_rate: limits.rate,
            cc,
            nic,
            written: flow.request.size.get(),
            target: flow.request.size.get(),
            next: 0,
            acknowledged: 0,
            sent_once: 0,
            retransmitted: 0,
            held: 0,
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
                .saturating_add(flow.path.bottleneck.transmission(window))
                .min(MAX_DURATION),
            least_rtt: MAX_DURATION,
            round_end: 0,
            backoff: 0,
            scoreboard: None,
            stream: None,
            flow,
        }
    }

    /// The end of what there is to send.
    #[inline]
    pub(super) const fn written(&self) -> u64 {
        self.written
    }

    /// Returns whether the flow, or the first message of a connection, is acknowledged in full.
    #[inline]
    pub(super) const fn is_complete(&self) -> bool {
        self.acknowledged >= self.target
    }

    /// All bytes below have been sent and not been given up (`snd_nxt`).
    #[inline]
    pub(super) const fn sent(&self) -> u64 {
        match self.scoreboard {
            Some(_) => self.sent_once,
            None => self.next,
        }
    }

    /// Bytes from the first that is not acknowledged to the next new one. What the receiver holds
    /// beyond a gap counts too (IRN's BDP-FC: Mittal et al., SIGCOMM 2018, section 3.2).
    #[inline]
    pub(super) const fn in_flight(&self) -> u64 {
        self.sent() - self.acknowledged
    }

    /// Payload bytes of [`Self::in_flight`], without those that are [held](Self::held): where
    /// packets arrive in any order, one that is reported has left the network.
    #[inline]
    pub(super) fn payload_in_flight(&self) -> u64 {
        let bytes = self.in_flight().saturating_sub(self.held);
        match &self.stream {
            None => bytes,
            // Both are too much: one has the padding, the other what is held.
            Some(stream) => bytes.min(stream.payload(self.acknowledged, self.sent())),
        }
    }

    /// Returns whether bytes are left and the window lets one more packet go: it begins less than a
    /// window beyond the first byte that is not acknowledged, not counting what is
    /// [held](Self::held).
    // Left to itself the compiler makes it a call, which costs every packet-hop of fat320 nine
    // instructions (benches/instructions.sh: 736.2 and 726.8).
    #[inline(always)]
    pub(super) fn may_send<H: Header>(&self) -> bool
    where
        L: CongestionControl<H>,
    {
        self.next < self.written
            && (!H::CREDIT || self.cc.has_credit())
            && (self.next - self.acknowledged < self.window.saturating_add(self.held)
                || self.stream.is_some() && self.fits_without_padding())
    }

    /// The same of a connection whose packets are not all full.
    #[cold]
    fn fits_without_padding(&self) -> bool {
        let stream = self.stream.as_ref();
        stream.is_some_and(|own| own.payload(self.acknowledged, self.next) < self.window)
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
        let left = self.written - self.next;
        let mut payload = left.min(settings.config.mtu.get());
        let numbers = payload;
        let mut flags = Flags::NONE
            .and_if(left == payload, Flags::LAST)
            .and_if(self.acknowledged > 0, Flags::CONTINUED);
        if let Some(stream) = &self.stream {
            payload = stream.payload_at(self.next);
            flags = Flags::STREAM;
        }
        let mut packet = Packet::new(
            PacketKind::Data,
            self.flow.request.priority,
            self.flow.key(),
            self.flow.id,
        );
        #[expect(
            clippy::cast_possible_truncation,
            reason = "at most the MTU, which fits u16"
        )]
        {
            packet.payload = payload as u16;
        }
        packet.seq = self.next;
        packet.sent_at = now;
        packet.flags = flags;
        if self.next == self.acknowledged {
            self.progress = now;
        }
        let again = self.next < self.sent_once;
        if again {
            self.retransmitted += payload;
        }
        self.next += numbers;
        self.sent_once = self.sent_once.max(self.next);
        if let Some(scoreboard) = &mut self.scoreboard {
            if let Some(entropies) = scoreboard.entropies() {
                packet.key.src_port = entropies.next();
            }
            if again {
                scoreboard.resent(now);
                self.held = scoreboard.held();
            }
            self.choose_next::<H>();
        }
        let wire = packet.payload + settings.data_header;
        let departure = self.cc.send(&mut packet.telemetry, wire);
        self.follow(&departure.limits);
        packet.wire = wire + departure.telemetry;
        self.last_wire = packet.wire;
        self.gap = match departure.rate {
            Some(rate) => gap(settings.pacing, packet.wire, rate),
            None => Duration::ZERO,
        };
        self.next_send = now + self.gap;
        (packet, again)
    }

    /// Takes an acknowledgement of all bytes below `cumulative`; the bytes that it newly covers.
    #[inline]
    pub(super) fn acknowledge<H: Header>(
        &mut self,
        now: Time,
        cumulative: u64,
        rtt: Duration,
    ) -> Bytes
    where
        L: CongestionControl<H>,
    {
        let mut newly = cumulative.saturating_sub(self.acknowledged);
        if newly > 0 {
            if let Some(stream) = &self.stream {
                newly = stream.payload(self.acknowledged, cumulative);
            }
            self.acknowledged = cumulative;
            self.next = self.next.max(cumulative);
            self.progress = now;
            self.backoff = 0;
            if let Some(scoreboard) = &mut self.scoreboard {
                let settled = scoreboard.advance(cumulative, self.sent_once);
                self.held = scoreboard.held();
                self.choose_next::<H>();
                if settled {
                    self.scoreboard = None;
                }
            }
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
        self.least_rtt = self.least_rtt.min(rtt);
        Bytes::new(newly)
    }

    /// Asks the controller anew, which was told of something.
    #[inline]
    pub(super) fn renew_limits<H>(&mut self)
    where
        L: CongestionControl<H>,
    {
        let limits = self.cc.limits();
        self.follow(&limits);
    }

    /// Remembers what the controller allows from now on.
    #[inline]
    pub(super) const fn follow(&mut self, limits: &SendLimits) {
        self.window = most(limits.window);
        self.allowed_rate = limits.rate;
    }

    /// Moves the pending send with the algorithm's rate: what the last packet would have been
    /// spaced by.
    #[inline]
    pub(super) fn follow_rate(&mut self, times: TimeUnit) {
        let Some(rate) = self.allowed_rate else {
            return;
        };
        if rate == self.rate {
            return;
        }
        self.rate = rate;
        let gap = gap(times, self.last_wire, rate);
        let moved = self.next_send.as_ps() + gap.as_ps();
        self.next_send = Time::from_ps(moved.saturating_sub(self.gap.as_ps()));
        self.gap = gap;
    }

    /// Returns when the flow times out if nothing is acknowledged until then.
    #[inline]
    pub(super) fn timeout_at<H: Header>(&self, rto_min: Duration) -> Time
    where
        L: CongestionControl<H>,
    {
        if self.in_flight() == 0 && !(H::CREDIT && self.waits_for_credit::<H>()) {
            return Time::MAX;
        }
        let rto = (self.smoothed_rtt + self.rtt_deviation.saturating_mul(4))
            .max(self.flow.path.base_rtt.saturating_mul(2))
            .max(rto_min);
        self.progress
            .saturating_add(rto.saturating_mul(1 << self.backoff))
    }

    /// Returns a description of what the sender waits for.
    pub(super) fn waits_for<H: Header>(&self) -> String
    where
        L: CongestionControl<H>,
    {
        let in_flight = self.payload_in_flight();
        let mut text = if in_flight > 0 && self.next >= self.written {
            format!("all bytes sent, {in_flight} of them not acknowledged")
        } else if H::CREDIT && self.waits_for_credit::<H>() {
            format!("the receiver has not granted credit; {in_flight} bytes are in flight")
        } else if !self.may_send::<H>() {
            format!("the window is full with {in_flight} bytes in flight")
        } else {
            format!(
                "{in_flight} bytes in flight; next packet may leave at {:.3} us; waiting for pacing, \
                 the port, or PFC",
                self.next_send.as_secs_f64() * 1e6
            )
        };
        if self.backoff > 0 {
            let least = if self.backoff == MAX_BACKOFF {
                "at least "
            } else {
                ""
            };
            let _ = write!(
                text,
                "; retransmitted after {least}{} timeouts in a row, and nothing was acknowledged",
                self.backoff
            );
        }
        text
    }
}
