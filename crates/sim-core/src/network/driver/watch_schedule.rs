//! The schedule of the progress callback.

/// Number of epochs between two reports to the watcher, provided that there have been at least as
/// many process runs as there are processes.
const CHECK_EPOCHS: u64 = 256;
/// Number of process runs between two reports to the watcher, if that is sooner.
const WATCH_STEPS: u64 = 1_000_000;
/// Number of messages taken in by processes between two reports to the watcher, if that is sooner.
const WATCH_MESSAGES: u64 = 1 << 21;

/// Schedule of progress reports to the watcher, which are made no more often than their cost
/// justifies.
#[derive(Debug, Default)]
pub(in crate::network) struct WatchSchedule {
    epochs: u64,
    steps: u64,
    messages: u64,
}

impl WatchSchedule {
    /// Returns whether to tell before the epoch that comes now, in a network of `count` processes
    /// that have been run for `steps` epochs in sum and have taken in so many `messages`.
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
