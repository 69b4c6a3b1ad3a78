//! Messages of an epoch in groups: all of one group, then all of the next.
//!
//! A process whose parts do not influence one another within an epoch, such as the ports of a switch,
//! is faster part by part: what one part needs stays at hand, and what it does next can be foreseen.

use super::Inbox;
use super::keys::{
    GROUP_BITS, GROUPED_TIME_SHIFT, TIME_SHIFT, carried_place_of, channel_of, place_of,
};
use crate::engine::message::Message;
use crate::engine::order::{EpochSort, MOST_GROUPS};
use crate::units::{Duration, Time};

const _: () = assert!(MOST_GROUPS <= 1 << GROUP_BITS, "keys have room for groups");

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
                let place = *key & ((1 << TIME_SHIFT) - 1);
                *key = *key >> GROUPED_TIME_SHIFT << TIME_SHIFT | place;
            }
        }
        self.grouping = Grouping::None;
    }

    /// The bound of keys in an epoch of `length`.
    #[inline]
    pub(super) fn limit(&self, length: Duration) -> u64 {
        let shift = if self.grouping == Grouping::None {
            TIME_SHIFT
        } else {
            GROUPED_TIME_SHIFT
        };
        length.as_ps() << shift
    }

    /// Sorts by groups what is sorted by time. All messages have a group below `groups`.
    #[inline]
    pub(super) fn group(&mut self, groups: usize, sorting: &mut EpochSort) {
        sorting.group(&mut self.keys, groups, group_of);
        self.grouping = Grouping::Done;
    }

    /// Returns whether the due messages are sorted by their groups: then only
    /// [`read_groups`](Self::read_groups) reads them.
    #[inline]
    #[must_use]
    pub fn has_groups(&self) -> bool {
        self.grouping == Grouping::Done
    }

    /// Hands all due messages to `read`, group by group, those of each in the order of arrival and of
    /// inputs. Returns how many they were. Call it only where there are
    /// [groups](Self::has_groups), with the `end` of the epoch.
    #[inline(always)]
    pub fn read_groups(&mut self, end: Time, mut read: impl FnMut(Grouped<'_, M>)) -> u64 {
        let base = self.base.as_ps();
        let group_and_time = |key| {
            (
                group_of(key),
                Time::from_ps(base + (key >> GROUPED_TIME_SHIFT)),
            )
        };
        let keys = &self.keys[self.position..];
        let mut first = group_and_time(keys.first().copied().unwrap_or(u64::MAX));
        for (number, &key) in keys.iter().enumerate() {
            let (group, at) = first;
            first = group_and_time(keys.get(number + 1).copied().unwrap_or(u64::MAX));
            let (next_group, next) = first;
            let channel = channel_of(key);
            let message = match self.channels[channel].current.slot(place_of(key)) {
                Some(message) => message,
                None => self.carried(key),
            };
            read(Grouped {
                group,
                at,
                channel,
                message,
                until: if next_group == group {
                    next.min(end)
                } else {
                    end
                },
            });
        }
        let count = keys.len() as u64;
        self.position = self.keys.len();
        self.grouping = Grouping::None;
        count
    }

    /// The message of `key`, which has been carried over.
    #[inline(never)]
    fn carried(&self, key: u64) -> &M {
        let place = carried_place_of(key).expect("nothing in groups is read in turn");
        &self.carried[place]
    }
}

/// The group of a message whose key names one.
#[inline(always)]
const fn group_of(key: u64) -> usize {
    (key >> TIME_SHIFT) as usize & ((1 << GROUP_BITS) - 1)
}
