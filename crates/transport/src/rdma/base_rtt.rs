//! The base round-trip time of RDMA's congestion controls and windows.

use std::fmt;

use fabricsim_base::flow::PathInfo;
use fabricsim_base::input::{Choice, EXAMPLE_MARK, Quantity, ValueKind};
use fabricsim_base::setting_values;
use fabricsim_base::units::{Bytes, Duration, Rate, UnitError};
use fabricsim_core::plugin::quirks::WindowRule;
use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Base round-trip time that congestion control uses (T in the HPCC paper). The window W is the
/// number of bytes that the flow's NIC sends in this time.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum BaseRtt {
    /// The largest time of all pairs of hosts, for every flow, as in the published runs.
    Largest,
    /// The time of the flow's own pair.
    Pair,
    /// A time above zero, for every flow.
    Given(Duration),
}

const LARGEST: &str = "largest";
const PAIR: &str = "pair";

setting_values! {
    BaseRtt => ValueKind::Either(&[
        ValueKind::Name(&[
            Choice { name: LARGEST, remark: "of all pairs" },
            Choice { name: PAIR, remark: "the pair's own" },
        ]),
        ValueKind::Quantity(Quantity::Time),
    ]),
}

struct BaseRttVisitor;

impl Visitor<'_> for BaseRttVisitor {
    type Value = BaseRtt;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "\"{LARGEST}\", \"{PAIR}\" or a time in quotes, such as \"9us\""
        )
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<BaseRtt, E> {
        match text {
            LARGEST => return Ok(BaseRtt::Largest),
            PAIR => return Ok(BaseRtt::Pair),
            _ => {}
        }
        if text.starts_with(|letter: char| letter.is_ascii_alphabetic()) {
            return Err(E::custom(format!(
                "`{text}` is neither \"{LARGEST}\", \"{PAIR}\" nor a time{EXAMPLE_MARK}`9us`"
            )));
        }
        let time: Duration = text.parse().map_err(|error: UnitError| E::custom(error))?;
        if time == Duration::ZERO {
            return Err(E::custom(format!(
                "no algorithm works with a round trip of `{text}`{EXAMPLE_MARK}`9us`"
            )));
        }
        Ok(BaseRtt::Given(time))
    }
}

impl<'de> Deserialize<'de> for BaseRtt {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(BaseRttVisitor)
    }
}

impl Serialize for BaseRtt {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Largest => serializer.serialize_str(LARGEST),
            Self::Pair => serializer.serialize_str(PAIR),
            Self::Given(time) => time.serialize(serializer),
        }
    }
}

/// Round-trip time T and bandwidth-delay product W (the full window) for congestion control.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum BaseReference {
    /// T is the same for every flow: the largest of all pairs, or a given time. W is the data that
    /// the flow's own NIC sends in T (HPCC paper: W_init = B_NIC x T).
    Largest {
        /// T: the largest base round-trip time, or the given time.
        base_rtt: Duration,
    },
    /// T belongs to the flow's own pair, and W is the data that the flow's own NIC sends in T.
    Pair,
    /// The largest values of all pairs, for every flow and regardless of its NIC: the published
    /// script with a single T.
    PublishedLargest {
        /// The largest base round-trip time.
        base_rtt: Duration,
        /// The largest bandwidth-delay product, based on the slowest link of a path.
        bdp: Bytes,
    },
    /// The values of the flow's own pair, with W based on the slowest link of its path: the
    /// published script with a T for each pair.
    PublishedPair,
}

impl BaseReference {
    /// Returns the reference for `choice`. `base_rtt` and `bdp` are the largest base round-trip
    /// time and the largest bandwidth-delay product of all pairs in the network.
    #[must_use]
    pub const fn new(choice: BaseRtt, rule: WindowRule, base_rtt: Duration, bdp: Bytes) -> Self {
        match (choice, rule) {
            (BaseRtt::Largest, WindowRule::OwnNic) => Self::Largest { base_rtt },
            (BaseRtt::Given(base_rtt), _) => Self::Largest { base_rtt },
            (BaseRtt::Pair, WindowRule::OwnNic) => Self::Pair,
            (BaseRtt::Largest, WindowRule::SlowestLink) => Self::PublishedLargest { base_rtt, bdp },
            (BaseRtt::Pair, WindowRule::SlowestLink) => Self::PublishedPair,
        }
    }

    /// Returns T and W of a flow over `path` from a NIC of `line_rate`.
    #[must_use]
    pub fn of(self, path: &PathInfo, line_rate: Rate) -> (Duration, Bytes) {
        match self {
            Self::Largest { base_rtt } => (base_rtt, line_rate.bytes_in(base_rtt)),
            Self::Pair => (path.base_rtt, line_rate.bytes_in(path.base_rtt)),
            Self::PublishedLargest { base_rtt, bdp } => (base_rtt, bdp),
            Self::PublishedPair => (path.base_rtt, path.bdp()),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde::de::IntoDeserializer;
    use serde::de::value::Error as ValueError;

    use super::*;

    #[test]
    fn a_base_rtt_is_a_word_or_a_time_above_zero() {
        let read = |text: &str| {
            let text: serde::de::value::StrDeserializer<'_, ValueError> = text.into_deserializer();
            BaseRtt::deserialize(text)
        };
        assert_eq!(read("largest"), Ok(BaseRtt::Largest));
        assert_eq!(read("pair"), Ok(BaseRtt::Pair));
        assert_eq!(read("9us"), Ok(BaseRtt::Given(Duration::from_us(9))));
        for wrong in ["smallest", "0us", "9", "-1us"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_given_time_is_that_of_every_flow() {
        let given = BaseRtt::Given(Duration::from_us(9));
        for rule in [WindowRule::OwnNic, WindowRule::SlowestLink] {
            let base = BaseReference::new(given, rule, Duration::from_us(12), Bytes::new(1));
            let base_rtt = Duration::from_us(9);
            assert_eq!(base, BaseReference::Largest { base_rtt });
        }
    }

    #[test]
    fn a_window_is_what_the_nic_sends_in_the_round_trip_time() {
        // A NIC of 100 Gbps over a link of 25 Gbps with 8 us; elsewhere 12 us and 400 Gbps.
        let path = PathInfo {
            base_rtt: Duration::from_us(8),
            bottleneck: Rate::from_gbps(25),
            switches: 3,
        };
        let base_rtt = Duration::from_us(12);
        let bdp = Bytes::new(600_000);
        for (base, t, w) in [
            (BaseReference::Largest { base_rtt }, 12, 150_000),
            (BaseReference::Pair, 8, 100_000),
            (
                BaseReference::PublishedLargest { base_rtt, bdp },
                12,
                600_000,
            ),
            (BaseReference::PublishedPair, 8, 25_000),
        ] {
            let expected = (Duration::from_us(t), Bytes::new(w));
            assert_eq!(base.of(&path, Rate::from_gbps(100)), expected, "{base:?}");
        }
    }
}
