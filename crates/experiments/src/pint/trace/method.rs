//! The names of schemes, budgets and rivals.

use std::fmt;
use std::str::FromStr;

use fabricsim_base::input::ConfigError;
use fabricsim_pint::tracing::{Layers, Marking, SchemeConfig, Traceback, Values};

/// The scheme of a row.
#[derive(Debug)]
pub(super) enum Work {
    Pint(SchemeConfig),
    Traceback(Marking),
    NetworkCoding,
}

/// A scheme of PINT.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Preset {
    /// Hops overwrite: reservoir sampling alone.
    Baseline,
    /// Half of the packets overwritten, half xored with probability 1/10: the published code.
    Mininet,
    /// Three quarters overwritten, the rest xored with probability lnln d / ln d.
    Interleaved,
    /// Half overwritten, the rest xored in layers: Algorithm 1.
    Multilayer,
}

impl Preset {
    /// Returns its layers for paths of about `hops`.
    pub(super) fn layers(self, hops: u8) -> Result<Layers, ConfigError> {
        match self {
            Self::Baseline => Ok(Layers::baseline()),
            Self::Mininet => Ok(Layers::mininet()),
            Self::Interleaved => Layers::interleaved(hops).map_err(|error| ConfigError {
                help: "leave `interleaved` out of --scheme, or --estimate at least 3".to_owned(),
                ..error
            }),
            Self::Multilayer => Layers::multilayer(hops),
        }
    }
}

impl fmt::Display for Preset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Baseline => "baseline",
            Self::Mininet => "mininet",
            Self::Interleaved => "interleaved",
            Self::Multilayer => "multilayer",
        })
    }
}

/// The bits that a packet carries.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Budget {
    /// Number of digests.
    instances: u32,
    /// Bits of each digest; `None` if it holds a whole switch number with as many bits as the
    /// network needs.
    bits: Option<u32>,
}

const BUDGET_HELP: &str = "write the bits of a digest, 1 to 64, such as 8, or raw for whole switch \
                           numbers; 2x4 is two digests of 4 bits, 64 bits at most in all";

/// Returns the bits of the numbers of `switches`.
fn number_bits(switches: u32) -> u32 {
    (u32::BITS - switches.saturating_sub(1).leading_zeros()).max(1)
}

impl FromStr for Budget {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (instances, bits) = text.split_once('x').unwrap_or(("1", text));
        let count = |text: &str| text.parse::<u32>().ok().filter(|n| (1..=64).contains(n));
        let budget = count(instances).and_then(|instances| {
            let bits = match bits {
                "raw" => None,
                _ => Some(count(bits)?),
            };
            Some(Self { instances, bits })
        });
        // Whole numbers have up to 20 bits.
        let fits = |budget: &Self| budget.instances * budget.bits.unwrap_or(20) <= 64;
        budget.filter(fits).ok_or_else(|| BUDGET_HELP.to_owned())
    }
}

impl fmt::Display for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.instances > 1 {
            write!(f, "{}x", self.instances)?;
        }
        match self.bits {
            Some(bits) => write!(f, "{bits}"),
            None => write!(f, "raw"),
        }
    }
}

impl Budget {
    /// Returns the scheme of `layers` in a network of `switches`.
    pub(super) fn scheme(self, layers: Layers, switches: u32) -> SchemeConfig {
        let (digest_bits, values) = match self.bits {
            Some(bits) => (bits, Values::Hashed),
            None => (number_bits(switches), Values::Whole),
        };
        SchemeConfig {
            digest_bits,
            values,
            instances: self.instances,
            ..SchemeConfig::new(layers)
        }
    }
}

/// A scheme for comparison with PINT.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Rival {
    /// Probabilistic packet marking.
    Ppm,
    /// The Advanced Marking Scheme II, with the number of hashes that must agree.
    Ams2(u8),
    /// Linear network coding.
    Lnc,
}

impl FromStr for Rival {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "ppm" => Ok(Self::Ppm),
            "lnc" => Ok(Self::Lnc),
            _ => {
                let needed = text.strip_prefix("ams2-").and_then(|n| n.parse().ok());
                let needed = needed.filter(|n| (1..=8).contains(n));
                let help = "write ppm, lnc, or ams2- and the number of hashes that must agree, such as ams2-5";
                needed.map(Self::Ams2).ok_or_else(|| help.to_owned())
            }
        }
    }
}

impl fmt::Display for Rival {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ppm => write!(f, "ppm"),
            Self::Ams2(needed) => write!(f, "ams2-{needed}"),
            Self::Lnc => write!(f, "lnc"),
        }
    }
}

impl Rival {
    /// Returns the scheme to run, with `functions` hash functions for AMS2.
    pub(super) fn work(self, functions: u8) -> Result<Work, ConfigError> {
        let marking = match self {
            Self::Lnc => return Ok(Work::NetworkCoding),
            Self::Ppm => Marking::Fragments,
            Self::Ams2(needed) => Marking::Hashes { functions, needed },
        };
        Traceback::new(marking, 0).map_err(|error| ConfigError {
            key: "compare",
            help: format!("{}, or more --functions", error.help),
            ..error
        })?;
        Ok(Work::Traceback(marking))
    }

    /// Returns the bits that a packet carries: the 16 of an IP identification, as published for
    /// marks, or a switch number.
    pub(super) fn bits(self, switches: u32) -> u32 {
        match self {
            Self::Ppm | Self::Ams2(_) => 16,
            Self::Lnc => number_bits(switches),
        }
    }
}

/// Scheme of a row or a curve.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Method {
    /// A scheme of PINT with a budget.
    Pint(Preset, Budget),
    /// A scheme for comparison with PINT.
    Other(Rival),
}

impl Method {
    /// Returns its name without the budget.
    #[must_use]
    pub fn scheme(self) -> String {
        match self {
            Self::Pint(preset, _) => preset.to_string(),
            Self::Other(rival) => rival.to_string(),
        }
    }

    /// Returns the bits that a packet carries in a network of `switches`.
    #[must_use]
    pub fn budget(self, switches: u32) -> String {
        match self {
            Self::Pint(_, budget) => budget.to_string(),
            Self::Other(rival) => rival.bits(switches).to_string(),
        }
    }

    /// Returns the name of its curve in the panel of `preset`; `None` if it has no curve there.
    pub(super) fn curve(self, preset: Preset) -> Option<String> {
        match self {
            Self::Pint(own, budget) => (own == preset).then(|| match budget.bits {
                Some(1) if budget.instances == 1 => "PINT 1 bit".to_owned(),
                Some(_) => format!("PINT {budget} bits"),
                None => format!("PINT {budget}"),
            }),
            Self::Other(rival) => Some(rival.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn budgets_are_written_as_they_are_read() {
        for text in ["1", "8", "64", "2x4", "64x1", "raw", "2xraw"] {
            assert_eq!(text.parse::<Budget>().unwrap().to_string(), text);
        }
        for text in [
            "", "0", "65", "2x33", "0x4", "x", "2x", "rawx2", "4xraw", "b8",
        ] {
            assert!(text.parse::<Budget>().is_err(), "{text}");
        }
    }

    #[test]
    fn whole_numbers_are_as_wide_as_the_largest() {
        for (switches, bits) in [(1, 1), (2, 1), (3, 2), (80, 7), (754, 10), (1_000_000, 20)] {
            assert_eq!(number_bits(switches), bits);
            let raw = "2xraw".parse::<Budget>().unwrap();
            let scheme = raw.scheme(Layers::baseline(), switches);
            assert_eq!((scheme.digest_bits, scheme.instances), (bits, 2));
        }
    }

    #[test]
    fn others_are_written_as_they_are_read() {
        for text in ["ppm", "lnc", "ams2-5", "ams2-8"] {
            assert_eq!(text.parse::<Rival>().unwrap().to_string(), text);
        }
        for text in ["", "ams2", "ams2-0", "ams2-9", "pint"] {
            assert!(text.parse::<Rival>().is_err(), "{text}");
        }
        assert!(Rival::Ams2(8).work(7).is_err());
        assert!(Rival::Ams2(7).work(7).is_ok());
    }
}
