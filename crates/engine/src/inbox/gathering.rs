//! Gathers, prepares and sorts the due messages of an epoch.

use std::slice;

use super::Inbox;
use super::keys::{
    Due, Grouping, MOST_PLACES, TIME_SHIFT, carried_key, gather_in_turn, gather_places, gather_rest,
};
use crate::arrival_order::ArrivalOrder;
use crate::message::Message;
use crate::order::{EpochSort, LEADING, MOST_GROUPS};
use fabricsim_base::units::Time;

impl<M: Message> Inbox<M> {
    /// Finds the messages that arrive in `[start, end)`, and passes the ones of each input to
    /// `prepare`. Call [`sort`](Self::sort) next.
    pub(crate) fn gather<O: ArrivalOrder<M>>(
        &mut self,
        (start, end): (Time, Time),
        mut prepare: impl FnMut(&mut [M]),
    ) {
        let due = Due::new((start, end), !O::BY_PLACE);
        self.base = start;
        self.keys.clear();
        self.keys.extend([0; LEADING]);
        self.position = LEADING;
        let carried = self.carried.iter_mut().zip(&self.carried_channels);
        // Carried messages are not in the buffers, so gather them first.
        for ((message, &input), place) in carried.zip(0..) {
            if message.arrival() < end {
                prepare(slice::from_mut(message));
                let key = carried_key(message, due, input, place);
                self.keys.push(key);
                if O::BY_PLACE {
                    self.ordered.push((key, O::place(message)));
                }
            }
        }
        self.sources = self.due();
        let mut in_turn = false;
        for &input in &self.active {
            let before = self.keys.len();
            let channel = &mut self.channels[input as usize];
            let first = channel.cursor;
            let len = channel.current.len();
            let current = &mut channel.current[first..];
            let keys = &mut self.keys;
            // Places in keys fit only short buffers. Messages with their own order can be read in
            // turn, because messages of one input never overtake one another.
            let count = if O::BY_PLACE || len > MOST_PLACES {
                in_turn = true;
                gather_in_turn(keys, current, input, due, &mut prepare)
            } else {
                let source = (input, first);
                let count = gather_places(keys, current, source, due, &mut prepare);
                channel.cursor += count;
                count
            };
            if first + count == len && !channel.rest.is_empty() {
                in_turn = true;
                gather_rest(keys, &mut channel.rest, input, due, &mut prepare);
            }
            if O::BY_PLACE {
                let fresh = &self.keys[before..];
                let messages = current
                    .iter()
                    .chain(channel.rest.iter().flat_map(|rest| &**rest));
                let ordered = fresh.iter().zip(messages);
                self.ordered
                    .extend(ordered.map(|(&key, message)| (key, O::place(message))));
            }
            self.sources += usize::from(self.keys.len() > before);
        }
        // Messages that are read in turn must be read in time order, so they exclude groups.
        self.grouping = match (due.groups(), in_turn) {
            (None, _) => Grouping::None,
            (Some(place), false) => Grouping::Possible(place),
            (Some(place), true) => Grouping::Impossible(place),
        };
    }

    /// Sorts the messages of an epoch [start, end) by (time, input), or by (time, place, input) if
    /// `O` says so. If there are `groups`, not too many of them, and messages can be grouped, sorts
    /// by (group, time, input).
    pub(crate) fn sort<O: ArrivalOrder<M>>(
        &mut self,
        (start, end): (Time, Time),
        groups: usize,
        sorting: &mut EpochSort,
    ) {
        if O::BY_PLACE {
            self.ordered
                .sort_unstable_by_key(|&(key, order)| (key >> TIME_SHIFT, order, key));
            self.keys.truncate(LEADING);
            self.keys.extend(self.ordered.drain(..).map(|(key, _)| key));
            return;
        }
        let limit = end.since(start).as_ps() << TIME_SHIFT;
        if 0 < groups
            && groups <= MOST_GROUPS
            && let Grouping::Possible(place) = self.grouping
        {
            sorting.sort_groups(&mut self.keys, groups, place.shift);
            self.grouping = Grouping::Done(place);
            return;
        }
        self.forget_groups();
        if self.sources > 1 && self.channels.len() > 1 {
            sorting.sort(&mut self.keys, limit);
        }
    }
}
