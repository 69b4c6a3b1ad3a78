//! Threads that process the same items round after round.

use std::any::Any;
use std::fmt;
use std::hint::spin_loop;
use std::mem::take;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::SeqCst};
use std::sync::{Condvar, Mutex};
use std::thread::yield_now;

use rayon::Scope;

use super::Threads;

/// Number of checks by a waiting thread before it yields to other threads: some 10 to 100 us.
const LOOKS_AWAKE: u32 = 2_000;
/// Number of additional checks, with a yield after each, before the thread falls asleep: some 50
/// us.
const LOOKS_GIVING_WAY: u32 = 100;

/// The round number that ends the threads' participation.
const NO_MORE: u64 = u64::MAX;

const NEVER_POISONED: &str = "nothing panics while it holds this lock";

/// The work of a round: called with each item and with the order of the round.
type Work<'a, T, O> = dyn Fn(&mut T, O) + Sync + 'a;

impl Threads {
    /// Calls `lead` on the calling thread. `lead` can run rounds in which `work` is called for at
    /// most `most` items. The calling thread and the other threads share the work.
    ///
    /// Between two rounds the threads stay awake for about 100 us, because an epoch often takes
    /// less time than waking a thread. They do nothing else while they wait, so `lead` must not
    /// wait for other work on them. If the threads are already in rounds, `lead` gets rounds of the
    /// calling thread alone.
    pub fn in_rounds<T: Send, O: Copy + Send, R>(
        &self,
        most: usize,
        work: &Work<'_, T, O>,
        lead: impl FnOnce(&mut Rounds<'_, '_, T, O>) -> R,
    ) -> R {
        let Some(pool) = self.pool_for_rounds() else {
            let crew = None;
            return lead(&mut Rounds { most, work, crew });
        };
        let team = Team::new(pool.current_num_threads(), most);
        pool.in_place_scope(|scope| {
            let crew = Some((scope, &team));
            lead(&mut Rounds { most, work, crew })
        })
    }
}

/// Rounds in which threads process items: see [`Threads::in_rounds`].
pub struct Rounds<'a, 'scope, T, O> {
    most: usize,
    work: &'scope Work<'scope, T, O>,
    crew: Option<(&'a Scope<'scope>, &'scope Team<T, O>)>,
}

impl<'scope, T: Send, O: Copy + Send> Rounds<'_, 'scope, T, O> {
    /// Does the work of one round for each of `items`, on any thread and in any order; `order` is
    /// passed to the work. The items stay in their order.
    ///
    /// As long as the number of items stays the same, each thread begins each round with the same
    /// items, which are still in its cache. It then takes unclaimed items from the shares of other
    /// threads, the last item of each share first.
    ///
    /// # Panics
    /// Panics if there are more items than announced, or if the work panics: then with the panic of
    /// the first such item.
    pub fn run(&mut self, items: &mut Vec<T>, order: O) {
        assert!(
            items.len() <= self.most,
            "a round has no more items than announced"
        );
        match self.crew {
            Some((scope, team)) if items.len() > 1 => {
                if team.round.0.load(SeqCst) == 0 {
                    Self::call_others(scope, team, self.work);
                }
                team.run(items, order, self.work);
            }
            _ => self.run_alone(items, order),
        }
    }

    /// Same as [`Self::run`], but on the calling thread alone, for work that takes less time than
    /// the threads need to agree.
    pub fn run_alone(&mut self, items: &mut [T], order: O) {
        items.iter_mut().for_each(|item| (self.work)(item, order));
    }

    /// Lets the other threads take part. The first thread of the pool is not needed, because the
    /// calling thread does its share.
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

/// A value on its own cache lines.
#[repr(align(128))]
struct Apart<V>(V);

/// An item of a round.
struct Slot<T, O> {
    item: Option<T>,
    /// The order of the round; `None` once a thread has begun the work.
    order: Option<O>,
    /// The panic of its work, if there was one.
    panic: Option<Box<dyn Any + Send>>,
}

/// The state that threads share to process items.
struct Team<T, O> {
    threads: usize,
    slots: Vec<Apart<Mutex<Slot<T, O>>>>,
    /// Number of items in this round.
    count: AtomicUsize,
    /// Number of items that no thread has begun.
    unclaimed: AtomicUsize,
    /// Number of items that are not finished.
    left: Apart<AtomicUsize>,
    /// Number of the round, from 1.
    round: Apart<AtomicU64>,
    begun: Event,
    finished: Event,
}

impl<T: Send, O: Copy + Send> Team<T, O> {
    fn new(threads: usize, most: usize) -> Self {
        let empty = |_| {
            Apart(Mutex::new(Slot {
                item: None,
                order: None,
                panic: None,
            }))
        };
        Self {
            threads,
            slots: (0..most).map(empty).collect(),
            count: AtomicUsize::new(0),
            unclaimed: AtomicUsize::new(0),
            left: Apart(AtomicUsize::new(0)),
            round: Apart(AtomicU64::new(0)),
            begun: Event::default(),
            finished: Event::default(),
        }
    }

    /// Runs a round. The first share belongs to the calling thread.
    fn run(&self, items: &mut Vec<T>, order: O, work: &Work<'_, T, O>) {
        let count = items.len();
        self.count.store(count, SeqCst);
        self.unclaimed.store(count, SeqCst);
        self.left.0.store(count, SeqCst);
        for (slot, item) in self.slots.iter().zip(items.drain(..)) {
            let mut slot = slot.0.lock().expect(NEVER_POISONED);
            (slot.item, slot.order) = (Some(item), Some(order));
        }
        self.begin(self.round.0.load(SeqCst) + 1);
        self.work_off(0, work);
        self.finished.wait_until(|| self.left.0.load(SeqCst) == 0);
        let mut panic = None;
        items.extend(self.slots[..count].iter().map(|slot| {
            let mut slot = slot.0.lock().expect(NEVER_POISONED);
            panic = panic.take().or_else(|| slot.panic.take());
            let item = slot.item.take();
            item.expect("what was put into a slot is there until it is taken out here")
        }));
        if let Some(panic) = panic {
            resume_unwind(panic);
        }
    }

    /// Takes part in rounds until the last one.
    fn take_part(&self, thread: usize, work: &Work<'_, T, O>) {
        let mut last = 0;
        loop {
            self.begun.wait_until(|| self.round.0.load(SeqCst) != last);
            last = self.round.0.load(SeqCst);
            if last == NO_MORE {
                return;
            }
            self.work_off(thread, work);
        }
    }

    /// Does the remaining work of a round, starting with the share of `thread`.
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
                if self.unclaimed.load(SeqCst) == 0 {
                    return;
                }
                self.try_one(slot, work);
            }
        }
    }

    /// Does the work of an item, unless another thread has begun or finished it.
    fn try_one(&self, slot: &Apart<Mutex<Slot<T, O>>>, work: &Work<'_, T, O>) {
        // If another thread holds the slot, that thread has taken the order, or finds none.
        let Ok(mut slot) = slot.0.try_lock() else {
            return;
        };
        let Slot { item, order, panic } = &mut *slot;
        if let (Some(order), Some(item)) = (take(order), item) {
            self.unclaimed.fetch_sub(1, SeqCst);
            *panic = catch_unwind(AssertUnwindSafe(|| work(item, order))).err();
            drop(slot);
            if self.left.0.fetch_sub(1, SeqCst) == 1 {
                self.finished.happened();
            }
        }
    }
}

impl<T, O> Team<T, O> {
    fn begin(&self, round: u64) {
        self.round.0.store(round, SeqCst);
        self.begun.happened();
    }
}

/// An event for which threads wait: first awake, then asleep.
#[derive(Debug, Default)]
struct Event {
    asleep: AtomicUsize,
    lock: Mutex<()>,
    woken: Condvar,
}

impl Event {
    /// Waits until `has_happened` returns `true`.
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
        // Sequential consistency: either `happened` sees the sleeping thread, or `has_happened`
        // sees the event.
        self.asleep.fetch_add(1, SeqCst);
        let lock = self.lock.lock().expect(NEVER_POISONED);
        let woken = self.woken.wait_while(lock, |()| !has_happened());
        drop(woken.expect(NEVER_POISONED));
        self.asleep.fetch_sub(1, SeqCst);
    }

    /// Wakes sleeping threads after the event has happened.
    fn happened(&self) {
        if self.asleep.load(SeqCst) > 0 {
            drop(self.lock.lock().expect(NEVER_POISONED));
            self.woken.notify_all();
        }
    }
}

#[cfg(test)]
mod tests;
