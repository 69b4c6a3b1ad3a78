//! The steps of a steered epoch, in which processes run from stop to stop.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::calendar::BLOCK;
use super::epoch::Epoch;
use super::mailboxes::Mailboxes;
use super::partition::{Partition, SteeredBlock};
use super::position::{InBlock, Position};
use super::process::LogicalProcess;
use fabricsim_base::units::Time;

/// The current epoch of a steered run.
#[derive(Debug)]
pub(super) struct Steered {
    pub(super) epoch: Epoch,
    pub(super) parity: usize,
    /// Stops, with their processes, that were known when the epoch began; the last one first.
    stops: Vec<(Time, u32)>,
    /// Stops that were added later. Some may have been passed.
    late: BinaryHeap<Reverse<(Time, u32)>>,
    /// The processes that have begun and must be finished with the epoch.
    pub(super) begun: Vec<u32>,
    /// Time that the steered processes have reached.
    pub(super) now: Time,
    /// `true` if all stops known in advance were gathered.
    is_begun: bool,
}

/// Access to the processes, for the steering program.
#[derive(Debug)]
pub struct Steps<'a, D: LogicalProcess> {
    pub(super) partitions: &'a mut [Box<Partition<D>>],
    pub(super) positions: &'a [Position],
    /// `None` between two epochs.
    pub(super) steered: Option<&'a mut Steered>,
}

impl<D: LogicalProcess> Steps<'_, D> {
    /// Changes process `index`, which must be steered and is executed up to the current time. It
    /// may have an event immediately.
    pub fn update<R>(&mut self, index: usize, change: impl FnOnce(&mut D) -> R) -> R {
        let Position { partition, place } = self.positions[index];
        let partition = &mut self.partitions[partition as usize];
        let place = place as usize;
        let result = change(&mut partition.members[place].process);
        let process = &partition.members[place].process;
        let (next, stop) = (process.next_event(), process.next_stop());
        match &mut self.steered {
            None => {
                if next < partition.calendar.time(place) {
                    partition.calendar.put(place, next);
                }
            }
            Some(steered) => {
                if next < steered.epoch.end {
                    steered.begin(partition, place);
                } else if !partition.is_begun(place) && next < partition.calendar.time(place) {
                    partition.calendar.put(place, next);
                }
                steered.add_stop(stop, index);
            }
        }
        result
    }
}

impl Steered {
    /// Returns an epoch without stops; gather these next.
    pub(super) const fn new(epoch: Epoch, parity: usize) -> Self {
        Self {
            epoch,
            parity,
            stops: Vec::new(),
            late: BinaryHeap::new(),
            begun: Vec::new(),
            now: epoch.start,
            is_begun: false,
        }
    }

    /// Ends the gathering of the stops known in advance.
    pub(super) fn sort_stops(&mut self) {
        self.stops.sort_unstable_by_key(|&stop| Reverse(stop));
        self.is_begun = true;
    }

    pub(super) fn add_stop(&mut self, at: Time, index: usize) {
        if at < self.epoch.end {
            let index = u32::try_from(index).expect("processes are numbered by u32");
            self.late.push(Reverse((at, index)));
        }
    }

    /// Returns the time of the next stop; [`Time::MAX`] for never.
    pub(super) fn next_stop(&self) -> Time {
        let late = self.late.peek().map_or(Time::MAX, |stop| stop.0.0);
        self.stops.last().map_or(late, |stop| stop.0.min(late))
    }

    /// Removes and returns the next stop.
    pub(super) fn pop_stop(&mut self) -> Option<(Time, u32)> {
        match (self.stops.last(), self.late.peek()) {
            (Some(known), Some(Reverse(late))) if late < known => {}
            (Some(_), _) => return self.stops.pop(),
            (None, _) => {}
        }
        self.late.pop().map(|Reverse(stop)| stop)
    }

    /// Lets the process at `place` receive its messages of the epoch, unless it already has.
    fn begin<D: LogicalProcess>(&mut self, partition: &mut Partition<D>, place: usize) {
        if partition.is_begun(place) {
            return;
        }
        let end = self.epoch.end;
        let member = &mut partition.members[place];
        let first = member.inbox.first().min(member.process.next_event());
        let start = first.min(self.epoch.start);
        let mut stops = std::mem::take(&mut partition.stops);
        (member.process).add_stops(member.inbox.before(end), &mut stops);
        let index = member.index;
        let own = member.process.next_stop();
        member.gather((start, end));
        (member.inbox).sort::<D::Order>((start, end), 0, &mut partition.sorting);
        partition.steps += 1;
        partition.messages += member.inbox.due() as u64;
        let number = u32::try_from(index).expect("processes are numbered by u32");
        if self.is_begun {
            self.add_stop(own, index);
            self.late
                .extend(stops.drain(..).map(|at| Reverse((at, number))));
        } else {
            if own < end {
                self.stops.push((own, number));
            }
            self.stops.extend(stops.drain(..).map(|at| (at, number)));
        }
        partition.stops = stops;
        partition.calendar.set(place, Time::MAX);
        partition.steered[place / BLOCK as usize].begun |= 1 << (place % BLOCK as usize);
        self.begun.push(number);
    }
}

impl<D: LogicalProcess> Partition<D> {
    fn is_begun(&self, place: usize) -> bool {
        let block = &self.steered[place / BLOCK as usize];
        block.begun >> (place % BLOCK as usize) & 1 != 0
    }

    /// Finds the steered processes, once.
    pub(super) fn mark_steered(&mut self) {
        self.steered = vec![SteeredBlock::default(); self.calendar.blocks()];
        for (place, member) in self.members.iter().enumerate() {
            if member.process.is_steered() {
                self.steered[place / BLOCK as usize].all |= 1 << (place % BLOCK as usize);
            }
        }
    }

    /// Sets aside the steered processes that have something to do in the epoch, so that the step of
    /// all other processes skips them.
    pub(super) fn set_apart(&mut self, steered: &mut Steered, mailboxes: &Mailboxes<D::Message>) {
        let (end, unread) = (steered.epoch.end, steered.parity ^ 1);
        for block in 0..self.calendar.blocks() {
            let members = self.steered[block].all;
            if members == 0 {
                continue;
            }
            let fetched = self.fetch(InBlock { block, members }, unread, mailboxes);
            let mut due = self.calendar.due(block, end) & members | fetched;
            while due != 0 {
                let bit = due.trailing_zeros() as usize;
                due &= due - 1;
                let place = block * BLOCK as usize + bit;
                let member = &self.members[place];
                let first = member.inbox.first().min(member.process.next_event());
                if first >= end {
                    self.calendar.set(place, first);
                } else {
                    steered.begin(self, place);
                }
            }
        }
    }

    /// Runs a begun process to `end`.
    pub(super) fn advance(&mut self, place: usize, end: Time) {
        let member = &mut self.members[place];
        std::mem::swap(&mut member.send_buffer.spare, &mut self.spare);
        (member.process).run(end, &mut member.inbox, &mut member.send_buffer);
        std::mem::swap(&mut member.send_buffer.spare, &mut self.spare);
    }

    /// Runs a begun process to the end of the epoch and delivers its messages.
    pub(super) fn finish(
        &mut self,
        place: usize,
        (end, parity): (Time, usize),
        mailboxes: &Mailboxes<D::Message>,
    ) {
        self.advance(place, end);
        let member = &mut self.members[place];
        member.inbox.settle(end, &mut self.spare);
        let next = member.inbox.first().min(member.process.next_event());
        let neighbors = &member.neighbors;
        let own = &mut self.mailboxes;
        let sent = mailboxes.deliver(&mut member.send_buffer, neighbors, own, parity);
        self.sent = self.sent.min(sent);
        if member.process.has_results() {
            let place = u32::try_from(place).expect("processes are numbered by u32");
            self.results.push(place);
        }
        self.calendar.set(place, next);
        self.steered[place / BLOCK as usize].begun &= !(1 << (place % BLOCK as usize));
    }

    /// Updates the calendar after an epoch.
    pub(super) fn settle_steered(&mut self) {
        for (block, steered) in self.steered.iter().enumerate() {
            if steered.all != 0 {
                self.calendar.settle(block, steered.all);
            }
        }
    }
}
