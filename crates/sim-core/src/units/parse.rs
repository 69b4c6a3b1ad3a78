//! Quantities written by people: a number and a unit, such as `100Gbps`, `1us` or `32MiB`.

use std::fmt;
use std::str::FromStr;

use super::{Bytes, Duration, Rate, Time};
use crate::input::EXAMPLE_MARK;
use crate::limits;

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
    /// The most that there may be.
    TooLarge(String),
    /// The least that there may be.
    TooSmall(String),
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
        }?;
        write!(f, "{EXAMPLE_MARK}`{example}`")
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

/// Syntax of quantities of one kind.
struct Form {
    units: Units,
    example: &'static str,
    /// The most that there may be, and how it is written.
    most: (u64, &'static str),
}

const TIME: Form = Form {
    units: TIME_UNITS,
    example: "10ms",
    most: (limits::MAX_TIME.as_ps(), "1000000s"),
};

const DURATION: Form = Form {
    example: "1us",
    ..TIME
};

const RATE: Form = Form {
    units: RATE_UNITS,
    example: "100Gbps",
    most: (limits::MAX_RATE.as_bps(), "100Tbps"),
};

const SIZE: Form = Form {
    units: BYTE_UNITS,
    example: "400KB",
    most: (limits::MAX_SIZE.get(), "1000TB"),
};

/// Reads `text` exactly: the decimal number is scaled in integers, never through a float.
fn parse(text: &str, form: &Form) -> Result<u64, UnitError> {
    let Form {
        units,
        example,
        most,
    } = *form;
    let fail = |kind| UnitError {
        text: text.to_owned(),
        kind,
        example,
    };
    let above = || fail(Kind::TooLarge(most.1.to_owned()));
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
    let whole = digits(whole).map_err(|_| above())?;
    let fraction_len = u32::try_from(fraction.len()).map_err(|_| fail(Kind::TooFine))?;
    let power = 10u128
        .checked_pow(fraction_len)
        .ok_or_else(|| fail(Kind::TooFine))?;
    let fraction = digits(fraction).map_err(|_| fail(Kind::TooFine))?;
    let scaled = fraction
        .checked_mul(u128::from(*scale))
        .ok_or_else(|| fail(Kind::TooFine))?;
    let fine = scaled / power;
    if fine * power != scaled {
        return Err(fail(Kind::TooFine));
    }
    let value = whole
        .checked_mul(u128::from(*scale))
        .and_then(|w| w.checked_add(fine))
        .ok_or_else(above)?;
    u64::try_from(value)
        .ok()
        .filter(|&value| value <= most.0)
        .ok_or_else(above)
}

impl FromStr for Duration {
    type Err = UnitError;
    fn from_str(text: &str) -> Result<Self, UnitError> {
        parse(text, &DURATION).map(Self::from_ps)
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
        parse(text, &SIZE).map(Self::new)
    }
}

impl FromStr for Rate {
    type Err = UnitError;
    fn from_str(text: &str) -> Result<Self, UnitError> {
        let fail = |kind| UnitError {
            text: text.to_owned(),
            kind,
            example: RATE.example,
        };
        let rate = Self::from_bps(parse(text, &RATE)?).ok_or_else(|| fail(Kind::Zero))?;
        if rate < limits::MIN_RATE {
            return Err(fail(Kind::TooSmall(limits::MIN_RATE.to_string())));
        }
        Ok(rate)
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
        assert_eq!(
            message("1bps".parse()),
            "`1bps` is too small: 1Kbps is the least that can be simulated; write it like `100Gbps`"
        );
        assert_eq!(
            message("100.000001Tbps".parse()),
            "`100.000001Tbps` is too large: 100Tbps is the most that can be simulated; write it like \
             `100Gbps`"
        );
        let huge = "99999999999999s".parse::<Duration>().expect_err("too long");
        assert!(huge.to_string().contains("1000000s is the most"), "{huge}");
        assert!(
            "0.00000000000000000000000000000000000001s"
                .parse::<Duration>()
                .is_err()
        );
        assert!(
            "0.9999999999999999999999999999999999999s"
                .parse::<Duration>()
                .is_err()
        );
        assert!("1.5B".parse::<Bytes>().is_err());
        assert!("1.2.3us".parse::<Duration>().is_err());
    }

    #[test]
    fn the_limits_themselves_can_be_written() {
        assert_eq!(TIME.most.1.parse(), Ok(limits::MAX_TIME));
        assert_eq!(DURATION.most.1.parse(), Ok(limits::MAX_DURATION));
        assert_eq!(RATE.most.1.parse(), Ok(limits::MAX_RATE));
        assert_eq!(SIZE.most.1.parse(), Ok(limits::MAX_SIZE));
        assert_eq!("1Kbps".parse(), Ok(limits::MIN_RATE));
        assert!("1000000.000000000001s".parse::<Time>().is_err());
        assert!("1000.000000000001TB".parse::<Bytes>().is_err());
    }

    proptest::proptest! {
        #[test]
        fn display_and_parse_agree(size in 1..=limits::MAX_SIZE.get(),
                                   ps in 1..=limits::MAX_DURATION.as_ps(),
                                   bps in limits::MIN_RATE.as_bps()..=limits::MAX_RATE.as_bps()) {
            proptest::prop_assert_eq!(Bytes::new(size).to_string().parse(), Ok(Bytes::new(size)));
            let span = Duration::from_ps(ps);
            proptest::prop_assert_eq!(span.to_string().parse(), Ok(span));
            proptest::prop_assert_eq!(Time::from_ps(ps).to_string().parse(), Ok(Time::from_ps(ps)));
            let rate = Rate::from_bps(bps).expect("non-zero");
            proptest::prop_assert_eq!(rate.to_string().parse(), Ok(rate));
        }

        #[test]
        fn no_text_is_read_as_more_than_the_most(number in 0u128.., fraction in 0u64.., scale in 0usize..40) {
            for (names, _) in TIME_UNITS.iter().chain(RATE_UNITS).chain(BYTE_UNITS) {
                let text = format!("{}.{}{}", number >> scale, fraction >> scale, names[0]);
                let time = text.parse::<Time>().is_ok_and(|time| time > limits::MAX_TIME);
                let span = text.parse::<Duration>().is_ok_and(|span| span > limits::MAX_DURATION);
                let size = text.parse::<Bytes>().is_ok_and(|size| size > limits::MAX_SIZE);
                let rate = text.parse::<Rate>().is_ok_and(|rate| !(limits::MIN_RATE..=limits::MAX_RATE).contains(&rate));
                proptest::prop_assert!(!(time || span || size || rate), "{}", text);
            }
        }
    }
}
