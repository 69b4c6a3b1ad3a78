//! The largest use of each switch's buffer in a run: `buffers.csv`, and its short form in the
//! summary.

use std::io::{self, Write};

use fabricsim_base::id::NodeId;
use fabricsim_base::units::Bytes;
use fabricsim_core::plugin::BufferUse;
use fabricsim_report::observed::{SwitchBuffer, write_buffers as write_rows};
use fabricsim_scenario::scenario::Scenario;
use serde::{Deserialize, Serialize};

use super::Buffers;
use crate::simulation::Simulation;

/// Name of the file with the largest use of each switch's buffer.
pub(crate) const BUFFERS: &str = "buffers.csv";

/// The largest uses over all switches, in `summary.json`.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct BufferSummary {
    /// The most bytes in the shared part of a switch's buffer.
    pub shared_max_bytes: u64,
    /// `true` if this many bytes were used. Otherwise no switch ever used more, and no threshold was
    /// near.
    pub shared_max_is_exact: bool,
    /// The switch that used them.
    pub shared_max_switch: String,
    /// The shared part of its buffer.
    pub shared_bytes: u64,
    /// The unused bytes of that part.
    pub shared_left_bytes: u64,
    /// The most bytes in the headroom of one port and priority.
    pub headroom_max_bytes: u64,
    /// The switch of that port.
    pub headroom_max_switch: String,
    /// The headroom of one priority of that port.
    pub headroom_bytes: u64,
    /// The unused bytes of that headroom.
    pub headroom_left_bytes: u64,
}

/// Returns the largest use of the buffer of each switch in `simulation`, built from `scenario`.
fn largest_uses(scenario: &Scenario, simulation: &Simulation) -> Vec<SwitchBuffer> {
    let buffers = Buffers::new(scenario);
    let uses = simulation.buffer_uses().into_iter();
    uses.map(|(node, largest)| buffers.used(node, &largest))
        .collect()
}

impl Buffers<'_> {
    /// Returns the largest use of the buffer of `switch`.
    fn used(&self, switch: NodeId, largest: &BufferUse) -> SwitchBuffer {
        let ports = self.ports(switch);
        let config = self.config(&ports);
        let set_aside = config.set_aside(&ports);
        let headroom: Bytes = ports.iter().map(|port| config.headroom_of(port)).sum();
        let fullest = ports.get(largest.fullest.index());
        SwitchBuffer {
            node: switch,
            switch: self.scenario.topology().name(switch).to_owned(),
            ports: ports.len(),
            buffer: config.size,
            set_aside,
            shared: config.size.saturating_sub(set_aside),
            shared_max: largest.shared,
            is_exact: largest.is_exact,
            headroom: headroom.saturating_mul(u64::from(config.priorities.max(1))),
            headroom_max: largest.headroom,
            port: largest.fullest,
            port_headroom: fullest.map_or(Bytes::ZERO, |port| config.headroom_of(port)),
            port_headroom_max: largest.in_fullest,
        }
    }
}

/// Returns the largest uses over all switches; `None` without a switch that knows its use.
pub(crate) fn summary_of(scenario: &Scenario, simulation: &Simulation) -> Option<BufferSummary> {
    let uses = largest_uses(scenario, simulation);
    // Of equal switches, the first one counts.
    let mut uses = uses.iter().rev();
    let first = uses.next()?;
    let (shared, deep) = uses.fold((first, first), |(shared, deep), own| {
        (
            if (own.is_exact, own.shared_max) >= (shared.is_exact, shared.shared_max) {
                own
            } else {
                shared
            },
            if own.port_headroom_max >= deep.port_headroom_max {
                own
            } else {
                deep
            },
        )
    });
    Some(BufferSummary {
        shared_max_bytes: shared.shared_max.get(),
        shared_max_is_exact: shared.is_exact,
        shared_max_switch: shared.switch.clone(),
        shared_bytes: shared.shared.get(),
        shared_left_bytes: shared.shared.saturating_sub(shared.shared_max).get(),
        headroom_max_bytes: deep.port_headroom_max.get(),
        headroom_max_switch: deep.switch.clone(),
        headroom_bytes: deep.port_headroom.get(),
        headroom_left_bytes: deep
            .port_headroom
            .saturating_sub(deep.port_headroom_max)
            .get(),
    })
}

/// Writes `buffers.csv`: one row for each switch.
pub(crate) fn write_buffers(
    out: &mut impl Write,
    scenario: &Scenario,
    simulation: &Simulation,
) -> io::Result<()> {
    write_rows(out, &largest_uses(scenario, simulation))
}
