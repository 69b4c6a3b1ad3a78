//! Statements of publications and whether they are so.

use std::fmt;

use serde::Serialize;

/// Whether a statement is so.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// It is.
    Holds,
    /// It is not.
    Fails,
    /// Results that it is about are missing.
    Untested,
}

impl Outcome {
    pub(super) const fn of(holds: bool) -> Self {
        if holds { Self::Holds } else { Self::Fails }
    }
}

/// A statement and whether it is so.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Claim {
    /// The statement.
    pub what: String,
    /// Whether it is so.
    pub outcome: Outcome,
    /// The figures that decide.
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

    /// A claim with what was found: whether it holds, and the figures.
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
