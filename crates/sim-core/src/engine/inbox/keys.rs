//! Keys by which the messages that are due in an epoch are ordered.

use std::collections::VecDeque;

use crate::engine::batch::Batch;
use crate::engine::message::Message;
use crate::units::Time;

/// A key orders a message that is due: 36 bits of time since the start of the epoch, 16 bits of
/// input, and 12 bits of place among the carried messages, all ones for those in the buffer of
/// their input.
pub(super) const IN_CHANNEL_BITS: u32 = 12;
pub(super) const TIME_SHIFT: u32 = 28;
const IN_CHANNEL: u64 = (1 << IN_CHANNEL_BITS) - 1;

/// Bytes of due messages that are prefetched when an epoch begins. Anything beyond this would have
/// left the cache before it is read.
const LOOKED_AT_BYTES: usize = 512 << 10;

#[inline]
pub(super) fn key(at: Time, start: Time, input: u32, place: u64) -> u64 {
    at.since(start).as_ps() << TIME_SHIFT | u64::from(input) << IN_CHANNEL_BITS | place
}

#[inline]
pub(super) const fn channel_of(key: u64) -> usize {
    (key >> IN_CHANNEL_BITS & 0xffff) as usize
}

/// The place of a carried message.
#[inline]
pub(super) const fn place_of(key: u64) -> Option<usize> {
    let place = key & IN_CHANNEL;
    if place == IN_CHANNEL {
        None
    } else {
        Some(place as usize)
    }
}

/// Adds the keys of the messages in `batches` of `input` that arrive before `end`.
#[inline(never)]
pub(super) fn gather_rest<M: Message>(
    keys: &mut Vec<u64>,
    batches: &VecDeque<Batch<M>>,
    input: u32,
    start: Time,
    end: Time,
    touched: &mut u64,
) {
    for batch in batches {
        if gather_due(keys, batch, input, start, end, touched) < batch.len() {
            break;
        }
    }
}

/// Adds the keys of the `messages` of `input` that arrive before `end`; how many.
#[inline(always)]
pub(super) fn gather_due<M: Message>(
    keys: &mut Vec<u64>,
    messages: &[M],
    input: u32,
    start: Time,
    end: Time,
    touched: &mut u64,
) -> usize {
    // In order of arrival, and mostly all of them are due. A number that is known beforehand spares
    // the check of the room for every key.
    let due = match messages.last() {
        Some(last) if last.arrival() < end => messages.len(),
        _ => messages.partition_point(|message| message.arrival() < end),
    };
    let near = LOOKED_AT_BYTES / size_of::<M>();
    let near = near.saturating_sub(keys.len()).min(due);
    let own = u64::from(input) << IN_CHANNEL_BITS | IN_CHANNEL;
    let key_of = |message: &M| (message.arrival().as_ps() - start.as_ps()) << TIME_SHIFT | own;
    let mut looked_at = 0;
    keys.extend(messages[..near].iter().map(|message| {
        looked_at ^= message.touch();
        key_of(message)
    }));
    *touched ^= looked_at;
    if near < due {
        keys.extend(messages[near..due].iter().map(key_of));
    }
    due
}
