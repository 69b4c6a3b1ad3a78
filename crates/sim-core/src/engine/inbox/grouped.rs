//! Messages of an epoch in groups: all of one group, then all of the next.
//!
//! A process whose parts do not influence one another within an epoch, such as the ports of a switch,
//! is faster part by part: what one part needs stays at hand, and what it does next can be foreseen.

use super::Inbox;
use super::input::Channel;
use super::keys::{
    GROUP_SHIFT, carried_place_of, channel_of, group_of, place_of, span_of, without_group,
};
use crate::engine::message::Message;
use crate::engine::order::MOST_GROUPS;
use crate::units::Time;

const _: () = assert!(
    MOST_GROUPS <= 1 << (u64::BITS - GROUP_SHIFT),
    "keys have room for groups"
);

/// Whether keys name groups.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Grouping {
    /// They do not.
    None,
    /// They do, but some messages can be read in the order of time only.
    Impossible,
    /// They do.
    Possible,
    /// They are sorted by groups.
    Done,
}

/// A message that is due, with its group.
#[derive(Debug)]
pub struct Grouped<'a, M> {
    /// Its group.
    pub group: usize,
    /// When it arrives.
    pub at: Time,
    /// The input over which it comes.
    pub channel: usize,
    /// The message itself.
    pub message: &'a M,
    /// When the next message of the group arrives; for the last one, the end of what is due.
    pub until: Time,
}

impl<M: Message> Inbox<M> {
    /// Takes the groups out of the keys, which are not sorted yet.
    #[inline]
    pub(super) fn forget_groups(&mut self) {
        if matches!(self.grouping, Grouping::Possible | Grouping::Impossible) {
            for key in &mut self.keys[1..] {
                *key = without_group(*key);
            }
        }
        self.grouping = Grouping::None;
    }

    /// Returns whether the due messages are sorted by their groups: then only
    /// [`read_groups`](Self::read_groups) reads them.
    #[inline]
    #[must_use]
    pub fn has_groups(&self) -> bool {
        self.grouping == Grouping::Done
    }

    /// Hands out all due messages, group by group, those of each in the order of arrival and of
    /// inputs. Call it only where there are [groups](Self::has_groups), with the `end` of the epoch.
    #[inline]
    pub fn read_groups(&mut self, end: Time) -> Groups<'_, M> {
        let keys = &self.keys[self.position..];
        self.position = self.keys.len();
        self.grouping = Grouping::None;
        let mut groups = Groups {
            channels: &self.channels,
            carried: &self.carried,
            keys,
            base: self.base.as_ps(),
            end,
            position: 0,
            next: (0, Time::ZERO),
        };
        groups.go_to(0);
        groups
    }
}

/// The messages that are due in an epoch, group by group.
#[derive(Debug)]
pub struct Groups<'a, M> {
    channels: &'a [Channel<M>],
    carried: &'a [M],
    keys: &'a [u64],
    base: u64,
    end: Time,
    /// The place of the next message among `keys`.
    position: usize,
    /// Its group and its time; behind the last one, a time that is not before the end.
    next: (usize, Time),
}

impl<'a, M: Message> Groups<'a, M> {
    /// Returns how many messages there are in all.
    #[inline]
    #[must_use]
    pub const fn len(&self) -> usize {
        self.keys.len()
    }

    /// Returns whether there are none.
    #[inline]
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// Returns the group of the next message, if there is one.
    #[inline(always)]
    #[must_use]
    pub const fn group(&self) -> Option<usize> {
        if self.position < self.keys.len() {
            Some(self.next.0)
        } else {
            None
        }
    }

    /// Returns the next message, if it is one of `group`.
    #[inline(always)]
    pub fn next_of(&mut self, group: usize) -> Option<Grouped<'a, M>> {
        let (own, at) = self.next;
        if own != group {
            return None;
        }
        let key = *self.keys.get(self.position)?;
        self.go_to(self.position + 1);
        let (following, next) = self.next;
        let channel = channel_of(key);
        let message = match self.channels[channel].current.slot(place_of(key)) {
            Some(message) => message,
            None => self.carried(key),
        };
        Some(Grouped {
            group,
            at,
            channel,
            message,
            until: if following == group {
                next.min(self.end)
            } else {
                self.end
            },
        })
    }

    /// Goes back to the message that has been returned last: it comes again.
    ///
    /// # Panics
    /// Before the first message.
    #[inline]
    pub fn step_back(&mut self) {
        self.go_to(self.position - 1);
    }

    /// The next message is that of key number `position`.
    #[inline(always)]
    fn go_to(&mut self, position: usize) {
        let key = self.keys.get(position).copied().unwrap_or(u64::MAX);
        let at = Time::from_ps(self.base + span_of(without_group(key)));
        self.position = position;
        self.next = (group_of(key), at);
    }

    /// The message of `key`, which has been carried over.
    #[inline(never)]
    fn carried(&self, key: u64) -> &'a M {
        let place = carried_place_of(key).expect("nothing in groups is read in turn");
        &self.carried[place]
    }
}
