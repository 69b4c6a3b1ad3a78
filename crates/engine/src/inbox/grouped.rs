//! Messages of an epoch sorted by group: all messages of one group, then all of the next.
//!
//! Some processes have parts that do not influence one another within an epoch, such as the ports
//! of a switch. Such a process is faster if it runs part by part: the state of a part stays in the
//! cache, and the next event of the part is known.

use super::Inbox;
use super::input::Channel;
use super::keys::{
    GROUP_BITS, GroupPlace, Grouping, carried_place_of, channel_of, place_of, span_of,
};
use crate::message::Message;
use crate::order::{LEADING, MOST_GROUPS};
use fabricsim_base::units::Time;

const _: () = assert!(MOST_GROUPS <= 1 << GROUP_BITS, "keys have room for groups");

/// A due message of a group.
#[derive(Debug)]
pub struct Grouped<'a, M> {
    /// Time of arrival.
    pub at: Time,
    /// The input by which it arrives.
    pub channel: usize,
    /// The message.
    pub message: &'a M,
    /// Arrival time of the next message of the group; for the last one, the end of the epoch.
    pub until: Time,
}

impl<M: Message> Inbox<M> {
    /// Removes the groups from the keys before these are sorted.
    #[inline]
    pub(super) fn forget_groups(&mut self) {
        if let Grouping::Possible(place) | Grouping::Impossible(place) = self.grouping {
            for key in &mut self.keys[LEADING..] {
                *key &= place.below();
            }
        }
        self.grouping = Grouping::None;
    }

    /// Returns `true` if the due messages are sorted by their groups. Then only
    /// [`read_groups`](Self::read_groups) may read them.
    #[inline]
    #[must_use]
    pub fn has_groups(&self) -> bool {
        matches!(self.grouping, Grouping::Done(_))
    }

    /// Returns all due messages, group by group. Call it only if there are
    /// [groups](Self::has_groups), with the `end` of the epoch.
    ///
    /// # Panics
    /// Panics if there are no groups.
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

/// The due messages of an epoch, in groups.
#[derive(Debug)]
pub struct Groups<'a, M> {
    channels: &'a [Channel<M>],
    carried: &'a [M],
    /// Keys of the remaining messages.
    keys: &'a [u64],
    place: GroupPlace,
    base: Time,
    end: Time,
}

impl<'a, M: Message> Groups<'a, M> {
    /// Returns the number of remaining messages.
    #[inline]
    #[must_use]
    pub const fn len(&self) -> usize {
        self.keys.len()
    }

    /// Returns `true` if no messages remain.
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
    /// Number of returned messages.
    returned: usize,
    number: usize,
    /// Added to the time of a key that still contains its group.
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

    /// Returns the arrival time of the last message of the group.
    #[inline(always)]
    #[must_use]
    pub fn last_time(&self) -> Time {
        self.keys
            .last()
            .map_or(Time::ZERO, |&key| self.time_of(key))
    }

    /// Returns the last returned message again; after a [step back](Self::step_back), the message
    /// before it.
    ///
    /// # Panics
    /// Panics if there is none.
    #[inline]
    #[must_use]
    pub fn current(&self) -> Grouped<'a, M> {
        let place = self.returned - 1;
        self.grouped(place, self.keys[place])
    }

    /// Moves back by one message, so that the last returned message is returned again.
    ///
    /// # Panics
    /// Panics if no message was returned.
    #[inline]
    pub fn step_back(&mut self) {
        assert!(self.returned > 0, "a message has been returned");
        self.returned -= 1;
    }

    #[inline(always)]
    const fn time_of(&self, key: u64) -> Time {
        Time::from_ps(self.base.wrapping_add(span_of(key)))
    }

    /// Returns the message of `key`, which is number `place` of the group.
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

/// Returns the message of `key`, which was carried over.
// Not a method: the group would have to be in memory for the call.
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
