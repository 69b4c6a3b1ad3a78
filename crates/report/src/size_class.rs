//! Classes of flows by size.

use std::fmt;

use fabricsim_base::units::Bytes;

/// The size classes of the summary tables. They overlap: [`SizeClass::All`] contains every other
/// class, and [`SizeClass::Below30K`] contains [`SizeClass::Below10K`].
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum SizeClass {
    /// Every flow.
    All,
    /// Below 10 KB.
    Below10K,
    /// Below 30 KB.
    Below30K,
    /// 30 KB to 1 MB, both included.
    From30KTo1M,
    /// Above 1 MB.
    Above1M,
}

impl SizeClass {
    /// All classes, in the order of the tables.
    pub const ALL: [Self; 5] = [
        Self::All,
        Self::Below10K,
        Self::Below30K,
        Self::From30KTo1M,
        Self::Above1M,
    ];

    /// Returns the ending of the names of its columns in points.csv; empty for all flows.
    #[must_use]
    pub const fn column_ending(self) -> &'static str {
        match self {
            Self::All => "",
            Self::Below10K => "_below_10KB",
            Self::Below30K => "_below_30KB",
            Self::From30KTo1M => "_30KB_to_1MB",
            Self::Above1M => "_above_1MB",
        }
    }

    /// Returns `true` if a flow of `size` belongs to the class.
    #[must_use]
    pub fn contains(self, size: Bytes) -> bool {
        let size = size.get();
        match self {
            Self::All => true,
            Self::Below10K => size < 10_000,
            Self::Below30K => size < 30_000,
            Self::From30KTo1M => (30_000..=1_000_000).contains(&size),
            Self::Above1M => size > 1_000_000,
        }
    }
}

impl fmt::Display for SizeClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::All => "all",
            Self::Below10K => "< 10 KB",
            Self::Below30K => "< 30 KB",
            Self::From30KTo1M => "30 KB - 1 MB",
            Self::Above1M => "> 1 MB",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_size_is_in_exactly_one_of_the_three_bands() {
        for size in [
            0,
            1,
            9_999,
            10_000,
            29_999,
            30_000,
            1_000_000,
            1_000_001,
            u64::MAX,
        ] {
            let bands = [
                SizeClass::Below30K,
                SizeClass::From30KTo1M,
                SizeClass::Above1M,
            ];
            assert_eq!(
                bands
                    .iter()
                    .filter(|band| band.contains(Bytes::new(size)))
                    .count(),
                1,
                "{size}"
            );
        }
        assert!(SizeClass::Below10K.contains(Bytes::new(9_999)));
        assert!(!SizeClass::Below10K.contains(Bytes::new(10_000)));
    }
}
