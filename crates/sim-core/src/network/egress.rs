//! The sending side of a port: a wire that carries one packet at a time.

use super::line::LineTiming;
use crate::engine::Outbox;
use crate::packet::{Causes, Header, Packet, PacketKind, Priorities};
use crate::rng::Stream;
use crate::units::{Bytes, Duration, Rate, Time};

/// What the wire of one port is.
#[derive(Clone, Debug)]
pub struct LinkConfig {
    /// Bits per second, for telemetry and laws.
    pub rate: Rate,
    /// Serialisation times.
    pub timing: LineTiming,
    /// Propagation delay.
    pub delay: Duration,
    /// Probability that a packet is lost on the way, and the stream that decides.
    pub loss: Option<(f64, Stream)>,
}

/// The sending side of a port.
#[derive(Clone, Debug)]
pub(super) struct Egress {
    link: LinkConfig,
    /// Since when and until when the wire is taken.
    pub(super) busy_since: Time,
    pub(super) busy_until: Time,
    /// Priorities that the neighbour has paused.
    pub(super) paused: Priorities,
    pub(super) state: LinkState,
    /// Bytes sent so far.
    pub(super) sent: u64,
    /// Packets sent so far.
    pub(super) packets: u64,
    /// Packets that the link lost.
    pub(super) lost: u64,
    /// Payload bytes in them.
    pub(super) lost_payload: u64,
}

/// Whether a link carries packets.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum LinkState {
    Up,
    Down,
}

impl Egress {
    pub(super) fn new(link: LinkConfig) -> Self {
        Self {
            link,
            busy_since: Time::ZERO,
            busy_until: Time::ZERO,
            paused: Priorities::default(),
            state: LinkState::Up,
            sent: 0,
            packets: 0,
            lost: 0,
            lost_payload: 0,
        }
    }

    pub(super) const fn rate(&self) -> Rate {
        self.link.rate
    }

    #[inline]
    pub(super) fn is_down(&self) -> bool {
        self.state == LinkState::Down
    }

    /// The link fails: what the neighbour has paused is not paused any more.
    pub(super) fn cut(&mut self) {
        self.state = LinkState::Down;
        self.paused = Priorities::default();
    }

    /// From the next packet on.
    pub(super) fn set_rate(&mut self, rate: Rate, timing: LineTiming) {
        self.link.rate = rate;
        self.link.timing = timing;
    }

    /// From the next packet on; a link that has drawn before goes on with its own stream.
    pub(super) fn set_loss(&mut self, probability: f64, stream: Stream) {
        let (_, stream) = self.link.loss.take().unwrap_or((0.0, stream));
        self.link.loss = Some((probability, stream));
    }

    /// Bytes sent before the last packet, of `wire` bytes.
    pub(super) const fn sent_bytes_before(&self, wire: u16) -> Bytes {
        Bytes::new(self.sent - wire as u64)
    }

    /// Puts a copy of `packet` on the wire at `now`, because of an event that was set at `cause`, and
    /// returns the copy for what is written at the last moment; or `None` when the link loses it.
    ///
    /// Pause frames are never lost: the published model has no way to recover one.
    #[inline]
    pub(super) fn transmit<'a, H: Header>(
        &mut self,
        now: Time,
        cause: u32,
        lane: usize,
        packet: &Packet<H>,
        outbox: &'a mut Outbox<Packet<H>>,
    ) -> Option<&'a mut Packet<H>> {
        debug_assert!(self.busy_until <= now, "one packet at a time");
        debug_assert!(!self.is_down(), "nothing leaves over a link that is down");
        let done = now + self.link.timing.serialisation(packet.wire);
        self.busy_since = now;
        self.busy_until = done;
        self.sent += u64::from(packet.wire);
        self.packets += 1;
        if let Some((probability, stream)) = &mut self.link.loss
            && packet.kind() != PacketKind::Pause
            && stream.chance(*probability)
        {
            self.lost += 1;
            self.lost_payload += packet.payload_bytes();
            return None;
        }
        let sent = outbox.send(lane, done + self.link.delay, packet);
        if H::CAUSAL {
            sent.telemetry.set_causes(Causes {
                set: Causes::stamp(now),
                before: cause,
            });
        }
        Some(sent)
    }
}
