//! Sets of numbers: `"0..16"`, or `7`.

use std::fmt;
use std::str::FromStr;

#[cfg(feature = "serde")]
use serde::de::{Deserialize, Deserializer, Error, Unexpected, Visitor};

use super::parse_range;
use crate::id::NodeId;

/// Numbers of nodes, ports, flows or classes, written `"0..16"` (0 to 15, without 16), `"7"` or
/// `7`.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(into = "String"))]
pub struct NumberRange {
    /// The first number.
    pub first: u32,
    /// The number after the last one.
    pub end: u32,
}

impl NumberRange {
    /// Returns `true` if the range contains `number`.
    #[must_use]
    pub const fn contains(&self, number: u32) -> bool {
        self.first <= number && number < self.end
    }

    /// Returns `true` if one of `ranges` contains `number`, or if there is no list.
    #[must_use]
    pub fn any_contains(ranges: Option<&[Self]>, number: u32) -> bool {
        ranges.is_none_or(|ranges| ranges.iter().any(|range| range.contains(number)))
    }
}

impl FromStr for NumberRange {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let range = parse_range(text, "number")?;
        Ok(Self {
            first: range.start,
            end: range.end,
        })
    }
}

/// Deserializes a range of any type, from a text or from a single number.
///
/// # Errors
/// Fails if the type cannot parse the text, or if the value is neither.
#[cfg(feature = "serde")]
pub fn deserialize_range<'de, T, D>(deserializer: D) -> Result<T, D::Error>
where
    T: FromStr<Err = String>,
    D: Deserializer<'de>,
{
    struct RangeVisitor;

    impl Visitor<'_> for RangeVisitor {
        type Value = String;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a number, or text in quotes")
        }

        fn visit_str<E: Error>(self, text: &str) -> Result<String, E> {
            Ok(text.to_owned())
        }

        fn visit_u64<E: Error>(self, number: u64) -> Result<String, E> {
            Ok(number.to_string())
        }

        fn visit_i64<E: Error>(self, number: i64) -> Result<String, E> {
            match u64::try_from(number) {
                Ok(number) => self.visit_u64(number),
                Err(_) => Err(E::invalid_value(Unexpected::Signed(number), &self)),
            }
        }
    }

    let text = deserializer.deserialize_any(RangeVisitor)?;
    text.parse().map_err(D::Error::custom)
}

#[cfg(feature = "serde")]
impl<'de> Deserialize<'de> for NumberRange {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserialize_range(deserializer)
    }
}

impl From<NumberRange> for String {
    fn from(range: NumberRange) -> Self {
        range.to_string()
    }
}

impl fmt::Display for NumberRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}..{}", self.first, self.end)
    }
}

/// Nodes by their numbers, written like a [`NumberRange`]. Scenarios may also use their names.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Deserialize, serde::Serialize),
    serde(transparent)
)]
pub struct NodeRange(pub NumberRange);

impl NodeRange {
    /// Returns `true` if one of `ranges` contains `node`, or if there is no list.
    #[must_use]
    pub fn any_contains(ranges: Option<&[Self]>, node: NodeId) -> bool {
        ranges.is_none_or(|ranges| ranges.iter().any(|range| range.0.contains(node.0)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_read_as_they_print() {
        let range = NumberRange { first: 4, end: 16 };
        assert_eq!("4..16".parse(), Ok(range));
        assert_eq!(range.to_string().parse(), Ok(range));
        assert_eq!("7".parse(), Ok(NumberRange { first: 7, end: 8 }));
        assert!(
            "4..4"
                .parse::<NumberRange>()
                .is_err_and(|e| e.contains("empty"))
        );
        assert!(
            "4-16"
                .parse::<NumberRange>()
                .is_err_and(|e| e.contains("`0..16`"))
        );
        assert!("4294967295".parse::<NumberRange>().is_err());
    }

    #[test]
    fn no_ranges_mean_all_numbers() {
        let ranges = [
            NumberRange { first: 4, end: 6 },
            NumberRange { first: 9, end: 10 },
        ];
        let inside: Vec<u32> = (0..12)
            .filter(|&n| NumberRange::any_contains(Some(&ranges), n))
            .collect();
        assert_eq!(inside, [4, 5, 9]);
        assert!(NumberRange::any_contains(None, 7));
    }
}
