//! Algorithms of the published simulator.

/// Values of `CC_MODE`.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Mode {
    Dcqcn,
    Hpcc,
    Timely,
    Dctcp,
    HpccPint,
}

impl Mode {
    /// All algorithms.
    pub(super) const ALL: [Self; 5] = [
        Self::Dcqcn,
        Self::Hpcc,
        Self::Timely,
        Self::Dctcp,
        Self::HpccPint,
    ];

    /// Returns the algorithm for a value of `CC_MODE`.
    pub(super) fn named(value: &str) -> Option<Self> {
        Some(match value {
            "1" => Self::Dcqcn,
            "3" => Self::Hpcc,
            "7" => Self::Timely,
            "8" => Self::Dctcp,
            "10" => Self::HpccPint,
            _ => return None,
        })
    }

    /// Returns `true` if the algorithm reads marks.
    pub(super) const fn reads_marks(self) -> bool {
        matches!(self, Self::Dcqcn | Self::Dctcp)
    }

    /// Returns the name of the algorithm in scenarios.
    pub(super) const fn kind(self) -> &'static str {
        match self {
            Self::Dcqcn => "dcqcn",
            Self::Hpcc => "hpcc",
            Self::Timely => "timely",
            Self::Dctcp => "dctcp",
            Self::HpccPint => "hpcc-pint",
        }
    }
}
