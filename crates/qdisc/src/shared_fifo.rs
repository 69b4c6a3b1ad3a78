//! A plain queue, limited only by the switch's shared buffer.

use fabricsim_base::checkpoint::{
    Checkpointed, LoadError, Reader, Stored, Writer, load_optional, save_optional,
};
use fabricsim_base::fifo::Fifo;
use fabricsim_base::input::{ConfigError, Keys};
use fabricsim_base::units::{Bytes, Time};
use fabricsim_core::packet::{Header, Packet};
use fabricsim_core::plugin::Mark;
use fabricsim_engine::Message as _;
use serde::{Deserialize, Serialize};

use crate::RedEcn;
use crate::counters::DisciplineCounters;
use crate::discipline::{Discipline, mark_if};
use crate::discipline_config::{DisciplineConfig, DisciplineKind};
use crate::short_form::ShortForm;

/// Settings of a `shared-buffer` queue: it has none.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct SharedBufferConfig {}

impl DisciplineKind for SharedBufferConfig {
    const NAME: &'static str = "shared-buffer";
    const ABOUT: &'static str =
        "a plain queue that the switch's buffer bounds and algorithms' thresholds mark";
    const KEYS: Keys = &[];
    const SHORT_FORMS: &'static [ShortForm] = &[ShortForm::new("shared-buffer", &[])];

    fn validate(&self) -> Result<(), ConfigError> {
        Ok(())
    }

    fn into_config(self) -> DisciplineConfig {
        DisciplineConfig::SharedBuffer(self)
    }
}

/// A first-in, first-out queue without its own limit. Its marker decides by the remaining bytes
/// only, and marks packets of all senders, as RDMA expects. It behaves like one queue of
/// [`PriorityQueues`](crate::PriorityQueues), and has no counters either.
#[derive(Clone, Debug)]
pub struct SharedFifo<H> {
    packets: Fifo<Packet<H>>,
    bytes: u64,
    marker: Option<Box<RedEcn>>,
}

impl<H: Header> SharedFifo<H> {
    /// Returns an empty queue.
    #[must_use]
    pub fn new(marker: Option<RedEcn>) -> Self {
        Self {
            packets: Fifo::default(),
            bytes: 0,
            marker: marker.map(Box::new),
        }
    }

    /// Stores a copy of `packet`, which arrives now, at the end.
    #[inline]
    pub(crate) fn push(&mut self, now: Time, packet: &Packet<H>) -> &mut Packet<H> {
        self.bytes += u64::from(packet.wire);
        let stored = self.packets.push(packet);
        stored.set_arrival(now);
        stored
    }

    /// Removes the first packet, which has `wire` bytes, and returns its mark.
    #[inline]
    pub(crate) fn pop_wire(&mut self, wire: u16) -> Mark {
        self.packets.pop();
        self.bytes -= u64::from(wire);
        self.mark()
    }

    /// Returns the mark of a packet that leaves the remaining bytes behind.
    #[inline]
    fn mark(&mut self) -> Mark {
        match &mut self.marker {
            Some(marker) => mark_if(marker.marks(Bytes::new(self.bytes))),
            None => Mark::None,
        }
    }
}

impl<H: Stored> Checkpointed for SharedFifo<H> {
    fn save(&self, out: &mut Writer) {
        let Self {
            packets,
            bytes,
            marker,
        } = self;
        packets.store(out);
        bytes.store(out);
        save_optional(marker.as_deref(), out);
    }

    fn load(&mut self, input: &mut Reader<'_>) -> Result<(), LoadError> {
        let Self {
            packets,
            bytes,
            marker,
        } = self;
        packets.load(input)?;
        bytes.load(input)?;
        load_optional(marker.as_deref_mut(), input)
    }
}

impl<H: Header> Discipline<H> for SharedFifo<H> {
    #[inline]
    fn enqueue(
        &mut self,
        now: Time,
        packet: &Packet<H>,
        _dropped: &mut Vec<Packet<H>>,
    ) -> Option<&mut Packet<H>> {
        Some(self.push(now, packet))
    }

    #[inline]
    fn select(&mut self, _now: Time, _dropped: &mut Vec<Packet<H>>) -> bool {
        !self.packets.is_empty()
    }

    #[inline]
    fn front(&self) -> Option<&Packet<H>> {
        self.packets.front()
    }

    #[inline]
    fn pop(&mut self, _now: Time) -> Mark {
        match self.packets.front() {
            Some(first) => {
                let wire = first.wire;
                self.pop_wire(wire)
            }
            None => Mark::None,
        }
    }

    #[inline]
    fn bytes(&self) -> Bytes {
        Bytes::new(self.bytes)
    }

    #[inline]
    fn packets(&self) -> usize {
        self.packets.len()
    }

    fn for_each(&self, visit: impl FnMut(&Packet<H>)) {
        self.packets.iter().for_each(visit);
    }

    fn counters(&self) -> Option<DisciplineCounters> {
        None
    }
}
