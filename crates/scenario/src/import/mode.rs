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
