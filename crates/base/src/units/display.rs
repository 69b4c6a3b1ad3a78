//! Quantities in readable form, in the largest unit that divides them evenly.

use std::fmt;

use super::{Bytes, Duration, PS_PER_MS, PS_PER_NS, PS_PER_S, PS_PER_US, Rate, Time};

/// Writes `value` in the first unit of `scale` (largest first) that divides it evenly.
fn write_scaled(f: &mut fmt::Formatter<'_>, value: u64, scale: &[(u64, &str)]) -> fmt::Result {
    let (unit, name) = scale
        .iter()
        .find(|(unit, _)| value != 0 && value.is_multiple_of(*unit))
        .or_else(|| scale.last())
        .expect("a scale has at least one unit");
    write!(f, "{}{name}", value / unit)
}

const TIME_SCALE: &[(u64, &str)] = &[
    (PS_PER_S, "s"),
    (PS_PER_MS, "ms"),
    (PS_PER_US, "us"),
    (PS_PER_NS, "ns"),
    (1, "ps"),
];

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_scaled(f, self.0, TIME_SCALE)
    }
}

impl fmt::Display for Duration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Self::ZERO {
            return f.write_str("0s");
        }
        write_scaled(f, self.0, TIME_SCALE)
    }
}

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SCALE: &[(u64, &str)] = &[
            // Decimal units first: 6,400,000 bytes are 6400 KB rather than 6250 KiB.
            (1_000_000_000, "GB"),
            (1 << 30, "GiB"),
            (1_000_000, "MB"),
            (1 << 20, "MiB"),
            (1_000, "KB"),
            (1 << 10, "KiB"),
            (1, "B"),
        ];
        write_scaled(f, self.0, SCALE)
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SCALE: &[(u64, &str)] = &[
            (1_000_000_000_000, "Tbps"),
            (1_000_000_000, "Gbps"),
            (1_000_000, "Mbps"),
            (1_000, "Kbps"),
            (1, "bps"),
        ];
        write_scaled(f, self.0.get(), SCALE)
    }
}
