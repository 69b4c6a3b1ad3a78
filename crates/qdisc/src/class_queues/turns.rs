//! Choice of the next priority that a port serves.

use std::num::NonZeroU16;

use fabricsim_base::checkpoint::Stored;
use fabricsim_base::priority::{Priority, PrioritySet};
use fabricsim_base::units::Bytes;

use crate::discipline::MTU;

const QUEUES: usize = Priority::COUNT;

/// Weights of the priorities: their relative shares of the sent bytes while all of them have
/// waiting packets. The weight of priority 0 is ignored, because it does not take turns.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Weights(pub [NonZeroU16; QUEUES]);

/// Deficit round robin (Shreedhar and Varghese 1996): a queue continues while its deficit is above
/// zero, pays for the packets that it sends, and gets its quantum at its next turn. It does not
/// know the size of its next packet, so it may overspend and pay later.
#[derive(Clone, Debug, Stored)]
#[checkpoint(absolute)]
struct Deficits {
    quanta: [i64; QUEUES],
    /// Cost of a byte: the largest weight. The queue with that weight then gets a quantum of one
    /// packet, and shares need no rounding.
    cost: i64,
    deficits: [i64; QUEUES],
}

impl Deficits {
    /// Adds the quantum of `queue` for `rounds` rounds. Returns the new deficit.
    #[inline]
    fn grant(&mut self, queue: Priority, rounds: i64) -> i64 {
        let index = queue.index();
        self.deficits[index] += rounds * self.quanta[index];
        self.deficits[index]
    }

    /// Returns the number of rounds until the first queue of `ready` may send; all of them have a
    /// deficit of zero or less.
    fn rounds_to_go(&self, ready: PrioritySet) -> i64 {
        let queues = self.deficits.iter().zip(&self.quanta).zip(Priority::all());
        queues
            .filter(|&(_, queue)| ready.contains(queue))
            .map(|((deficit, quantum), _)| -deficit / quantum + 1)
            .min()
            .unwrap_or(1)
    }
}

/// The queues with packets, and the order in which they are served: 0 first, then round robin.
// The order of fields matters: queues without weights need only the first eight bytes.
#[derive(Clone, Debug, Default, Stored)]
#[checkpoint(absolute)]
#[repr(C)]
pub(super) struct Turns {
    /// Priorities with packets in their queue.
    occupied: PrioritySet,
    /// The last served queue among 1 to 7 (0 at first).
    last: Priority,
    /// `true` if sent packets are counted, because there are weights or turns of control are
    /// limited.
    counts: bool,
    /// Maximum number of consecutive control packets while other packets wait; 0 for no limit.
    most_control: u32,
    /// Number of consecutive control packets that have left.
    control: u32,
    deficits: Option<Box<Deficits>>,
}

impl Turns {
    pub(super) fn weigh(&mut self, weights: &Weights) {
        self.counts = true;
        let largest = weights.0[1..].iter().max();
        self.deficits = Some(Box::new(Deficits {
            quanta: weights.0.map(|weight| {
                let packet = i64::try_from(MTU).expect("a packet's size");
                i64::from(weight.get()) * packet
            }),
            cost: largest.map_or(1, |largest| i64::from(largest.get())),
            deficits: [0; QUEUES],
        }));
    }

    /// Gives another queue a turn after `most` packets of control.
    pub(super) const fn limit_control(&mut self, most: u32) {
        self.most_control = most;
        self.counts |= most > 0;
    }

    /// Returns `true` if sent packets are counted.
    #[inline]
    pub(super) const fn counts(&self) -> bool {
        self.counts
    }

    /// Returns `true` if it is the turn of control, which is ready; `others` are the other ready
    /// priorities.
    fn is_turn_of_control(&mut self, others: PrioritySet) -> bool {
        let goes_on = others.is_empty() || self.control < self.most_control;
        self.control = if goes_on { self.control + 1 } else { 0 };
        goes_on
    }

    #[inline]
    pub(super) const fn fill(&mut self, queue: Priority) {
        self.occupied.insert(queue);
    }

    /// Removes `queue`, which has become empty. It keeps a negative deficit, but no positive one.
    #[inline]
    pub(super) fn empty(&mut self, queue: Priority) {
        self.occupied.remove(queue);
        if self.counts
            && let Some(deficits) = &mut self.deficits
        {
            let deficit = &mut deficits.deficits[queue.index()];
            *deficit = (*deficit).min(0);
        }
    }

    /// Returns `true` if a queue that is not paused has packets.
    #[inline]
    pub(super) const fn is_ready(&self, paused: PrioritySet) -> bool {
        !self.ready(paused).is_empty()
    }

    #[inline]
    const fn ready(&self, paused: PrioritySet) -> PrioritySet {
        self.occupied
            .without(paused.intersection(PrioritySet::DATA))
    }

    /// Returns the queue to serve now.
    #[inline]
    pub(super) fn choose(&mut self, paused: PrioritySet) -> Option<Priority> {
        let ready = self.ready(paused);
        let next = ready.next_after(self.last)?;
        if self.counts {
            return self.choose_by_account(ready, next);
        }
        Some(if ready.contains(Priority::CONTROL) {
            Priority::CONTROL
        } else {
            next
        })
    }

    /// [`Self::choose`] among `ready` if sent packets are counted; `next` is the next queue in
    /// round-robin order.
    // Not inlined, to keep it apart from the code of plain round robin.
    #[inline(never)]
    fn choose_by_account(
        &mut self,
        mut ready: PrioritySet,
        mut next: Priority,
    ) -> Option<Priority> {
        if ready.contains(Priority::CONTROL) {
            let others = ready.intersection(PrioritySet::DATA);
            if self.most_control == 0 || self.is_turn_of_control(others) {
                return Some(Priority::CONTROL);
            }
            ready = others;
            next = ready.next_after(self.last)?;
        }
        let Some(deficits) = &mut self.deficits else {
            return Some(next);
        };
        let goes_on = ready.contains(self.last);
        if goes_on && deficits.deficits[self.last.index()] > 0 {
            return Some(self.last);
        }
        // Each queue gets its quantum. If no queue can send then, all get the number of quanta that
        // the first one needs.
        for _ in 0..2 {
            for _ in 0..ready.len() {
                self.last = ready.next_after(self.last)?;
                if deficits.grant(self.last, 1) > 0 {
                    return Some(self.last);
                }
            }
            let rounds = deficits.rounds_to_go(ready);
            for queue in ready {
                deficits.grant(queue, rounds - 1);
            }
        }
        unreachable!("the last round gives some queue a deficit above zero")
    }

    /// Counts `size` bytes that `queue` has sent in its turn.
    #[inline]
    pub(super) fn on_sent(&mut self, queue: Priority, size: Bytes) {
        self.on_passed(queue);
        if self.counts
            && let Some(deficits) = &mut self.deficits
        {
            let size = i64::try_from(size.get()).expect("a packet's size");
            deficits.deficits[queue.index()] -= size * deficits.cost;
        }
    }

    /// Records a packet of `queue` that bypassed the empty queues.
    #[inline]
    pub(super) const fn on_passed(&mut self, queue: Priority) {
        if !queue.is_control() {
            self.last = queue;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Rounds that are added together have the same result as single rounds.
        #[test]
        fn turns_are_those_of_plain_rounds(
            weights in proptest::array::uniform8(1u16..300),
            steps in proptest::collection::vec((1u8..8, 0u64..20_000, any::<bool>()), 1..200),
        ) {
            let mut turns = Turns::default();
            turns.weigh(&Weights(weights.map(|weight| NonZeroU16::new(weight).expect("above 0"))));
            let largest = i64::from(weights[1..].iter().copied().max().expect("seven weights"));
            let (mut occupied, mut last, mut deficits) = ([false; 8], 0, [0i64; 8]);
            for (queue, size, fills) in steps {
                let index = usize::from(queue);
                if fills {
                    turns.fill(Priority::new(queue));
                    occupied[index] = true;
                    continue;
                }
                let chosen = turns.choose(PrioritySet::default());
                if occupied.contains(&true) {
                    while !(occupied[last] && deficits[last] > 0) {
                        last = last % 7 + 1;
                        if occupied[last] {
                            deficits[last] += i64::from(weights[last]) * 1_514;
                        }
                    }
                    prop_assert_eq!(chosen.map(Priority::index), Some(last));
                    let chosen = chosen.expect("just compared");
                    turns.on_sent(chosen, Bytes::new(size));
                    deficits[last] -= i64::try_from(size).expect("small") * largest;
                    // Every other packet was the last of its queue.
                    if size % 2 == 0 {
                        turns.empty(chosen);
                        occupied[last] = false;
                        deficits[last] = deficits[last].min(0);
                    }
                } else {
                    prop_assert_eq!(chosen, None);
                }
            }
        }
    }
}
