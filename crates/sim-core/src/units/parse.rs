//! Quantities written by people: a number and a unit, such as `100Gbps`, `1us` or `32MiB`.

use std::fmt;
use std::str::FromStr;

use super::{Bytes, Duration, Rate, Time};

/// Why a text is not a quantity.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct UnitError {
    text: String,
    kind: Kind,
    example: &'static str,
}

#[derive(Clone, Debug, Eq, PartialEq)]
enum Kind {
    NotANumber,
    Missing,
    Unknown(String),
    Negative,
    TooLarge,
    Zero,
    TooFine,
}

impl fmt::Display for UnitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            text,
            kind,
            example,
        } = self;
        match kind {
            Kind::NotANumber => write!(
                f,
                "`{text}` does not begin with a number; write it like `{example}`"
            ),
            Kind::Missing => write!(f, "`{text}` has no unit; write it like `{example}`"),
            Kind::Unknown(unit) => write!(
                f,
                "`{text}` has an unknown unit `{unit}`; write it like `{example}`"
            ),
            Kind::Negative => write!(f, "`{text}` is negative; write it like `{example}`"),
            Kind::TooLarge => write!(f, "`{text}` is too large; write it like `{example}`"),
            Kind::Zero => write!(f, "`{text}` is zero; write it like `{example}`"),
            Kind::TooFine => {
                write!(
                    f,
                    "`{text}` is finer than the smallest unit; write it like `{example}`"
                )
            }
        }
    }
}

impl std::error::Error for UnitError {}

/// A unit's names (compared without regard to case unless listed under both) and its size.
type Units = &'static [(&'static [&'static str], u64)];

const TIME_UNITS: Units = &[
    (&["ps"], 1),
    (&["ns"], 1_000),
    (&["us", "µs"], 1_000_000),
    (&["ms"], 1_000_000_000),
    (&["s", "sec"], 1_000_000_000_000),
];

const RATE_UNITS: Units = &[
    (&["bps", "b/s", "bit/s"], 1),
    (&["kbps", "kb/s", "kbit/s"], 1_000),
    (&["mbps", "mb/s", "mbit/s"], 1_000_000),
    (&["gbps", "gb/s", "gbit/s"], 1_000_000_000),
    (&["tbps", "tb/s", "tbit/s"], 1_000_000_000_000),
];

const BYTE_UNITS: Units = &[
    (&["b"], 1),
    (&["kb"], 1_000),
    (&["mb"], 1_000_000),
    (&["gb"], 1_000_000_000),
    (&["tb"], 1_000_000_000_000),
    (&["kib"], 1 << 10),
    (&["mib"], 1 << 20),
    (&["gib"], 1 << 30),
    (&["tib"], 1 << 40),
];

/// Reads `text` exactly: the decimal number is scaled in integers, never through a float.
fn parse(text: &str, units: Units, example: &'static str) -> Result<u64, UnitError> {
    let fail = |kind| UnitError {
        text: text.to_owned(),
        kind,
        example,
    };
    let trimmed = text.trim();
    if trimmed.starts_with('-') {
        return Err(fail(Kind::Negative));
    }
    let split = trimmed
        .find(|c: char| !(c.is_ascii_digit() || c == '.' || c == '_'))
        .unwrap_or(trimmed.len());
    let (number, unit) = trimmed.split_at(split);
    let number = number.replace('_', "");
    let (whole, fraction) = number.split_once('.').unwrap_or((&number, ""));
    if (whole.is_empty() && fraction.is_empty()) || fraction.contains('.') {
        return Err(fail(Kind::NotANumber));
    }
    let unit = unit.trim();
    if unit.is_empty() {
        return Err(fail(Kind::Missing));
    }
    let Some((_, scale)) = units
        .iter()
        .find(|(names, _)| names.iter().any(|name| name.eq_ignore_ascii_case(unit)))
    else {
        return Err(fail(Kind::Unknown(unit.to_owned())));
    };
    let digits = |s: &str| {
        if s.is_empty() {
            Ok(0)
        } else {
            s.parse::<u128>()
        }
    };
    let too_large = |_| fail(Kind::TooLarge);
    let whole = digits(whole).map_err(too_large)?;
    let fraction_len = u32::try_from(fraction.len()).map_err(|_| fail(Kind::TooFine))?;
    let power = 10u128
        .checked_pow(fraction_len)
        .ok_or_else(|| fail(Kind::TooFine))?;
    let fraction = digits(fraction).map_err(too_large)?;
    let scaled = fraction * u128::from(*scale);
    let fine = scaled / power;
    if fine * power != scaled {
        return Err(fail(Kind::TooFine));
    }
    let value = whole
        .checked_mul(u128::from(*scale))
        .and_then(|w| w.checked_add(fine))
        .ok_or_else(|| fail(Kind::TooLarge))?;
    u64::try_from(value).map_err(|_| fail(Kind::TooLarge))
}

impl FromStr for Duration {
    type Err = UnitError;
    fn from_str(text: &str) -> Result<Self, UnitError> {
        parse(text, TIME_UNITS, "1us").map(Self::from_ps)
    }
}

impl FromStr for Time {
    type Err = UnitError;
    fn from_str(text: &str) -> Result<Self, UnitError> {
        parse(text, TIME_UNITS, "10ms").map(Self::from_ps)
    }
}

impl FromStr for Bytes {
    type Err = UnitError;
    fn from_str(text: &str) -> Result<Self, UnitError> {
        parse(text, BYTE_UNITS, "400KB").map(Self::new)
    }
}

impl FromStr for Rate {
    type Err = UnitError;
    fn from_str(text: &str) -> Result<Self, UnitError> {
        let bps = parse(text, RATE_UNITS, "100Gbps")?;
        Self::from_bps(bps).ok_or_else(|| UnitError {
            text: text.to_owned(),
            kind: Kind::Zero,
            example: "100Gbps",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_people_write() {
        assert_eq!("100Gbps".parse(), Ok(Rate::from_gbps(100)));
        assert_eq!("40Mb/s".parse(), Ok(Rate::from_mbps(40)));
        assert_eq!("1.6 Tbps".parse(), Ok(Rate::from_gbps(1600)));
        assert_eq!("0.001ms".parse(), Ok(Duration::from_us(1)));
        assert_eq!("3.33us".parse(), Ok(Duration::from_ns(3_330)));
        assert_eq!("32MiB".parse(), Ok(Bytes::new(32 << 20)));
        assert_eq!("400KB".parse(), Ok(Bytes::new(400_000)));
        assert_eq!("1_000B".parse(), Ok(Bytes::new(1_000)));
    }

    #[test]
    fn says_what_is_wrong() {
        let message = |r: Result<Rate, UnitError>| r.expect_err("bad").to_string();
        assert_eq!(
            message("100".parse()),
            "`100` has no unit; write it like `100Gbps`"
        );
        assert_eq!(
            message("1us".parse()),
            "`1us` has an unknown unit `us`; write it like `100Gbps`"
        );
        assert_eq!(
            message("fast".parse()),
            "`fast` does not begin with a number; write it like `100Gbps`"
        );
        assert_eq!(
            message("-1Gbps".parse()),
            "`-1Gbps` is negative; write it like `100Gbps`"
        );
        assert_eq!(
            message("0Gbps".parse()),
            "`0Gbps` is zero; write it like `100Gbps`"
        );
        assert!("99999999999999s".parse::<Duration>().is_err());
        assert!("1.5B".parse::<Bytes>().is_err());
        assert!("1.2.3us".parse::<Duration>().is_err());
    }

    proptest::proptest! {
        #[test]
        fn display_and_parse_agree(value in 1u64..u64::MAX) {
            proptest::prop_assert_eq!(Bytes::new(value).to_string().parse(), Ok(Bytes::new(value)));
            proptest::prop_assert_eq!(Duration::from_ps(value).to_string().parse(), Ok(Duration::from_ps(value)));
            let rate = Rate::from_bps(value).expect("non-zero");
            proptest::prop_assert_eq!(rate.to_string().parse(), Ok(rate));
        }
    }
}
