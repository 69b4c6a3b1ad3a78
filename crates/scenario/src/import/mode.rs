//! Algorithms of the published simulator.

/// Algorithms that `CC_MODE` names.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Mode {
    Dcqcn,
    Hpcc,
    Timely,
    Dctcp,
    HpccPint,
}

impl Mode {
    /// All of them.
    pub(super) const ALL: [Self; 5] = [
        Self::Dcqcn,
        Self::Hpcc,
        Self::Timely,
        Self::Dctcp,
        Self::HpccPint,
    ];

    /// The algorithm that a value of `CC_MODE` names.
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

    /// The name of the algorithm in a scenario.
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
