//! The order in which a partition runs its processes.
//!
//! Normally each process runs once in a round. In a tree, a leaf-spine fabric or a fat-tree,
//! however, every link connects one of two [sides](super::sides) with the other, and processes of
//! the same side do not send messages to one another. So the sides can take turns. When one side
//! has executed everything before t, the other side can execute everything before t + lookahead,
//! then the first side everything before t + 2 lookahead, and so on. Each phase is twice as long as
//! an epoch in which all processes run, so a process runs half as often, with twice as many
//! messages at a time.
//!
//! A process of the second side only needs its neighbors to have finished their phase. If all of
//! them are in its partition, it runs in the same round, [group by group](super::groups). Other
//! processes of the second side, such as core switches, run in a separate round, after all
//! partitions have finished the first side.

use std::ops::ControlFlow;

use super::epoch::{Epoch, Round, Turn, Who};
use super::groups::{Group, groups_in};
use super::position::{InBlock, Position};
use super::process::Wiring;
use super::sides::Side;

/// The order of the processes of one partition.
#[derive(Debug, Default)]
pub(super) struct Schedule {
    /// If two sides take turns: groups of processes of the first side, each with the processes of
    /// the second side that receive only from this partition.
    groups: Vec<Group>,
    /// The other processes of the second side.
    across: Vec<InBlock>,
}

impl Schedule {
    /// Returns the schedules of partitions of `sizes` in which `sides` take turns.
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

    /// Returns `true` if some processes of the second side receive from other partitions.
    pub(super) const fn has_across(&self) -> bool {
        !self.across.is_empty()
    }

    /// Calls `run` for the turns of `round` in a partition of `blocks` blocks, until it breaks.
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

/// Returns the turn of the second side, which reads the half of the mailboxes that the first side
/// has written.
const fn turn_of_second<'a>(second: Epoch, round: Round<'a>) -> Turn<'a> {
    Turn {
        epoch: second,
        parity: round.parity ^ 1,
        has_left: true,
        is_last: true,
        interrupt: round.interrupt,
    }
}

/// Returns the neighbors of each process of the second side, connected by a channel in either
/// direction.
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
    /// Processes of the second side that receive only from this partition.
    seconds: Vec<usize>,
    /// The other processes of the second side.
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
