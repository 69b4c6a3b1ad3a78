//! The window that goes with a rate.

use fabricsim_core::units::{Bytes, Rate};

/// `full x rate / line_rate`, rounded down, at least one byte: the variable window of the published
/// simulator.
#[inline]
pub(crate) fn scaled_window(full: Bytes, rate: Rate, line_rate: Rate) -> Bytes {
    let scaled = match full.get().checked_mul(rate.as_bps()) {
        Some(product) => product / line_rate.as_bps(),
        None => {
            let wide =
                u128::from(full.get()) * u128::from(rate.as_bps()) / u128::from(line_rate.as_bps());
            u64::try_from(wide).unwrap_or(u64::MAX)
        }
    };
    Bytes::new(scaled.max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_the_rate_is_half_the_window() {
        let full = Bytes::new(153_000);
        let line = Rate::from_gbps(100);
        assert_eq!(scaled_window(full, line, line), full);
        assert_eq!(
            scaled_window(full, Rate::from_gbps(50), line),
            Bytes::new(76_500)
        );
        assert_eq!(
            scaled_window(Bytes::new(3), Rate::from_mbps(1), line),
            Bytes::new(1)
        );
        let huge = Bytes::new(1 << 40);
        assert_eq!(
            scaled_window(huge, Rate::from_gbps(800), Rate::from_gbps(1600)).get(),
            1 << 39
        );
    }
}
