//! Configurations with their topologies, flows and traces: the published simulator's folder `mix`,
//! and ConWeave's.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use fabricsim_base::id::NodeId;
use fabricsim_base::input::InputError;
use fabricsim_base::units::Rate;
use fabricsim_topology::{Topology, parse_hpcc, parse_hpcc_links};

use super::importer::{Importer, InputFile, Job};
use super::{Configuration, Dialect, Imported, Surroundings, read_trace_nodes};
use crate::text::error::Error;
use crate::text::file_kind::FileKind;
use crate::text::input_file::read_text;

/// The published simulator of HPCC.
pub(super) struct Hpcc;

/// ConWeave's simulator.
pub(super) struct ConWeave;

impl Importer for Hpcc {
    fn name(&self) -> &'static str {
        "hpcc"
    }

    fn about(&self) -> &'static str {
        "the published HPCC simulator: config.txt, with its topology, flows and traced nodes"
    }

    fn recognizes(&self, file: &InputFile) -> bool {
        Dialect::of(&file.text) == Some(Dialect::Published)
    }

    fn import(&self, job: &Job) -> Result<Imported, Error> {
        configured(job, job.only(self), Dialect::Published)
    }
}

impl Importer for ConWeave {
    fn name(&self) -> &'static str {
        "conweave"
    }

    fn about(&self) -> &'static str {
        "conweave-ns3: config.txt of a run, with its topology and flows"
    }

    fn recognizes(&self, file: &InputFile) -> bool {
        Dialect::of(&file.text) == Some(Dialect::ConWeave)
    }

    fn import(&self, job: &Job) -> Result<Imported, Error> {
        configured(job, job.only(self), Dialect::ConWeave)
    }
}

/// Converts the configuration in `file` to a scenario.
fn configured(job: &Job, file: &InputFile, dialect: Dialect) -> Result<Imported, Error> {
    let at = |error: InputError| file.error(error);
    let config = Configuration::parse_as(&file.text, dialect, job.unknown)
        .map_err(|errors| file.errors(errors))?;
    let base = base(job, file, &config);
    for key in ["TOPOLOGY_FILE", "FLOW_FILE"] {
        if let Some((name, span)) = config.file(key) {
            let path = base.join(name);
            if !path.exists() {
                return Err(at(InputError::new(
                    span,
                    format!("{key}: there is no file `{}`", path.display()),
                    "give the folder to which its paths are relative with --base (the folder of run.py, \
                     if that wrote the configuration)",
                )));
            }
        }
    }
    let network = Network::read(file, &config, &base)?;
    let imported = config.to_scenario(&Surroundings {
        name: &job.name,
        source: &file.name(),
        path: &|name| job.path_in_scenario(&base.join(name)),
        rates: &network.rates,
        traced: &network.traced,
        unmarked: &[],
        racks: &network.racks,
        more_links: network.more_links,
        more_flows: network.flows.more,
        smallest_flow: network.flows.smallest,
        left_out: &[],
        files: &[],
    });
    imported.map_err(|errors| file.errors(errors))
}

/// Returns the base folder of relative paths in `config`. If the user does not give it, it is the
/// configuration's own folder or the nearest parent folder that contains its topology.
fn base(job: &Job, file: &InputFile, config: &Configuration<'_>) -> PathBuf {
    /// Number of folders to search, from its own upwards: ConWeave's run.py writes
    /// `mix/output/ID/config.txt`, and runs in the parent folder of `mix`.
    const AROUND: usize = 4;
    if let Some(base) = &job.base {
        return base.clone();
    }
    let own = match file.path.parent() {
        Some(folder) if folder != Path::new("") => folder.to_owned(),
        _ => PathBuf::from("."),
    };
    let Some((topology, _)) = config.file("TOPOLOGY_FILE") else {
        return own;
    };
    let mut folder = own.clone();
    for _ in 0..AROUND {
        if folder.join(topology).exists() {
            return folder;
        }
        folder = around(&folder);
    }
    own
}

/// Returns the parent of `folder`.
fn around(folder: &Path) -> PathBuf {
    match folder.file_name().and_then(|_| folder.parent()) {
        Some(parent) if parent == Path::new("") => PathBuf::from("."),
        Some(parent) => parent.to_owned(),
        None if folder == Path::new(".") => PathBuf::from(".."),
        None => folder.join(".."),
    }
}

/// Properties of the network, from the files that a configuration names.
#[derive(Debug, Default)]
struct Network {
    /// Rates of links, ascending.
    rates: Vec<Rate>,
    /// Nodes with a trace.
    traced: Vec<u32>,
    /// Switches with hosts, ascending.
    racks: Vec<u32>,
    /// `true` if the topology file continues after the announced links.
    more_links: bool,
    flows: Flows,
}

/// Properties of a list of flows.
#[derive(Debug, Default)]
struct Flows {
    /// Size of the smallest flow, in bytes.
    smallest: Option<u64>,
    /// `true` if the list continues after the announced flows.
    more: bool,
}

impl Network {
    fn read(file: &InputFile, config: &Configuration<'_>, base: &Path) -> Result<Self, Error> {
        let read = |kind, name: &str| {
            let path = base.join(name);
            let text = read_text(kind, &path)?;
            Ok::<_, Error>(InputFile { path, text })
        };
        let mut network = Self::default();
        let mut nodes = 0;
        // If the topology is missing, the table that needs it reports this.
        if let Some((name, _)) = config.file("TOPOLOGY_FILE") {
            let list = read(FileKind::TOPOLOGY, name)?;
            let topology = match parse_hpcc(&list.text) {
                Ok(topology) => topology,
                // An error within the links is an error for both functions.
                Err(_) => {
                    network.more_links = true;
                    parse_hpcc_links(&list.text).map_err(|error| list.error(error))?
                }
            };
            let rates: BTreeSet<Rate> = topology.rates().collect();
            network.rates = rates.into_iter().collect();
            network.racks = racks(&topology);
            nodes = u32::try_from(topology.len()).unwrap_or(u32::MAX);
        }
        if let Some((name, _)) = config.file("FLOW_FILE") {
            network.flows = Flows::of(&read(FileKind::FLOWS, name)?, config.dialect());
        }
        let traced = config.trace_file().map_err(|error| file.error(error))?;
        if let Some((name, _)) = traced {
            let list = read(FileKind::TRACE, name)?;
            let traced = read_trace_nodes(&list.text, nodes);
            network.traced = traced.map_err(|error| list.error(error))?;
        }
        Ok(network)
    }
}

impl Flows {
    /// Reads `list` up to the first line that is not a flow; reading the scenario finds errors.
    fn of(list: &InputFile, dialect: Dialect) -> Self {
        // ConWeave's flows have no destination port.
        let size_column = match dialect {
            Dialect::ConWeave => 3,
            Dialect::Published | Dialect::SimAi => 4,
        };
        let mut flows = Self::default();
        let mut lines = list.lines();
        let announced = lines.next().and_then(|line| line.parse::<usize>().ok());
        let Some(announced) = announced else {
            return flows;
        };
        for line in lines.by_ref().take(announced) {
            let words: Vec<&str> = line.split_whitespace().collect();
            let number = |column: usize| words.get(column)?.parse::<u64>().ok();
            if let Some(size) = number(size_column) {
                flows.smallest = Some(flows.smallest.map_or(size, |least| least.min(size)));
            }
        }
        flows.more = lines.next().is_some();
        flows
    }
}

/// Returns the switches with hosts.
fn racks(topology: &Topology) -> Vec<u32> {
    let has_host = |switch: &NodeId| {
        let mut ports = topology.ports(*switch).iter();
        ports.any(|port| topology.is_host(port.peer))
    };
    let racks = topology.switches().filter(has_host);
    racks.map(|switch| switch.0).collect()
}
