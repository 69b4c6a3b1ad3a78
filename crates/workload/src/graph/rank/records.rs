//! The recorded operations of a rank.

use fabricsim_base::id::NodeId;

use super::super::program::Operation;
use super::super::recording::{Done, OperationKind, OperationRecord, Recording};
use super::RankApplication;

impl RankApplication {
    /// Records operations from now on.
    pub fn record_operations(&mut self) {
        self.recording = Some(Box::default());
    }

    /// Calls `visit` with the operations that have ended since the last call, in the order of their
    /// ends. There are none unless [`record_operations`](Self::record_operations) has been called.
    pub fn take_operations(&mut self, host: NodeId, visit: &mut dyn FnMut(&OperationRecord<'_>)) {
        let done = self.recording.as_mut().map(|own| own.take());
        for done in done.unwrap_or_default() {
            visit(&self.operation_record(host, &done));
        }
    }

    /// Calls `with` with the recording, if there is one.
    pub(super) fn record(&mut self, with: impl FnOnce(&mut Recording)) {
        if let Some(recording) = &mut self.recording {
            with(recording);
        }
    }

    fn operation_record(&self, host: NodeId, done: &Done) -> OperationRecord<'_> {
        let info = &self.plan.info;
        let program = self.program.as_ref();
        let known = program.zip(done.operation());
        let span =
            known.and_then(|(program, number)| Some(program.spans[program.span_of(number)?]));
        let first = self.plan.programs.first_instance(self.rank);
        let collective = span.map(|span| first + span.instance);
        let own_name = known.and_then(|(program, number)| program.names.get(number as usize));
        let (mut stream, mut peer, mut size) = (None, None, done.size);
        let is = known.map(|(program, number)| self.operation(program, number));
        match is {
            Some(Operation::Compute { stream: own, .. }) => stream = Some(own),
            Some(Operation::Receive { from, .. }) => peer = Some(from),
            Some(Operation::Send { to, size: own, .. }) => (peer, size) = (Some(to), Some(own)),
            Some(Operation::Join) | None => {}
        }
        OperationRecord {
            info,
            rank: self.rank,
            host,
            iteration: done.iteration,
            operation: done.operation(),
            kind: done.kind,
            name: match (own_name, collective) {
                (Some(name), _) if done.kind != OperationKind::Collective => name,
                (_, Some(number)) => info.instances[number as usize].operation.name(),
                (own, None) => own.map_or("", |name| name),
            },
            stream,
            peer,
            size,
            flow: done.flow,
            collective,
            ready: done.ready,
            start: done.start,
            end: done.end,
        }
    }
}
