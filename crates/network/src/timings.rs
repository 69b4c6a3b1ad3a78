//! Transmission times of packets on links, and random losses.

use std::collections::BTreeMap;
use std::sync::Arc;

use fabricsim_base::id::NodeId;
use fabricsim_base::rng::{Purpose, Stream};
use fabricsim_base::units::{Bytes, Rate};
use fabricsim_core::network::{LineTable, LineTiming, LinkConfig};
use fabricsim_core::plugin::quirks::TimeUnit;
use fabricsim_topology::Port;

/// A table of published times covers packets below this size, in bytes.
const TABLE_BYTES: u16 = 10_000;

/// Transmission times of links. Links of the same rate share one table.
#[derive(Debug)]
pub struct Timings {
    unit: TimeUnit,
    tables: BTreeMap<Rate, LineTiming>,
}

impl Timings {
    /// Returns an empty set of times in `unit`.
    #[must_use]
    pub const fn new(unit: TimeUnit) -> Self {
        Self {
            unit,
            tables: BTreeMap::new(),
        }
    }

    /// Returns the transmission times of links of `rate`.
    pub fn of(&mut self, rate: Rate) -> LineTiming {
        let unit = self.unit;
        self.tables
            .entry(rate)
            .or_insert_with(|| match unit {
                TimeUnit::Picosecond => LineTiming::new(rate),
                TimeUnit::Nanosecond => {
                    let time = |wire| {
                        rate.transmission_truncated_ns(Bytes::new(u64::from(wire)))
                            .as_ps()
                    };
                    LineTiming::Table(Arc::new(LineTable {
                        times: (0..TABLE_BYTES).map(time).collect(),
                        rate,
                    }))
                }
            })
            .clone()
    }

    /// Returns the link that leaves `node` through `port`. Its losses are drawn from `seed`.
    pub(crate) fn link(&mut self, port: &Port, node: NodeId, seed: u64) -> LinkConfig {
        LinkConfig {
            rate: port.rate,
            timing: self.of(port.rate),
            delay: port.delay,
            loss: (port.loss > 0.0).then(|| (port.loss, loss_stream(port, node, seed))),
        }
    }
}

/// Returns the random stream that decides which packets leaving `node` through `port` are lost. The
/// two directions of a link lose packets independently.
#[must_use]
pub fn loss_stream(port: &Port, node: NodeId, seed: u64) -> Stream {
    let direction = u64::from(port.link) * 2 + u64::from(node > port.peer);
    Stream::new(seed, direction, Purpose::Loss)
}
