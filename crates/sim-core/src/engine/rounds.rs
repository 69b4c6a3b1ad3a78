//! Threads that go through the same items round after round.

use std::fmt;
use std::hint::spin_loop;
use std::mem::take;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::SeqCst};
use std::sync::{Condvar, Mutex};
use std::thread::yield_now;

use rayon::Scope;

use super::Threads;

/// How often a thread looks for what it waits for before it gives way to other threads: some 10 to
/// 100 us.
const LOOKS_AWAKE: u32 = 2_000;
/// How often it then looks, giving way to others each time, before it falls asleep.
const LOOKS_GIVING_WAY: u32 = 100;

/// The number of a round that says that no other will come.
const NO_MORE: u64 = u64::MAX;

const PANICKED: &str = "no thread has panicked in this round";

/// Does the work of rounds: called with each item and with what is to be done in the round.
type Work<'a, T, O> = dyn Fn(&mut T, O) + Sync + 'a;

impl Threads {
    /// Calls `lead` on the calling thread with rounds of at most `most` items, whose work is shared
    /// between that thread and all others.
    ///
    /// The threads stay awake for some 100 us between two rounds: an epoch often takes less than to wake
    /// a thread.
    pub fn in_rounds<T: Send, O: Copy + Send, R>(
        &self,
        most: usize,
        work: &Work<'_, T, O>,
        lead: impl FnOnce(&mut Rounds<'_, '_, T, O>) -> R,
    ) -> R {
        let Some(pool) = self.pool() else {
            return lead(&mut Rounds { work, crew: None });
        };
        let team = Team::new(pool.current_num_threads(), most);
        pool.in_place_scope(|scope| {
            lead(&mut Rounds {
                work,
                crew: Some((scope, &team)),
            })
        })
    }
}

/// Lets threads go through items in rounds: see [`Threads::in_rounds`].
pub struct Rounds<'a, 'scope, T, O> {
    work: &'scope Work<'scope, T, O>,
    crew: Option<(&'a Scope<'scope>, &'scope Team<T, O>)>,
}

impl<'scope, T: Send, O: Copy + Send> Rounds<'_, 'scope, T, O> {
    /// Does the work of one round for each of `items`, on any thread and in any order; `order` says what
    /// is to be done.
    ///
    /// Every thread begins with the same share of them in each round, and with the same number of items
    /// has the same: what they have in its cache is still there. When it has done its own, it takes
    /// those of others that are left, from behind.
    ///
    /// # Panics
    /// When there are more items than were announced, or the work panics.
    pub fn run(&mut self, items: &mut Vec<T>, order: O) {
        match self.crew {
            Some((scope, team)) if items.len() > 1 => {
                if team.round.load(SeqCst) == 0 {
                    Self::call_others(scope, team, self.work);
                }
                team.run(items, order, self.work);
            }
            _ => items.iter_mut().for_each(|item| (self.work)(item, order)),
        }
    }

    /// Lets the other threads take part. Of those of the pool, the first is not needed: the calling
    /// thread does its share.
    fn call_others(
        scope: &Scope<'scope>,
        team: &'scope Team<T, O>,
        work: &'scope Work<'scope, T, O>,
    ) {
        scope.spawn_broadcast(move |_, context| {
            if context.index() > 0 {
                team.take_part(context.index(), work);
            }
        });
    }
}

impl<T, O> Drop for Rounds<'_, '_, T, O> {
    fn drop(&mut self) {
        if let Some((_, team)) = self.crew {
            team.begin(NO_MORE);
        }
    }
}

impl<T, O> fmt::Debug for Rounds<'_, '_, T, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rounds").finish_non_exhaustive()
    }
}

/// An item of a round. Two of them share no cache line.
#[repr(align(128))]
struct Slot<T, O> {
    item: Option<T>,
    /// What is to be done with it; nothing once some thread does it.
    order: Option<O>,
}

/// What threads share in order to go through items.
struct Team<T, O> {
    threads: usize,
    slots: Vec<Mutex<Slot<T, O>>>,
    /// Number of items in this round.
    count: AtomicUsize,
    /// Number of items that are not finished.
    left: AtomicUsize,
    /// Number of the round, from 1.
    round: AtomicU64,
    begun: Event,
    finished: Event,
}

impl<T: Send, O: Copy + Send> Team<T, O> {
    fn new(threads: usize, most: usize) -> Self {
        let empty = |_| {
            Mutex::new(Slot {
                item: None,
                order: None,
            })
        };
        Self {
            threads,
            slots: (0..most).map(empty).collect(),
            count: AtomicUsize::new(0),
            left: AtomicUsize::new(0),
            round: AtomicU64::new(0),
            begun: Event::default(),
            finished: Event::default(),
        }
    }

    /// Runs a round, whose first share is that of the calling thread.
    fn run(&self, items: &mut Vec<T>, order: O, work: &Work<'_, T, O>) {
        let count = items.len();
        assert!(
            count <= self.slots.len(),
            "a round has no more items than announced"
        );
        self.count.store(count, SeqCst);
        self.left.store(count, SeqCst);
        for (slot, item) in self.slots.iter().zip(items.drain(..)) {
            *slot.lock().expect(PANICKED) = Slot {
                item: Some(item),
                order: Some(order),
            };
        }
        self.begin(self.round.load(SeqCst) + 1);
        self.work_off(0, work);
        self.finished.wait_until(|| self.left.load(SeqCst) == 0);
        let slots = self.slots[..count].iter();
        items.extend(slots.map(|slot| {
            let item = slot.lock().expect(PANICKED).item.take();
            item.expect("what was put into a slot is there until it is taken out here")
        }));
    }

    /// Takes part in rounds until there are no more.
    fn take_part(&self, thread: usize, work: &Work<'_, T, O>) {
        let mut last = 0;
        loop {
            self.begun.wait_until(|| self.round.load(SeqCst) != last);
            last = self.round.load(SeqCst);
            if last == NO_MORE {
                return;
            }
            self.work_off(thread, work);
        }
    }

    /// Does what is left of a round, the share of `thread` first.
    fn work_off(&self, thread: usize, work: &Work<'_, T, O>) {
        let count = self.count.load(SeqCst);
        let share = |thread: usize| {
            let end = |thread: usize| thread * count / self.threads;
            &self.slots[end(thread)..end(thread + 1)]
        };
        for slot in share(thread) {
            self.try_one(slot, work);
        }
        for other in thread + 1..thread + self.threads {
            for slot in share(other % self.threads).iter().rev() {
                self.try_one(slot, work);
            }
        }
    }

    /// Does the work of an item, unless another thread does it or has done it.
    fn try_one(&self, slot: &Mutex<Slot<T, O>>, work: &Work<'_, T, O>) {
        // Who holds the slot sees that it has an order.
        let Ok(mut slot) = slot.try_lock() else {
            return;
        };
        let Slot { item, order } = &mut *slot;
        if let (Some(order), Some(item)) = (take(order), item) {
            let finish = Finish(self);
            work(item, order);
            drop(slot);
            drop(finish);
        }
    }
}

impl<T, O> Team<T, O> {
    fn begin(&self, round: u64) {
        self.round.store(round, SeqCst);
        self.begun.happened();
    }
}

/// Counts an item as finished, even if its work panics: the leading thread waits for it.
struct Finish<'a, T, O>(&'a Team<T, O>);

impl<T, O> Drop for Finish<'_, T, O> {
    fn drop(&mut self) {
        if self.0.left.fetch_sub(1, SeqCst) == 1 {
            self.0.finished.happened();
        }
    }
}

/// Something that threads wait for: awake at first, then asleep.
#[derive(Debug, Default)]
struct Event {
    asleep: AtomicUsize,
    lock: Mutex<()>,
    woken: Condvar,
}

const NEVER_POISONED: &str = "nothing panics while it holds the lock of an event";

impl Event {
    /// Waits until it `has_happened` says so.
    fn wait_until(&self, has_happened: impl Fn() -> bool) {
        for look in 0..LOOKS_AWAKE + LOOKS_GIVING_WAY {
            if has_happened() {
                return;
            }
            if look < LOOKS_AWAKE {
                spin_loop();
            } else {
                yield_now();
            }
        }
        // Either `happened` sees that somebody is asleep, or `has_happened` sees what has happened.
        self.asleep.fetch_add(1, SeqCst);
        let lock = self.lock.lock().expect(NEVER_POISONED);
        let woken = self.woken.wait_while(lock, |()| !has_happened());
        drop(woken.expect(NEVER_POISONED));
        self.asleep.fetch_sub(1, SeqCst);
    }

    /// Wakes those who are asleep, after it has happened.
    fn happened(&self) {
        if self.asleep.load(SeqCst) > 0 {
            drop(self.lock.lock().expect(NEVER_POISONED));
            self.woken.notify_all();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::thread::sleep;
    use std::time::Duration;

    use super::*;

    fn threads(count: usize) -> Threads {
        Threads::start(count).expect("they can be had")
    }

    #[test]
    fn each_item_gets_the_order_of_each_round_once() {
        for count in [1, 2, 3, 8] {
            let mut sums: Vec<u64> = (0..10).collect();
            let add = |sum: &mut u64, order: u64| *sum += order;
            threads(count).in_rounds(10, &add, |rounds| {
                for round in 0..2_000 {
                    rounds.run(&mut sums, round);
                }
            });
            let all = (0..2_000).sum::<u64>();
            assert_eq!(sums, (all..all + 10).collect::<Vec<_>>(), "{count} threads");
        }
    }

    #[test]
    fn rounds_may_differ_in_length_and_be_empty() {
        let mut sums = vec![0; 7];
        let add = |sum: &mut u64, ()| *sum += 1;
        threads(3).in_rounds(7, &add, |rounds| {
            for length in (0..=7).cycle().take(800) {
                let mut rest = sums.split_off(length);
                rounds.run(&mut sums, ());
                sums.append(&mut rest);
            }
        });
        assert_eq!(sums, [700, 600, 500, 400, 300, 200, 100]);
    }

    #[test]
    fn threads_that_have_fallen_asleep_wake_up() {
        let mut sums = vec![0; 4];
        let add = |sum: &mut u64, order: u64| {
            sleep(Duration::from_millis(order));
            *sum += 1;
        };
        threads(3).in_rounds(4, &add, |rounds| {
            for round in 0..20 {
                sleep(Duration::from_millis(2));
                rounds.run(&mut sums, round % 3);
            }
        });
        assert_eq!(sums, [20; 4]);
    }

    /// The first item of a share waits for the rest of it, which only others can do.
    #[test]
    fn a_thread_takes_what_is_left_to_another() {
        let mut items: Vec<usize> = (0..8).collect();
        let done = AtomicUsize::new(0);
        let work = |item: &mut usize, before: usize| {
            if item.is_multiple_of(4) {
                while done.load(SeqCst) < before + 6 {
                    yield_now();
                }
            } else {
                done.fetch_add(1, SeqCst);
            }
        };
        threads(3).in_rounds(8, &work, |rounds| {
            for round in 0..50 {
                rounds.run(&mut items, 6 * round);
            }
        });
        assert_eq!(done.load(SeqCst), 300);
    }

    #[test]
    fn a_panic_of_any_thread_ends_the_rounds() {
        for culprit in 0..4 {
            let mut items: Vec<usize> = (0..4).collect();
            let work = |item: &mut usize, round: usize| {
                assert!(*item != culprit || round < 5, "culprit {culprit}");
            };
            let run = || {
                threads(2).in_rounds(4, &work, |rounds| {
                    for round in 0..10 {
                        rounds.run(&mut items, round);
                    }
                });
            };
            let panicked = catch_unwind(AssertUnwindSafe(run));
            assert!(panicked.is_err(), "culprit {culprit}");
        }
    }

    #[test]
    #[should_panic(expected = "no more items than announced")]
    fn more_items_than_announced_are_refused() {
        let mut items = vec![0; 3];
        threads(2).in_rounds(2, &|_, ()| {}, |rounds| rounds.run(&mut items, ()));
    }
}
