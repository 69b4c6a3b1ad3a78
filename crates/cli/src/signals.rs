//! Signals: requests to end, and limits that are to be errors.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

use crate::exit;

/// Becomes true at Ctrl-C, or when somebody else asks the command to end: `kill`, a batch system that ends a job,
/// a terminal that is closed. The second time ends the process at once.
pub(crate) fn stop_on_ctrl_c() -> Arc<AtomicBool> {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [Some(SIGINT), Some(SIGTERM), hangup()]
        .into_iter()
        .flatten()
    {
        // Without a handler the signal ends the process as usual.
        let code = i32::from(exit::INTERRUPTED);
        let _ = flag::register_conditional_shutdown(signal, code, Arc::clone(&stop))
            .and_then(|_| flag::register(signal, Arc::clone(&stop)));
    }
    stop
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

/// Makes a file that would be larger than the user's limit an error of the write, which is reported and
/// leaves nothing half written. Without a handler the signal for it ends the process.
pub(crate) fn keep_file_size_limit_an_error() {
    #[cfg(unix)]
    {
        let exceeded = Arc::new(AtomicBool::new(false));
        // Where that is refused, the limit ends the process as usual.
        let _ = flag::register(signal_hook::consts::SIGXFSZ, exceeded);
    }
}
