//! The observer of each node, which records results while packets move.

use std::any::Any;

use fabricsim_base::checkpoint::{
    Checkpointed, LoadError, Reader, Stored, Writer, load_optional, save_optional,
};
use fabricsim_base::flow::{Completion, Flow};
use fabricsim_base::id::{FlowId, NodeId, PortId};
use fabricsim_base::priority::Priority;
use fabricsim_base::units::{Bytes, Time};
use fabricsim_core::packet::{Packet, PacketKind, PauseChange};
use fabricsim_core::plugin::{DropReason, Hop, Interest, Observer, Wait};
use fabricsim_pint::query::{Sink, Truth};

use crate::capture::Tap;
use crate::headers::Observed;
use crate::pause_log::PauseLog;

/// An observer that a program attaches to a node.
pub trait AttachedObserver: Observer<()> + Any {}

impl<O: Observer<()> + Any> AttachedObserver for O {}

/// The calls that a capture needs.
const PACKETS: Interest = Interest::SENDS.and(Interest::DEQUEUES).and(Interest::ORDER);

/// The observer of one node. If no series or capture needs queues or packets, it costs two tests of
/// a flag for a packet that waits, and one test for a departure or for an arrival at a host.
#[derive(Debug)]
pub struct NodeLog {
    pub(crate) pauses: PauseLog,
    /// The recorders of the series of `[observe]`.
    pub(crate) recorders: Vec<Box<dyn AttachedObserver>>,
    /// Sink that processes the digests arriving at a host.
    pub(crate) sink: Option<Box<Sink>>,
    /// True values that a switch records in addition to the digests.
    pub(crate) truth: Option<Box<Truth>>,
    /// The calls that `recorders`, `tap` and `attached` need.
    interest: Interest,
    /// Captures the frames that the node sends.
    pub(crate) tap: Option<Box<Tap>>,
    /// The observer of the embedding program.
    pub(crate) attached: Option<Box<dyn AttachedObserver>>,
}

impl NodeLog {
    /// Returns the observer of a node. It records `pauses` if a result file needs them, and the
    /// digests and true values for which `sink` and `truth` are given. `recorders` belong to
    /// series.
    #[must_use]
    pub fn new(
        pauses: bool,
        recorders: Vec<Box<dyn AttachedObserver>>,
        sink: Option<Sink>,
        truth: Option<Truth>,
    ) -> Self {
        Self {
            pauses: if pauses {
                PauseLog::On(Vec::new())
            } else {
                PauseLog::Off
            },
            interest: (recorders.iter())
                .fold(Interest::NOTHING, |all, own| all.and(own.interest())),
            recorders,
            sink: sink.map(Box::new),
            truth: truth.map(Box::new),
            tap: None,
            attached: None,
        }
    }

    /// Attaches the observer of an embedding program. It also receives changes of queues.
    pub(crate) fn attach(&mut self, observer: Box<dyn AttachedObserver>) {
        self.interest = Interest::EVERYTHING;
        self.attached = Some(observer);
    }

    /// Returns the recorder of type `R`, if there is one.
    pub(crate) fn recorder_mut<R: Any>(&mut self) -> Option<&mut R> {
        let mut recorders = self.recorders.iter_mut();
        recorders.find_map(|recorder| {
            let recorder: &mut dyn Any = &mut **recorder;
            recorder.downcast_mut()
        })
    }

    /// Returns all observers that receive packets without telemetry.
    fn watchers(&mut self) -> impl Iterator<Item = &mut Box<dyn AttachedObserver>> {
        self.recorders.iter_mut().chain(&mut self.attached)
    }

    /// Captures the frames that the node sends from now on.
    pub(crate) fn capture(&mut self, tap: Box<Tap>) {
        self.interest = self.interest.and(PACKETS);
        self.tap = Some(tap);
    }

    // Kept out of line, because every packet runs through the callers.
    #[cold]
    #[inline(never)]
    fn tell_arrival<H: Observed>(&mut self, now: Time, node: NodeId, packet: &Packet<H>) {
        let mut seen = packet.without_telemetry();
        // The blocks of an acknowledgement of TCP are of no use without its header.
        if let (PacketKind::Ack, Some(header)) = (packet.kind(), packet.telemetry.segment()) {
            seen.seq = header.ack();
        }
        for watcher in self.watchers() {
            watcher.on_arrival(now, node, &seen);
        }
    }

    #[cold]
    #[inline(never)]
    fn tell_dequeue<H: Observed>(&mut self, node: NodeId, hop: &Hop, packet: &Packet<H>) {
        if let Some(tap) = &mut self.tap {
            tap.on_send(hop.now, hop.port, packet);
        }
        for watcher in self.watchers() {
            watcher.on_dequeue(node, hop, &packet.without_telemetry());
        }
    }

    #[cold]
    #[inline(never)]
    fn tell_send<H: Observed>(
        &mut self,
        now: Time,
        node: NodeId,
        port: PortId,
        packet: &Packet<H>,
    ) {
        if let Some(tap) = &mut self.tap {
            tap.on_send(now, port, packet);
        }
        for watcher in self.watchers() {
            watcher.on_send(now, node, port, &packet.without_telemetry());
        }
    }

    #[cold]
    #[inline(never)]
    fn tell_queue_change(&mut self, now: Time, node: NodeId, port: PortId, queue: Bytes) {
        for watcher in self.watchers() {
            watcher.on_queue_change(now, node, port, queue);
        }
    }
}

impl Checkpointed for NodeLog {
    fn save(&self, out: &mut Writer) {
        let Self {
            pauses,
            recorders,
            sink,
            truth,
            interest: _,
            tap,
            attached,
        } = self;
        pauses.save(out);
        if !recorders.is_empty() || tap.is_some() || attached.is_some() {
            out.absolute("what observers record of each packet");
        }
        out.number(recorders.len());
        for recorder in recorders {
            recorder.save_state(out);
        }
        save_optional(sink.as_deref(), out);
        save_optional(truth.as_deref(), out);
        attached.is_some().store(out);
        if let Some(attached) = attached {
            attached.save_state(out);
        }
    }

    fn load(&mut self, input: &mut Reader<'_>) -> Result<(), LoadError> {
        let Self {
            pauses,
            recorders,
            sink,
            truth,
            interest: _,
            tap: _,
            attached,
        } = self;
        pauses.load(input)?;
        input.expect_number(recorders.len())?;
        for recorder in recorders {
            recorder.load_state(input)?;
        }
        load_optional(sink.as_deref_mut(), input)?;
        load_optional(truth.as_deref_mut(), input)?;
        match (bool::fetch(input)?, attached) {
            (true, Some(attached)) => attached.load_state(input),
            (false, None) => Ok(()),
            (true, None) => Err(LoadError::new("an observer has to be attached")),
            (false, Some(_)) => Err(LoadError::new("no observer was attached")),
        }
    }
}

impl<H: Observed> Observer<H> for NodeLog {
    #[inline]
    fn interest(&self) -> Interest {
        if H::PROBED {
            self.interest.and(Interest::DEQUEUES).and(Interest::ORDER)
        } else {
            self.interest
        }
    }

    fn on_start(&mut self, now: Time, node: NodeId, flow: &Flow) {
        for watcher in self.watchers() {
            watcher.on_start(now, node, flow);
        }
    }

    #[inline]
    fn on_arrival(&mut self, now: Time, node: NodeId, packet: &Packet<H>) {
        if H::PROBED
            && let Some(sink) = &mut self.sink
        {
            sink.on_arrival(now, packet);
        }
        if self.interest.has(Interest::SENDS) {
            self.tell_arrival(now, node, packet);
        }
    }

    #[inline]
    fn on_send(&mut self, now: Time, node: NodeId, port: PortId, packet: &Packet<H>) {
        if self.interest.has(Interest::SENDS) {
            self.tell_send(now, node, port, packet);
        }
    }

    #[cold]
    #[inline(never)]
    fn on_event(
        &mut self,
        now: Time,
        node: NodeId,
        timer: bool,
        wait: &dyn Fn(FlowId) -> Option<Wait>,
    ) {
        for watcher in self.watchers() {
            watcher.on_event(now, node, timer, wait);
        }
    }

    #[cold]
    #[inline(never)]
    fn on_link_down(&mut self, now: Time, node: NodeId, port: PortId) {
        if let Some(tap) = &mut self.tap {
            tap.on_link_down(now, port);
        }
        for watcher in self.watchers() {
            watcher.on_link_down(now, node, port);
        }
    }

    fn on_completion(&mut self, node: NodeId, completion: &Completion) {
        for watcher in self.watchers() {
            watcher.on_completion(node, completion);
        }
    }

    #[inline]
    fn on_dequeue(&mut self, node: NodeId, hop: &Hop, packet: &Packet<H>) {
        if H::PROBED
            && let Some(truth) = &mut self.truth
        {
            truth.on_dequeue(hop, packet);
        }
        if self.interest.has(Interest::DEQUEUES) {
            self.tell_dequeue(node, hop, packet);
        }
    }

    #[inline]
    fn on_queue_change(&mut self, now: Time, node: NodeId, port: PortId, queue: Bytes) {
        if self.interest.has(Interest::QUEUES) {
            self.tell_queue_change(now, node, port, queue);
        }
    }

    #[cold]
    #[inline(never)]
    fn on_drop(&mut self, now: Time, node: NodeId, reason: DropReason, packet: &Packet<H>) {
        if let Some(tap) = &mut self.tap
            && reason == DropReason::Link
        {
            tap.lose_next();
        }
        for watcher in self.watchers() {
            watcher.on_drop(now, node, reason, &packet.without_telemetry());
        }
    }

    fn on_pause(
        &mut self,
        now: Time,
        node: NodeId,
        port: PortId,
        priority: Priority,
        change: PauseChange,
    ) {
        self.pauses.add(now, node, port, priority, change);
        for watcher in self.watchers() {
            watcher.on_pause(now, node, port, priority, change);
        }
    }

    fabricsim_base::saves_state!();
}
