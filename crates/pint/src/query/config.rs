//! The `[[query]]` tables of a scenario.

mod validate;

use fabricsim_base::id::FlowId;
use fabricsim_base::input::NumberRange;
use fabricsim_base::{choices, settings};

use super::plan::Demand;
use super::value::{Aggregation, FlowDefinition, Value};
use crate::dynamic::Storage;
use crate::numeric::StepRounding;

choices! {
    /// The scheme of path tracing.
    #[derive(Default)]
    pub enum TraceScheme {
        /// Every packet is overwritten.
        Baseline = "baseline",
        /// Half of the packets are overwritten; one xor layer with a probability of 1/10.
        Mininet = "mininet",
        /// Three quarters are overwritten; one xor layer with a probability that depends on the
        /// path length.
        Interleaved = "interleaved",
        /// Half are overwritten; one or more xor layers, depending on the path length.
        #[default]
        Multilayer = "multilayer" ("default"),
    }
}

choices! {
    /// Knowledge of the network that the sink uses to decode paths.
    #[derive(Default)]
    pub enum Knowledge {
        /// The numbers of all switches, as in the paper.
        Switches = "switches" ("only their numbers, as in the paper"),
        /// The links between switches, too.
        ///
        /// Differs from the paper: the paper's sinks know only the numbers. With links, sinks need
        /// fewer packets, and do not take packets of two paths for packets of a third one.
        #[default]
        Links = "links" ("which switches are neighbors; default"),
    }
}

choices! {
    /// Storage of a hop's values in a sink.
    #[derive(Default)]
    pub enum Keep {
        /// Every digest.
        #[default]
        All = "all" ("digests; default"),
        /// A KLL sketch.
        Sketch = "sketch" ("KLL"),
        /// The most recent digests.
        Window = "window" ("the last ones"),
        /// The most frequent digests.
        Frequent = "frequent" ("the most frequent ones"),
    }
}

settings! {
    /// One `[[query]]` table (PINT, section 3.2: value, aggregation, bit budget, space budget, flow
    /// definition and frequency).
    pub struct QueryConfig {
        /// Names the file of the results, query_NAME.csv.
        #[note("(default: its number)")]
        pub name: Option<String> = none,
        /// Value that switches report.
        pub value: Value = required,
        /// Aggregation of the values.
        pub aggregation: Option<Aggregation> = none,
        /// Bits of a digest, or of each instance.
        pub bits: u32 = 8,
        /// Static: digests side by side in a packet.
        #[range(from 1, to 8)]
        #[refused(
            "{value} instances are not 1 to 8",
            "leave the key out, or give 2 for two digests side by side"
        )]
        pub instances: u32 = 1,
        /// Least share of the packets that carry the digest.
        #[range(from 0.0001, to 1.0)]
        #[refused(
            "a frequency of {value} is not between 0.0001 and 1",
            "give the least share of the packets that carry the digest, such as 0.0625 for one in 16"
        )]
        pub frequency: f64 = 1.0,
        /// Packets of one flow.
        pub flow: FlowDefinition = "five-tuple",
        /// Static: the scheme.
        pub scheme: Option<TraceScheme> = none,
        /// Static: the length of paths that switches expect.
        ///
        /// This is d in the paper.
        #[range(from 1)]
        #[refused(
            "paths of {value} switches have nothing to trace",
            "give the usual number of switches on a path, or leave the key out"
        )]
        #[note("(default: the longest of the network)")]
        pub typical_hops: Option<u8> = none,
        /// Static: knowledge of the sink.
        pub knowledge: Option<Knowledge> = none,
        /// Largest number that codes reach, in the value's unit.
        #[range(above 1.0, to 1e12)]
        #[refused(
            "codes that reach {value} are not codes of 1 to 10^12",
            "give the largest number that matters, in the unit of the value, or leave the key out"
        )]
        #[note("(default 1048576 ns, 1073741824 ns for ages, 33554432 bytes, 512000 thousandths)")]
        pub largest: Option<f64> = none,
        /// Rounding of numbers to codes.
        pub rounding: Option<StepRounding> = none,
        /// Numbers: stored values of each hop and flow.
        pub keep: Option<Keep> = none,
        /// Numbers: items of the sketch, digests of the window or counters.
        #[range(from 2, to 1000000)]
        #[refused(
            "{value} items for each hop of a flow are not 2 to 1000000",
            "give a number such as 100"
        )]
        #[note("(default 100)")]
        pub space: Option<u32> = none,
        /// Numbers: quantiles of the result, 0.000001 to 1.
        #[note("(default [0.5, 0.99])")]
        pub quantiles: Option<Vec<f64>> = none,
        /// Flows with results, such as ["0..100"].
        #[note("(default all)")]
        pub flow_ids: Option<Vec<NumberRange>> = none,
    }
}

/// Default number of items of a sketch, from the paper (section 6.1, figure 9).
const USUAL_SPACE: u32 = 100;

impl QueryConfig {
    /// Returns the query for `value` with defaults for all other settings.
    #[must_use]
    pub fn new(value: Value) -> Self {
        Self::with_required(value)
    }

    /// Returns the aggregation that turns values into query results.
    #[must_use]
    pub fn aggregation(&self) -> Aggregation {
        match self.aggregation {
            Some(aggregation) => aggregation,
            None if self.value.is_name() => Aggregation::Static,
            None => Aggregation::Dynamic,
        }
    }

    /// Returns the demand of the query on packets.
    #[must_use]
    pub fn demand(&self) -> Demand {
        Demand {
            bits: self.bits.saturating_mul(self.instances),
            frequency: self.frequency,
        }
    }

    /// Returns `true` if the results include the truth: quantiles over all values of a hop.
    #[must_use]
    pub fn is_judged(&self) -> bool {
        let whole = matches!(self.keep.unwrap_or_default(), Keep::All | Keep::Sketch);
        self.aggregation() == Aggregation::Dynamic && whole
    }

    /// Returns `true` if the user wants results for `flow`.
    #[inline]
    #[must_use]
    pub fn wants(&self, flow: FlowId) -> bool {
        NumberRange::any_contains(self.flow_ids.as_deref(), flow.0)
    }

    /// Returns the quantiles to report.
    #[must_use]
    pub fn quantiles(&self) -> &[f64] {
        self.quantiles.as_deref().unwrap_or(&[0.5, 0.99])
    }

    /// Returns the storage for the values of a hop in a sink.
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
