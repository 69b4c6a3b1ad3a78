//! SimAI: topologies, network configurations, and workloads of AICB.

use std::collections::BTreeSet;

use fabricsim_base::input::InputError;
use fabricsim_base::units::Rate;
use fabricsim_topology::{Topology, parse_hpcc};
use fabricsim_workload::{is_simai_workload, simai_passed_over};

use super::config::Configuration;
use super::dialect::Dialect;
use super::importer::{Importer, InputFile, Job, preamble};
use super::lines::Lines;
use super::{Imported, LeftOut, Surroundings, network};
use crate::text::error::Error;

/// SimAI's ns-3 front end.
pub(super) struct SimAi;

impl Importer for SimAi {
    fn name(&self) -> &'static str {
        "simai"
    }

    fn about(&self) -> &'static str {
        "SimAI: a topology of gen_Topo_Template.py, with SimAI.conf and a workload of AICB or without"
    }

    fn recognizes(&self, file: &InputFile) -> bool {
        is_topology(file) || is_simai_workload(&file.text) || is_configuration(file)
    }

    fn import(&self, job: &Job) -> Result<Imported, Error> {
        let files = Files::of(job)?;
        let topology = &files.topology;
        let network = parse_hpcc(&topology.text).map_err(|error| topology.error(error))?;
        let left_out = files.left_out()?;
        let tables = files.tables(job, &network);
        let Some(file) = files.configuration else {
            return Ok(plain(job, topology, left_out, &tables));
        };
        let config = Configuration::parse_as(&file.text, Dialect::SimAi, job.unknown)
            .map_err(|errors| file.errors(errors))?;
        let (rates, inner) = rates(&network);
        let imported = config.to_scenario(&Surroundings {
            name: &job.name,
            source: &file.name(),
            path: &|name| name.to_owned(),
            rates: &rates,
            unmarked: &inner,
            traced: &[],
            racks: &[],
            more_links: false,
            more_flows: false,
            smallest_flow: None,
            left_out: &left_out,
            files: &tables,
        });
        imported.map_err(|errors| file.errors(errors))
    }
}

fn is_topology(file: &InputFile) -> bool {
    let first = file.text.trim_start().lines().next().unwrap_or_default();
    let words: Vec<&str> = first.split_whitespace().collect();
    let is_number = |word: &&str| word.parse::<u64>().is_ok();
    words.len() == 6 && words[..5].iter().all(is_number) && !is_number(&words[5])
}

fn is_configuration(file: &InputFile) -> bool {
    Dialect::of(&file.text) == Some(Dialect::SimAi)
}

/// The files of a job.
struct Files<'j> {
    topology: &'j InputFile,
    configuration: Option<&'j InputFile>,
    workload: Option<&'j InputFile>,
}

impl<'j> Files<'j> {
    fn of(job: &'j Job) -> Result<Self, Error> {
        let only = |is_one: &dyn Fn(&InputFile) -> bool, what: &str| {
            let mut found = job.files.iter().filter(|file| is_one(file));
            let first = found.next();
            found.next().map_or(Ok(first), |second| {
                Err(second.error(InputError::new(
                    0..0,
                    format!("this is a second {what}"),
                    "give one of each kind: a topology, a configuration, a workload",
                )))
            })
        };
        let configuration = only(&is_configuration, "configuration")?;
        let workload = only(&|file| is_simai_workload(&file.text), "workload")?;
        let topology = only(&is_topology, "topology")?;
        let topology = topology.ok_or_else(|| {
            job.files[0].error(InputError::new(
                0..0,
                "there is no topology for this file",
                "also give the file of gen_Topo_Template.py (option -n of SimAI): fabricsim import \
                 SimAI.conf TOPOLOGY WORKLOAD",
            ))
        })?;
        Ok(Self {
            topology,
            configuration,
            workload,
        })
    }

    /// Returns omitted parts of the topology and of the workload, and differences.
    fn left_out(&self) -> Result<Vec<LeftOut>, Error> {
        let mut left_out = Vec::new();
        match self.workload {
            None => left_out.push(LeftOut::new(
                "traffic",
                "a topology has none: it is an all-reduce of 64 MB among all GPUs; give a workload of \
                 AICB, too, or read traces of Chakra by `fabricsim import-trace`",
            )),
            Some(file) => {
                let passed = simai_passed_over(&file.text).map_err(|error| file.error(error))?;
                left_out.extend(
                    passed
                        .into_iter()
                        .map(|(what, why)| LeftOut::new(what, why)),
                );
                left_out.push(LeftOut::new(
                    "collectives",
                    "one ring or direct messages, which start at once; SimAI has a ring for each GPU of \
                     a server in the group, NVLS and PXN, and delays of AS_SEND_LAT",
                ));
            }
        }
        left_out.push(LeftOut::new(
            "gpu_type",
            "it has no effect: the workload has the computation times",
        ));
        left_out.push(LeftOut::new(
            "NVSwitch",
            "if GPUs of a server also share a leaf, SimAI prefers the NVSwitch; here both paths are \
             equal",
        ));
        Ok(left_out)
    }

    /// Returns the tables of the network and of the traffic: headers, keys and values in TOML
    /// syntax.
    fn tables(&self, job: &Job, network: &Topology) -> Vec<Table<'static>> {
        let text = |text: &str| super::lines::quoted(text);
        let path = |file: &InputFile| text(&job.path_in_scenario(&file.path));
        let topology = vec![("kind", text("file")), ("path", path(self.topology))];
        let workload = match self.workload {
            Some(file) => vec![("kind", text("graph")), ("path", path(file))],
            None => vec![
                ("kind", text("collective")),
                ("operation", text("all-reduce")),
                ("ranks", network.hosts().len().to_string()),
                ("size", text("64MB")),
            ],
        };
        vec![("[topology]", topology), ("[[workload]]", workload)]
    }
}

/// A header, and keys with their values in TOML syntax.
type Table<'a> = (&'a str, Vec<(&'a str, String)>);

/// Returns the scenario of a topology without a configuration.
fn plain(
    job: &Job,
    topology: &InputFile,
    left_out: Vec<LeftOut>,
    tables: &[Table<'_>],
) -> Imported {
    let mut lines = Lines::default();
    let sources: Vec<String> = job.files.iter().map(InputFile::name).collect();
    preamble(&sources, &left_out, &mut lines);
    lines.text_key("name", &job.name);
    write_tables(tables, &mut lines);
    lines.table("[cc]");
    lines.text_key("kind", "hpcc");
    let (text, origins) = lines.finish();
    Imported {
        text,
        left_out,
        source: topology.clone(),
        origins,
    }
}

fn write_tables(tables: &[Table<'_>], lines: &mut Lines) {
    for (header, keys) in tables {
        lines.table(header);
        for (key, value) in keys {
            lines.plain_key(key, value);
        }
    }
}

/// Returns two lists of the rates of links, ascending. The first is of links with an end at a
/// switch between servers, or between hosts; the second is of all rates that only other links have.
fn rates(network: &Topology) -> (Vec<Rate>, Vec<Rate>) {
    let (mut inner, mut outer) = (BTreeSet::new(), BTreeSet::new());
    for link in network.links() {
        match network.is_inner(link.a) || network.is_inner(link.b) {
            true => inner.insert(link.rate),
            false => outer.insert(link.rate),
        };
    }
    let inner = inner.difference(&outer).copied().collect();
    (outer.into_iter().collect(), inner)
}

/// Writes the network and the traffic.
pub(super) fn write_network(
    config: &Configuration<'_>,
    around: &Surroundings<'_>,
    lines: &mut Lines,
) -> Result<(), InputError> {
    for table in around.files {
        write_tables(std::slice::from_ref(table), lines);
        if table.0 == "[topology]" {
            network::write_losses(config, lines)?;
        }
    }
    Ok(())
}
