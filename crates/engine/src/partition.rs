//! Processes that are run one after the other, epoch by epoch.

use std::hint::black_box;
use std::sync::Arc;

use super::calendar::{BLOCK, Calendar};
use super::channel::SendBuffer;
use super::groups::Group;
use super::inbox::Inbox;
use super::mailboxes::{Mailboxes, Neighbor, OwnMailboxes};
use super::order::EpochSort;
use super::prefetching::Next;
use super::span::Span;
use super::spare::{Pool, Spare};
use super::{Execution, LogicalProcess, Message, Probe};
use fabricsim_base::checkpoint::{Reader, Writer};
use fabricsim_base::units::{Duration, Time};

/// Messages that a process takes in before it is seen whether the run is to end.
const MOST_AT_ONCE: usize = 1 << 14;
/// Longest span of simulated time for which a process is run before the interrupt is checked again.
const LONGEST_AT_ONCE: Duration = Duration::from_ms(1);

#[derive(Debug)]
pub(super) struct Member<D: LogicalProcess> {
    pub(super) process: D,
    pub(super) index: usize,
    /// Number of its mailbox.
    pub(super) mailbox: usize,
    pub(super) inbox: Inbox<D::Message>,
    pub(super) send_buffer: SendBuffer<D::Message>,
    pub(super) neighbors: Vec<Neighbor>,
    /// Simulated time by which the process may be behind the others: its messages travel for that
    /// much longer than the lookahead.
    pub(super) margin: Duration,
}

impl<D: LogicalProcess> Member<D> {
    /// Tells `probe` what the process has sent in this epoch.
    #[cold]
    fn tell_sends(&self, probe: &mut (impl Probe + ?Sized)) {
        for &(channel, _) in &self.send_buffer.used {
            let messages = &*self.send_buffer.channels[channel as usize];
            let mut pack = || {
                let mut out = Writer::default();
                messages.iter().for_each(|message| message.pack(&mut out));
                let bytes = out.finish().expect("messages are never refused");
                let mut input = Reader::new(&bytes);
                while !input.rest().is_empty() {
                    let message = D::Message::unpack(&mut input);
                    black_box(message.expect("it has just been packed"));
                }
                bytes.len()
            };
            probe.sends(self.index, channel as usize, messages.len(), &mut pack);
        }
    }

    /// Runs the process to the end of the epoch, part by part, until the run is interrupted.
    #[cold]
    fn run_in_parts(&mut self, span: Span<'_>) {
        let end = span.epoch.end;
        while !span.interrupt.is_raised() {
            let next = self.inbox.next_time().min(self.process.next_event());
            if next >= end {
                return;
            }
            // At least all that is due at one instant is done.
            let crowded = self.inbox.time_of(MOST_AT_ONCE);
            let part = next
                .saturating_add(LONGEST_AT_ONCE)
                .min(crowded.max(next.saturating_add(Duration::from_ps(1))))
                .min(end);
            self.process
                .run(part, &mut self.inbox, &mut self.send_buffer);
        }
    }
}

/// The steered processes of a block of a partition, a bit for each.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SteeredBlock {
    /// All of them.
    pub(super) all: u64,
    /// Those that have been begun in this epoch.
    pub(super) begun: u64,
}

/// Processes that are run one after the other by one thread, and share their empty buffers.
#[derive(Debug)]
pub(super) struct Partition<D: LogicalProcess> {
    pub(super) number: usize,
    pub(super) members: Vec<Member<D>>,
    pub(super) calendar: Calendar,
    /// Longest simulated time by which any of its processes may be behind the others.
    pub(super) widest_margin: Duration,
    /// Where the sides take turns: the order in which processes are run, forwards and backwards.
    pub(super) groups: [Vec<Group>; 2],
    /// Whether this round goes through its processes backwards.
    pub(super) backwards: bool,
    /// The earliest arrival of what its processes have sent in the last epoch and is in mailboxes.
    pub(super) sent: Time,
    pub(super) spare: Spare<D::Message>,
    /// What its processes send one another.
    pub(super) mailboxes: OwnMailboxes<D::Message>,
    /// Processes with results, as positions in `members`.
    pub(super) results: Vec<u32>,
    /// Number of times that its processes have been run.
    pub(super) steps: u64,
    /// Number of messages that were due for its processes in those runs.
    pub(super) messages: u64,
    /// By block: the processes that a steered run stops at; empty before there is such a run.
    pub(super) steered: Vec<SteeredBlock>,
    /// Room for the stops of a process.
    pub(super) stops: Vec<Time>,
    /// Room for the keys of what is due for a process, and to sort them.
    pub(super) keys: Vec<u64>,
    pub(super) sorting: EpochSort,
}

/// The least next event of all processes in `partitions`.
pub(super) fn earliest<D: LogicalProcess>(partitions: &[Box<Partition<D>>]) -> Time {
    let next = partitions
        .iter()
        .map(|partition| partition.calendar.earliest().min(partition.sent));
    next.min().unwrap_or(Time::MAX)
}

/// The bits of `due` in the order in which processes are run, forwards or backwards, and their number.
#[inline(always)]
fn in_order(mut due: u64, backwards: bool) -> ([u8; BLOCK as usize], usize) {
    let (mut bits, mut count) = ([0; BLOCK as usize], 0);
    while due != 0 {
        let bit = if backwards {
            u64::BITS - 1 - due.leading_zeros()
        } else {
            due.trailing_zeros()
        };
        due &= !(1 << bit);
        #[expect(clippy::cast_possible_truncation, reason = "a bit of 64")]
        let bit = bit as u8;
        bits[count] = bit;
        count += 1;
    }
    (bits, count)
}

impl<D: LogicalProcess> Partition<D> {
    /// A partition with room for `size` processes.
    pub(super) fn new(size: u32, number: usize, pool: Option<Arc<Pool<D::Message>>>) -> Self {
        Self {
            number,
            members: Vec::with_capacity(size as usize),
            calendar: Calendar::new(),
            widest_margin: Duration::ZERO,
            groups: [Vec::new(), Vec::new()],
            backwards: false,
            sent: Time::MAX,
            spare: Spare::new(pool),
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

    /// Runs one epoch.
    ///
    /// Rounds go through the processes forwards and backwards in turn: what was written last is
    /// then read first, as long as it is in the cache.
    pub(super) fn step(
        &mut self,
        span: Span<'_>,
        mailboxes: &Mailboxes<D::Message>,
        probe: &mut (impl Probe + ?Sized),
    ) {
        self.sent = Time::MAX;
        if !span.continues {
            self.results.clear();
        }
        if let Some(second) = span.second {
            self.step_in_turns(span, second, mailboxes, probe);
            return;
        }
        self.backwards = span.parity != 0;
        let blocks = self.calendar.blocks();
        for turn in 0..blocks {
            let block = if self.backwards {
                blocks - 1 - turn
            } else {
                turn
            };
            if !self.step_block((block, u64::MAX), span, mailboxes, probe) {
                return;
            }
        }
    }

    /// Runs one epoch of those of a block that are among `members`. Returns whether the run goes on.
    #[inline]
    pub(super) fn step_block(
        &mut self,
        (block, members): (usize, u64),
        span: Span<'_>,
        mailboxes: &Mailboxes<D::Message>,
        probe: &mut (impl Probe + ?Sized),
    ) -> bool {
        let Span { epoch, parity, .. } = span;
        // The calendar has what may be put off; where nothing may, all that could have been is
        // looked at.
        let before = match epoch.execution {
            Execution::Lazy => epoch.end,
            Execution::Eager => epoch.end.saturating_add(self.widest_margin),
        };
        let left = self.fetch_left(span, block, members);
        let own = self.mailboxes.take_ready(parity ^ 1, block, members);
        let others = mailboxes.take_ready(parity ^ 1, self.number, block);
        debug_assert!(
            others & !members == 0,
            "parts of blocks hear only from here"
        );
        let due = self.calendar.due(block, before) & members | own | others | left;
        due == 0 || self.step_due((block, due), (own, others), span, mailboxes, probe)
    }

    /// Runs one epoch of those of a block that are `due`, some of which have messages from their `own`
    /// partition and from `others`. Returns whether the run goes on.
    #[inline(never)]
    fn step_due(
        &mut self,
        (block, due): (usize, u64),
        (own, others): (u64, u64),
        span: Span<'_>,
        mailboxes: &Mailboxes<D::Message>,
        probe: &mut (impl Probe + ?Sized),
    ) -> bool {
        let Span {
            parity, interrupt, ..
        } = span;
        let ahead = self.prefetched_ahead();
        let (bits, count) = in_order(due, self.backwards);
        let bits = &bits[..count];
        let first = block * BLOCK as usize;
        for turn in 0..count + ahead {
            let bit = bits.get(turn.wrapping_sub(ahead)).copied();
            if let Some(bit) = bit {
                if interrupt.is_raised() {
                    return false;
                }
                probe.process_begins(self.members[first + usize::from(bit)].index);
            }
            if ahead > 0 {
                let at = |before: usize| {
                    let bit = *bits.get(turn.wrapping_sub(before))?;
                    let others = others >> bit & 1 != 0;
                    Some((first + usize::from(bit), others.then_some(mailboxes)))
                };
                self.prefetch([at(0), at(1)], parity);
            }
            // Where memory is asked for ahead, a process takes in its messages one turn before it
            // is run.
            let taking = bits
                .get(turn.wrapping_sub(ahead.saturating_sub(1)))
                .copied();
            if let Some(bit) = taking {
                let place = first + usize::from(bit);
                if own >> bit & 1 != 0 {
                    self.fetch_own(place, parity ^ 1);
                }
                if others >> bit & 1 != 0 {
                    self.fetch_others(place, parity ^ 1, mailboxes);
                }
            }
            let next = if ahead > 0 { taking } else { None };
            let next = next.map(|bit| first + usize::from(bit));
            let Some(bit) = bit else {
                if let Some(next) = next {
                    Next::new(&self.members[next], &self.mailboxes, parity).ask_all();
                }
                continue;
            };
            let place = first + usize::from(bit);
            self.step_one((place, next), span, mailboxes, probe);
            probe.process_ends(self.members[place].index);
        }
        self.calendar.settle(block, due);
        true
    }

    /// Takes in the messages from this partition that wait for one process in the half with `parity`.
    #[inline]
    pub(super) fn fetch_own(&mut self, place: usize, parity: usize) {
        let batches = self.mailboxes.half(place, parity);
        let inbox = &mut self.members[place].inbox;
        inbox.accept(batches, &mut self.spare);
    }

    /// Takes in the messages from other partitions.
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

    /// Runs the process at `place` for one epoch, and asks for the memory of the one at `next`.
    #[inline]
    fn step_one(
        &mut self,
        (place, next): (usize, Option<usize>),
        span: Span<'_>,
        mailboxes: &Mailboxes<D::Message>,
        probe: &mut (impl Probe + ?Sized),
    ) {
        let Span { epoch, parity, .. } = span;
        let (member, mut next) = match next {
            None => (&mut self.members[place], None),
            Some(next) => {
                let both = self.members.get_disjoint_mut([place, next]);
                let [member, next] = both.expect("a process is run once in an epoch");
                (member, Some(Next::new(next, &self.mailboxes, parity)))
            }
        };
        let first = member.inbox.first().min(member.process.next_event());
        let needed = match epoch.execution {
            Execution::Lazy => first.saturating_add(member.margin),
            Execution::Eager => first,
        };
        if needed >= epoch.end {
            self.calendar
                .set(place, first.saturating_add(member.margin));
            if let Some(next) = next {
                next.ask_all();
            }
            return;
        }
        self.steps += 1;
        let start = first.min(epoch.start);
        member.inbox.exchange_keys(&mut self.keys);
        let groups = member.process.groups();
        let process = &mut member.process;
        let prepare = |messages: &mut [D::Message]| {
            process.prepare(messages);
            if let Some(next) = &mut next {
                next.ask();
            }
        };
        let span_of_epoch = (start, epoch.end);
        (member.inbox).gather::<D::Order>(span_of_epoch, groups, prepare);
        let at_once =
            member.inbox.due() <= MOST_AT_ONCE && epoch.end.since(first) <= LONGEST_AT_ONCE;
        let groups = (at_once && member.process.reads_groups()).then_some(groups);
        (member.inbox).sort::<D::Order>(span_of_epoch, groups, &mut self.sorting);
        if let Some(next) = next {
            next.ask_all();
        }
        self.messages += member.inbox.due() as u64;
        std::mem::swap(&mut member.send_buffer.spare, &mut self.spare);
        if at_once {
            member
                .process
                .run(epoch.end, &mut member.inbox, &mut member.send_buffer);
        } else {
            member.run_in_parts(span);
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
        self.sent = self.sent.min(sent);
        if member.process.has_results() {
            #[expect(
                clippy::cast_possible_truncation,
                reason = "processes are numbered by u32"
            )]
            self.results.push(place as u32);
        }
    }
}
