//! Tracks without overlapping events.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::io::{self, Write};

use fabricsim_base::units::Time;

use super::event::EventWriter;

/// A time span in whole nanoseconds. Both ends are rounded alike, so rounding creates no overlaps.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Span {
    pub(super) start: u64,
    pub(super) end: u64,
}

impl Span {
    pub(super) fn new(start: Time, end: Time) -> Self {
        Self {
            start: start.as_ns(),
            end: end.max(start).as_ns(),
        }
    }

    /// Returns the start and the end in microseconds, as a viewer computes them: it adds start and
    /// length as floating-point numbers, and the sum can be larger than the start of the next span.
    fn as_viewed(self) -> (f64, f64) {
        let micros = |ns: u64| ns as f64 / 1e3;
        let start = micros(self.start);
        (start, start + micros(self.end - self.start))
    }
}

/// Returns the `most` longest of `rows`, in the order of their starts; of equally long ones, the
/// first.
pub(super) fn longest<T>(rows: &[T], span: impl Fn(&T) -> Span, most: usize) -> Vec<&T> {
    let mut chosen: Vec<(usize, &T)> = rows.iter().enumerate().collect();
    let length = |&(index, row): &(usize, &T)| {
        let span = span(row);
        (Reverse(span.end - span.start), index)
    };
    if most < chosen.len() {
        chosen.select_nth_unstable_by_key(most, length);
        chosen.truncate(most);
    }
    chosen.sort_unstable_by_key(|&(index, row)| (span(row).start, index));
    chosen.into_iter().map(|(_, row)| row).collect()
}

/// The tracks of one kind in all processes.
pub(super) struct Tracks {
    kind: &'static str,
    first: u64,
    /// The end of the last span on each track of a process, as viewers compute it.
    ends: BTreeMap<u64, Vec<f64>>,
}

impl Tracks {
    pub(super) const fn new(kind: &'static str, first: u64) -> Self {
        Self {
            kind,
            first,
            ends: BTreeMap::new(),
        }
    }

    /// Returns the track of `process` for `span`, which must not begin before an earlier span.
    pub(super) fn track(&mut self, process: u64, span: Span) -> u64 {
        let ends = self.ends.entry(process).or_default();
        let (start, end) = span.as_viewed();
        let free = ends.iter().position(|&last| last <= start);
        let place = free.unwrap_or(ends.len());
        match ends.get_mut(place) {
            Some(last) => *last = end,
            None => ends.push(end),
        }
        self.first + place as u64
    }

    /// Writes the names of all tracks.
    pub(super) fn name<W: Write>(&self, writer: &mut EventWriter<W>) -> io::Result<()> {
        for (&process, ends) in &self.ends {
            for (place, _) in (0..).zip(ends) {
                let name = format!("{} {}", self.kind, place + 1);
                writer.name_track(process, self.first + place, &name)?;
            }
        }
        Ok(())
    }
}
