//! Memory of processes that are about to be run.
//!
//! The state of a large network does not stay in a cache from one epoch to the next. Which processes
//! are run next is known, so their memory is asked for while others are run: first where a process
//! begins, a turn later what that points to, and then the messages that have come for it.

use super::LogicalProcess;
use super::mailboxes::{ChannelBatch, Mailboxes};
use super::message::Message as _;
use super::partition::Partition;
use crate::prefetch::{prefetch, prefetch_all};

/// Turns between the first request for the memory of a process and its run.
const AHEAD: usize = 3;

/// The most processes of a partition that stay in the cache.
const MOST_CACHED: usize = 512;

/// A process by its place, with the mailboxes of all partitions where some of them has messages for
/// it.
type Coming<'a, M> = Option<(usize, Option<&'a Mailboxes<M>>)>;

impl<D: LogicalProcess> Partition<D> {
    /// Returns how many turns before its run the memory of a process is first asked for: 0 where all
    /// of it stays in the cache.
    pub(super) fn prefetched_ahead(&self) -> usize {
        if self.members.len() > MOST_CACHED {
            AHEAD
        } else {
            0
        }
    }

    /// Asks for the memory of the processes that are run three turns from now, two, and one. `parity`
    /// is the half of mailboxes that is written.
    pub(super) fn prefetch(&self, coming: [Coming<'_, D::Message>; AHEAD], parity: usize) {
        let unread = parity ^ 1;
        if let Some((place, others)) = coming[0] {
            self.mailboxes.prefetch(place, unread);
            let member = &self.members[place];
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
            let member = &self.members[place];
            prefetch_all(self.mailboxes.shown(place, unread));
            if let Some(others) = others {
                others.show(member.mailbox, unread, prefetch_all);
            }
            member.process.prefetch();
            member.inbox.prefetch_channels();
            prefetch_all(&member.send_buffer.channels);
            prefetch_all(&member.neighbors);
        }
        if let Some((place, others)) = coming[2] {
            let member = &self.members[place];
            let mut messages = 0;
            let mut ask = |batches: &[ChannelBatch<D::Message>]| {
                for batch in batches {
                    messages += batch.messages.len();
                    batch.messages.iter().for_each(|message| message.prefetch());
                }
            };
            ask(self.mailboxes.shown(place, unread));
            if let Some(others) = others {
                others.show(member.mailbox, unread, ask);
            }
            member.process.prefetch_parts(messages);
            for neighbor in &member.neighbors {
                self.mailboxes.prefetch_neighbor(neighbor, parity);
            }
        }
    }
}
