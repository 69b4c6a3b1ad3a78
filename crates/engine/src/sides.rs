//! Epochs of networks with two sides.
//!
//! In a tree, a leaf-spine fabric or a fat-tree every link leads from one of two *sides* to the other:
//! hosts and every second tier of switches are on one of them. Processes of one side hear nothing from
//! one another. So the two sides can take turns: when one has done everything before t, the other one
//! can do everything before t + lookahead, then the first one everything before t + 2 lookahead, and so
//! on. Each turn is twice as long as an epoch that all processes run side by side, and a process is run
//! half as often, with twice as many messages at a time.
//!
//! A process of the second side needs only its neighbors to have had their turn. So a turn of each side
//! is run in one go, group by group: in a fat-tree the hosts of some racks and the aggregation switches
//! above them, then the ToR switches of these racks, and so on; core switches come when all aggregation
//! switches have had their turn. Every second round goes backwards, with groups of its own: what was
//! written last is read first, as long as it is in the cache.

use std::iter;

use super::calendar::BLOCK;
use super::epochs::EpochStep;
use super::groups::orders_of;
use super::mailboxes::{Mailboxes, Neighbor};
use super::partition::{Partition, earliest};
use super::span::Span;
use super::spare::Spare;
use super::{Engine, Epoch, Interrupt, LogicalProcess, Probe, Wiring};
use fabricsim_base::units::{Duration, Time};

/// The longest epoch with turns, in lookaheads. When it ends both sides are at the same time, which takes
/// a turn that is shorter than the others.
const LOOKAHEADS: u64 = 16;

/// No epoch with turns is longer. With long links there are many messages in an epoch as it is: with more,
/// those of a large switch would no longer be sorted by port, nor progress reported often.
const LONGEST: Duration = Duration::from_us(40);

/// One of two sides.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Side {
    /// That of process 0, which has the first turn.
    First,
    /// The other one.
    Second,
}

/// Finds the sides of all processes; `None` where some link leads from one side to the same one.
pub(super) fn sides_of(wiring: &[Vec<Wiring>]) -> Option<Vec<Side>> {
    let mut sides: Vec<Option<Side>> = vec![None; wiring.len()];
    let mut found = Vec::new();
    for root in 0..wiring.len() {
        if sides[root].is_none() {
            sides[root] = Some(Side::First);
            found.push(root);
        }
        while let Some(process) = found.pop() {
            let far = match sides[process] {
                Some(Side::First) => Side::Second,
                _ => Side::First,
            };
            for channel in &wiring[process] {
                let peer = channel.process as usize;
                match sides[peer] {
                    None => {
                        sides[peer] = Some(far);
                        found.push(peer);
                    }
                    Some(side) if side != far => return None,
                    Some(_) => {}
                }
            }
        }
    }
    sides.into_iter().collect()
}

/// The longest epoch in which two sides can take turns, if they can.
pub(super) fn longest_of(lookahead: Duration) -> Option<Duration> {
    let longest = lookahead.saturating_mul(LOOKAHEADS);
    (longest <= LONGEST).then_some(longest)
}

/// Lets the sides of all processes take turns, where all are in one partition. Returns whether they do.
pub(super) fn take_sides<D: LogicalProcess>(
    partitions: &mut [Box<Partition<D>>],
    sides: &[Side],
) -> bool {
    let [partition] = partitions else {
        return false;
    };
    // In one partition processes stand in their order.
    partition.groups = orders_of(sides, |place| {
        let neighbors = partition.members[place].neighbors.iter();
        neighbors.map(Neighbor::place)
    });
    partition.spare = Spare::for_turns(sides.len(), partition.prefetched_ahead() > 0);
    true
}

impl<D: LogicalProcess> Engine<D> {
    /// Runs an epoch in which the two sides take turns. Returns whether it was broken off.
    pub(super) fn epoch_in_turns<'run>(
        &mut self,
        epoch: Epoch,
        interrupt: &'run Interrupt,
        step: &mut EpochStep<'_, 'run, D>,
    ) -> bool {
        // Times before which the sides have done everything.
        let [mut first, mut second] = [epoch.start; 2];
        let mut continues = false;
        while first < epoch.end && !interrupt.is_raised() {
            let after = |other: Time| other.saturating_add(self.lookahead).min(epoch.end);
            let ends = [after(second), after(after(second))];
            let part = |start, end| Epoch {
                start,
                end,
                ..epoch
            };
            let span = Span {
                epoch: part(first, ends[0]),
                second: Some(part(second, ends[1])),
                continues,
                parity: self.parity(),
                interrupt,
            };
            step(&mut self.partitions, span);
            self.rounds += if second < epoch.end { 2 } else { 1 };
            continues = true;
            // Nothing happens before the next event: the sides have done all of it.
            let next = earliest(&self.partitions).min(epoch.end);
            [first, second] = ends.map(|end| end.max(next));
        }
        interrupt.is_raised()
    }
}

impl<D: LogicalProcess> Partition<D> {
    /// Runs a turn of each side, group by group and in the other direction than the last time: that of the
    /// first one in `span`, and `second`, which is left out where it is empty.
    pub(super) fn step_in_turns(
        &mut self,
        span: Span<'_>,
        second: Epoch,
        mailboxes: &Mailboxes<D::Message>,
        probe: &mut (impl Probe + ?Sized),
    ) {
        let turn_of_second = Span {
            epoch: second,
            parity: span.parity ^ 1,
            ..span
        };
        let both = second.start < second.end;
        self.backwards = !self.backwards;
        let groups = std::mem::take(&mut self.groups[usize::from(self.backwards)]);
        let turns = groups.iter().flat_map(|group| {
            let [one, other] = &group.sides;
            let other = both.then_some((turn_of_second, other));
            iter::once((span, one)).chain(other)
        });
        let mut sent = Time::MAX;
        for (turn, parts) in turns {
            self.sent = Time::MAX;
            let goes_on = parts
                .iter()
                .all(|part| self.step_block((part.block, part.members), turn, mailboxes, probe));
            if !goes_on {
                break;
            }
            // The second side has taken in all that the first one has sent.
            if !both || turn.parity != span.parity {
                sent = sent.min(self.sent);
            }
        }
        self.sent = sent;
        self.groups[usize::from(self.backwards)] = groups;
    }

    /// Where sides take turns: lets `members` take in what waits for them in the half of mailboxes that
    /// is written now. It was sent before the last turn of the other side, and they had none since: that
    /// was the last turn of an epoch, or a round of all processes came before it. Returns who has taken in
    /// something.
    #[inline]
    pub(super) fn fetch_left(&mut self, span: Span<'_>, block: usize, members: u64) -> u64 {
        if span.second.is_none() {
            return 0;
        }
        let all = self.mailboxes.take_ready(span.parity, block, members);
        let mut left = all;
        while left != 0 {
            let place = block * BLOCK as usize + left.trailing_zeros() as usize;
            left &= left - 1;
            self.fetch_own(place, span.parity);
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sides(count: usize, links: &[(u32, u32)]) -> Option<Vec<bool>> {
        let mut wiring = vec![Vec::new(); count];
        for &(one, other) in links {
            for (own, process) in [(one, other), (other, one)] {
                wiring[own as usize].push(Wiring {
                    process,
                    channel: 0,
                    delay: Duration::from_ns(1),
                });
            }
        }
        let sides = sides_of(&wiring)?;
        Some(sides.iter().map(|&side| side == Side::First).collect())
    }

    #[test]
    fn hosts_and_every_second_tier_are_on_one_side() {
        // Two hosts each at two ToR switches, and a spine; a pair of nodes on its own.
        let links = [(0, 4), (1, 4), (2, 5), (3, 5), (4, 6), (5, 6), (7, 8)];
        let first = [true, true, true, true, false, false, true, true, false];
        assert_eq!(sides(9, &links), Some(first.into()));
    }

    #[test]
    fn a_circle_of_three_has_no_sides() {
        assert_eq!(sides(4, &[(0, 1), (1, 2), (2, 3), (3, 1)]), None);
        assert_eq!(sides(1, &[(0, 0)]), None, "a link to itself");
        assert!(sides(4, &[(0, 1), (1, 2), (2, 3), (3, 0)]).is_some());
    }
}
