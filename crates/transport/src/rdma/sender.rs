//! The sending side of one flow.

mod credit;
mod events;
mod limits;
mod losses;
mod stream;
mod waits;

use fabricsim_base::checkpoint::Checkpointed;
use fabricsim_base::flow::Flow;
use fabricsim_base::id::PortId;
use fabricsim_base::limits::MAX_DURATION;
use fabricsim_base::units::{Bytes, Duration, Rate, Time};
use fabricsim_core::packet::{Flags, Header, Packet, PacketKind};
use fabricsim_core::plugin::quirks::TimeUnit;
use fabricsim_core::plugin::{CcEvents, CongestionControl, RateClock};

use super::config::{RdmaSettings, gap};
use super::selective::Scoreboard;
use limits::most;
use stream::Stream;

/// Maximum number of doublings of the timeout.
const MAX_BACKOFF: u32 = 6;

/// A live flow at its sender.
#[derive(Checkpointed, Clone, Debug)]
#[checkpoint(plain)]
#[checkpoint(bound())]
pub(super) struct RdmaSender<L> {
    #[checkpoint(rebuilt)]
    pub(super) flow: Flow,
    #[checkpoint(elsewhere)]
    pub(super) cc: L,
    /// Window (`u64::MAX` if unlimited) and rate that the controller allowed at its last event.
    #[checkpoint(rebuilt)]
    window: u64,
    #[checkpoint(rebuilt)]
    allowed_rate: Option<Rate>,
    #[checkpoint(rebuilt)]
    pub(super) nic: PortId,
    /// End of the data to send: the size of the flow.
    #[checkpoint(goal)]
    written: u64,
    /// The flow, or the first message, is complete when all bytes below this are acknowledged.
    #[checkpoint(goal)]
    target: u64,
    /// First byte of the next packet, new or retransmitted.
    #[checkpoint(sequence)]
    pub(super) next: u64,
    /// All bytes below this are acknowledged (`snd_una`).
    #[checkpoint(sequence)]
    pub(super) acknowledged: u64,
    /// All bytes below this have been sent at least once.
    #[checkpoint(sequence)]
    sent_once: u64,
    /// Retransmitted bytes, of a connection since the end of its last message.
    pub(super) retransmitted: u64,
    /// If packets arrive in any order, the count of sequence numbers between `acknowledged` and
    /// `sent_once` that belong to packets that have arrived, or are known to be lost and wait for
    /// retransmission. Otherwise 0.
    held: u64,
    /// Earliest time at which the next packet may leave.
    #[checkpoint(deadline)]
    pub(super) next_send: Time,
    /// The pacing gap that `next_send` includes, at `rate`.
    gap: Duration,
    rate: Rate,
    last_wire: u16,
    /// Time of the flow's pacing entry at the NIC, or [`Time::MAX`] if there is none.
    pub(super) paced_at: Time,
    /// Time of the flow's timer entry at the endpoint, or [`Time::MAX`] if there is none.
    #[checkpoint(deadline)]
    pub(super) timer_at: Time,
    /// Time of the last progress: an acknowledgement of new bytes, the first packet of a flight, or
    /// a timeout.
    #[checkpoint(elsewhere)]
    pub(super) progress: Time,
    smoothed_rtt: Duration,
    least_rtt: Duration,
    rtt_deviation: Duration,
    /// The `snd_nxt` at the beginning of the current round trip, or `u64::MAX` if the controller does
    /// not read rounds.
    #[checkpoint(sequence)]
    round_end: u64,
    backoff: u32,
    /// Reactions of the controller.
    events: CcEvents,
    /// Times at rates. A packet that changes the rate as it leaves counts from the next event on.
    rates: RateClock,
    /// Known losses during selective recovery.
    scoreboard: Option<Box<Scoreboard>>,
    /// The messages of a connection; `None` for a separate flow.
    stream: Option<Box<Stream>>,
}

/// Returns the end of the first round trip.
fn first_round_end<H, L: CongestionControl<H>>(cc: &L) -> u64 {
    if cc.reads_rounds() { 0 } else { u64::MAX }
}

impl<L> RdmaSender<L> {
    /// Returns a flow that starts now at a NIC port of `line_rate`, in a network with at most `window` as
    /// its window. Its controller sets no rate below `lowest_rate`, if that is known.
    pub(super) fn new<H>(
        flow: Flow,
        cc: L,
        nic: PortId,
        now: Time,
        (line_rate, lowest_rate): (Rate, Option<Rate>),
        window: Bytes,
    ) -> Self
    where
        L: CongestionControl<H>,
    {
        let limits = cc.limits();
        let round_end = first_round_end::<H, L>(&cc);
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
            // RFC 6298, section 2: half of the first round trip. In addition, a full window may
            // wait for the slowest link before this flow's first packet.
            rtt_deviation: Duration::from_ps(flow.path.base_rtt.as_ps() / 2)
                .saturating_add(flow.path.bottleneck.transmission(window))
                .min(MAX_DURATION),
            least_rtt: MAX_DURATION,
            round_end,
            backoff: 0,
            events: CcEvents::default(),
            rates: RateClock::new(now, limits.rate, line_rate, lowest_rate),
            scoreboard: None,
            stream: None,
            flow,
        }
    }

    /// Returns the end of the data to send.
    #[inline]
    pub(super) const fn written(&self) -> u64 {
        self.written
    }

    /// Returns `true` if the flow, or the first message of a connection, is fully acknowledged.
    #[inline]
    pub(super) const fn is_complete(&self) -> bool {
        self.acknowledged >= self.target
    }

    /// Returns `snd_nxt`: all bytes below have been sent and not been given up.
    #[inline]
    pub(super) const fn sent(&self) -> u64 {
        match self.scoreboard {
            Some(_) => self.sent_once,
            None => self.next,
        }
    }

    /// Returns the bytes from the first unacknowledged one to the next new one. Bytes that the
    /// receiver holds beyond a gap are included (IRN's BDP-FC: Mittal et al., SIGCOMM 2018, section
    /// 3.2).
    #[inline]
    pub(super) const fn in_flight(&self) -> u64 {
        self.sent() - self.acknowledged
    }

    /// Returns the payload bytes of [`Self::in_flight`], without [held](Self::held) ones, because
    /// with any order, a reported packet has left the network.
    #[inline]
    pub(super) fn payload_in_flight(&self) -> u64 {
        let bytes = self.in_flight().saturating_sub(self.held);
        match &self.stream {
            None => bytes,
            // Both values are too large: one includes the padding, the other the held bytes.
            Some(stream) => bytes.min(stream.payload(self.acknowledged, self.sent())),
        }
    }

    /// Returns `true` if bytes are left and the window allows one more packet: it must begin less
    /// than a window after the first unacknowledged byte, not counting [held](Self::held) bytes.
    // Otherwise the compiler emits a call, which costs nine instructions per packet-hop of fat320
    // (benches/instructions.sh: 736.2 and 726.8).
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

    /// Same as [`Self::may_send`], for a connection with packets that are not full.
    #[cold]
    fn fits_without_padding(&self) -> bool {
        let stream = self.stream.as_ref();
        stream.is_some_and(|own| own.payload(self.acknowledged, self.next) < self.window)
    }

    /// Returns the next packet, which leaves now, and `true` if it is a retransmission.
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
        // A message of a stream may end in a short packet, which still takes the numbers of a full
        // one.
        if let Some(stream) = &mut self.stream {
            let left = stream.left_at(self.next);
            payload = left.min(settings.config.mtu.get());
            flags = Flags::STREAM.and_if(left == payload, Flags::LAST);
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
        // The timeout counts from the first packet of a flight.
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
        // Telemetry adds to the size on the wire, so the controller is called before pacing.
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

    /// Processes an acknowledgement of all bytes below `cumulative`. Returns the bytes that it
    /// newly covers.
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

    /// Moves the pending departure according to the new rate, as if it had applied to the last
    /// packet's gap.
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

    /// Returns the time of the timeout if nothing is acknowledged before.
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
}
