//! What a node sees of the frames that it sends.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use fabricsim_base::id::{FlowId, NodeId, PortId};
use fabricsim_base::input::NumberRange;
use fabricsim_base::units::Time;
use fabricsim_core::packet::{Packet, PacketKind};
use fabricsim_engine::Message as _;

use super::frame::FrameWriter;
use super::merge::{Direction, Record, Stream};
use super::spill::{Chunk, Spill};
use crate::headers::Observed;

/// Bytes that a tap keeps before it spills them.
const KEPT: usize = 64 << 10;

/// Which frames are captured.
#[derive(Clone, Debug)]
pub struct TapLimits {
    /// When.
    pub time: Range<Time>,
    /// Of which flows, with all pauses; `None` for all.
    pub flow_ids: Option<Vec<NumberRange>>,
    /// Of which priorities, with the pauses of them; `None` for all.
    pub priorities: Option<Vec<NumberRange>>,
    /// How many of all nodes together, at most.
    pub max_frames: u64,
}

/// What all taps share.
#[derive(Debug)]
pub struct TapRules {
    limits: TapLimits,
    frames: FrameWriter,
    spill: Mutex<Spill>,
}

impl TapRules {
    /// Returns the rules of taps that capture what is within `limits`, write its headers by `frames`
    /// and spill into `spill`.
    #[must_use]
    pub const fn new(limits: TapLimits, frames: FrameWriter, spill: Spill) -> Self {
        Self {
            limits,
            frames,
            spill: Mutex::new(spill),
        }
    }

    /// Returns how many frames are captured at most.
    #[must_use]
    pub const fn max_frames(&self) -> u64 {
        self.limits.max_frames
    }

    /// Returns the file of all taps. A tap that panicked has ended the run, and nobody reads it.
    pub fn spill(&self) -> MutexGuard<'_, Spill> {
        self.spill.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_in_time(&self, at: Time) -> bool {
        self.limits.time.contains(&at)
    }

    /// Returns whether frames of `packet` are captured.
    fn takes<H: Observed>(&self, packet: &Packet<H>) -> bool {
        let (priority, flow) = match packet.kind() {
            PacketKind::Pause => (packet.paused_priority(), None),
            _ => (packet.priority(), Some(packet.flow)),
        };
        NumberRange::any_contains(self.limits.priorities.as_deref(), u32::from(priority.get()))
            && flow.is_none_or(|FlowId(flow)| {
                NumberRange::any_contains(self.limits.flow_ids.as_deref(), flow)
            })
    }
}

/// A port of a node with a tap.
#[derive(Clone, Debug)]
pub struct TapPort {
    peer: NodeId,
    /// The interface of the port, where what it sends is captured.
    pub sent: Option<u32>,
    /// The interface of the other end, where what arrives there is captured.
    pub arrived: Option<u32>,
}

impl TapPort {
    /// Returns a port that is linked to `peer` and not captured.
    #[must_use]
    pub const fn new(peer: NodeId) -> Self {
        Self {
            peer,
            sent: None,
            arrived: None,
        }
    }
}

/// A frame on its way: the port that has sent it, its bytes on the wire and those that may be stored,
/// and its headers.
type InFlight = (PortId, [u16; 2], Box<[u8]>);

/// The tap of a node. Its records are in the order of time.
#[derive(Debug)]
pub struct Tap {
    node: NodeId,
    rules: Arc<TapRules>,
    ports: Vec<TapPort>,
    /// The link has lost the packet that is reported next.
    loses_next: bool,
    /// Frames that have not arrived, by arrival, interface and order.
    in_flight: BTreeMap<(Time, u32, u64), InFlight>,
    seen: u64,
    kept: u64,
    headers: Vec<u8>,
    buffer: Vec<u8>,
    chunks: Vec<Chunk>,
}

impl Tap {
    /// Returns the tap of `node` with `ports`, by the rules that all taps share.
    #[must_use]
    pub fn new(node: NodeId, rules: &Arc<TapRules>, ports: Vec<TapPort>) -> Self {
        Self {
            node,
            rules: Arc::clone(rules),
            ports,
            loses_next: false,
            in_flight: BTreeMap::new(),
            seen: 0,
            kept: 0,
            headers: Vec::new(),
            buffer: Vec::new(),
            chunks: Vec::new(),
        }
    }

    /// The link loses the packet that is sent next.
    pub(crate) const fn lose_next(&mut self) {
        self.loses_next = true;
    }

    /// `packet` goes on the wire of `port`, complete but for its link.
    pub(crate) fn on_send<H: Observed>(&mut self, now: Time, port: PortId, packet: &Packet<H>) {
        let lost = std::mem::take(&mut self.loses_next);
        let TapPort {
            peer,
            sent,
            arrived,
        } = self.ports[port.index()];
        if sent.is_none() && arrived.is_none() || !self.rules.takes(packet) {
            return;
        }
        let sent = sent.filter(|_| self.rules.is_in_time(now));
        let arrival = packet.arrival();
        let arrived = arrived.filter(|_| !lost && self.rules.is_in_time(arrival));
        if sent.is_none() && arrived.is_none() {
            return;
        }
        self.land_until(now);
        let mut headers = std::mem::take(&mut self.headers);
        headers.clear();
        let ends = (self.node, peer);
        let known = self.rules.frames.write(now, ends, packet, &mut headers);
        if let Some(interface) = sent {
            self.keep(&Record {
                at: now,
                interface,
                direction: Direction::Sent,
                wire: packet.wire,
                known,
                headers: &headers,
            });
        }
        if let Some(interface) = arrived {
            let frame = (port, [packet.wire, known], headers.as_slice().into());
            let place = (arrival, interface, self.seen);
            self.in_flight.insert(place, frame);
            self.seen += 1;
        }
        self.headers = headers;
    }

    /// The link of `port` fails: what is on its way is lost.
    pub(crate) fn on_link_down(&mut self, now: Time, port: PortId) {
        if let Some(before) = now.as_ps().checked_sub(1) {
            self.land_until(Time::from_ps(before));
        }
        let before = self.in_flight.len();
        self.in_flight.retain(|_, (sender, _, _)| *sender != port);
        self.seen -= (before - self.in_flight.len()) as u64;
    }

    /// Takes the frames that have arrived by `now`.
    fn land_until(&mut self, now: Time) {
        while let Some(first) = self.in_flight.first_entry()
            && first.key().0 <= now
        {
            let ((at, interface, _), (_, [wire, known], headers)) = first.remove_entry();
            self.seen -= 1;
            self.keep(&Record {
                at,
                interface,
                direction: Direction::Arrived,
                wire,
                known,
                headers: &headers,
            });
        }
    }

    fn keep(&mut self, record: &Record<'_>) {
        self.seen += 1;
        // The first frames of all taps are among the first of each.
        if self.kept == self.rules.max_frames() {
            return;
        }
        self.kept += 1;
        record.append_to(&mut self.buffer);
        if self.buffer.len() >= KEPT {
            self.spill();
        }
    }

    fn spill(&mut self) {
        let chunk = self.rules.spill().append(&self.buffer);
        self.chunks.extend(chunk);
        self.buffer.clear();
    }

    /// Returns the records of a run that has ended at `ended`, and how many frames there were.
    #[must_use]
    pub fn into_stream(mut self, ended: Time) -> (Stream, u64) {
        self.land_until(ended);
        let seen = self.seen - self.in_flight.len() as u64;
        (Stream::new(self.chunks, self.buffer), seen)
    }
}
