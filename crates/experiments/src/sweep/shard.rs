//! A part of a sweep's points, so that several processes can run it together.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::fmt;
use std::str::FromStr;

use super::point::Point;

/// Part `index` of `count`, from 1.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Shard {
    index: usize,
    count: usize,
}

impl Shard {
    /// All points.
    pub const ALL: Self = Self { index: 1, count: 1 };

    /// The most parts of a sweep.
    pub const MOST: usize = 100_000;

    /// Returns part `index` of `count`, counted from 1; `None` if there is no such part.
    #[must_use]
    pub fn new(index: usize, count: usize) -> Option<Self> {
        ((1..=count).contains(&index) && count <= Self::MOST).then_some(Self { index, count })
    }

    /// Returns the indices of `points` in this part. Every point belongs to one part, and parts
    /// have about equal bytes to simulate.
    #[must_use]
    pub fn choose(self, points: &[Point]) -> Vec<usize> {
        let bytes: Vec<f64> = points.iter().map(|point| point.expected().bytes).collect();
        let mut loads: BinaryHeap<Reverse<(Load, usize)>> = (1..=self.count)
            .map(|part| Reverse((Load(0.0), part)))
            .collect();
        let mut mine = Vec::new();
        // The largest first, each to the part that has least so far.
        for place in longest_first(&bytes) {
            let Reverse((load, part)) = loads.pop().expect("there is a part");
            // A point without bytes is work, too.
            loads.push(Reverse((Load(load.0 + bytes[place].max(1.0)), part)));
            if part == self.index {
                mine.push(place);
            }
        }
        mine.sort_unstable();
        mine
    }
}

/// Bytes that a part has to simulate.
#[derive(Clone, Copy, Debug)]
struct Load(f64);

impl Ord for Load {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl PartialOrd for Load {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Load {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Load {}

/// Returns the indices of `bytes` in decreasing order of value; equal values in order of index.
pub(super) fn longest_first(bytes: &[f64]) -> Vec<usize> {
    let mut places: Vec<usize> = (0..bytes.len()).collect();
    places.sort_by(|&a, &b| f64::total_cmp(&bytes[b], &bytes[a]));
    places
}

impl Default for Shard {
    fn default() -> Self {
        Self::ALL
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.count)
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts = text.split_once('/');
        let numbers = parts.and_then(|(index, count)| {
            Some((index.trim().parse().ok()?, count.trim().parse().ok()?))
        });
        let Some((index, count)) = numbers else {
            return Err("write it like 2/8: the second of eight parts".to_owned());
        };
        Self::new(index, count).ok_or_else(|| {
            format!(
                "of {count} parts the first is 1 and the last is {count} (at most {}): an array of \
                 jobs starts at 1, as in --array=1-8",
                Self::MOST
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sweep::Sweep;

    const SWEEP: &str = "
        [scenario.topology]
        kind = \"star\"
        hosts = 3
        [[scenario.workload]]
        kind = \"permutation\"
        size = \"1KB\"
        [scenario.cc]
        kind = \"hpcc\"
        [[axis]]
        key = \"workload.0.size\"
        values = [\"8KB\", \"1KB\", \"7KB\", \"5KB\", \"2KB\", \"3KB\"]
        [[axis]]
        key = \"seed\"
        range = { from = 1, to = 3 }";

    #[test]
    fn every_point_is_in_one_part_and_parts_are_even() {
        let sweep = Sweep::from_text("s.toml", SWEEP, ".".as_ref(), &[]).unwrap();
        let points = sweep.points();
        let total: f64 = points.iter().map(|point| point.expected().bytes).sum();
        for count in [1, 2, 3, 5, 18, 40] {
            let mut all = Vec::new();
            for index in 1..=count {
                let mine = Shard::new(index, count).unwrap().choose(points);
                let bytes: f64 = mine.iter().map(|&at| points[at].expected().bytes).sum();
                if count <= 3 {
                    let share = bytes * count as f64 / total;
                    assert!((0.9..1.1).contains(&share), "{index}/{count}: {share}");
                }
                all.extend(mine);
            }
            all.sort_unstable();
            assert_eq!(all, (0..18).collect::<Vec<_>>(), "{count}");
        }
    }

    #[test]
    fn parts_are_counted_from_one() {
        assert_eq!("3/8".parse(), Ok(Shard { index: 3, count: 8 }));
        assert_eq!("8/8".parse::<Shard>().unwrap().to_string(), "8/8");
        for bad in ["0/8", "9/8", "1/0", "3", "a/b", "-1/2", "1/100001"] {
            assert!(bad.parse::<Shard>().is_err(), "{bad}");
        }
    }
}
