//! Periods of the past that may repeat.

use std::ops::Range;

use super::MARGIN;
use super::history::History;
use crate::network::applications::Shift;
use crate::network::node::Node;
use crate::plugin::{Endpoint, Model};
use fabricsim_base::checkpoint::Recurrence;
use fabricsim_engine::Processes;

/// Largest number of earlier states that are compared with the requests of applications at once.
const MOST_PERIODS: usize = 4;

/// A period that may repeat now.
#[derive(Debug)]
pub(super) struct Period {
    /// Its first state, among those of the past.
    pub(super) past: usize,
    /// Its calls, among all of the past.
    pub(super) calls: Range<usize>,
    pub(super) found: Recurrence,
    /// Its distance from the repetition.
    pub(super) shift: Shift,
}

/// A state to which a repetition may lead.
#[derive(Clone, Copy, Debug)]
pub(super) struct Goal {
    /// Number of calls before it.
    pub(super) calls: usize,
    /// The state of the past that it repeats.
    pub(super) past: usize,
}

/// Returns the periods that end in the last state of the past, which began in the same state. The
/// shortest one is the first.
pub(super) fn periods<M: Model>(
    processes: &Processes<'_, Node<M>>,
    history: &History,
) -> Vec<Period> {
    let Some((last, earlier)) = history.past.split_last() else {
        return Vec::new();
    };
    let mut periods = Vec::new();
    for (index, past) in earlier.iter().enumerate().rev() {
        let Some(found) = last.snapshot.recurs(&past.snapshot, MARGIN) else {
            continue;
        };
        if found.most == 0 {
            continue;
        }
        periods.push(Period {
            past: index,
            calls: past.calls..last.calls,
            shift: Shift {
                time: found.period,
                flows: found.flows.clone(),
            },
            found,
        });
        if periods.len() == MOST_PERIODS {
            break;
        }
    }
    let is_whole = |node: &Node<M>| {
        node.host().is_none_or(|host| {
            let flows = host.endpoint().unfinished();
            flows.iter().all(|flow| history.live.contains_key(&flow.id))
        })
    };
    if !periods.is_empty() && !processes.iter().all(is_whole) {
        periods.clear();
    }
    periods
}

impl Period {
    /// Returns the share of all repetitions that this one uses up, in parts of 2^64, because a goal
    /// stays or a counter gets full.
    pub(super) fn share(&self) -> u128 {
        (1 << 64) / u128::from(self.found.most)
    }
}
