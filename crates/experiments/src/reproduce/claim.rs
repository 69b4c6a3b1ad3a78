//! Claims of publications, and the outcomes of their tests.

use std::fmt;

use serde::Serialize;

/// The outcome of a test.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// The claim is true here.
    Holds,
    /// The claim is false here.
    Fails,
    /// The results for the test are missing.
    Untested,
}

impl Outcome {
    pub(super) const fn of(holds: bool) -> Self {
        if holds { Self::Holds } else { Self::Fails }
    }
}

/// A claim and the outcome of its test.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Claim {
    /// The claim.
    pub what: String,
    /// The outcome.
    pub outcome: Outcome,
    /// The figures behind the outcome.
    pub evidence: String,
}

impl Claim {
    pub(super) const fn untested(what: String) -> Self {
        Self {
            what,
            outcome: Outcome::Untested,
            evidence: String::new(),
        }
    }

    /// Returns a claim with its test: `true` if it holds, and the figures.
    pub(super) fn tested(what: String, found: Option<(bool, String)>) -> Self {
        match found {
            None => Self::untested(what),
            Some((holds, evidence)) => Self {
                what,
                outcome: Outcome::of(holds),
                evidence,
            },
        }
    }
}

impl fmt::Display for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = match self.outcome {
            Outcome::Holds => "holds",
            Outcome::Fails => "FAILS",
            Outcome::Untested => "untested",
        };
        write!(f, "{sign:<9} {}", self.what)?;
        if !self.evidence.is_empty() {
            write!(f, " [{}]", self.evidence)?;
        }
        Ok(())
    }
}
