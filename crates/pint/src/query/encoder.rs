//! Actions of switches for one query.

use std::sync::Arc;

use fabricsim_base::id::NodeId;
use fabricsim_base::input::ConfigError;

use super::config::{Knowledge, QueryConfig, TraceScheme};
use super::network::QueryNetwork;
use super::value::{Aggregation, Value};
use crate::dynamic::HopSampler;
use crate::hash::GlobalHash;
use crate::log_code::LogCode;
use crate::numeric::{Morris, Multiplicative, StepRounding};
use crate::tracing::{Layers, Scheme, SchemeConfig, Universe};

/// Action of a switch for one query.
#[derive(Clone, Debug)]
pub(super) enum Encoder {
    /// Path tracing, of switches or ports.
    Static {
        /// Value that the switch writes.
        value: Value,
        /// Scheme for writing the value.
        scheme: Arc<Scheme>,
        /// Set of possible values.
        universe: Arc<Universe>,
    },
    /// A sample of one hop.
    Dynamic {
        /// Value that the switch writes.
        value: Value,
        /// Selects the hop and encodes its value.
        sampler: HopSampler,
    },
    /// The minimum or maximum over all hops.
    Extreme {
        /// Value to compare.
        value: Value,
        /// Code of the value, which keeps the order.
        code: Multiplicative,
        /// Hash function for the rounding of codes.
        rounding: GlobalHash,
        /// [`Aggregation::Max`] or [`Aggregation::Min`].
        fold: Aggregation,
    },
    /// The sum over all hops.
    Sum {
        /// Value to add.
        value: Value,
        /// Probabilistic counter that encodes the sum.
        counter: Morris,
        /// Hash function for the rounding of counts.
        rounding: GlobalHash,
    },
    /// The utilization of the busiest link, written by HPCC-PINT's own part of the switches.
    Controller {
        /// Code of the algorithm.
        code: LogCode,
    },
}

impl Encoder {
    /// Returns the encoder for the query of `config`, if the congestion control's own part of the
    /// switches serves it.
    ///
    /// # Errors
    /// Returns an error if the codes of the query differ from the algorithm's.
    pub(super) fn of_controller(config: &QueryConfig, code: &LogCode) -> Result<Self, ConfigError> {
        if config.bits != code.bits() {
            return Err(ConfigError::new(
                "bits",
                format!(
                    "the algorithm reads codes of {} bits, and the query's have {}",
                    code.bits(),
                    config.bits
                ),
                format!(
                    "give {} bits, or set `digest_bits` in [cc] to {}",
                    code.bits(),
                    config.bits
                ),
            ));
        }
        for (key, given) in [
            ("largest", config.largest.is_some()),
            ("rounding", config.rounding.is_some()),
        ] {
            if given {
                return Err(ConfigError::new(
                    key,
                    "the algorithm reads this query, and its code is the algorithm's",
                    "leave the key out; `log_base` and `rounding` in [cc] set the code",
                ));
            }
        }
        Ok(Self::Controller { code: code.clone() })
    }

    /// Returns the encoder for the query of `config` at the switches of `network`. `hash` returns
    /// the seeds of its hash functions.
    ///
    /// # Errors
    /// Returns an error if the paths of the network are too long or if it has too many switches.
    pub(super) fn new(
        config: &QueryConfig,
        hash: impl Fn(u64) -> u64,
        network: &QueryNetwork,
    ) -> Result<Self, ConfigError> {
        let value = config.value;
        let largest = config.largest.unwrap_or_else(|| value.usual_largest());
        let code = || {
            let rounding = config.rounding.unwrap_or(StepRounding::Nearest);
            Multiplicative::for_range(largest, config.bits, rounding)
        };
        let rounding = GlobalHash::new(hash(1));
        Ok(match config.aggregation() {
            Aggregation::Static => Self::Static {
                value,
                scheme: Arc::new(scheme(config, hash(0), network)?),
                universe: Arc::new(universe(config, network)?),
            },
            Aggregation::Dynamic => Self::Dynamic {
                value,
                sampler: HopSampler::new(code()?, hash(0)),
            },
            fold @ (Aggregation::Max | Aggregation::Min) => Self::Extreme {
                value,
                code: code()?,
                rounding,
                fold,
            },
            Aggregation::Sum => Self::Sum {
                value,
                counter: Morris::for_range(largest, config.bits)?,
                rounding,
            },
        })
    }
}

fn scheme(config: &QueryConfig, seed: u64, network: &QueryNetwork) -> Result<Scheme, ConfigError> {
    let hops = match config.typical_hops {
        Some(hops) => hops,
        None => u8::try_from(network.longest_path.max(1)).unwrap_or(u8::MAX),
    };
    let layers = match config.scheme.unwrap_or_default() {
        TraceScheme::Baseline => Ok(Layers::baseline()),
        TraceScheme::Mininet => Ok(Layers::mininet()),
        TraceScheme::Interleaved => Layers::interleaved(hops),
        TraceScheme::Multilayer => Layers::multilayer(hops),
    };
    let layers = layers.map_err(|error| ConfigError {
        key: "scheme",
        help: "use \"multilayer\", or set `typical_hops`".to_owned(),
        ..error
    })?;
    Scheme::new(SchemeConfig {
        digest_bits: config.bits,
        instances: config.instances,
        seed,
        ..SchemeConfig::new(layers)
    })
    .map_err(|error| ConfigError {
        key: "bits",
        ..error
    })
}

fn universe(config: &QueryConfig, network: &QueryNetwork) -> Result<Universe, ConfigError> {
    if config.value != Value::SwitchId {
        return Universe::new((0..u64::from(network.most_ports)).collect());
    }
    let switches = network
        .switches
        .iter()
        .map(|switch| u64::from(switch.0))
        .collect();
    let universe = match config.knowledge.unwrap_or_default() {
        Knowledge::Switches => Universe::new(switches),
        Knowledge::Links => {
            let number = |(a, b): &(NodeId, NodeId)| (u64::from(a.0), u64::from(b.0));
            let links: Vec<(u64, u64)> = network.links.iter().map(number).collect();
            Universe::with_links(switches, &links)
        }
    };
    universe.map_err(|error| ConfigError {
        key: "value",
        ..error
    })
}
