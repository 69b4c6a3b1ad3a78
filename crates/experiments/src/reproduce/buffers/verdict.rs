//! Agreement of measured values with published ones.

use serde::Serialize;

/// Agreement of a result with its source.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Within its band.
    Inside,
    /// Not within its band.
    Outside,
    /// A ratio on the other side of 1 than the published one: the paper found the opposite.
    Opposite,
    /// The row has no band.
    Reported,
    /// The runs for the value have no results.
    Missing,
}

impl Verdict {
    /// Returns the verdict as one word.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Inside => "inside",
            Self::Outside => "OUTSIDE",
            Self::Opposite => "OPPOSITE",
            Self::Reported => "no band",
            Self::Missing => "missing",
        }
    }
}
