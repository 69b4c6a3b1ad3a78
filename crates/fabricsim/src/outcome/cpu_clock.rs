//! CPU time of a run.

use std::time::Duration;

#[cfg(not(target_family = "wasm"))]
use cpu_time::{ProcessTime, ThreadTime};

/// CPU time of a run. A run on one thread measures only its thread, so that parallel runs do not
/// count.
#[cfg(not(target_family = "wasm"))]
pub(super) enum CpuClock {
    Thread(ThreadTime),
    Process(ProcessTime),
}

#[cfg(not(target_family = "wasm"))]
impl CpuClock {
    pub(super) fn start(threads: usize) -> Self {
        match threads {
            1 => Self::Thread(ThreadTime::now()),
            _ => Self::Process(ProcessTime::now()),
        }
    }

    pub(super) fn elapsed(&self) -> Duration {
        match self {
            Self::Thread(begun) => begun.elapsed(),
            Self::Process(begun) => begun.elapsed(),
        }
    }
}

/// WebAssembly has no such clock: the time is always zero.
#[cfg(target_family = "wasm")]
pub(super) struct CpuClock;

#[cfg(target_family = "wasm")]
impl CpuClock {
    pub(super) const fn start(_threads: usize) -> Self {
        Self
    }

    pub(super) const fn elapsed(&self) -> Duration {
        Duration::ZERO
    }
}
