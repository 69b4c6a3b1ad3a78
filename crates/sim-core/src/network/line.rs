//! Transmission times of packets on a wire.

use std::sync::Arc;

use fabricsim_base::units::{Bytes, Duration, Rate};

use crate::plugin::PortFactor;

/// The transmission times of one direction of a link.
#[derive(Clone, Debug)]
pub enum LineTiming {
    /// A whole number of picoseconds for each byte: all common rates.
    PerByte(u64),
    /// Any other rate, rounded up to a picosecond.
    Exact(Rate),
    /// Times from a table, for models with their own rounding.
    Table(Arc<LineTable>),
    /// Times of another line multiplied by a factor, each rounded up to a picosecond.
    Slowed(Arc<SlowedLine>),
}

/// Transmission times by wire size; sizes beyond the table are computed exactly.
#[derive(Clone, Debug)]
pub struct LineTable {
    /// Picoseconds for 0, 1, 2, … bytes.
    pub times: Vec<u64>,
    /// The rate of the line.
    pub rate: Rate,
}

/// The transmission times of a line that an application has slowed.
#[derive(Clone, Debug)]
pub struct SlowedLine {
    /// The times at full speed.
    full: LineTiming,
    factor: PortFactor,
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

    /// Returns the times at full speed multiplied by `factor`, whatever the factor was before.
    #[must_use]
    pub(super) fn slowed(&self, factor: PortFactor) -> Self {
        let full = match self {
            Self::Slowed(line) => &line.full,
            full => full,
        };
        let full = full.clone();
        if factor == PortFactor::ONE {
            full
        } else {
            Self::Slowed(Arc::new(SlowedLine { full, factor }))
        }
    }

    /// Returns the factor by which the line is slowed.
    pub(super) fn factor(&self) -> PortFactor {
        match self {
            Self::Slowed(line) => line.factor,
            _ => PortFactor::ONE,
        }
    }

    /// Returns the picoseconds for each byte, if all times are multiples of it.
    pub(super) fn byte_ps(&self) -> Option<u64> {
        match self {
            Self::PerByte(ps) => Some(*ps),
            Self::Exact(_) | Self::Table(_) => None,
            Self::Slowed(line) => {
                let ps = line
                    .full
                    .byte_ps()?
                    .checked_mul(line.factor.millionths().into())?;
                let millionths = u64::from(PortFactor::MILLIONTHS);
                ps.is_multiple_of(millionths).then(|| ps / millionths)
            }
        }
    }

    /// Returns the time for which `wire` bytes occupy the line.
    #[inline]
    #[must_use]
    pub fn transmission(&self, wire: u16) -> Duration {
        match self {
            Self::PerByte(ps) => Duration::from_ps(u64::from(wire) * ps),
            Self::Exact(_) | Self::Table(_) | Self::Slowed(_) => self.rounded(wire),
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
            Self::Slowed(line) => line.factor.times(line.full.transmission(wire)),
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

    fn factor(millionths: u32) -> PortFactor {
        PortFactor::from_millionths(millionths).unwrap()
    }

    /// 100 Gbit/s are 80 ps for a byte: 104 ps with a factor of 1.3, 106.4 ps with 1.33.
    #[test]
    fn a_slowed_line_has_the_times_of_the_full_one_multiplied() {
        let full = LineTiming::new(Rate::from_gbps(100));
        let slowed = full.slowed(factor(1_300_000));
        assert_eq!(slowed.byte_ps(), Some(104));
        assert_eq!(slowed.transmission(1_000).as_ps(), 104_000);
        let uneven = slowed.slowed(factor(1_330_000));
        assert_eq!(
            (uneven.byte_ps(), uneven.factor()),
            (None, factor(1_330_000))
        );
        // 1,001 * 106.4 = 106,506.4.
        assert_eq!(uneven.transmission(1_001).as_ps(), 106_507);
        let again = uneven.slowed(PortFactor::ONE);
        assert_eq!(
            (again.byte_ps(), again.factor()),
            (Some(80), PortFactor::ONE)
        );
        // A rate of 3 Tbit/s takes 2.67 ps for a byte, rounded up to 3 ps before the factor.
        let third = LineTiming::new(Rate::from_gbps(3_000)).slowed(factor(1_500_000));
        assert_eq!(third.transmission(1).as_ps(), 5);
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
