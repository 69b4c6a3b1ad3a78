//! The computations of a rank.

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
        context.set_timer(span, u64::from(operation));
    }

    /// Computes between two iterations. A timer is set even for zero time, so that iterations of a
    /// single rank do not recurse.
    pub(super) fn compute_between(&mut self, context: &mut AppContext<'_>) {
        let plan = &self.plan;
        let (ended, now) = (self.iteration - 1, context.now());
        let span = (plan.pace).span(plan.compute, self.rank, (ended, u32::MAX));
        context.set_timer(span, NEXT);
        self.streams.add(span);
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
        self.end(context, program, operation);
        if let Some(next) = self.streams.leave(stream, context.now())
            && let Operation::Compute { span, .. } = self.operation(program, next)
        {
            self.compute(context, program, next, span);
        }
        self.go_on(context, program);
    }
}
