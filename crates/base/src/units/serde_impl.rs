//! In configuration files, quantities are strings with a unit; a bare number is rejected with a
//! suggestion.

use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;

use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{Bytes, Duration, Rate, Time, UnitError};

struct Quantity<T> {
    what: &'static str,
    example: &'static str,
    unit: PhantomData<T>,
}

impl<T: FromStr<Err = UnitError>> Visitor<'_> for Quantity<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} with a unit, in quotes, such as \"{}\"",
            self.what, self.example
        )
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
        text.parse().map_err(E::custom)
    }
}

macro_rules! quantity {
    ($unit:ty, $what:literal, $example:literal) => {
        impl<'de> Deserialize<'de> for $unit {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                deserializer.deserialize_str(Quantity {
                    what: $what,
                    example: $example,
                    unit: PhantomData,
                })
            }
        }

        impl Serialize for $unit {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }
    };
}

quantity!(Time, "a time", "10ms");
quantity!(Duration, "a duration", "1us");
quantity!(Bytes, "a size", "400KB");
quantity!(Rate, "a rate", "100Gbps");
