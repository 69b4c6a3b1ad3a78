//! Builds the network of a `[topology]` table.

use std::path::Path;

use fabricsim_topology::{AnyTopology, Topology};

use crate::read::referenced::read_referenced;
use crate::schema::host::HostSettings;
use crate::schema::part::{Part, Reason, Refused};
use crate::schema::switch::SwitchSettings;
use crate::text::error::Error;
use crate::text::file_kind::FileKind;

/// Builds the network of `config`; its file is relative to `base`.
///
/// # Errors
/// Fails at the first key that the builder rejects, and at the first error in the file.
pub(crate) fn build_topology(config: &dyn AnyTopology, base: &Path) -> Result<Topology, Reason> {
    if let Some(built) = config.build() {
        return Ok(built?);
    }
    let path = config
        .path()
        .expect("what is not built is read from a file");
    let path = base.join(path);
    let text = read_referenced("path", FileKind::TOPOLOGY, &path)?;
    let network = config.read(&text);
    Ok(network.map_err(|error| Error::input(&path.display().to_string(), &text, error))?)
}

/// Returns `topology` with the stacks of `host` and the aggregators of `switch`.
///
/// # Errors
/// Fails at the first key that makes an impossible network.
pub(crate) fn completed(
    topology: Topology,
    host: &HostSettings,
    switch: &SwitchSettings,
) -> Result<Topology, Refused> {
    let topology = host.apply(topology);
    let topology = topology.map_err(|error| Part::Host.refused(error))?;
    if !host.forward
        && let Some((a, b)) = topology.hosts_apart()
    {
        return Err(Part::Topology.refused_whole(
            format!(
                "{} and {} cannot reach each other through switches, and hosts do not forward",
                topology.label(a),
                topology.label(b)
            ),
            "add links so that switches join them, or write [host] forward = true",
        ));
    }
    let grown = switch.with_aggregators(topology);
    grown.map_err(|error| Part::Switch.refused(error))
}
