//! The sending side of a port: a wire that carries one packet at a time.

use std::num::NonZeroU64;

use super::counters::Counters;
use super::line::LineTiming;
use crate::packet::{Header, Packet, PacketKind, Stamps};
use crate::plugin::{EventOrder, PortFactor};
use fabricsim_base::checkpoint::{Checkpointed, Kind, LoadError, Reader, Stored, Writer};
use fabricsim_base::priority::PrioritySet;
use fabricsim_base::rng::Stream;
use fabricsim_base::units::{Bytes, Duration, Rate, Time};
use fabricsim_engine::Lane;

/// Configuration of the wire of one port.
#[derive(Clone, Debug)]
pub struct LinkConfig {
    /// The rate for telemetry and algorithms.
    pub rate: Rate,
    /// Transmission times.
    pub timing: LineTiming,
    /// Propagation delay.
    pub delay: Duration,
    /// Probability that a packet is lost on the link, and the random stream that decides.
    pub loss: Option<(f64, Stream)>,
}

/// The sending side of a port. State for every packet is stored first; state for rare links is
/// behind a pointer.
#[derive(Clone, Debug)]
#[repr(C)]
pub(super) struct Egress {
    /// Picoseconds for each byte if all transmission times are multiples of it and the link loses
    /// no packet; otherwise 0. Derived from `timing` and `loss`.
    byte_ps: u64,
    /// Packets sent so far. Not adjacent to `sent`: the compiler would update both with one vector
    /// instruction, and assembling its operand costs more than that saves.
    pub(super) packets: u64,
    delay: Duration,
    /// Start and end of the current or last transmission.
    pub(super) busy_since: Time,
    pub(super) busy_until: Time,
    /// Bytes sent so far.
    pub(super) sent: u64,
    /// Priorities that the neighbor has paused.
    pub(super) paused: PrioritySet,
    pub(super) state: LinkState,
    rate: Rate,
    timing: LineTiming,
    loss: Option<Box<Losses>>,
}

/// The state of a link that loses packets, with counters of its losses.
#[derive(Clone, Debug, Stored)]
#[checkpoint(counter)]
struct Losses {
    probability: f64,
    stream: Stream,
    packets: u64,
    /// Number of lost packets that were trimmed before.
    headers: u64,
    payload: Bytes,
}

impl Losses {
    fn new(probability: f64, stream: Stream) -> Box<Self> {
        Box::new(Self {
            probability,
            stream,
            packets: 0,
            headers: 0,
            payload: Bytes::ZERO,
        })
    }

    /// Returns `true` if `packet` is lost.
    #[inline(never)]
    fn strikes<H: Header>(&mut self, packet: &Packet<H>) -> bool {
        let lost = !packet.is(PacketKind::Pause) && self.stream.chance(self.probability);
        if lost {
            self.packets += 1;
            self.headers += u64::from(packet.is_trimmed());
            self.payload += packet.payload_bytes();
        }
        lost
    }
}

/// State of a link; a link that is down carries no packets.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Stored)]
pub(super) enum LinkState {
    Up,
    Down,
}

impl Checkpointed for Egress {
    fn save(&self, out: &mut Writer) {
        let Self {
            byte_ps,
            timing,
            delay,
            rate,
            busy_since,
            busy_until,
            paused,
            state,
            sent,
            packets,
            loss,
        } = self;
        let kind = out.declare(Kind::Deadline);
        (*busy_since, *busy_until).store(out);
        out.declare(Kind::Counter);
        (*sent, *packets).store(out);
        out.declare(kind);
        (*paused, *state).store(out);
        loss.store(out);
        out.audit("Egress.byte_ps", byte_ps);
        out.audit("Egress.timing", timing);
        out.audit("Egress.delay", delay);
        out.audit("Egress.rate", rate);
    }

    fn load(&mut self, input: &mut Reader<'_>) -> Result<(), LoadError> {
        (self.busy_since, self.busy_until) = Stored::fetch(input)?;
        (self.sent, self.packets) = Stored::fetch(input)?;
        (self.paused, self.state) = Stored::fetch(input)?;
        self.loss.load(input)?;
        self.find_byte_time();
        Ok(())
    }
}

impl Egress {
    pub(super) fn new(link: LinkConfig) -> Self {
        let mut egress = Self {
            byte_ps: 0,
            timing: link.timing,
            delay: link.delay,
            rate: link.rate,
            loss: link
                .loss
                .map(|(chance, stream)| Losses::new(chance, stream)),
            busy_since: Time::ZERO,
            busy_until: Time::ZERO,
            paused: PrioritySet::default(),
            state: LinkState::Up,
            sent: 0,
            packets: 0,
        };
        egress.find_byte_time();
        egress
    }

    /// Recomputes `byte_ps` after a change of `timing` or `loss`.
    fn find_byte_time(&mut self) {
        let byte_ps = self.timing.byte_ps().filter(|_| self.loss.is_none());
        self.byte_ps = byte_ps.unwrap_or(0);
    }

    /// Returns the rate at full speed.
    pub(super) const fn rate(&self) -> Rate {
        self.rate
    }

    /// Returns the time of `size` at the current rate and factor.
    pub(super) fn time_of(&self, size: Bytes) -> Duration {
        self.factor().times(self.rate.transmission(size))
    }

    /// Returns the factor by which an application slows the port.
    pub(super) fn factor(&self) -> PortFactor {
        self.timing.factor()
    }

    /// Multiplies transmission times at full speed by `factor` from the next packet on.
    pub(super) fn slow(&mut self, factor: PortFactor) {
        self.timing = self.timing.slowed(factor);
        self.find_byte_time();
    }

    /// Returns the number of packets lost by the link.
    pub(super) fn lost(&self) -> u64 {
        self.loss.as_ref().map_or(0, |losses| losses.packets)
    }

    /// Adds the packets and bytes that the port sent, and the losses of its link, to `counters`.
    pub(super) fn add_to(&self, counters: &mut Counters) {
        counters.packet_hops += self.packets;
        counters.wire_bytes += Bytes::new(self.sent);
        if let Some(losses) = &self.loss {
            counters.link_losses += losses.packets;
            counters.headers_lost += losses.headers;
            counters.lost_payload += losses.payload;
        }
    }

    #[inline]
    pub(super) fn is_down(&self) -> bool {
        self.state == LinkState::Down
    }

    /// Handles a failure of the link: all pauses by the neighbor end.
    pub(super) fn cut(&mut self) {
        self.state = LinkState::Down;
        self.paused = PrioritySet::default();
    }

    /// Sets the rate from the next packet on. An application that slows the port still does.
    pub(super) fn set_rate(&mut self, rate: Rate, timing: LineTiming) {
        self.rate = rate;
        self.timing = timing.slowed(self.factor());
        self.find_byte_time();
    }

    /// Sets the loss probability from the next packet on. A link that has drawn before keeps its
    /// own stream.
    pub(super) fn set_loss(&mut self, probability: f64, stream: Stream) {
        let losses = self.loss.get_or_insert_with(|| Losses::new(0.0, stream));
        losses.probability = probability;
        self.find_byte_time();
    }

    /// Returns the bytes sent before the last packet, which has `wire` bytes.
    pub(super) const fn sent_bytes_before(&self, wire: u16) -> Bytes {
        Bytes::new(self.sent - wire as u64)
    }

    /// Sends a copy of `packet` on the wire at `now`. Returns the copy, so that the caller can
    /// write to it at the last moment, or `None` if the link loses it. `cause` is the time at which
    /// the current event was set.
    ///
    /// Pause frames are never lost, because the published model has no way to recover one.
    /// `byte_ps` is the result of [`Self::byte_ps`], which a caller reads once for several packets.
    // Otherwise the compiler makes it a call, and every packet-hop saves its registers.
    #[inline(always)]
    pub(super) fn transmit<'a, O: EventOrder<H>, H: Header>(
        &mut self,
        byte_ps: Option<NonZeroU64>,
        (now, cause): (Time, u32),
        packet: &Packet<H>,
        lane: Lane<'a, Packet<H>>,
    ) -> Option<&'a mut Packet<H>> {
        debug_assert!(self.busy_until <= now, "one packet at a time");
        debug_assert!(!self.is_down(), "nothing leaves over a link that is down");
        let mut lost = false;
        let lasts = match byte_ps {
            Some(byte_ps) => Duration::from_ps(u64::from(packet.wire) * byte_ps.get()),
            None => {
                if let Some(losses) = &mut self.loss {
                    lost = losses.strikes(packet);
                }
                self.timing.transmission(packet.wire)
            }
        };
        self.busy_since = now;
        self.busy_until = now + lasts;
        self.sent += u64::from(packet.wire);
        self.packets += 1;
        if lost {
            return None;
        }
        let sent = lane.send(self.busy_until + self.delay, packet);
        if O::BY_INSERTION {
            let stamps = Stamps {
                set: Stamps::of(now),
                before: cause,
            };
            O::set_stamps(&mut sent.telemetry, stamps);
        }
        Some(sent)
    }

    /// Returns the picoseconds for each byte, if all transmission times are multiples of it and the
    /// link loses no packet.
    #[inline]
    pub(super) const fn byte_ps(&self) -> Option<NonZeroU64> {
        NonZeroU64::new(self.byte_ps)
    }
}
