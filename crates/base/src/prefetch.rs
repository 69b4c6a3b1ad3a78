//! Requests to the processor to fetch memory that is needed soon.
//!
//! A simulation goes through more state than a cache holds, in an order that only it knows. A
//! prefetch starts the way to memory early, and the program goes on without it until the processor
//! has as many requests under way as it can hold. It changes no result. Where there is no safe
//! instruction for it these functions do nothing.

/// Bytes of a cache line.
pub const LINE: usize = 64;

/// Fetches the cache line in which `place` begins.
#[inline(always)]
pub fn prefetch<T>(place: &T) {
    #[cfg(target_arch = "x86_64")]
    safe_arch::prefetch_t0(place);
    #[cfg(not(target_arch = "x86_64"))]
    let _ = place;
}

/// Fetches the cache lines of all `items`, of large ones that in which each begins.
#[inline(always)]
pub fn prefetch_all<T>(items: &[T]) {
    let in_line = const {
        match LINE.checked_div(size_of::<T>()) {
            None | Some(0) => 1,
            Some(count) => count,
        }
    };
    items.iter().step_by(in_line).for_each(prefetch);
}
