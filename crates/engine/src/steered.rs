//! Runs that are steered from outside: whoever steers reacts to what happens in some processes, at
//! the instant at which it happens, in any of these processes.
//!
//! All messages that arrive in an epoch have been sent before it. So it is known beforehand at
//! which instants a process may do something that calls for a reaction: its *stops*. First all
//! other processes are run to the end of the epoch. Then the steered ones are run from stop to stop,
//! in the order of (time, process), so none has gone beyond a stop at which something is asked of it.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::ControlFlow;

use super::calendar::BLOCK;
use super::epochs::{EpochRounds, has_results};
use super::mailboxes::Mailboxes;
use super::partition::{Partition, SteeredBlock, earliest};
use super::placement::Position;
use super::span::Span;
use super::{Driver, Engine, Epoch, Interrupt, LogicalProcess};
use fabricsim_base::units::{Duration, Time};

const INSTANT: Duration = Duration::from_ps(1);

/// Drives an engine and reacts to what happens in its steered processes.
pub trait SteeredDriver<D: LogicalProcess>: Driver<D> {
    /// Called at `now`, when a run begins and whenever a steered process has been run through one
    /// of its stops. Changes processes by [`Steps::update`]. [`ControlFlow::Break`] ends the run,
    /// which can go on later.
    fn react(&mut self, now: Time, steps: &mut Steps<'_, D>) -> ControlFlow<()>;

    /// Returns the time that the run is to reach, which may lie within an epoch that has begun.
    fn until(&self) -> Time;
}

/// The epoch that a steered run is in.
#[derive(Debug)]
pub(super) struct Steered {
    epoch: Epoch,
    parity: usize,
    /// Stops with their processes that were known when the epoch began, the last one first.
    stops: Vec<(Time, u32)>,
    /// Those that have come up since. Some may have been passed.
    late: BinaryHeap<Reverse<(Time, u32)>>,
    /// The processes that have been begun, to be finished with the epoch.
    begun: Vec<u32>,
    /// Time that the steered processes have reached.
    now: Time,
    /// Whether all stops that are known beforehand have been gathered.
    is_begun: bool,
}

/// The processes as whoever steers them can change them.
#[derive(Debug)]
pub struct Steps<'a, D: LogicalProcess> {
    partitions: &'a mut [Box<Partition<D>>],
    positions: &'a [Position],
    /// `None` between two epochs.
    steered: Option<&'a mut Steered>,
}

impl<D: LogicalProcess> Steps<'_, D> {
    /// Changes process `index`, which is steered and has been run up to now. It may have something
    /// to do at once.
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
    fn add_stop(&mut self, at: Time, index: usize) {
        if at < self.epoch.end {
            let index = u32::try_from(index).expect("processes are numbered by u32");
            self.late.push(Reverse((at, index)));
        }
    }

    /// Returns when the next stop is; [`Time::MAX`] for never.
    fn next_stop(&self) -> Time {
        let late = self.late.peek().map_or(Time::MAX, |stop| stop.0.0);
        self.stops.last().map_or(late, |stop| stop.0.min(late))
    }

    /// Takes the next stop.
    fn pop_stop(&mut self) -> Option<(Time, u32)> {
        match (self.stops.last(), self.late.peek()) {
            (Some(known), Some(Reverse(late))) if late < known => {}
            (Some(_), _) => return self.stops.pop(),
            (None, _) => {}
        }
        self.late.pop().map(|Reverse(stop)| stop)
    }

    /// Lets the process at `place` take in what is due in the epoch, unless it has.
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
        let process = &mut member.process;
        let prepare = |messages: &mut [D::Message]| process.prepare(messages);
        (member.inbox).gather::<D::Order>((start, end), 0, prepare);
        (member.inbox).sort::<D::Order>((start, end), None, &mut partition.sorting);
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
    fn mark_steered(&mut self) {
        self.steered = vec![SteeredBlock::default(); self.calendar.blocks()];
        for (place, member) in self.members.iter().enumerate() {
            if member.process.is_steered() {
                self.steered[place / BLOCK as usize].all |= 1 << (place % BLOCK as usize);
            }
        }
    }

    /// Sets the steered processes that have something to do in the epoch apart, so that the step of
    /// all others passes them over.
    fn set_apart(
        &mut self,
        steered: &mut Steered,
        span: Span<'_>,
        mailboxes: &Mailboxes<D::Message>,
    ) {
        for block in 0..self.calendar.blocks() {
            let all = self.steered[block].all;
            if all == 0 {
                continue;
            }
            let unread = span.parity ^ 1;
            let own = self.mailboxes.take_ready(unread, block, all);
            let others = mailboxes.take_ready(unread, self.number, block);
            if others & !all != 0 {
                mailboxes.put_ready(unread, self.number, block, others & !all);
            }
            let due = self.calendar.due(block, span.epoch.end);
            let mut due = (due | others) & all | own;
            while due != 0 {
                let bit = due.trailing_zeros() as usize;
                due &= due - 1;
                let place = block * BLOCK as usize + bit;
                if own >> bit & 1 != 0 {
                    self.fetch_own(place, unread);
                }
                if others >> bit & 1 != 0 {
                    self.fetch_others(place, unread, mailboxes);
                }
                let member = &self.members[place];
                let first = member.inbox.first().min(member.process.next_event());
                if first >= span.epoch.end {
                    self.calendar.set(place, first);
                } else {
                    steered.begin(self, place);
                }
            }
        }
    }

    /// Runs a process that has been begun to `end`.
    fn advance(&mut self, place: usize, end: Time) {
        let member = &mut self.members[place];
        std::mem::swap(&mut member.send_buffer.spare, &mut self.spare);
        (member.process).run(end, &mut member.inbox, &mut member.send_buffer);
        std::mem::swap(&mut member.send_buffer.spare, &mut self.spare);
    }

    /// Runs a process that has been begun to the end of the epoch and hands over what it sends.
    fn finish(&mut self, place: usize, span: Span<'_>, mailboxes: &Mailboxes<D::Message>) {
        self.advance(place, span.epoch.end);
        let member = &mut self.members[place];
        member.inbox.settle(span.epoch.end, &mut self.spare);
        let next = member.inbox.first().min(member.process.next_event());
        let neighbors = &member.neighbors;
        let own = &mut self.mailboxes;
        let sent = mailboxes.deliver(&mut member.send_buffer, neighbors, own, span.parity);
        self.sent = self.sent.min(sent);
        if member.process.has_results() {
            let place = u32::try_from(place).expect("processes are numbered by u32");
            self.results.push(place);
        }
        self.calendar.set(place, next);
        self.steered[place / BLOCK as usize].begun &= !(1 << (place % BLOCK as usize));
    }

    /// Brings the calendar up to date after an epoch.
    fn settle_steered(&mut self) {
        for (block, steered) in self.steered.iter().enumerate() {
            if steered.all != 0 {
                self.calendar.settle(block, steered.all);
            }
        }
    }
}

impl<D: LogicalProcess> Engine<D> {
    /// Runs epochs until `driver` stops, and lets it react to what happens in the steered processes:
    /// these are run on the calling thread.
    pub fn run_steered(&mut self, driver: &mut impl SteeredDriver<D>) {
        for partition in &mut self.partitions {
            if partition.steered.len() != partition.calendar.blocks() {
                partition.mark_steered();
            }
        }
        self.with_threads(|engine, interrupt, rounds| {
            engine.steered_epochs(driver, interrupt, rounds);
        });
    }

    /// Runs epochs, with the processes that are not steered in rounds, until `driver` stops.
    fn steered_epochs<'run>(
        &mut self,
        driver: &mut impl SteeredDriver<D>,
        interrupt: &'run Interrupt,
        rounds: &mut EpochRounds<'_, '_, 'run, D>,
    ) {
        let steered = self.steered.as_ref();
        let mut now = steered.map_or(self.now, |steered| steered.now);
        while !self.broken {
            if self.react(driver, now).is_break() {
                return;
            }
            if self.steered.is_none() {
                let next = earliest(&self.partitions);
                let Some(epoch) = driver.before(&mut self.between(), next) else {
                    return;
                };
                self.begin_steered(epoch, interrupt, rounds);
            }
            if self.steer(driver).is_break() {
                return;
            }
            self.finish_steered(driver);
            now = self.now;
        }
    }

    /// Returns the time that a steered run has reached within an epoch, if it is in one.
    #[must_use]
    pub fn steered_to(&self) -> Option<Time> {
        self.steered.as_ref().map(|steered| steered.now)
    }

    /// The end of the last epoch, or of the one that a steered run is in.
    #[must_use]
    pub fn frontier(&self) -> Time {
        let steered = self.steered.as_ref();
        steered.map_or(self.now, |steered| steered.epoch.end)
    }

    fn react(&mut self, driver: &mut impl SteeredDriver<D>, now: Time) -> ControlFlow<()> {
        let mut steps = Steps {
            partitions: &mut self.partitions,
            positions: &self.positions,
            steered: self.steered.as_mut(),
        };
        driver.react(now, &mut steps)
    }

    /// Begins an epoch: runs all processes that are not steered.
    fn begin_steered<'run>(
        &mut self,
        epoch: Epoch,
        interrupt: &'run Interrupt,
        rounds: &mut EpochRounds<'_, '_, 'run, D>,
    ) {
        debug_assert!(
            epoch.end.since(epoch.start) <= self.lookahead,
            "an epoch fits the lookahead"
        );
        let parity = self.parity();
        let span = Span::whole(epoch, parity, interrupt);
        let mut steered = Steered {
            epoch,
            parity,
            stops: Vec::new(),
            late: BinaryHeap::new(),
            begun: Vec::new(),
            now: epoch.start,
            is_begun: false,
        };
        for partition in &mut self.partitions {
            partition.set_apart(&mut steered, span, &self.mailboxes);
        }
        (steered.stops).sort_unstable_by_key(|&stop| Reverse(stop));
        steered.is_begun = true;
        // Until it is done: it may end in a panic.
        self.broken = true;
        rounds.run(&mut self.partitions, span);
        self.broken = false;
        self.steered = Some(steered);
    }

    /// Runs the steered processes from stop to stop; breaks off when the driver does, or when the
    /// run has reached the time that it is to reach.
    fn steer(&mut self, driver: &mut impl SteeredDriver<D>) -> ControlFlow<()> {
        let until = driver.until();
        while let Some(steered) = &mut self.steered {
            if steered.next_stop() >= until && until < steered.epoch.end {
                steered.now = steered.now.max(until);
                return ControlFlow::Break(());
            }
            let Some((at, index)) = steered.pop_stop() else {
                break;
            };
            steered.now = at;
            let Position { partition, place } = self.positions[index as usize];
            let partition = &mut self.partitions[partition as usize];
            partition.advance(place as usize, at.saturating_add(INSTANT));
            let stop = partition.members[place as usize].process.next_stop();
            steered.add_stop(stop, index as usize);
            self.react(driver, at)?;
            if self.interrupt.is_raised() {
                break;
            }
        }
        ControlFlow::Continue(())
    }

    /// Runs the steered processes to the end of the epoch.
    fn finish_steered(&mut self, driver: &mut impl SteeredDriver<D>) {
        let Some(steered) = self.steered.take() else {
            return;
        };
        let interrupt = self.interrupt.clone();
        let span = Span::whole(steered.epoch, steered.parity, &interrupt);
        // Backwards: the next epoch then begins with what is still in the cache.
        for &index in steered.begun.iter().rev() {
            let Position { partition, place } = self.positions[index as usize];
            let partition = &mut self.partitions[partition as usize];
            partition.finish(place as usize, span, &self.mailboxes);
        }
        (self.partitions.iter_mut()).for_each(|partition| partition.settle_steered());
        self.rounds += 1;
        self.finish_epoch(span.epoch, interrupt.is_raised());
        if has_results(&self.partitions) {
            driver.collect(&mut self.between());
        }
    }
}
