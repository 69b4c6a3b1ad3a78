//! Keys by which the due messages of an epoch are sorted.

use std::collections::VecDeque;

use crate::batch::Batch;
use crate::message::Message;
use fabricsim_base::units::{Duration, Time};

/// Bits of a key below the time of a due message. A key has 36 bits of time since the start of the
/// epoch, 16 bits of input, and 12 bits of location. The location is an index of the carried
/// messages, or above these an index of the input's buffer, or all ones for the next message to be
/// read from the input.
pub(super) const TIME_SHIFT: u32 = 28;
const IN_CHANNEL_BITS: u32 = 12;
const IN_CHANNEL: u64 = (1 << IN_CHANNEL_BITS) - 1;

/// In the key of a message with a group, up to 8 bits above the time contain the group.
pub(super) const GROUP_BITS: u32 = 8;
/// The longest epoch with room for groups in the keys.
const LONGEST_GROUPED: Duration =
    Duration::from_ps((1 << (u64::BITS - GROUP_BITS - TIME_SHIFT)) - 1);

/// The place of the group in a key.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(super) struct GroupPlace {
    /// The lowest bit of the group: directly above the times of the epoch, so that one shift reads
    /// a group and the upper bits of a time.
    pub(super) shift: u32,
}

impl GroupPlace {
    /// Returns the place for an epoch of this length.
    #[inline]
    const fn above(epoch: Duration) -> Self {
        Self {
            shift: u64::BITS - (epoch.as_ps() << TIME_SHIFT).leading_zeros(),
        }
    }

    /// Returns the group of a message.
    #[inline(always)]
    #[expect(
        clippy::cast_possible_truncation,
        reason = "groups are below 256 where keys are read by groups"
    )]
    pub(super) const fn group_of(self, key: u64) -> usize {
        (key >> self.shift) as usize
    }

    /// Returns the bits of a key below its group.
    #[inline(always)]
    pub(super) const fn below(self) -> u64 {
        (1 << self.shift) - 1
    }
}

/// State of the groups in keys.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Grouping {
    /// Keys contain no groups.
    None,
    /// Keys contain groups, but some messages can only be read in time order.
    Impossible(GroupPlace),
    /// Keys contain groups.
    Possible(GroupPlace),
    /// Keys contain groups and are sorted by group.
    Done(GroupPlace),
}

/// The interval of due messages, and the format of their keys.
#[derive(Clone, Copy)]
pub(super) struct Due {
    start: Time,
    end: Time,
    /// The place of groups in keys, and the key of the second group, or 0 if keys have no groups.
    place: GroupPlace,
    group_step: u64,
}

impl Due {
    /// Returns the interval `[start, end)`; its keys contain groups if `may_group` is set and there
    /// is room for them.
    #[inline]
    pub(super) fn new((start, end): (Time, Time), may_group: bool) -> Self {
        let epoch = end.since(start);
        let has_groups = may_group && epoch <= LONGEST_GROUPED;
        let place = if has_groups {
            GroupPlace::above(epoch)
        } else {
            GroupPlace::default()
        };
        Self {
            start,
            end,
            place,
            group_step: u64::from(has_groups) << place.shift,
        }
    }

    /// Returns the place of groups in keys, if they have groups.
    #[inline]
    pub(super) const fn groups(self) -> Option<GroupPlace> {
        if self.group_step > 0 {
            Some(self.place)
        } else {
            None
        }
    }

    /// Returns the key of `message` with this `place`.
    #[inline(always)]
    fn key<M: Message>(self, message: &M, place: u64) -> u64 {
        let span = message.arrival().as_ps() - self.start.as_ps();
        message.group().wrapping_mul(self.group_step) | span << TIME_SHIFT | place
    }
}

/// Maximum number of carried messages over all inputs.
pub(super) const MOST_CARRIED_IN_ALL: usize = 1 << 10;
/// Buffers up to this length are read by place.
pub(super) const MOST_PLACES: usize = (1 << IN_CHANNEL_BITS) - 1 - MOST_CARRIED_IN_ALL;

/// Returns the key of a carried message.
#[inline]
pub(super) fn carried_key<M: Message>(message: &M, due: Due, input: u32, place: u64) -> u64 {
    due.key(message, u64::from(input) << IN_CHANNEL_BITS | place)
}

/// Returns the time in a key without a group, in picoseconds since the start of the epoch.
#[inline(always)]
pub(super) const fn span_of(key: u64) -> u64 {
    key >> TIME_SHIFT
}

/// Returns the input of a message.
#[inline(always)]
pub(super) const fn channel_of(key: u64) -> usize {
    (key >> IN_CHANNEL_BITS & 0xffff) as usize
}

/// Returns the index in the buffer of the input; larger than any index for other messages.
#[inline(always)]
pub(super) const fn place_of(key: u64) -> usize {
    // Adding 1 wraps the location of messages that are read in turn to 0, below the carried
    // messages.
    let place = key.wrapping_add(1) & IN_CHANNEL;
    (place as usize).wrapping_sub(MOST_CARRIED_IN_ALL + 1)
}

/// Returns the index among the carried messages.
#[inline]
pub(super) const fn carried_place_of(key: u64) -> Option<usize> {
    let place = (key & IN_CHANNEL) as usize;
    if place < MOST_CARRIED_IN_ALL {
        Some(place)
    } else {
        None
    }
}

/// Adds the keys of the messages in `batches` of `input` that are `due`.
#[inline(never)]
pub(super) fn gather_rest<M: Message>(
    keys: &mut Vec<u64>,
    batches: &mut VecDeque<Batch<M>>,
    input: u32,
    due: Due,
    prepare: &mut impl FnMut(&mut [M]),
) {
    for batch in batches {
        if gather_in_turn(keys, batch, input, due, prepare) < batch.len() {
            break;
        }
    }
}

/// Adds the keys of the `messages` of `input` that are `due`, to be read one after the other.
/// Returns their number.
#[inline(never)]
pub(super) fn gather_in_turn<M: Message>(
    keys: &mut Vec<u64>,
    messages: &mut [M],
    input: u32,
    due: Due,
    prepare: &mut impl FnMut(&mut [M]),
) -> usize {
    let own = u64::from(input) << IN_CHANNEL_BITS | IN_CHANNEL;
    gather_due(keys, messages, (own, 0), due, prepare)
}

/// Adds the keys of the `messages` of `input` that are `due` and are stored in its buffer from
/// `place` on. Returns their number.
#[inline(always)]
pub(super) fn gather_places<M: Message>(
    keys: &mut Vec<u64>,
    messages: &mut [M],
    (input, place): (u32, usize),
    due: Due,
    prepare: &mut impl FnMut(&mut [M]),
) -> usize {
    let own = u64::from(input) << IN_CHANNEL_BITS | (MOST_CARRIED_IN_ALL + place) as u64;
    gather_due(keys, messages, (own, 1), due, prepare)
}

/// Returns the number of `messages`, which are in the order of arrival, that arrive before `end`.
/// This is usually all of them, or all but one or two, which were sent late in an epoch.
// Not by bisection, which must load one message from memory to find the next.
#[inline(always)]
fn count_before<M: Message>(messages: &[M], end: Time) -> usize {
    const FEW: usize = 4;
    let last = messages.iter().rev().take(FEW);
    let late = last.take_while(|message| message.arrival() >= end).count();
    if late < FEW {
        messages.len() - late
    } else {
        count_of_many(messages, end)
    }
}

/// The slow path of [`count_before`], for many messages that arrive at `end` or later.
#[inline(never)]
fn count_of_many<M: Message>(messages: &[M], end: Time) -> usize {
    messages.partition_point(|message| message.arrival() < end)
}

/// Adds the keys of the `messages` that are `due`. Returns their number. Below the time, the first
/// key is `own`, and each following key is larger by `step`.
#[inline(always)]
fn gather_due<M: Message>(
    keys: &mut Vec<u64>,
    messages: &mut [M],
    (mut own, step): (u64, u64),
    due: Due,
    prepare: &mut impl FnMut(&mut [M]),
) -> usize {
    // A known count saves a capacity check for every key.
    let count = count_before(messages, due.end);
    prepare(&mut messages[..count]);
    let key_of = |message: &M| {
        let key = due.key(message, own);
        own += step;
        key
    };
    keys.extend(messages[..count].iter().map(key_of));
    count
}

#[cfg(test)]
mod tests {
    use super::*;
    use fabricsim_base::checkpoint::Stored;
    use fabricsim_base::fifo::Assign;

    #[derive(Clone, Copy, Debug, Stored)]
    struct At(Time);

    impl Assign for At {
        fn assign(&mut self, other: &Self) {
            *self = *other;
        }
    }

    impl Message for At {
        fn arrival(&self) -> Time {
            self.0
        }

        fn set_arrival(&mut self, at: Time) {
            self.0 = at;
        }
    }

    proptest::proptest! {
        #[test]
        fn those_before_the_end_are_counted(times in proptest::collection::vec(0u64..20, 0..24), end in 0u64..22) {
            let mut messages: Vec<_> = times.iter().map(|&at| At(Time::from_ps(at))).collect();
            messages.sort_by_key(|message| message.0);
            let expected = times.iter().filter(|&&at| at < end).count();
            proptest::prop_assert_eq!(count_before(&messages, Time::from_ps(end)), expected);
        }
    }
}
