//! The reason why a rank has not finished, in words.

use super::super::program::{Operation, Program};
use super::RankApplication;

impl RankApplication {
    /// Returns the number of receipts that wait, and the first of them by sender and tag.
    fn waiting_receipts(&self, program: &Program) -> (usize, Option<u32>) {
        let (mut count, mut first) = self.state.mailbox.waiting();
        let foreseen = program.foreseen.iter();
        for receipt in foreseen.filter(|receipt| self.state.waits(receipt)) {
            count += 1;
            let number = receipt.operation;
            let Operation::Receive { from, tag } = self.operation(program, number) else {
                continue;
            };
            let key = (from, self.wire_tag(tag));
            if first.is_none_or(|(least, _)| key < least) {
                first = Some((key, number));
            }
        }
        (count, first.map(|(_, operation)| operation))
    }

    /// Describes the operations for which the rank waits, or returns `None` if it has finished or
    /// has not begun.
    pub(super) fn reason_to_wait(&self) -> Option<String> {
        let program = self.program.as_ref()?;
        if self.is_finished() {
            return None;
        }
        let (receipts, first) = self.waiting_receipts(program);
        let sent = self.unacknowledged.front();
        let first = first.or_else(|| sent.map(|&(_, operation)| operation));
        let first = first.or_else(|| self.lost.first().copied());
        let count = receipts + self.unacknowledged.len() + self.lost.len();
        let ranks = self.plan.ranks();
        let operation = first.map_or_else(
            || "an operation".to_owned(),
            |number| program.describe(number, self.operation(program, number), ranks),
        );
        let operations = match count {
            0 | 1 => operation,
            _ => format!("{count} operations, the first of them {operation}"),
        };
        Some(format!(
            "rank {} of job `{}`, iteration {}: {operations}",
            self.rank, self.plan.info.job, self.iteration
        ))
    }
}
