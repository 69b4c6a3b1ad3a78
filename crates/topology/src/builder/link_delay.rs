//! Delays of links, fixed or computed from coordinates.

use std::fmt;

use fabricsim_base::input::{Choice, EXAMPLE_MARK, Quantity, ValueKind};
use fabricsim_base::setting_values;
use fabricsim_base::units::{Duration, UnitError};
use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The delay of the links of a network on a map.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum LinkDelay {
    /// The same for every link.
    Fixed(Duration),
    /// Light in fibre along the great circle between both ends: 5 us for each km, and at least 5
    /// us. Links of hosts always have 5 us.
    Geographic,
}

/// The word in scenarios for [`LinkDelay::Geographic`].
const GEOGRAPHIC: &str = "geographic";

setting_values! {
    LinkDelay => ValueKind::Either(&[
        ValueKind::Quantity(Quantity::Time),
        ValueKind::Name(&[Choice { name: GEOGRAPHIC, remark: "" }]),
    ]),
}

/// Time in seconds that light needs for a kilometer of fibre with a refractive index of about 1.5.
const SECONDS_PER_KM: f64 = 5e-6;
/// The mean radius of the Earth, in km (IUGG).
const EARTH_RADIUS_KM: f64 = 6_371.009;

/// A position on the map, in degrees.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Coordinates {
    /// North of the equator, -90 to 90.
    pub(crate) latitude: f64,
    /// East of Greenwich, -180 to 180.
    pub(crate) longitude: f64,
}

impl Coordinates {
    /// Returns the length of the great circle to `other`, in km, by the haversine formula.
    fn km_to(self, other: Self) -> f64 {
        let half = |a: f64, b: f64| libm::pow(libm::sin((b - a).to_radians() / 2.0), 2.0);
        let cosines =
            libm::cos(self.latitude.to_radians()) * libm::cos(other.latitude.to_radians());
        let chord =
            half(self.latitude, other.latitude) + cosines * half(self.longitude, other.longitude);
        2.0 * EARTH_RADIUS_KM * libm::asin(chord.sqrt().min(1.0))
    }

    /// Returns the one-way delay of a fibre to `other`.
    pub(crate) fn delay_to(self, other: Self) -> Duration {
        Duration::from_secs_f64(self.km_to(other).max(1.0) * SECONDS_PER_KM)
    }
}

impl LinkDelay {
    /// Returns the one-way delay of the links of hosts.
    pub(crate) const fn of_hosts(self) -> Duration {
        match self {
            Self::Fixed(delay) => delay,
            Self::Geographic => Duration::from_us(5),
        }
    }
}

struct LinkDelayVisitor;

impl Visitor<'_> for LinkDelayVisitor {
    type Value = LinkDelay;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "a duration with a unit or \"{GEOGRAPHIC}\", in quotes, such as \"1ms\""
        )
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<LinkDelay, E> {
        if text == GEOGRAPHIC {
            return Ok(LinkDelay::Geographic);
        }
        if text.starts_with(|letter: char| letter.is_ascii_alphabetic()) {
            return Err(E::custom(format!(
                "`{text}` is neither a time nor \"{GEOGRAPHIC}\"{EXAMPLE_MARK}`1ms`"
            )));
        }
        let delay = text.parse().map_err(|error: UnitError| E::custom(error))?;
        Ok(LinkDelay::Fixed(delay))
    }
}

impl<'de> Deserialize<'de> for LinkDelay {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(LinkDelayVisitor)
    }
}

impl Serialize for LinkDelay {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Fixed(delay) => delay.serialize(serializer),
            Self::Geographic => serializer.serialize_str(GEOGRAPHIC),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde::de::IntoDeserializer;
    use serde::de::value::Error as ValueError;

    use super::*;

    const LONDON: Coordinates = Coordinates {
        latitude: 51.5,
        longitude: 0.0,
    };
    const NEW_YORK: Coordinates = Coordinates {
        latitude: 40.7,
        longitude: -74.0,
    };

    #[test]
    fn delays_are_those_of_fibre() {
        let km = LONDON.km_to(NEW_YORK);
        assert!((km - 5_570.0).abs() < 20.0, "{km}");
        assert!((NEW_YORK.km_to(LONDON) - km).abs() < 1e-9);
        let delay = LONDON.delay_to(NEW_YORK).as_secs_f64();
        assert!((delay - 0.02785).abs() < 1e-4, "{delay}");
        assert_eq!(LONDON.delay_to(LONDON), Duration::from_us(5));
        let (west, east) = (179.5, -179.5);
        let at = |longitude| Coordinates {
            latitude: 0.0,
            longitude,
        };
        let km = at(west).km_to(at(east));
        assert!((km - 111.195).abs() < 0.01, "over the date line: {km}");
        let half = at(0.0).km_to(at(180.0));
        assert!((half - EARTH_RADIUS_KM * std::f64::consts::PI).abs() < 1e-6);
    }

    #[test]
    fn a_delay_is_a_time_or_a_word() {
        let read = |text: &str| {
            let text: serde::de::value::StrDeserializer<'_, ValueError> = text.into_deserializer();
            LinkDelay::deserialize(text)
        };
        assert_eq!(read("geographic"), Ok(LinkDelay::Geographic));
        let fixed = LinkDelay::Fixed(Duration::from_ms(2));
        assert_eq!(read("2ms"), Ok(fixed));
        assert_eq!(fixed.of_hosts(), Duration::from_ms(2));
        assert_eq!(LinkDelay::Geographic.of_hosts(), Duration::from_us(5));
        let refused = read("geografic").unwrap_err().to_string();
        assert!(refused.contains("neither a time nor"), "{refused}");
        let refused = read("5").unwrap_err().to_string();
        assert!(refused.contains("has no unit"), "{refused}");
    }
}
