//! States that recur.

use std::collections::BTreeMap;

use super::relative::{INSTANT, MOVING, Mark, PLAIN};
use super::{Kind, LoadError, Reader};
use crate::units::{Duration, Time};

/// The relative form of a state, with the numbers that move.
#[derive(Clone, Debug)]
pub struct Snapshot {
    pub(super) now: Time,
    pub(super) bytes: Vec<u8>,
    pub(super) marks: Vec<Mark>,
}

/// A state that has recurred: its period, and the movement of its numbers in a period.
#[derive(Clone, Debug)]
pub struct Recurrence {
    /// The length of the period.
    pub period: Duration,
    /// Number of periods that may be skipped at most from the second snapshot, by its goals and
    /// the types of its numbers.
    pub most: u64,
    /// The first time at which something happens that is not part of the period.
    pub until: Time,
    /// `true` if a flow has sent data in the period.
    pub progresses: bool,
    /// The movement of each mark.
    steps: Vec<u64>,
}

/// The positions of a flow.
#[derive(Clone, Copy, Debug)]
struct Positions {
    step: u64,
    /// The first position of the earlier snapshot, and the last one of the later snapshot.
    first: u64,
    last: u64,
}

impl Snapshot {
    /// Returns the time of the snapshot.
    #[must_use]
    pub const fn now(&self) -> Time {
        self.now
    }

    /// Returns the number of bytes in memory.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.bytes.len() + self.marks.len() * size_of::<Mark>()
    }

    /// Returns `true` if the state has no bytes.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Returns the recurrence if `self` is the state of `earlier`, moved. `margin` is the distance
    /// from a goal, in bytes, at which a sender is no longer affected by it.
    #[must_use]
    pub fn recurs(&self, earlier: &Self, margin: u64) -> Option<Recurrence> {
        if self.now <= earlier.now
            || self.marks.len() != earlier.marks.len()
            || self.bytes != earlier.bytes
        {
            return None;
        }
        let period = self.now.since(earlier.now);
        let flows = self.positions(earlier)?;
        let mut found = Recurrence {
            period,
            most: u64::MAX,
            until: Time::MAX,
            progresses: flows.values().any(|own| own.step > 0),
            steps: Vec::with_capacity(self.marks.len()),
        };
        for (old, new) in earlier.marks.iter().zip(&self.marks) {
            if (old.kind, old.flow, old.most) != (new.kind, new.flow, new.most) {
                return None;
            }
            let step = new.value.wrapping_sub(old.value);
            let step = match new.kind {
                Kind::Unknown | Kind::Plain => return None,
                Kind::Record => (step == 0 || step == period.as_ps()).then_some(step)?,
                Kind::Deadline if step == 0 => {
                    if new.value >= self.now.as_ps() {
                        found.until = found.until.min(Time::from_ps(new.value));
                    } else if old.value >= earlier.now.as_ps() {
                        // It has passed in between.
                        return None;
                    }
                    0
                }
                Kind::Deadline => (step == period.as_ps()).then_some(step)?,
                Kind::Sequence => step,
                Kind::Goal if step == 0 => {
                    let most = flows
                        .get(&new.flow)
                        .map_or(Some(u64::MAX), |own| own.to(new.value, margin));
                    found.most = found.most.min(most?);
                    0
                }
                Kind::Goal => {
                    let own = flows.get(&new.flow)?;
                    (step == own.step).then_some(step)?
                }
                Kind::Counter => {
                    if let Some(most) = (new.most - new.value).checked_div(step) {
                        found.most = found.most.min(most);
                    }
                    step
                }
                Kind::Extreme => 0,
            };
            found.steps.push(step);
        }
        Some(found)
    }

    /// Returns the positions of each flow, if all positions of a flow have moved by the same
    /// number since `earlier`.
    fn positions(&self, earlier: &Self) -> Option<BTreeMap<u32, Positions>> {
        let mut flows: BTreeMap<u32, Positions> = BTreeMap::new();
        for (old, new) in earlier.marks.iter().zip(&self.marks) {
            if new.kind != Kind::Sequence {
                continue;
            }
            let step = new.value.wrapping_sub(old.value);
            if new.value == u64::MAX && step == 0 {
                // Not a position.
                continue;
            }
            if step != 0 && old.value == 0 {
                // Zero also means that the flow has not begun.
                return None;
            }
            let own = flows.entry(new.flow).or_insert(Positions {
                step,
                first: old.value,
                last: new.value,
            });
            if own.step != step || step > u64::MAX / 2 {
                return None;
            }
            own.first = own.first.min(old.value);
            own.last = own.last.max(new.value);
        }
        Some(flows)
    }
}

impl Positions {
    /// Returns the number of periods before a goal that stays at `goal` has an effect; `None` if it
    /// is among the positions.
    fn to(&self, goal: u64, margin: u64) -> Option<u64> {
        if self.step == 0 || goal == u64::MAX || goal <= self.first {
            return Some(u64::MAX);
        }
        let ahead = goal.checked_sub(self.last.saturating_add(margin))?;
        Some(ahead / self.step)
    }
}

impl Recurrence {
    /// Returns a reader of the state of `snapshot`, the later one of the two, moved by a number of
    /// periods.
    #[must_use]
    pub fn moved<'a>(&'a self, snapshot: &'a Snapshot, periods: u64) -> Reader<'a> {
        let now = snapshot.now.as_ps() + periods * self.period.as_ps();
        Reader::new(&snapshot.bytes).moving(
            Time::from_ps(now),
            Moving {
                marks: &snapshot.marks,
                steps: &self.steps,
                periods,
            },
        )
    }
}

/// The numbers of a moved state that were set apart.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moving<'a> {
    marks: &'a [Mark],
    steps: &'a [u64],
    periods: u64,
}

impl Moving<'_> {
    /// Returns the next number that was set apart.
    fn next(&mut self) -> Option<u64> {
        let (mark, marks) = self.marks.split_first()?;
        let (step, steps) = self.steps.split_first()?;
        (self.marks, self.steps) = (marks, steps);
        Some(mark.value.wrapping_add(step.wrapping_mul(self.periods)))
    }
}

impl Reader<'_> {
    /// Reads an integer that [`Writer::integer`](super::Writer::integer) has written.
    ///
    /// # Errors
    /// Fails if there is none.
    #[inline]
    pub fn integer(&mut self) -> Result<u64, LoadError> {
        if self.moving.is_some() {
            self.moved_number()
        } else {
            self.whole()
        }
    }

    #[cold]
    fn moved_number(&mut self) -> Result<u64, LoadError> {
        let none = || LoadError::new("it has no such number");
        match self.byte()? {
            PLAIN => self.whole(),
            INSTANT => {
                let distance = u64::from_le_bytes(self.array()?);
                Ok(self.now().as_ps().wrapping_add(distance))
            }
            MOVING => self.moving.as_mut().and_then(Moving::next).ok_or_else(none),
            _ => Err(none()),
        }
    }
}

#[cfg(test)]
mod tests;
