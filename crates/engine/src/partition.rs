//! Processes that run one after the other, round by round.

use std::ops::ControlFlow;

use super::calendar::{BLOCK, Calendar};
use super::epoch::{Execution, Round, Turn, Who};
use super::mailboxes::{Mailboxes, OwnMailboxes};
use super::member::{LONGEST_AT_ONCE, MOST_AT_ONCE, Member};
use super::order::EpochSort;
use super::position::InBlock;
use super::probe::Probe;
use super::process::LogicalProcess;
use super::schedule::Schedule;
use super::spare::Spare;
use fabricsim_base::units::{Duration, Time};

/// The steered processes of a block of a partition, one bit for each.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SteeredBlock {
    /// One bit for each steered process.
    pub(super) all: u64,
    /// One bit for each steered process that has begun this epoch.
    pub(super) begun: u64,
}

/// Processes that one thread runs one after the other. They share their empty buffers.
#[derive(Debug)]
pub(super) struct Partition<D: LogicalProcess> {
    pub(super) number: usize,
    pub(super) members: Vec<Member<D>>,
    pub(super) calendar: Calendar,
    /// Longest simulated time by which any of its processes may be behind the other processes.
    pub(super) widest_margin: Duration,
    /// The order in which processes run.
    pub(super) schedule: Schedule,
    /// The earliest arrival among the messages of the last round that are in mailboxes.
    pub(super) sent: Time,
    pub(super) spare: Spare<D::Message>,
    /// Mailboxes for messages between its processes.
    pub(super) mailboxes: OwnMailboxes<D::Message>,
    /// Indices in `members` of processes with results.
    pub(super) results: Vec<u32>,
    /// Number of process runs.
    pub(super) steps: u64,
    /// Number of messages that were due in these runs.
    pub(super) messages: u64,
    /// The steered processes of each block; empty before the first steered run.
    pub(super) steered: Vec<SteeredBlock>,
    /// Reused memory for the stops of a process.
    pub(super) stops: Vec<Time>,
    /// Reused memory for the keys of due messages.
    pub(super) keys: Vec<u64>,
    pub(super) sorting: EpochSort,
}

impl<D: LogicalProcess> Partition<D> {
    /// Returns a partition with room for `size` processes.
    pub(super) fn new(
        size: u32,
        number: usize,
        schedule: Schedule,
        spare: Spare<D::Message>,
    ) -> Self {
        Self {
            number,
            members: Vec::with_capacity(size as usize),
            calendar: Calendar::new(),
            widest_margin: Duration::ZERO,
            schedule,
            sent: Time::MAX,
            spare,
            mailboxes: OwnMailboxes::new(size),
            results: Vec::new(),
            steps: 0,
            messages: 0,
            steered: Vec::new(),
            stops: Vec::new(),
            keys: Vec::new(),
            sorting: EpochSort::default(),
        }
    }

    pub(super) fn push(&mut self, member: Member<D>) {
        let next = member.process.next_event();
        self.calendar.push(next.saturating_add(member.margin));
        self.widest_margin = self.widest_margin.max(member.margin);
        self.members.push(member);
    }

    /// Runs the partition's part of a round, until the run is interrupted.
    pub(super) fn step(
        &mut self,
        round: Round<'_>,
        mailboxes: &Mailboxes<D::Message>,
        probe: &mut (impl Probe + ?Sized),
    ) {
        if !matches!(round.who, Who::Across { .. }) {
            self.sent = Time::MAX;
        }
        if !round.continues {
            self.results.clear();
        }
        let schedule = std::mem::take(&mut self.schedule);
        let _ = schedule.follow(round, self.calendar.blocks(), |turn, part| {
            self.step_block(part, turn, mailboxes, probe)
        });
        self.schedule = schedule;
    }

    /// Runs the processes of a block that have something to do. Breaks if the run is interrupted.
    #[inline]
    fn step_block(
        &mut self,
        part: InBlock,
        turn: Turn<'_>,
        mailboxes: &Mailboxes<D::Message>,
        probe: &mut (impl Probe + ?Sized),
    ) -> ControlFlow<()> {
        let InBlock { block, members } = part;
        // The calendar contains the times up to which processes may stay behind. If none may, the
        // search must cover the longest such time.
        let before = match turn.epoch.execution {
            Execution::Lazy => turn.epoch.end,
            Execution::Eager => turn.epoch.end.saturating_add(self.widest_margin),
        };
        let left = if turn.has_left {
            self.fetch(part, turn.parity, mailboxes)
        } else {
            0
        };
        let own = self.mailboxes.take_ready(turn.parity ^ 1, block, members);
        let others = mailboxes.take_ready(turn.parity ^ 1, self.number, part);
        let due = self.calendar.due(block, before) & members | own | others | left;
        if due == 0 {
            return ControlFlow::Continue(());
        }
        self.step_due((block, due), (own, others), turn, mailboxes, probe)
    }

    /// Lets the processes of a block receive their messages from the half of the mailboxes with
    /// `parity`. Returns the processes that had messages.
    #[inline]
    pub(super) fn fetch(
        &mut self,
        part: InBlock,
        parity: usize,
        mailboxes: &Mailboxes<D::Message>,
    ) -> u64 {
        let InBlock { block, members } = part;
        let own = self.mailboxes.take_ready(parity, block, members);
        let others = mailboxes.take_ready(parity, self.number, part);
        let mut all = own | others;
        while all != 0 {
            let bit = all.trailing_zeros();
            all &= all - 1;
            let place = block * BLOCK as usize + bit as usize;
            if own >> bit & 1 != 0 {
                self.fetch_own(place, parity);
            }
            if others >> bit & 1 != 0 {
                self.fetch_others(place, parity, mailboxes);
            }
        }
        own | others
    }

    /// Runs the `due` processes of a block. The bits `own` and `others` mark processes with
    /// messages from their own partition and from other partitions. Breaks if the run is
    /// interrupted.
    #[inline(never)]
    fn step_due(
        &mut self,
        (block, due): (usize, u64),
        (own, others): (u64, u64),
        turn: Turn<'_>,
        mailboxes: &Mailboxes<D::Message>,
        probe: &mut (impl Probe + ?Sized),
    ) -> ControlFlow<()> {
        let unread = turn.parity ^ 1;
        let mut left = due;
        while left != 0 {
            if turn.interrupt.is_raised() {
                return ControlFlow::Break(());
            }
            let bit = left.trailing_zeros();
            left &= left - 1;
            let place = block * BLOCK as usize + bit as usize;
            probe.process_begins(self.members[place].index);
            if own >> bit & 1 != 0 {
                self.fetch_own(place, unread);
            }
            if others >> bit & 1 != 0 {
                self.fetch_others(place, unread, mailboxes);
            }
            self.step_one(place, turn, mailboxes, probe);
            probe.process_ends(self.members[place].index);
        }
        self.calendar.settle(block, due);
        ControlFlow::Continue(())
    }

    /// Receives the messages from this partition for one process, in the half with `parity`.
    #[inline]
    pub(super) fn fetch_own(&mut self, place: usize, parity: usize) {
        let batches = self.mailboxes.half(place, parity);
        let inbox = &mut self.members[place].inbox;
        inbox.accept(batches, &mut self.spare);
    }

    /// Receives the messages from other partitions for one process.
    #[inline]
    pub(super) fn fetch_others(
        &mut self,
        place: usize,
        parity: usize,
        mailboxes: &Mailboxes<D::Message>,
    ) {
        let Member { inbox, mailbox, .. } = &mut self.members[place];
        inbox.fetch(mailboxes, *mailbox, parity, &mut self.spare);
    }

    /// Runs the process at `place`.
    #[inline]
    fn step_one(
        &mut self,
        place: usize,
        turn: Turn<'_>,
        mailboxes: &Mailboxes<D::Message>,
        probe: &mut (impl Probe + ?Sized),
    ) {
        let Turn { epoch, parity, .. } = turn;
        let member = &mut self.members[place];
        let first = member.inbox.first().min(member.process.next_event());
        // A lazy process may wait until its messages could reach another process.
        let needed = match epoch.execution {
            Execution::Lazy => first.saturating_add(member.margin),
            Execution::Eager => first,
        };
        if needed >= epoch.end {
            self.calendar
                .set(place, first.saturating_add(member.margin));
            return;
        }
        self.steps += 1;
        // The interrupt must be checked now and then: a long or crowded epoch is run in parts, and
        // a part is read in time order, so it cannot have groups.
        let due = (first.min(epoch.start), epoch.end);
        member.inbox.exchange_keys(&mut self.keys);
        member.gather(due);
        let at_once =
            member.inbox.due() <= MOST_AT_ONCE && epoch.end.since(first) <= LONGEST_AT_ONCE;
        let groups = if at_once { member.process.groups() } else { 0 };
        (member.inbox).sort::<D::Order>(due, groups, &mut self.sorting);
        self.messages += member.inbox.due() as u64;
        // All processes of the partition share the empty buffers, so lend them for this run.
        std::mem::swap(&mut member.send_buffer.spare, &mut self.spare);
        if at_once {
            member
                .process
                .run(epoch.end, &mut member.inbox, &mut member.send_buffer);
        } else {
            member.run_in_parts(turn);
        }
        std::mem::swap(&mut member.send_buffer.spare, &mut self.spare);
        member.inbox.exchange_keys(&mut self.keys);
        member.inbox.settle(epoch.end, &mut self.spare);
        let next = member.inbox.first().min(member.process.next_event());
        self.calendar.set(place, next.saturating_add(member.margin));
        if probe.hears_of_messages() {
            member.tell_sends(probe);
        }
        let own = &mut self.mailboxes;
        let sent = mailboxes.deliver(&mut member.send_buffer, &member.neighbors, own, parity);
        if turn.is_last {
            self.sent = self.sent.min(sent);
        }
        if member.process.has_results() {
            #[expect(
                clippy::cast_possible_truncation,
                reason = "processes are numbered by u32"
            )]
            self.results.push(place as u32);
        }
    }
}
