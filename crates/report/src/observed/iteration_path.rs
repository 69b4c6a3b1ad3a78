//! The critical path of an iteration of a job: the operations that decided its end.

use std::collections::BTreeSet;

use fabricsim_base::units::{Duration, Time};

use super::OperationRow;

/// A step of a critical path.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct PathStep<'t> {
    /// The operation; `None` for time of the rank before it in which no operation ended.
    pub operation: Option<OperationRow<'t>>,
    /// Its start, which is the end of the previous step.
    pub from: Time,
    /// Its end.
    pub to: Time,
}

impl PathStep<'_> {
    /// Returns the time of the step.
    #[must_use]
    pub fn time(&self) -> Duration {
        self.to.since(self.from)
    }
}

/// Returns the operations that decided the end of `iteration`, in order. `rows` are the operations
/// of one job.
///
/// The last step is the computation or the receipt that ended last. Before each step is the operation
/// at whose end it started: a computation, a receipt or an acknowledged message of the same rank,
/// in this order if several ended at that instant. A receipt continues at the sender, at the start
/// of its message. So the steps follow one another without a gap, and their times add up to the time
/// from the first start to the last end.
#[must_use]
pub fn iteration_path<'t>(rows: &[OperationRow<'t>], iteration: u32) -> Vec<PathStep<'t>> {
    let kinds = ["compute", "receive", "send"];
    let order = |row: &OperationRow<'_>| kinds.iter().position(|kind| *kind == row.kind);
    let mut ends: Vec<(u32, Time, usize, usize)> = Vec::new();
    let mut last: Option<(Time, usize)> = None;
    for (number, row) in rows.iter().enumerate() {
        let Some(order) = order(row).filter(|_| row.iteration == iteration) else {
            continue;
        };
        if row.start < row.end {
            ends.push((row.rank, row.end, order, number));
        }
        if row.kind != "send" && last.is_none_or(|(end, _)| row.end > end) {
            last = Some((row.end, number));
        }
    }
    ends.sort_unstable();
    let first = rows.iter().filter(|row| row.iteration == iteration);
    let first = first.map(|row| row.start).min().unwrap_or(Time::ZERO);
    let mut path = Vec::new();
    let mut taken = BTreeSet::new();
    let mut next = last.map(|(_, number)| number);
    while let Some(number) = next {
        let row = &rows[number];
        taken.insert(number);
        path.push(PathStep {
            operation: Some(*row),
            from: row.start,
            to: row.end,
        });
        if row.start <= first {
            break;
        }
        let rank = match (row.kind, row.peer) {
            ("receive", Some(sender)) => sender,
            _ => row.rank,
        };
        let after = ends.partition_point(|own| (own.0, own.1) <= (rank, row.start));
        let before = ends[..after].iter().rev();
        let mut own = before.take_while(|own| own.0 == rank);
        // Of the operations that ended at the latest instant, the first one in the order above.
        let end = own.clone().next().map_or(first, |own| own.1);
        if end < row.start {
            path.push(PathStep {
                operation: None,
                from: end,
                to: row.start,
            });
        }
        next = own
            .by_ref()
            .take_while(|own| own.1 == end)
            .filter(|own| !taken.contains(&own.3))
            .min_by_key(|own| (own.2, own.3))
            .map(|own| own.3);
    }
    path.reverse();
    path
}

#[cfg(test)]
mod tests {
    use super::super::read_operations;
    use super::*;

    /// Rank 0 computes until 100 ns, and its message takes until 160. Rank 1 has computed until 130,
    /// continues at 160, and ends at 200. Its own message was acknowledged at 160, too.
    const TEXT: &str = "\
class,job,rank,host,iteration,operation,kind,name,stream,peer_rank,size_bytes,flow,collective,waited_ns,start_ns,end_ns
0,j,0,0,0,0,compute,forward,0,,,,,0,0,100
0,j,1,1,0,0,compute,forward,0,,,,,0,0,130
0,j,1,1,0,1,receive,activations,,0,1000,1,,0,100,160
0,j,1,1,0,2,send,other,,0,1000,2,,0,130,160
0,j,0,0,0,2,receive,other,,1,1000,2,,0,130,155
0,j,0,0,0,1,send,activations,,1,1000,1,,0,100,170
0,j,1,1,0,3,compute,backward,0,,,,,0,160,200
";

    #[test]
    fn each_step_starts_when_another_operation_has_ended() {
        let rows = read_operations(TEXT).expect("rows");
        let path = iteration_path(&rows, 0);
        let found: Vec<_> = path
            .iter()
            .map(|step| {
                let own = step.operation.expect("an operation");
                (own.rank, own.name, step.time().as_ps() / 1_000)
            })
            .collect();
        assert_eq!(
            found,
            [
                (0, "forward", 100),
                (1, "activations", 60),
                (1, "backward", 40)
            ]
        );
        assert!(iteration_path(&rows, 1).is_empty());
    }

    /// Without the message of rank 0, nothing has ended at 160 ns but the acknowledgement; without
    /// it as well, 30 ns after the computation of rank 1 have no operation.
    #[test]
    fn time_without_an_operation_is_a_step_of_its_own() {
        let without = |names: [&str; 2]| {
            let rows = read_operations(TEXT).expect("rows");
            let rows: Vec<_> = rows
                .into_iter()
                .filter(|row| !names.contains(&row.name))
                .collect();
            let path = iteration_path(&rows, 0);
            let whole: u64 = path.iter().map(|step| step.time().as_ps() / 1_000).sum();
            assert_eq!(whole, 200);
            path.iter().map(|step| step.operation.is_some()).collect()
        };
        let all: Vec<bool> = without(["activations", ""]);
        assert_eq!(all, [true, true, true], "130 + 30 + 40");
        let gap: Vec<bool> = without(["activations", "other"]);
        assert_eq!(gap, [true, false, true]);
    }
}
