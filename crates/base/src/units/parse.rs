//! Quantities as people write them: a number and a unit, such as `100Gbps`, `1us` or `32MiB`.

use std::fmt;
use std::str::FromStr;

use super::{Bytes, Duration, Rate, Time};
use crate::input::EXAMPLE_MARK;
use crate::limits;

/// The reason why a text is not a valid quantity.
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
    /// Above the largest value, which is given.
    TooLarge(&'static str),
    /// Below the smallest value, which is given.
    TooSmall(String),
    Zero,
    TooFine,
    /// A size in bits: the same number in bytes, and the bits converted to bytes if possible.
    Bits(Bytes, Option<Bytes>),
    /// A rate with a unit in capitals, so that its `B` may mean bits or bytes.
    Capitals(Rate),
}

impl fmt::Display for UnitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            text,
            kind,
            example,
        } = self;
        match kind {
            Kind::NotANumber => write!(f, "`{text}` does not begin with a number"),
            Kind::Missing => write!(f, "`{text}` has no unit"),
            Kind::Unknown(unit) => write!(f, "`{text}` has an unknown unit `{unit}`"),
            Kind::Negative => write!(f, "`{text}` is negative"),
            Kind::TooLarge(most) => write!(
                f,
                "`{text}` is too large: {most} is the most that can be simulated"
            ),
            Kind::TooSmall(least) => write!(
                f,
                "`{text}` is too small: {least} is the least that can be simulated"
            ),
            Kind::Zero => write!(f, "`{text}` is zero"),
            Kind::TooFine => write!(f, "`{text}` is finer than the smallest unit"),
            Kind::Bits(_, None) => write!(f, "`{text}` is in bits, and a size is in bytes"),
            Kind::Bits(_, Some(same)) => write!(
                f,
                "`{text}` is in bits, as many as {same}, and a size is in bytes"
            ),
            Kind::Capitals(_) => write!(f, "`{text}` is ambiguous between bits and bytes"),
        }?;
        match kind {
            Kind::Bits(bytes, None) => write!(f, "{EXAMPLE_MARK}`{bytes}`"),
            Kind::Bits(bytes, Some(same)) => write!(f, "{EXAMPLE_MARK}`{bytes}` or `{same}`"),
            Kind::Capitals(bits) => {
                let bytes = bits.to_string().replace('b', "B");
                write!(f, "{EXAMPLE_MARK}`{bits}` or `{bytes}`")
            }
            _ => write!(f, "{EXAMPLE_MARK}`{example}`"),
        }
    }
}

impl std::error::Error for UnitError {}

/// Names of time units (case-insensitive) and their picoseconds.
const TIME_UNITS: [(&str, u64); 7] = [
    ("ps", 1),
    ("ns", 1_000),
    ("us", 1_000_000),
    ("µs", 1_000_000),
    ("ms", 1_000_000_000),
    ("s", 1_000_000_000_000),
    ("sec", 1_000_000_000_000),
];

/// Prefixes of bits and bytes (case-insensitive).
const PREFIXES: [(&str, u64); 9] = [
    ("", 1),
    ("k", 1_000),
    ("m", 1_000_000),
    ("g", 1_000_000_000),
    ("t", 1_000_000_000_000),
    ("ki", 1 << 10),
    ("mi", 1 << 20),
    ("gi", 1 << 30),
    ("ti", 1 << 40),
];

/// Units of data, and their bits.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Data {
    Bits = 1,
    Bytes = 8,
}

/// Returns the number of bits or bytes in a unit such as `Gb`, `MiB` or `kbit`: `b` is a bit and
/// `B` a byte, in all quantities.
fn data_unit(name: &str) -> Option<(u64, Data)> {
    let lower = name.to_ascii_lowercase();
    let (prefix, data) = if let Some(prefix) = lower.strip_suffix("byte") {
        (prefix, Data::Bytes)
    } else if let Some(prefix) = lower.strip_suffix("bit") {
        (prefix, Data::Bits)
    } else if name.ends_with('B') {
        (lower.strip_suffix('b')?, Data::Bytes)
    } else {
        (lower.strip_suffix('b')?, Data::Bits)
    };
    let known = PREFIXES.iter().find(|(known, _)| *known == prefix);
    known.map(|(_, count)| (*count, data))
}

fn picoseconds(unit: &str) -> Option<u64> {
    let known = TIME_UNITS
        .iter()
        .find(|(name, _)| name.eq_ignore_ascii_case(unit));
    known.map(|(_, ps)| *ps)
}

fn bytes(unit: &str) -> Option<u64> {
    let (count, data) = data_unit(unit)?;
    (data == Data::Bytes).then_some(count)
}

fn bits(unit: &str) -> Option<u64> {
    let (count, data) = data_unit(unit)?;
    (data == Data::Bits).then_some(count)
}

fn bits_per_second(unit: &str) -> Option<u64> {
    let lower = unit.to_ascii_lowercase();
    let is_word = |name: &&str| name.ends_with("bit") || name.ends_with("byte");
    let word = lower.strip_suffix("/s").filter(is_word);
    let letter = || unit.strip_suffix("/s").or_else(|| unit.strip_suffix("ps"));
    let (count, data) = data_unit(word.or_else(letter)?)?;
    Some(count * data as u64)
}

/// Syntax of quantities of one kind.
struct Form {
    /// Returns the size of the unit with this name, if there is one.
    unit: fn(&str) -> Option<u64>,
    /// The unit of a number without one, if that is allowed.
    without: Option<&'static str>,
    example: &'static str,
    /// The upper limit, and its written form.
    most: (u64, &'static str),
}

const TIME: Form = Form {
    unit: picoseconds,
    without: None,
    example: "10ms",
    most: (limits::MAX_TIME.as_ps(), "1000000s"),
};

const DURATION: Form = Form {
    example: "1us",
    ..TIME
};

const NS3_DURATION: Form = Form {
    without: Some("s"),
    ..DURATION
};

const RATE: Form = Form {
    unit: bits_per_second,
    without: None,
    example: "100Gbps",
    most: (limits::MAX_RATE.as_bps(), "100Tbps"),
};

const NS3_RATE: Form = Form {
    without: Some("bps"),
    ..RATE
};

const SIZE: Form = Form {
    unit: bytes,
    without: None,
    example: "400KB",
    most: (limits::MAX_SIZE.get(), "1000TB"),
};

/// A size in bits, which is rejected regardless of its value.
const BITS: Form = Form {
    unit: bits,
    most: (u64::MAX, ""),
    ..SIZE
};

/// Parses `text` exactly: scales the decimal number in integers, never through a float.
fn parse(text: &str, form: &Form) -> Result<u64, UnitError> {
    scaled(text.trim(), form).map_err(|kind| error(text, kind, form))
}

fn error(text: &str, kind: Kind, form: &Form) -> UnitError {
    UnitError {
        text: text.to_owned(),
        kind,
        example: form.example,
    }
}

fn scaled(text: &str, form: &Form) -> Result<u64, Kind> {
    if text.starts_with('-') {
        return Err(Kind::Negative);
    }
    let split = text
        .find(|c: char| !(c.is_ascii_digit() || c == '.' || c == '_'))
        .unwrap_or(text.len());
    let (number, rest) = text.split_at(split);
    let number = number.replace('_', "");
    let (whole, fraction) = number.split_once('.').unwrap_or((&number, ""));
    if (whole.is_empty() && fraction.is_empty()) || fraction.contains('.') {
        return Err(Kind::NotANumber);
    }
    let (exponent, unit) = exponent(rest);
    let unit = match (unit.trim(), form.without) {
        ("", None) => return Err(Kind::Missing),
        ("", Some(unit)) => unit,
        (unit, _) => unit,
    };
    let scale = (form.unit)(unit).ok_or_else(|| Kind::Unknown(unit.to_owned()))?;
    let above = Kind::TooLarge(form.most.1);
    let whole = whole.trim_start_matches('0');
    let fraction = fraction.trim_end_matches('0');
    if whole.len() > 20 {
        return Err(above);
    }
    let digits = match format!("{whole}{fraction}") {
        none if none.is_empty() => return Ok(0),
        digits => digits.parse::<u128>().map_err(|_| Kind::TooFine)?,
    };
    let product = digits.checked_mul(u128::from(scale));
    let product = product.ok_or(Kind::TooFine)?;
    let fraction_len = i32::try_from(fraction.len()).map_err(|_| Kind::TooFine)?;
    let places = exponent.saturating_sub(fraction_len);
    let power = 10u128.checked_pow(places.unsigned_abs());
    let value = match (power, places < 0) {
        (Some(power), true) if product.is_multiple_of(power) => product / power,
        (_, true) => return Err(Kind::TooFine),
        (power, false) => power
            .and_then(|power| product.checked_mul(power))
            .ok_or_else(|| above.clone())?,
    };
    let value = u64::try_from(value).ok();
    value.filter(|&value| value <= form.most.0).ok_or(above)
}

/// Splits the exponent of ten off the beginning of `rest`, as in `1e-6s`.
fn exponent(rest: &str) -> (i32, &str) {
    let after = rest.strip_prefix(['e', 'E']).unwrap_or("");
    let sign = after.starts_with(['+', '-']);
    let unsigned = &after[usize::from(sign)..];
    let unit = unsigned.trim_start_matches(|c: char| c.is_ascii_digit());
    let (exponent, unit) = after.split_at(after.len() - unit.len());
    exponent.parse().map_or((0, rest), |number| (number, unit))
}

impl FromStr for Duration {
    type Err = UnitError;
    fn from_str(text: &str) -> Result<Self, UnitError> {
        parse(text, &DURATION).map(Self::from_ps)
    }
}

impl Duration {
    /// Parses a duration like the `Time` of ns-3: a number without a unit is in seconds.
    ///
    /// # Errors
    /// Fails if it is not a duration.
    pub fn from_ns3(text: &str) -> Result<Self, UnitError> {
        parse(text, &NS3_DURATION).map(Self::from_ps)
    }
}

impl FromStr for Time {
    type Err = UnitError;
    fn from_str(text: &str) -> Result<Self, UnitError> {
        parse(text, &TIME).map(Self::from_ps)
    }
}

impl FromStr for Bytes {
    type Err = UnitError;
    fn from_str(text: &str) -> Result<Self, UnitError> {
        parse(text, &SIZE)
            .map(Self::new)
            .map_err(|refused| match parse(text, &BITS) {
                Ok(bits) => {
                    let same = bits.is_multiple_of(8).then(|| Self::new(bits / 8));
                    error(text, Kind::Bits(Self::new(bits), same), &SIZE)
                }
                Err(_) => refused,
            })
    }
}

impl FromStr for Rate {
    type Err = UnitError;
    fn from_str(text: &str) -> Result<Self, UnitError> {
        Self::read(text, &RATE)
    }
}

impl Rate {
    /// Parses a rate like the `DataRate` of ns-3: a number without a unit is in bit/s.
    ///
    /// # Errors
    /// Fails if it is not a rate.
    pub fn from_ns3(text: &str) -> Result<Self, UnitError> {
        Self::read(text, &NS3_RATE)
    }

    fn read(text: &str, form: &Form) -> Result<Self, UnitError> {
        let bps = match parse(text, form) {
            Err(refused) if matches!(refused.kind, Kind::Unknown(_)) => {
                let lower = parse(&text.to_ascii_lowercase(), form).ok();
                let capitals = |rate| error(text, Kind::Capitals(rate), form);
                return Err(lower.and_then(Self::from_bps).map_or(refused, capitals));
            }
            read => read?,
        };
        let rate = Self::from_bps(bps).ok_or_else(|| error(text, Kind::Zero, form))?;
        if rate < limits::MIN_RATE {
            let least = limits::MIN_RATE.to_string();
            return Err(error(text, Kind::TooSmall(least), form));
        }
        Ok(rate)
    }
}

#[cfg(test)]
mod tests;
