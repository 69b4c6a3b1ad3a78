//! The schedule of the progress callback.

/// Number of epochs between two reports, provided that there were at least as many process runs as
/// there are processes.
const CHECK_EPOCHS: u64 = 256;
/// Number of process runs between two reports, if that is sooner.
const WATCH_STEPS: u64 = 1_000_000;
/// Number of messages received by processes between two reports, if that is sooner.
const WATCH_MESSAGES: u64 = 1 << 21;

/// Schedule of progress reports, chosen so that their cost is negligible.
#[derive(Debug, Default)]
pub(in crate::network) struct WatchSchedule {
    epochs: u64,
    steps: u64,
    messages: u64,
}

impl WatchSchedule {
    /// Returns `true` if a report is due before the next epoch. The network has `count` processes;
    /// `steps` is the total number of process runs so far, and `messages` the total number of
    /// received messages.
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
