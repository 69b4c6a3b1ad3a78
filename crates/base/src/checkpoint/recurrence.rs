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
    /// The number of bytes, or of other units, by which the positions of each flow have moved.
    pub flows: BTreeMap<u32, u64>,
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

    /// Moves the state by a number of `periods` of `found`, in which it was one of the two states, or
    /// is one of them moved.
    pub fn advance(&mut self, found: &Recurrence, periods: u64) {
        self.now += found.period.saturating_mul(periods);
        for (mark, step) in self.marks.iter_mut().zip(&found.steps) {
            mark.value = mark.value.wrapping_add(step.wrapping_mul(periods));
        }
    }

    /// Returns the state that follows `again` as this state has followed `begun`. `again` is the
    /// state `begun`, moved; `flows` has the distance of the positions of each flow. Returns `None`
    /// if a number in it cannot be told.
    #[must_use]
    pub fn after_again(
        &self,
        (begun, again): (&Self, &Self),
        flows: &BTreeMap<u32, u64>,
    ) -> Option<Self> {
        let distance = again.now.since(begun.now);
        let old = Old::of(begun, again, self)?;
        let step = |flow| flows.get(&flow).copied().unwrap_or(0);
        let mut sums = (begun.sums()).zip(again.sums()).zip(self.sums());
        if begun.sums().count() != self.sums().count() {
            return None;
        }
        let mut marks = Vec::with_capacity(self.marks.len());
        for &own in &self.marks {
            let value = match own.kind {
                Kind::Unknown | Kind::Plain => return None,
                Kind::Deadline | Kind::Record => old.moved(own, distance.as_ps())?,
                // Not a position.
                Kind::Sequence | Kind::Goal if own.value == u64::MAX => own.value,
                Kind::Sequence => own.value.wrapping_add(step(own.flow)),
                Kind::Goal => old.moved(own, step(own.flow))?,
                Kind::Counter | Kind::Extreme => {
                    let ((begun, again), same) = sums.next()?;
                    debug_assert_eq!(*same, own, "the same iterator");
                    let id = |mark: &Mark| (mark.kind, mark.flow, mark.most);
                    if id(begun) != id(same) || id(again) != id(same) {
                        return None;
                    }
                    let grown = again.value.wrapping_sub(begun.value);
                    let value = match own.kind {
                        Kind::Extreme => again.value,
                        _ => own.value.checked_add(grown)?,
                    };
                    (value <= own.most).then_some(value)?
                }
            };
            marks.push(Mark { value, ..own });
        }
        Some(Self {
            now: self.now + distance,
            bytes: self.bytes.clone(),
            marks,
        })
    }

    /// Returns the counters and extremes. The parts of a network that have some stay all the time.
    fn sums(&self) -> impl Iterator<Item = &Mark> {
        let marks = self.marks.iter();
        marks.filter(|mark| matches!(mark.kind, Kind::Counter | Kind::Extreme))
    }

    /// Returns a reader of the state.
    #[must_use]
    pub fn read(&self) -> Reader<'_> {
        Reader::new(&self.bytes).moving(self.now, Moving(&self.marks))
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
            flows: flows.iter().map(|(&flow, own)| (flow, own.step)).collect(),
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

/// The times and goals of a state, with their values in the same state, moved.
struct Old(BTreeMap<(u8, u32, u64), Option<u64>>);

impl Old {
    /// Returns the values of `begun` and `again`. Returns `None` if a deadline that is ahead of both
    /// cannot be told from another one in `state`.
    fn of(begun: &Snapshot, again: &Snapshot, state: &Snapshot) -> Option<Self> {
        let mut old = BTreeMap::new();
        let mut ahead = BTreeMap::<u64, i64>::new();
        let distance = again.now.since(begun.now).as_ps();
        for (first, later) in begun.marks.iter().zip(&again.marks) {
            let Some(key) = Self::key(first) else {
                continue;
            };
            // There may be several, which must agree.
            let value = old.entry(key).or_insert(Some(later.value));
            *value = value.filter(|&value| value == later.value);
            let stays = later.value.wrapping_sub(first.value) != distance;
            if first.kind == Kind::Deadline && stays && first.value >= begun.now.as_ps() {
                *ahead.entry(first.value).or_default() += 1;
            }
        }
        for mark in state
            .marks
            .iter()
            .filter(|mark| mark.kind == Kind::Deadline)
        {
            if let Some(count) = ahead.get_mut(&mark.value) {
                *count -= 1;
            }
        }
        ahead.values().all(|&count| count == 0).then_some(Self(old))
    }

    const fn key(mark: &Mark) -> Option<(u8, u32, u64)> {
        match mark.kind {
            Kind::Goal => Some((mark.kind as u8, mark.flow, mark.value)),
            Kind::Deadline | Kind::Record => Some((mark.kind as u8, 0, mark.value)),
            _ => None,
        }
    }

    /// Returns the later value of `mark`: an old value has moved as it did, and a new one moves by
    /// `step`. Returns `None` if old values have moved differently.
    fn moved(&self, mark: Mark, step: u64) -> Option<u64> {
        match Self::key(&mark).and_then(|key| self.0.get(&key)) {
            Some(later) => *later,
            None => Some(mark.value.wrapping_add(step)),
        }
    }
}

/// The numbers of a state that were set apart and are not yet read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moving<'a>(&'a [Mark]);

impl Moving<'_> {
    /// Returns the next number that was set apart.
    fn next(&mut self) -> Option<u64> {
        let (mark, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(mark.value)
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
