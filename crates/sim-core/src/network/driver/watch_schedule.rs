//! When the progress callback is called.

/// How many epochs pass between two looks at the watchers, if that many have had something to do.
const CHECK_EPOCHS: u64 = 256;
/// How many times processes are run between two looks, if that is sooner.
const WATCH_STEPS: u64 = 1_000_000;
/// How many messages they take in between two looks, if that is sooner.
const WATCH_MESSAGES: u64 = 1 << 21;

/// When to tell the watcher how far the run is: not more often than what it costs is worth.
#[derive(Debug, Default)]
pub(in crate::network) struct WatchSchedule {
    epochs: u64,
    steps: u64,
    messages: u64,
}

impl WatchSchedule {
    /// Whether to tell before the epoch that comes now, in a network of `count` processes that have been
    /// run for `steps` epochs in sum and have taken in so many `messages`.
    pub(super) fn is_due(&mut self, steps: u64, messages: u64, count: usize) -> bool {
        self.epochs += 1;
        let run = steps - self.steps;
        let due = run >= WATCH_STEPS
            || messages - self.messages >= WATCH_MESSAGES
            || self.epochs >= CHECK_EPOCHS && run >= count as u64;
        if due {
            *self = Self {
                epochs: 0,
                steps,
                messages,
            };
        }
        due
    }
}
