//! Transmission times of packets on a wire.

use std::sync::Arc;

use fabricsim_base::units::{Bytes, Duration, Rate};

/// The transmission times of one direction of a link.
#[derive(Clone, Debug)]
pub enum LineTiming {
    /// A whole number of picoseconds for each byte: all common rates.
    PerByte(u64),
    /// Any other rate, rounded up to a picosecond.
    Exact(Rate),
    /// Times from a table, for models with their own rounding.
    Table(Arc<LineTable>),
}

/// Transmission times by wire size; sizes beyond the table are computed exactly.
#[derive(Clone, Debug)]
pub struct LineTable {
    /// Picoseconds for 0, 1, 2, … bytes.
    pub times: Vec<u64>,
    /// The rate of the line.
    pub rate: Rate,
}

impl LineTiming {
    /// Returns exact times at `rate`.
    #[must_use]
    pub fn new(rate: Rate) -> Self {
        const BYTE_PS: u64 = 8_000_000_000_000;
        if BYTE_PS.is_multiple_of(rate.as_bps()) {
            Self::PerByte(BYTE_PS / rate.as_bps())
        } else {
            Self::Exact(rate)
        }
    }

    /// Returns the time for which `wire` bytes occupy the line.
    #[inline]
    #[must_use]
    pub fn transmission(&self, wire: u16) -> Duration {
        match self {
            Self::PerByte(ps) => Duration::from_ps(u64::from(wire) * ps),
            Self::Exact(_) | Self::Table(_) => self.rounded(wire),
        }
    }

    /// [`Self::transmission`] if not every byte takes the same whole number of picoseconds.
    // Not inlined, to keep it apart from the code of all other links.
    #[inline(never)]
    fn rounded(&self, wire: u16) -> Duration {
        match self {
            Self::PerByte(ps) => Duration::from_ps(u64::from(wire) * ps),
            Self::Exact(rate) => rate.transmission(Bytes::new(u64::from(wire))),
            Self::Table(table) => match table.times.get(usize::from(wire)) {
                Some(&ps) => Duration::from_ps(ps),
                None => table.rate.transmission(Bytes::new(u64::from(wire))),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn timing_is_the_rates_own(bps in 10_000_000u64..1_600_000_000_000, wire in 1u16..9100) {
            let rate = Rate::from_bps(bps).expect("non-zero");
            let exact = rate.transmission(Bytes::new(u64::from(wire)));
            proptest::prop_assert_eq!(LineTiming::new(rate).transmission(wire), exact);
        }
    }

    #[test]
    fn a_table_overrides_the_rate() {
        let line = LineTiming::Table(Arc::new(LineTable {
            times: vec![0, 7],
            rate: Rate::from_gbps(100),
        }));
        assert_eq!(line.transmission(1).as_ps(), 7);
        assert_eq!(line.transmission(2).as_ps(), 160);
    }
}
