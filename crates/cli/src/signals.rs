//! Signals: requests to end, and limits that are to be errors.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use fabricsim_engine::Interrupt;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

use crate::exit;

/// Handler of Ctrl-C and of other requests to end: `kill`, a batch system that ends a job, a
/// terminal that is closed. A request ends the process at once or, while there are results to be
/// kept, only the run; a second request then ends the process.
#[derive(Clone, Debug, Default)]
pub(crate) struct Signals {
    interrupted: Arc<AtomicBool>,
    /// Whether the next request ends the process.
    is_final: Arc<AtomicBool>,
}

impl Signals {
    /// Listens to requests to end from now on.
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

    /// Tells that from now on there is something to be kept.
    pub(crate) fn hold(&self) {
        self.is_final.store(false, Ordering::SeqCst);
    }

    /// Tells that everything has been kept.
    pub(crate) fn release(&self) {
        self.is_final.store(true, Ordering::SeqCst);
    }

    /// Returns the interrupt that a request to end raises while there are results to be kept.
    pub(crate) fn interrupt(&self) -> Interrupt {
        Interrupt::from_flag(Arc::clone(&self.interrupted))
    }
}

/// The signal of a terminal that is closed, where it is not ignored: `nohup` asks for that.
#[cfg(unix)]
fn hangup() -> Option<i32> {
    let hangup = signal_hook::consts::SIGHUP;
    // Only Linux tells what is ignored. Elsewhere the signal keeps its meaning.
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

/// Makes a file that would be larger than the user's limit an error of the write, which is reported
/// and leaves nothing half written. Without a handler the signal for it ends the process.
pub(crate) fn keep_file_size_limit_an_error() {
    #[cfg(unix)]
    {
        let exceeded = Arc::new(AtomicBool::new(false));
        // Where that is refused, the limit ends the process as usual.
        let _ = flag::register(signal_hook::consts::SIGXFSZ, exceeded);
    }
}
