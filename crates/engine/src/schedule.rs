//! The order in which a partition runs its processes.
//!
//! Mostly each of them has one turn in a round. In a tree, a leaf-spine fabric or a fat-tree every link
//! leads from one of two [sides](super::sides) to the other, and processes of one side hear nothing
//! from one another. So the sides can take turns: when one has done everything before t, the other one
//! can do everything before t + lookahead, then the first one everything before t + 2 lookahead, and so
//! on. Each turn is twice as long as an epoch that all processes run side by side, and a process is run
//! half as often, with twice as many messages at a time.
//!
//! A process of the second side needs only its neighbors to have had their turn. If all of these are in
//! its partition, it has its turn in the same round, [group by group](super::groups). The others,
//! such as core switches, have it in a round of their own, when all partitions are done with the first
//! side.

use std::ops::ControlFlow;

use super::epoch::{Epoch, Round, Turn, Who};
use super::groups::{Group, groups_in};
use super::position::{InBlock, Position};
use super::process::Wiring;
use super::sides::Side;

/// The order of the processes of one partition.
#[derive(Debug, Default)]
pub(super) struct Schedule {
    /// If two sides take turns: processes of the first side, each group with the processes of the second
    /// side that hear from no other partition.
    groups: Vec<Group>,
    /// The others of the second side.
    across: Vec<InBlock>,
}

impl Schedule {
    /// The schedules of partitions of `sizes` in which `sides` take turns.
    pub(super) fn in_turns(
        sides: &[Side],
        wiring: &[Vec<Wiring>],
        positions: &[Position],
        sizes: &[u32],
    ) -> Vec<Self> {
        let near = neighbors_of_second(sides, wiring);
        let parts = sizes.iter().map(|&size| Part::new(size as usize));
        let mut parts: Vec<Part> = parts.collect();
        for (process, &Position { partition, place }) in positions.iter().enumerate() {
            let part = &mut parts[partition as usize];
            let place = place as usize;
            part.sides[place] = sides[process];
            if sides[process] == Side::First {
                continue;
            }
            let far = |&far: &u32| positions[far as usize];
            let are_here = near[process]
                .iter()
                .all(|at| far(at).partition == partition);
            if are_here {
                let places = near[process].iter().map(|at| far(at).place as usize);
                part.near[place] = places.collect();
                part.seconds.push(place);
            } else {
                part.across.push(place);
            }
        }
        parts.into_iter().map(Part::into_schedule).collect()
    }

    /// Returns whether some processes of the second side hear from other partitions.
    pub(super) const fn has_across(&self) -> bool {
        !self.across.is_empty()
    }

    /// Calls `run` for the turns of `round` in a partition of so many `blocks`, until it breaks.
    #[inline]
    pub(super) fn follow<'a>(
        &self,
        round: Round<'a>,
        blocks: usize,
        mut run: impl FnMut(Turn<'a>, InBlock) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let Round {
            parity, interrupt, ..
        } = round;
        match round.who {
            Who::All(epoch) => {
                let turn = Turn {
                    epoch,
                    parity,
                    has_left: false,
                    is_last: true,
                    interrupt,
                };
                let members = u64::MAX;
                (0..blocks).try_for_each(|block| run(turn, InBlock { block, members }))
            }
            Who::Sides { first, second } => {
                let both = second.start < second.end;
                let turns = [
                    Turn {
                        epoch: first,
                        parity,
                        has_left: true,
                        is_last: !both,
                        interrupt,
                    },
                    turn_of_second(second, round),
                ];
                let turns = &turns[..1 + usize::from(both)];
                self.groups.iter().try_for_each(|group| {
                    let mut sides = turns.iter().zip(&group.sides);
                    sides.try_for_each(|(&turn, parts)| {
                        parts.iter().try_for_each(|&part| run(turn, part))
                    })
                })
            }
            Who::Across { second } => {
                let turn = turn_of_second(second, round);
                self.across.iter().try_for_each(|&part| run(turn, part))
            }
        }
    }
}

/// The turn of the second side, which reads the half of mailboxes that the first one has written.
const fn turn_of_second<'a>(second: Epoch, round: Round<'a>) -> Turn<'a> {
    Turn {
        epoch: second,
        parity: round.parity ^ 1,
        has_left: true,
        is_last: true,
        interrupt: round.interrupt,
    }
}

/// For each process of the second side: its neighbors, with a channel in one direction or both.
fn neighbors_of_second(sides: &[Side], wiring: &[Vec<Wiring>]) -> Vec<Vec<u32>> {
    let mut near = vec![Vec::new(); sides.len()];
    for ((process, channels), &side) in (0..).zip(wiring).zip(sides) {
        for far in channels.iter().map(|channel| channel.process) {
            match side {
                Side::First => near[far as usize].push(process),
                Side::Second => near[process as usize].push(far),
            }
        }
    }
    near
}

/// The processes of a partition by place, before they have an order.
struct Part {
    sides: Vec<Side>,
    /// The neighbors of the processes in `seconds`.
    near: Vec<Vec<usize>>,
    /// Processes of the second side that hear from no other partition.
    seconds: Vec<usize>,
    /// The others of the second side.
    across: Vec<usize>,
}

impl Part {
    fn new(size: usize) -> Self {
        Self {
            sides: vec![Side::First; size],
            near: vec![Vec::new(); size],
            seconds: Vec::new(),
            across: Vec::new(),
        }
    }

    fn into_schedule(mut self) -> Schedule {
        Schedule {
            groups: groups_in(&self.sides, &self.near, &self.seconds),
            across: InBlock::of(&mut self.across),
        }
    }
}
