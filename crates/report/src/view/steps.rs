//! Steps in time, and one value for each port and step.

use fabricsim_base::units::Time;
use serde_json::{Value, json};

use super::columns::{bytes, integers};

/// Most values of a quantity: they bound the size of the page.
const MOST_VALUES: usize = 4_000_000;

/// The row of a port that was not observed, and of one whose values are all zero.
const NOT_OBSERVED: u32 = 0;
const ALL_ZERO: u32 = u32::MAX;

/// Intervals of one or several samples.
pub(super) struct Steps {
    begin: Time,
    ends: Vec<Time>,
    samples: usize,
}

impl Steps {
    /// Divides the samples at `times`, which are sorted and distinct, into at most `most` steps, or
    /// fewer if the fabric has many `ports`. The first interval starts at `begin`.
    pub(super) fn new(begin: Time, times: &[Time], most: usize, ports: usize) -> Self {
        let most = most.min((MOST_VALUES / ports.max(1)).max(1));
        let samples = times.len();
        let count = samples.min(most);
        let end = |step: usize| times[(step + 1) * samples / count - 1];
        Self {
            begin,
            ends: (0..count).map(end).collect(),
            samples,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns the start of the first step.
    pub(super) fn begin(&self) -> Time {
        self.begin
    }

    /// Returns the step of the sample at `at`; samples after the last step count to it.
    pub(super) fn of(&self, at: Time) -> usize {
        let step = self.ends.partition_point(|end| *end < at);
        step.min(self.len().saturating_sub(1))
    }

    pub(super) fn data(&self) -> Value {
        let ns = |time: &Time| time.as_ps() as f64 / 1e3;
        json!({
            "begin_ns": ns(&self.begin),
            "ends_ns": self.ends.iter().map(ns).collect::<Vec<_>>(),
            "samples": self.samples,
        })
    }
}

/// A byte for each observed port and step.
pub(super) struct Grid {
    steps: usize,
    rows: Vec<u32>,
    values: Vec<u8>,
}

impl Grid {
    /// Encodes the values of `ports` ports; `of` returns the bytes of a port, or `None` if it was not
    /// observed. Ports whose values are all zero have no row.
    pub(super) fn new(ports: usize, steps: usize, of: impl Fn(usize) -> Option<Vec<u8>>) -> Self {
        let mut grid = Self {
            steps,
            rows: Vec::with_capacity(ports),
            values: Vec::new(),
        };
        let mut next = NOT_OBSERVED + 1;
        for port in 0..ports {
            let row = match of(port) {
                None => NOT_OBSERVED,
                Some(values) if values.iter().all(|value| *value == 0) => ALL_ZERO,
                Some(values) => {
                    grid.values.extend(values);
                    next += 1;
                    next - 1
                }
            };
            grid.rows.push(row);
        }
        grid
    }

    pub(super) fn data(&self) -> Value {
        debug_assert!(self.steps == 0 || self.values.len().is_multiple_of(self.steps));
        json!({ "rows": integers(self.rows.iter().copied()), "values": bytes(&self.values) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_merged_evenly() {
        let times: Vec<Time> = (1..=7).map(Time::from_ns).collect();
        let steps = Steps::new(Time::ZERO, &times, 3, 10);
        let ends: Vec<u64> = steps.ends.iter().map(|end| end.as_ps() / 1_000).collect();
        assert_eq!(ends, [2, 4, 7]);
        let of: Vec<usize> = times.iter().map(|time| steps.of(*time)).collect();
        assert_eq!(of, [0, 0, 1, 1, 2, 2, 2]);
        assert_eq!(steps.of(Time::from_ns(9)), 2);
        // A page of many ports has fewer steps.
        assert_eq!(Steps::new(Time::ZERO, &times, 7, 1_000_000).len(), 4);
        assert_eq!(Steps::new(Time::ZERO, &times, 7, usize::MAX).len(), 1);
        assert_eq!(Steps::new(Time::ZERO, &[], 7, 2).len(), 0);
    }

    #[test]
    fn idle_ports_have_no_row() {
        let all = [None, Some(vec![0, 0]), Some(vec![0, 7]), Some(vec![3, 0])];
        let grid = Grid::new(4, 2, |port| all[port].clone());
        assert_eq!(grid.rows, [NOT_OBSERVED, ALL_ZERO, 1, 2]);
        assert_eq!(grid.values, [0, 7, 3, 0]);
    }
}
