//! The computations of a rank.

use fabricsim_base::id::FlowId;
use fabricsim_base::units::Duration;
use fabricsim_core::plugin::AppContext;

use super::super::program::{Operation, Program};
use super::{NEXT, RankApplication};

impl RankApplication {
    pub(super) fn compute(
        &mut self,
        context: &mut AppContext<'_>,
        program: &Program,
        operation: u32,
        span: Duration,
    ) {
        self.state.started(program, operation);
        let now = context.now();
        self.record(|own| own.computes(operation, now));
        let at = (self.iteration, operation);
        let span = self.plan.pace.span(span, self.rank, at);
        let left = match &mut self.progress {
            None => span,
            Some(progress) => progress.begin(operation, span, now),
        };
        context.set_timer(left, u64::from(operation));
    }

    /// Records that a message of the rank has been acknowledged, if `message` is one.
    pub(super) fn acknowledged(&mut self, context: &mut AppContext<'_>, message: FlowId) {
        if let Some(progress) = &mut self.progress {
            progress.acknowledged(message);
            self.follow_messages(context);
        }
    }

    /// Moves the ends of computations if messages are under way now and were not before, or the
    /// other way round.
    pub(super) fn follow_messages(&mut self, context: &mut AppContext<'_>) {
        if let Some(progress) = &mut self.progress
            && progress.follow(self.state.awaited(), context.now())
        {
            for (operation, left) in progress.ends() {
                context.set_timer(left, u64::from(operation));
            }
        }
    }

    /// Slows the ports of the host if the rank has begun to compute, and lets them send at full
    /// rate if it has ended.
    pub(super) fn slow_ports(&mut self, context: &mut AppContext<'_>) {
        let progress = self.progress.as_mut();
        if let Some(factor) = progress.and_then(|progress| progress.change_ports()) {
            let are_slowed = context.slow_ports(factor);
            assert!(are_slowed, "scenarios with other ports are refused");
        }
    }

    /// Computes between two iterations. A timer is set even for zero time, so that iterations of a
    /// single rank do not recurse.
    pub(super) fn compute_between(&mut self, context: &mut AppContext<'_>) {
        let plan = &self.plan;
        let (ended, now) = (self.iteration - 1, context.now());
        let span = (plan.pace).span(plan.compute, self.rank, (ended, u32::MAX));
        context.set_timer(span, NEXT);
        self.streams.add(span);
        if let Some(progress) = &mut self.progress {
            progress.is_between(span > Duration::ZERO);
        }
        if span > Duration::ZERO {
            self.record(|own| own.between(ended, now, now + span));
        }
    }

    pub(super) fn computed(
        &mut self,
        context: &mut AppContext<'_>,
        program: &Program,
        operation: u32,
    ) {
        let Operation::Compute { stream, .. } = self.operation(program, operation) else {
            return;
        };
        self.last = Some(context.now());
        if let Some(progress) = &mut self.progress {
            progress.end(operation);
        }
        self.end(context, program, operation);
        if let Some(next) = self.streams.leave(stream, context.now())
            && let Operation::Compute { span, .. } = self.operation(program, next)
        {
            self.compute(context, program, next, span);
        }
        self.go_on(context, program);
    }
}
