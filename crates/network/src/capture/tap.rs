//! A tap, which captures the frames that a node sends.

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

/// Bytes of records that a tap keeps in memory before it spills them.
const KEPT: usize = 64 << 10;

/// Selection of the frames to capture.
#[derive(Clone, Debug)]
pub struct TapLimits {
    /// Time in which frames are captured.
    pub time: Range<Time>,
    /// Numbers of the captured flows; `None` for all. It does not select pause frames, which belong
    /// to no flow.
    pub flow_ids: Option<Vec<NumberRange>>,
    /// Captured priorities, including their pause frames; `None` for all.
    pub priorities: Option<Vec<NumberRange>>,
    /// Largest number of frames of all nodes together.
    pub max_frames: u64,
}

/// Rules and the spill file that all taps share.
#[derive(Debug)]
pub struct TapRules {
    limits: TapLimits,
    frames: FrameWriter,
    spill: Mutex<Spill>,
}

impl TapRules {
    /// Returns the rules of taps that capture frames within `limits`, write headers with `frames`
    /// and spill their records into `spill`.
    #[must_use]
    pub const fn new(limits: TapLimits, frames: FrameWriter, spill: Spill) -> Self {
        Self {
            limits,
            frames,
            spill: Mutex::new(spill),
        }
    }

    /// Returns the largest number of frames to capture.
    #[must_use]
    pub const fn max_frames(&self) -> u64 {
        self.limits.max_frames
    }

    /// Locks and returns the file of all taps. A poisoned lock does no harm, because a panic of a
    /// tap ends the run before the file is read.
    pub fn spill(&self) -> MutexGuard<'_, Spill> {
        self.spill.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_in_time(&self, at: Time) -> bool {
        self.limits.time.contains(&at)
    }

    /// Returns `true` if the rules select frames of `packet`.
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
    /// Interface for frames that the port sends; `None` if they are not captured.
    pub sent: Option<u32>,
    /// Interface of the other end, for frames that arrive there; `None` if they are not captured.
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

/// A frame in flight: the port that sent it, its bytes on the wire and the bytes that may be
/// stored, and its headers.
type InFlight = (PortId, [u16; 2], Box<[u8]>);

/// The tap of a node. Its records are in time order.
#[derive(Debug)]
pub struct Tap {
    node: NodeId,
    rules: Arc<TapRules>,
    ports: Vec<TapPort>,
    /// `true` if the link has lost the next reported packet.
    loses_next: bool,
    /// Frames that have not arrived yet, keyed by arrival time, interface and order.
    in_flight: BTreeMap<(Time, u32, u64), InFlight>,
    seen: u64,
    kept: u64,
    headers: Vec<u8>,
    buffer: Vec<u8>,
    chunks: Vec<Chunk>,
}

impl Tap {
    /// Returns the tap of `node` with `ports`, under the shared `rules`.
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

    /// Records that the link loses the next sent packet.
    pub(crate) const fn lose_next(&mut self) {
        self.loses_next = true;
    }

    /// Captures `packet`, which the node puts on the wire of `port`. Its time of arrival is known.
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

    /// Discards the frames in flight on the link of `port`, because the link has failed.
    pub(crate) fn on_link_down(&mut self, now: Time, port: PortId) {
        if let Some(before) = now.as_ps().checked_sub(1) {
            self.land_until(Time::from_ps(before));
        }
        let before = self.in_flight.len();
        self.in_flight.retain(|_, (sender, _, _)| *sender != port);
        self.seen -= (before - self.in_flight.len()) as u64;
    }

    /// Records the frames that have arrived by `now`.
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
        // The first frames of all taps together are among the first frames of each tap.
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

    /// Returns the records of a run that ended at `ended`, and the number of selected frames.
    #[must_use]
    pub fn into_stream(mut self, ended: Time) -> (Stream, u64) {
        self.land_until(ended);
        let seen = self.seen - self.in_flight.len() as u64;
        (Stream::new(self.chunks, self.buffer), seen)
    }
}
