//! Messages of an epoch in groups: all of one group, then all of the next.
//!
//! A process whose parts do not influence one another within an epoch, such as the ports of a switch,
//! is faster part by part: what one part needs stays at hand, and what it does next can be foreseen.

use super::Inbox;
use super::input::Channel;
use super::keys::{
    GROUP_BITS, GroupPlace, Grouping, carried_place_of, channel_of, place_of, span_of,
};
use crate::message::Message;
use crate::order::{LEADING, MOST_GROUPS};
use fabricsim_base::units::Time;

const _: () = assert!(MOST_GROUPS <= 1 << GROUP_BITS, "keys have room for groups");

/// A message that is due, of those of one group.
#[derive(Debug)]
pub struct Grouped<'a, M> {
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
        if let Grouping::Possible(place) | Grouping::Impossible(place) = self.grouping {
            for key in &mut self.keys[LEADING..] {
                *key &= place.below();
            }
        }
        self.grouping = Grouping::None;
    }

    /// Returns whether the due messages are sorted by their groups: then only
    /// [`read_groups`](Self::read_groups) reads them.
    #[inline]
    #[must_use]
    pub fn has_groups(&self) -> bool {
        matches!(self.grouping, Grouping::Done(_))
    }

    /// Hands out all due messages, group by group. Call it only where there are
    /// [groups](Self::has_groups), with the `end` of the epoch.
    ///
    /// # Panics
    /// Where there are none.
    #[inline]
    pub fn read_groups(&mut self, end: Time) -> Groups<'_, M> {
        let Grouping::Done(place) = self.grouping else {
            panic!("keys are read by groups only where they are sorted by groups");
        };
        let keys = &self.keys[self.position..];
        self.position = self.keys.len();
        self.grouping = Grouping::None;
        Groups {
            channels: &self.channels,
            carried: &self.carried,
            keys,
            place,
            base: self.base,
            end,
        }
    }
}

/// The messages that are due in an epoch, in groups.
#[derive(Debug)]
pub struct Groups<'a, M> {
    channels: &'a [Channel<M>],
    carried: &'a [M],
    /// Those of the messages that are left.
    keys: &'a [u64],
    place: GroupPlace,
    base: Time,
    end: Time,
}

impl<'a, M: Message> Groups<'a, M> {
    /// Returns how many messages are left.
    #[inline]
    #[must_use]
    pub const fn len(&self) -> usize {
        self.keys.len()
    }

    /// Returns whether none are left.
    #[inline]
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }
}

impl<'a, M: Message> Iterator for Groups<'a, M> {
    type Item = Group<'a, M>;

    #[inline]
    fn next(&mut self) -> Option<Group<'a, M>> {
        let first = *self.keys.first()?;
        let number = self.place.group_of(first);
        let below = self.place.below();
        let last = first | below;
        let of_others = self.keys.iter().position(|&key| key > last);
        let count = of_others.unwrap_or(self.keys.len());
        let (keys, rest) = self.keys.split_at(count);
        self.keys = rest;
        Some(Group {
            channels: self.channels,
            carried: self.carried,
            keys,
            returned: 0,
            number,
            base: self.base.as_ps().wrapping_sub(span_of(first & !below)),
            end: self.end,
        })
    }
}

/// The messages of one group, in the order of arrival and of inputs.
#[derive(Clone, Debug)]
pub struct Group<'a, M> {
    channels: &'a [Channel<M>],
    carried: &'a [M],
    keys: &'a [u64],
    /// How many messages have been returned.
    returned: usize,
    number: usize,
    /// What is to be added to the time of a key that still has its group.
    base: u64,
    end: Time,
}

impl<'a, M: Message> Group<'a, M> {
    /// Returns the number of the group.
    #[inline(always)]
    #[must_use]
    pub const fn number(&self) -> usize {
        self.number
    }

    /// Returns when the last message of the group arrives.
    #[inline(always)]
    #[must_use]
    pub fn last_time(&self) -> Time {
        self.keys
            .last()
            .map_or(Time::ZERO, |&key| self.time_of(key))
    }

    /// Returns the message that has been returned last, once more; after a [step
    /// back](Self::step_back) the one before.
    ///
    /// # Panics
    /// Where there is none.
    #[inline]
    #[must_use]
    pub fn current(&self) -> Grouped<'a, M> {
        let place = self.returned - 1;
        self.grouped(place, self.keys[place])
    }

    /// Goes back to the message that has been returned last: it comes again.
    ///
    /// # Panics
    /// Before the first message.
    #[inline]
    pub fn step_back(&mut self) {
        assert!(self.returned > 0, "a message has been returned");
        self.returned -= 1;
    }

    #[inline(always)]
    const fn time_of(&self, key: u64) -> Time {
        Time::from_ps(self.base.wrapping_add(span_of(key)))
    }

    /// The message of `key`, which has this `place`.
    #[inline(always)]
    fn grouped(&self, place: usize, key: u64) -> Grouped<'a, M> {
        let channel = channel_of(key);
        Grouped {
            at: self.time_of(key),
            channel,
            message: match self.channels[channel].current.slot(place_of(key)) {
                Some(message) => message,
                None => carried(self.carried, key),
            },
            until: match self.keys.get(place + 1) {
                Some(&next) => self.time_of(next),
                None => self.end,
            },
        }
    }
}

/// The message of `key`, which has been carried over.
// Not of a group: that would have to be in memory for the call.
#[inline(never)]
fn carried<M>(carried: &[M], key: u64) -> &M {
    let place = carried_place_of(key).expect("nothing in groups is read in turn");
    &carried[place]
}

impl<'a, M: Message> Iterator for Group<'a, M> {
    type Item = Grouped<'a, M>;

    #[inline(always)]
    fn next(&mut self) -> Option<Grouped<'a, M>> {
        let place = self.returned;
        let key = *self.keys.get(place)?;
        self.returned += 1;
        Some(self.grouped(place, key))
    }
}
