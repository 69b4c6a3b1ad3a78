//! Completion times of incasts: many flows that start at one instant towards one host.

use std::collections::BTreeMap;

use fabricsim_base::id::{ClassId, NodeId};
use fabricsim_base::units::{Duration, Time};

use crate::record::FctRecord;

/// A round of an incast.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct IncastRound {
    /// The receiving host.
    pub dst: NodeId,
    /// Time at which the flows of the round start.
    pub start: Time,
    /// Number of flows of the round that have finished.
    pub flows: usize,
    /// Time from the start to the end of the last flow of the round.
    pub time: Duration,
}

/// Returns the rounds of the incast of `class`, in order of their starts. A round consists of flows
/// to one host that start at the same instant, and ends with the last of its flows in `records`.
#[must_use]
pub fn incast_rounds(records: &[FctRecord], class: ClassId) -> Vec<IncastRound> {
    let mut rounds: BTreeMap<(Time, NodeId), IncastRound> = BTreeMap::new();
    for record in records.iter().filter(|record| record.class == class) {
        let round = rounds
            .entry((record.start, record.dst))
            .or_insert(IncastRound {
                dst: record.dst,
                start: record.start,
                flows: 0,
                time: Duration::ZERO,
            });
        round.flows += 1;
        round.time = round.time.max(record.fct);
    }
    rounds.into_values().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::testing::record;

    #[test]
    fn a_round_ends_with_its_last_flow() {
        let of = |class, dst, start_us: u64, fct_ns| FctRecord {
            class: ClassId(class),
            dst: NodeId(dst),
            start: Time::from_ns(start_us * 1_000),
            ..record(1_000, fct_ns, 1_000)
        };
        let records = [
            of(1, 7, 5, 900),
            of(1, 7, 5, 2_000),
            of(1, 8, 5, 300),
            of(1, 7, 4, 100),
            of(0, 7, 5, 9_000),
        ];
        let rounds = incast_rounds(&records, ClassId(1));
        let found: Vec<_> = rounds
            .iter()
            .map(|round| (round.dst.0, round.flows, round.time.as_ns()))
            .collect();
        assert_eq!(found, [(7, 1, 100), (7, 2, 2_000), (8, 1, 300)]);
        assert_eq!(incast_rounds(&records, ClassId(3)), []);
    }
}
