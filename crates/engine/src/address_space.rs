//! The address space that threads need, compared with the limit of the OS process.
//!
//! If a process under `ulimit -v` starts threads until the system refuses, it has no room left for
//! its own next allocation, and aborts instead of returning an error. So we check the limit before
//! starting the first thread.

/// Stack of a thread in bytes.
pub(super) const STACK_BYTES: usize = 2 << 20;

/// Additional address space of a thread in bytes: guard pages and the signal stack.
const THREAD_EXTRA_BYTES: u64 = 64 << 10;

/// Address space that glibc's malloc reserves for an arena (`HEAP_MAX_SIZE` on 64-bit systems).
const ARENA_BYTES: u64 = 64 << 20;

/// Maximum number of arenas of glibc's malloc per processor (`M_ARENA_MAX` in mallopt(3)).
const ARENAS_PER_PROCESSOR: u64 = 8;

/// Returns the reason if `count` threads do not fit into the address space of this OS process.
/// Returns `None` if they fit, if there is no limit, or if the system does not report it (only
/// Linux does).
pub(super) fn shortage(count: usize) -> Option<String> {
    let limits = std::fs::read_to_string("/proc/self/limits").ok()?;
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let limit = limit_bytes(&limits)?;
    let left = limit.saturating_sub(used_bytes(&status)?);
    let processors = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let needed = needed_bytes(count as u64, processors as u64);
    (needed > left).then(|| {
        format!(
            "they need {} MB of address space, and {} MB of its limit are left (ulimit -v)",
            needed.div_ceil(1_000_000),
            left / 1_000_000
        )
    })
}

fn needed_bytes(threads: u64, processors: u64) -> u64 {
    let arenas = threads.min(processors * ARENAS_PER_PROCESSOR);
    threads * (STACK_BYTES as u64 + THREAD_EXTRA_BYTES) + arenas * ARENA_BYTES
}

/// Reads the soft limit of the address space from `/proc/self/limits`; `None` if there is none.
fn limit_bytes(limits: &str) -> Option<u64> {
    let line = limits
        .lines()
        .find_map(|line| line.strip_prefix("Max address space"))?;
    line.split_whitespace().next()?.parse().ok()
}

/// Reads the used address space from `/proc/self/status`.
fn used_bytes(status: &str) -> Option<u64> {
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmSize:"))?;
    let kibibytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kibibytes << 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_and_what_is_used_are_read_as_linux_writes_them() {
        let limits = "Limit                     Soft Limit           Hard Limit           Units     \n\
                      Max processes             96365                96365                processes \n\
                      Max address space         716800000            unlimited            bytes     \n";
        assert_eq!(limit_bytes(limits), Some(716_800_000));
        let unlimited =
            "Max address space         unlimited            unlimited            bytes\n";
        assert_eq!(limit_bytes(unlimited), None);
        assert_eq!(
            used_bytes("VmPeak:\t   9000 kB\nVmSize:\t    8192 kB\n"),
            Some(8 << 20)
        );
    }

    #[test]
    fn a_thread_needs_its_stack_and_an_arena_up_to_eight_for_a_processor() {
        let thread = STACK_BYTES as u64 + THREAD_EXTRA_BYTES;
        assert_eq!(needed_bytes(2, 2), 2 * (thread + ARENA_BYTES));
        assert_eq!(needed_bytes(1_000, 2), 1_000 * thread + 16 * ARENA_BYTES);
    }
}
