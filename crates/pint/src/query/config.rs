//! The `[[query]]` tables of a scenario.

mod validate;

use fabricsim_core::id::FlowId;
use fabricsim_core::input::NumberRange;
use serde::{Deserialize, Serialize};

use super::plan::Demand;
use super::value::{Aggregation, FlowDefinition, Value};
use crate::dynamic::Storage;
use crate::numeric::StepRounding;

/// The scheme of path tracing.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum TraceScheme {
    /// Every packet is written over.
    Baseline,
    /// Half the packets, one xor layer of 1/10.
    Mininet,
    /// Three quarters, one xor layer by the length of the path.
    Interleaved,
    /// Half, one or more xor layers by the length of the path.
    #[default]
    Multilayer,
}

/// What the sink knows of the network when it decodes paths.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Knowledge {
    /// The numbers of all switches, as in the paper.
    Switches,
    /// Also which of them are neighbors.
    ///
    /// Differs from the paper: its sinks know the numbers alone. With links fewer packets are needed, and
    /// packets of two paths are not taken for those of a third.
    #[default]
    Links,
}

/// How a sink keeps the values of a hop.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Keep {
    /// Every digest.
    #[default]
    All,
    /// A KLL sketch.
    Sketch,
    /// The most recent digests.
    Window,
    /// The most frequent ones.
    Frequent,
}

/// One `[[query]]` table (PINT, section 3.2: value, aggregation, bit budget, space budget, flow definition and
/// frequency).
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct QueryConfig {
    /// Names the file of the answers; absent means `query1`, `query2` and so on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What switches tell.
    pub value: Value,
    /// What becomes of it; absent means static for names and dynamic for all else.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aggregation: Option<Aggregation>,
    /// Bits of a digest, or of each instance.
    #[serde(default = "eight")]
    pub bits: u32,
    /// Static: digests side by side in a packet.
    #[serde(default = "one")]
    pub instances: u32,
    /// The least share of the packets that carry the digest.
    #[serde(default = "every_packet")]
    pub frequency: f64,
    /// Which packets are a flow.
    #[serde(default)]
    pub flow: FlowDefinition,
    /// Static: the scheme.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scheme: Option<TraceScheme>,
    /// Static: the length of paths that switches expect (d in the paper); absent means the network's longest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub typical_hops: Option<u8>,
    /// Static: what the sink knows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub knowledge: Option<Knowledge>,
    /// The largest value that codes reach; absent means that of [`Value::usual_largest`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub largest: Option<f64>,
    /// How numbers are rounded to codes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rounding: Option<StepRounding>,
    /// Dynamic: how digests are kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keep: Option<Keep>,
    /// Dynamic: items of the sketch, digests of the window or counters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub space: Option<u32>,
    /// Dynamic and per packet: the quantiles of the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quantiles: Option<Vec<f64>>,
    /// The flows whose answers are wanted, by number; absent means all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flow_ids: Option<Vec<NumberRange>>,
}

const fn eight() -> u32 {
    8
}

const fn one() -> u32 {
    1
}

const fn every_packet() -> f64 {
    1.0
}

/// Items of a sketch where the user sets none: the paper's (section 6.1, figure 9).
const USUAL_SPACE: u32 = 100;

impl QueryConfig {
    /// The query for `value` with every setting left to its default.
    #[must_use]
    pub const fn new(value: Value) -> Self {
        Self {
            name: None,
            value,
            aggregation: None,
            bits: eight(),
            instances: one(),
            frequency: every_packet(),
            flow: FlowDefinition::FiveTuple,
            scheme: None,
            typical_hops: None,
            knowledge: None,
            largest: None,
            rounding: None,
            keep: None,
            space: None,
            quantiles: None,
            flow_ids: None,
        }
    }

    /// The keys of the table, each with what it means.
    pub const KEYS: &'static [(&'static str, &'static str)] = &[
        (
            "name",
            "names the file of the answers, query_NAME.csv (default: its number)",
        ),
        (
            "value",
            "\"switch-id\", \"ingress-port\", \"egress-port\", \"hop-latency\" (ns), \"queue-length\" \
             (bytes), \"egress-utilization\" (thousandths), \"ingress-time\" or \"egress-time\" (age of \
             the packet, ns)",
        ),
        (
            "aggregation",
            "\"static\" (each hop's, the same for all packets; default for switch and ports), \"dynamic\" \
             (quantiles of each hop; default for all else), \"max\", \"min\" or \"sum\" over the hops of a \
             packet",
        ),
        ("bits", "bits of a digest, or of each instance (default 8)"),
        (
            "instances",
            "static: digests side by side in a packet (default 1)",
        ),
        (
            "frequency",
            "least share of the packets that carry the digest, 0.0001 to 1 (default 1)",
        ),
        (
            "flow",
            "packets of one flow: of one transfer (\"five-tuple\", default), of a \"pair\" of hosts or of a \
             \"destination\"",
        ),
        (
            "scheme",
            "static: \"baseline\", \"mininet\", \"interleaved\" or \"multilayer\" (default)",
        ),
        (
            "typical_hops",
            "static: the length of paths that switches expect (default: the longest of the network)",
        ),
        (
            "knowledge",
            "static: what the sink knows, \"links\" (which switches are neighbors; default) or \
             \"switches\" (only their numbers, as in the paper)",
        ),
        (
            "largest",
            "largest number that codes reach, in the value's unit (default 1048576 ns, 1073741824 ns for ages, \
             33554432 bytes, 512000 thousandths)",
        ),
        (
            "rounding",
            "to codes: \"nearest\" (default) or \"random\", which keeps the mean code",
        ),
        (
            "keep",
            "numbers: of each hop and flow \"all\" digests (default), a KLL \"sketch\", a \"window\" of \
             the last ones or the most \"frequent\" ones",
        ),
        (
            "space",
            "numbers: items of the sketch, digests of the window or counters (default 100)",
        ),
        (
            "quantiles",
            "numbers: of the answer, 0.000001 to 1 (default [0.5, 0.99])",
        ),
        (
            "flow_ids",
            "flows whose answers are wanted, such as [\"0..100\"] (default all)",
        ),
    ];

    /// How values become answers.
    #[must_use]
    pub fn aggregation(&self) -> Aggregation {
        match self.aggregation {
            Some(aggregation) => aggregation,
            None if self.value.is_name() => Aggregation::Static,
            None => Aggregation::Dynamic,
        }
    }

    /// What it asks of packets.
    #[must_use]
    pub fn demand(&self) -> Demand {
        Demand {
            bits: self.bits.saturating_mul(self.instances),
            frequency: self.frequency,
        }
    }

    /// Whether its answers stand beside the truth: quantiles of all values of a hop.
    #[must_use]
    pub fn is_judged(&self) -> bool {
        let whole = matches!(self.keep.unwrap_or_default(), Keep::All | Keep::Sketch);
        self.aggregation() == Aggregation::Dynamic && whole
    }

    /// Whether the answer for `flow` is wanted.
    #[inline]
    #[must_use]
    pub fn wants(&self, flow: FlowId) -> bool {
        NumberRange::any_contains(self.flow_ids.as_deref(), flow.0)
    }

    /// The quantiles of the answer.
    #[must_use]
    pub fn quantiles(&self) -> &[f64] {
        self.quantiles.as_deref().unwrap_or(&[0.5, 0.99])
    }

    /// How a sink keeps the values of a hop.
    #[must_use]
    pub fn storage(&self) -> Storage {
        let space = self.space.unwrap_or(USUAL_SPACE);
        match self.keep.unwrap_or_default() {
            Keep::All => Storage::All,
            Keep::Sketch => Storage::Sketch { items: space },
            Keep::Window => Storage::Window { values: space },
            Keep::Frequent => Storage::Frequent { counters: space },
        }
    }
}
