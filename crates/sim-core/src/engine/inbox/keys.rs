//! Keys by which the messages that are due in an epoch are ordered.

use std::collections::VecDeque;

use crate::engine::batch::Batch;
use crate::engine::message::Message;
use crate::units::Time;

/// A key orders a message that is due: 36 bits of time since the start of the epoch, 16 bits of
/// input, and 12 bits that say where it stands: the place among the carried messages, or behind
/// those the place in the buffer of its input, or all ones for the next one that is to be read from
/// that input.
pub(super) const TIME_SHIFT: u32 = 28;
const IN_CHANNEL_BITS: u32 = 12;
const IN_CHANNEL: u64 = (1 << IN_CHANNEL_BITS) - 1;

/// The most messages that are carried in all.
pub(super) const MOST_CARRIED_IN_ALL: usize = 1 << 10;
/// Buffers up to this length are read by place.
pub(super) const MOST_PLACES: usize = (1 << IN_CHANNEL_BITS) - 1 - MOST_CARRIED_IN_ALL;

/// Bytes of due messages that are prefetched when an epoch begins, of whole inputs. Anything beyond
/// this would have left the cache before it is read.
const PREFETCHED_BYTES: usize = 512 << 10;

/// The key of a carried message.
#[inline]
pub(super) fn carried_key(at: Time, start: Time, input: u32, place: u64) -> u64 {
    at.since(start).as_ps() << TIME_SHIFT | u64::from(input) << IN_CHANNEL_BITS | place
}

/// The time of a key since the start of the epoch, in picoseconds.
#[inline(always)]
pub(super) const fn span_of(key: u64) -> u64 {
    key >> TIME_SHIFT
}

/// The input of a message.
#[inline(always)]
pub(super) const fn channel_of(key: u64) -> usize {
    (key >> IN_CHANNEL_BITS & 0xffff) as usize
}

/// The place in the buffer of its input; more than any place for other messages.
#[inline(always)]
pub(super) const fn place_of(key: u64) -> usize {
    // What is read in turn comes to lie before the carried messages.
    let place = key.wrapping_add(1) & IN_CHANNEL;
    (place as usize).wrapping_sub(MOST_CARRIED_IN_ALL + 1)
}

/// The place among the carried messages.
#[inline]
pub(super) const fn carried_place_of(key: u64) -> Option<usize> {
    let place = (key & IN_CHANNEL) as usize;
    if place < MOST_CARRIED_IN_ALL {
        Some(place)
    } else {
        None
    }
}

/// Adds the keys of the messages in `batches` of `input` that arrive before `end`.
#[inline(never)]
pub(super) fn gather_rest<M: Message>(
    keys: &mut Vec<u64>,
    batches: &mut VecDeque<Batch<M>>,
    input: u32,
    (start, end): (Time, Time),
    prepare: &mut impl FnMut(&mut [M]),
) {
    for batch in batches {
        if gather_in_turn(keys, batch, input, (start, end), prepare) < batch.len() {
            break;
        }
    }
}

/// Adds the keys of the `messages` of `input` that arrive before `end`, to be read one after the
/// other; how many.
#[inline(never)]
pub(super) fn gather_in_turn<M: Message>(
    keys: &mut Vec<u64>,
    messages: &mut [M],
    input: u32,
    (start, end): (Time, Time),
    prepare: &mut impl FnMut(&mut [M]),
) -> usize {
    let own = u64::from(input) << IN_CHANNEL_BITS | IN_CHANNEL;
    gather_due(keys, messages, (own, 0), (start, end), prepare)
}

/// Adds the keys of the `messages` of `input` that arrive before `end`, which stand in its buffer
/// from `place` on; how many.
#[inline(always)]
pub(super) fn gather_places<M: Message>(
    keys: &mut Vec<u64>,
    messages: &mut [M],
    (input, place): (u32, usize),
    (start, end): (Time, Time),
    prepare: &mut impl FnMut(&mut [M]),
) -> usize {
    let own = u64::from(input) << IN_CHANNEL_BITS | (MOST_CARRIED_IN_ALL + place) as u64;
    gather_due(keys, messages, (own, 1), (start, end), prepare)
}

/// Adds the keys of the `messages` that arrive before `end`; how many. Below the time the first key
/// is `own`, and each further one higher by `step`.
#[inline(always)]
fn gather_due<M: Message>(
    keys: &mut Vec<u64>,
    messages: &mut [M],
    (mut own, step): (u64, u64),
    (start, end): (Time, Time),
    prepare: &mut impl FnMut(&mut [M]),
) -> usize {
    // In order of arrival, and mostly all of them are due. A number that is known beforehand spares
    // the check of the room for every key.
    let due = match messages.last() {
        Some(last) if last.arrival() < end => messages.len(),
        _ => messages.partition_point(|message| message.arrival() < end),
    };
    prepare(&mut messages[..due]);
    let mut key_of = |message: &M| {
        let key = (message.arrival().as_ps() - start.as_ps()) << TIME_SHIFT | own;
        own += step;
        key
    };
    if keys.len() + due <= PREFETCHED_BYTES / size_of::<M>() {
        keys.extend(messages[..due].iter().map(|message| {
            message.prefetch_rest();
            key_of(message)
        }));
    } else {
        keys.extend(messages[..due].iter().map(key_of));
    }
    due
}
