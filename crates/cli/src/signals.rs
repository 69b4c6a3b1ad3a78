//! Signals: requests to terminate, and the file-size limit.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use fabricsim_engine::Interrupt;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

use crate::exit;

/// Handler of termination signals: Ctrl-C, `kill`, the end of a batch job, a closed terminal.
///
/// A signal ends the process at once. While a run has results to keep, the first signal only ends
/// the run, and a second one ends the process.
#[derive(Clone, Debug, Default)]
pub(crate) struct Signals {
    interrupted: Arc<AtomicBool>,
    /// `true` if the next signal ends the process.
    is_final: Arc<AtomicBool>,
}

impl Signals {
    /// Starts to handle termination signals.
    pub(crate) fn listen() -> Self {
        let signals = Self::default();
        signals.release();
        let requests = [Some(SIGINT), Some(SIGTERM), hangup()];
        for signal in requests.into_iter().flatten() {
            let code = i32::from(exit::INTERRUPTED);
            // Actions run in this order. Without a handler the signal ends the process as usual.
            let _ =
                flag::register_conditional_shutdown(signal, code, Arc::clone(&signals.is_final))
                    .and_then(|_| flag::register(signal, Arc::clone(&signals.interrupted)))
                    .and_then(|_| flag::register(signal, Arc::clone(&signals.is_final)));
        }
        signals
    }

    /// Lets the next signal end only the run, because there are results to keep.
    pub(crate) fn hold(&self) {
        self.is_final.store(false, Ordering::SeqCst);
    }

    /// Lets the next signal end the process again, because all results are written.
    pub(crate) fn release(&self) {
        self.is_final.store(true, Ordering::SeqCst);
    }

    /// Returns the interrupt that a signal raises while there are results to keep.
    pub(crate) fn interrupt(&self) -> Interrupt {
        Interrupt::from_flag(Arc::clone(&self.interrupted))
    }
}

/// Returns the signal of a closed terminal unless the process ignores it, as under `nohup`.
#[cfg(unix)]
fn hangup() -> Option<i32> {
    let hangup = signal_hook::consts::SIGHUP;
    // Only Linux reports ignored signals. On other systems the signal keeps its meaning.
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let ignored = status
        .lines()
        .find_map(|line| line.strip_prefix("SigIgn:"))?;
    let ignored = u64::from_str_radix(ignored.trim(), 16).ok()?;
    (ignored >> (hangup - 1) & 1 == 0).then_some(hangup)
}

#[cfg(not(unix))]
const fn hangup() -> Option<i32> {
    None
}

/// Turns a write beyond the user's file-size limit into an I/O error, which the command reports.
/// Without a handler, the signal would end the process and leave a partial file.
pub(crate) fn keep_file_size_limit_an_error() {
    #[cfg(unix)]
    {
        let exceeded = Arc::new(AtomicBool::new(false));
        // If that fails, the limit ends the process as usual.
        let _ = flag::register(signal_hook::consts::SIGXFSZ, exceeded);
    }
}
