//! Memory of processes that are about to be run.
//!
//! The state of a large network does not stay in a cache from one epoch to the next. Which processes
//! are run next is known, so their memory is asked for while others are run: first where a process
//! begins, a turn later what that points to, and then the messages that have come for it.

use super::mailboxes::{Mailboxes, OwnMailboxes};
use super::member::Member;
use super::process::LogicalProcess;
use fabricsim_base::prefetch::{prefetch, prefetch_all};

/// Turns between the first request for the memory of a process and its run.
const AHEAD: usize = 3;

/// The most processes of a partition that stay in the cache.
const MOST_CACHED: usize = 512;

/// Returns how many turns before its run the memory of a process is first asked for, in a partition of
/// so many `processes`: 0 if all of it stays in the cache.
pub(super) const fn turns_ahead(processes: usize) -> usize {
    if processes > MOST_CACHED { AHEAD } else { 0 }
}

/// A process by its place, with the mailboxes of all partitions if some of them has messages for it.
type Coming<'a, M> = Option<(usize, Option<&'a Mailboxes<M>>)>;

/// Asks for the memory of the processes that are run three turns from now, and two, and of the half of
/// their mailboxes with parity `unread`.
pub(super) fn prefetch_coming<D: LogicalProcess>(
    members: &[Member<D>],
    mailboxes: &OwnMailboxes<D::Message>,
    coming: [Coming<'_, D::Message>; 2],
    unread: usize,
) {
    if let Some((place, others)) = coming[0] {
        mailboxes.prefetch(place, unread);
        let member = &members[place];
        prefetch(&member.process);
        prefetch(&member.inbox);
        member.inbox.prefetch();
        prefetch(&member.send_buffer);
        prefetch(&member.neighbors);
        if let Some(others) = others {
            others.prefetch(member.mailbox, unread);
        }
    }
    if let Some((place, others)) = coming[1] {
        let member = &members[place];
        prefetch_all(mailboxes.shown(place, unread));
        if let Some(others) = others {
            others.show(member.mailbox, unread, prefetch_all);
        }
        member.process.prefetch();
        member.inbox.prefetch_channels();
        prefetch_all(&member.send_buffer.channels);
        prefetch_all(&member.neighbors);
    }
}

/// The process that is run next, which has taken in its messages. Its memory is asked for piece by
/// piece, while the messages of the process before it are gathered: the processor has only so many
/// requests on their way, and waits when there are more.
pub(super) struct Next<'a, D: LogicalProcess> {
    member: &'a Member<D>,
    mailboxes: &'a OwnMailboxes<D::Message>,
    /// The half of `mailboxes` that is written.
    parity: usize,
    /// Number of messages that have been taken in and not been read.
    messages: usize,
    /// Number of the next piece.
    turn: usize,
}

impl<'a, D: LogicalProcess> Next<'a, D> {
    pub(super) fn new(
        member: &'a Member<D>,
        mailboxes: &'a OwnMailboxes<D::Message>,
        parity: usize,
    ) -> Self {
        Self {
            member,
            mailboxes,
            parity,
            messages: member.inbox.taken_in(),
            turn: 0,
        }
    }

    /// Asks for the next piece: the messages of a channel, and what a link needs. Returns whether
    /// there was one.
    #[inline]
    pub(super) fn ask(&mut self) -> bool {
        let turn = self.turn;
        self.turn += 1;
        let member = self.member;
        if let Some(neighbor) = member.neighbors.get(turn) {
            self.mailboxes.prefetch_neighbor(neighbor, self.parity);
        }
        let messages = member.inbox.prefetch_messages(turn);
        let parts = member.process.prefetch_part(turn, self.messages);
        messages | parts
    }

    /// Asks for all that is left.
    pub(super) fn ask_all(mut self) {
        while self.ask() {}
    }
}
