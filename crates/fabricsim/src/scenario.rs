//! A scenario: everything that decides what a simulation does, read from one TOML text.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use fabricsim_core::input::ConfigError;
use fabricsim_core::plugin::{Fidelity, LawContext};
use fabricsim_core::units::{Bytes, Rate};
use fabricsim_topology::{FileConfig, Topology, TopologyConfig, parse_hpcc};
use fabricsim_transport::rdma::RdmaConfig;
use fabricsim_workload::{FlowTimes, Host, SizeCdf, WorkloadConfig, WorkloadContext};
use serde::Serialize;
use toml::de::DeTable;

use crate::document::{Document, Section};
use crate::error::Error;
use crate::registry::CcConfig;
use crate::settings::{
    Keys, OutputSettings, Profile, RoutingSettings, RunSettings, SwitchSettings,
};
use crate::wording::suggest;

/// The keys of a scenario outside its tables.
pub const ROOT_KEYS: &[(&str, &str)] = &[
    ("name", "names the results (default: the file's name)"),
    (
        "seed",
        "seed of every random stream, 0 to 2^63 - 1 (default 1)",
    ),
    (
        "profile",
        "\"ns3-hpcc\": the quirks and defaults of the published simulator (default none)",
    ),
];

const TABLES: &[&str] = &[
    "name",
    "seed",
    "profile",
    "topology",
    "switch",
    "transport",
    "routing",
    "workload",
    "cc",
    "run",
    "output",
];

/// A scenario that has been read, checked and given its topology.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// Names the results.
    pub name: String,
    /// Seed of every random stream.
    pub seed: u64,
    /// Whose quirks to take over.
    pub profile: Option<Profile>,
    /// Where the network comes from.
    pub topology_config: TopologyConfig,
    /// The network.
    pub topology: Arc<Topology>,
    /// The switches.
    pub switch: SwitchSettings,
    /// The transport.
    pub transport: RdmaConfig,
    /// The routes.
    pub routing: RoutingSettings,
    /// The traffic, in the order of the scenario: a flow's class is its place here.
    pub workloads: Vec<WorkloadConfig>,
    /// The law.
    pub cc: CcConfig,
    /// When to stop.
    pub run: RunSettings,
    /// Where results go.
    pub output: OutputSettings,
}

impl Scenario {
    /// Reads a scenario from `text`. Paths in it are relative to the working folder.
    ///
    /// # Errors
    /// The first mistake, with its place and the remedy.
    pub fn from_toml(text: &str) -> Result<Self, Error> {
        Self::read("scenario", text, Path::new("."))
    }

    /// Reads the scenario file at `path`, changed by `overrides` (`key=value`, dotted keys). Paths in
    /// it are relative to the file.
    ///
    /// # Errors
    /// When the file cannot be read, and the first mistake in it.
    pub fn from_file(path: &Path, overrides: &[String]) -> Result<Self, Error> {
        let text = read_file("the scenario", path)?;
        let base = path.parent().unwrap_or_else(|| Path::new("."));
        Self::from_text(&path.display().to_string(), &text, base, overrides)
    }

    /// Reads a scenario from `text`, called `source` in messages and changed by `overrides`. Paths
    /// in it are relative to `base`.
    ///
    /// # Errors
    /// The first mistake, with its place and the remedy.
    pub fn from_text(
        source: &str,
        text: &str,
        base: &Path,
        overrides: &[String],
    ) -> Result<Self, Error> {
        if overrides.is_empty() {
            return Self::read(source, text, base);
        }
        // Broken TOML is reported as it stands in the file.
        Document { name: source, text }.parse()?;
        let changed = crate::overrides::apply(source, text, overrides)?;
        Self::read(&format!("{source} (with --set)"), &changed, base)
    }

    fn read(source: &str, text: &str, base: &Path) -> Result<Self, Error> {
        let document = Document { name: source, text };
        let mut root = document.parse()?;
        document.refuse_unknown(&root, TABLES)?;
        let stem = Path::new(source)
            .file_stem()
            .map_or_else(|| "run".into(), |stem| stem.to_string_lossy());
        let name = match root.remove("name") {
            None => stem.into_owned(),
            Some(value) => match value.get_ref().as_str() {
                Some(name) if is_plain(name) => name.to_owned(),
                _ => {
                    return Err(document.mistake(
                        value.span(),
                        "a name is letters, digits, dots, dashes and underscores in quotes",
                        "write it like \"fat320-websearch-50\"",
                    ));
                }
            },
        };
        let seed = read_seed(&document, &mut root)?;
        let profile = read_profile(&document, &mut root)?;
        let fidelity = fidelity(profile);
        let (topology_config, topology) = read_topology(&document, &mut root, base)?;
        let topology = Arc::new(topology);
        let mut tables = Tables {
            document: &document,
            root: &mut root,
        };
        let nic_rate = nic_rate(&topology);
        let switch = tables.take("switch", SwitchSettings::KEYS, |switch: &SwitchSettings| {
            switch.validate()?;
            switch.validate_for(&topology, nic_rate, fidelity)
        })?;
        let transport = tables.take("transport", RdmaConfig::KEYS, RdmaConfig::validate)?;
        let routing = tables.take("routing", RoutingSettings::KEYS, |_: &RoutingSettings| {
            Ok(())
        })?;
        let run = tables.take("run", RunSettings::KEYS, RunSettings::validate)?;
        let output = tables.take("output", OutputSettings::KEYS, |_: &OutputSettings| Ok(()))?;
        let cc = match document.section(&mut root, "cc")? {
            Some(section) => CcConfig::read(&document, section)?,
            None => {
                return Err(document.mistake(
                    text.len()..text.len(),
                    "the scenario has no [cc] table",
                    "add `[cc]` and `kind = \"hpcc\"`; `fabricsim list` shows all laws",
                ));
            }
        };
        let sections = document.sections(&mut root, "workload")?;
        if sections.is_empty() {
            return Err(document.mistake(
                text.len()..text.len(),
                "the scenario has no [[workload]] table, so nothing would be sent",
                "add `[[workload]]` with `kind = \"poisson\"`; `fabricsim list` shows all workloads",
            ));
        }
        let hosts = hosts(&topology);
        let workloads = sections
            .into_iter()
            .enumerate()
            .map(|(index, section)| {
                let context = WorkloadContext {
                    hosts: Arc::clone(&hosts),
                    seed,
                    index: index as u64,
                };
                read_workload(&document, section, base, &context, fidelity)
            })
            .collect::<Result<_, _>>()?;
        Ok(Self {
            name,
            seed,
            profile,
            topology_config,
            topology,
            switch,
            transport,
            routing,
            workloads,
            cc,
            run,
            output,
        })
    }

    /// Whose arithmetic the simulation uses.
    #[must_use]
    pub const fn fidelity(&self) -> Fidelity {
        fidelity(self.profile)
    }

    /// The most common rate of the hosts' NIC ports, the highest of equally common ones.
    #[must_use]
    pub fn nic_rate(&self) -> Rate {
        nic_rate(&self.topology)
    }

    /// The distinct rates of all links, ascending.
    #[must_use]
    pub fn link_rates(&self) -> Vec<Rate> {
        let mut rates: Vec<Rate> = self.topology.links().iter().map(|link| link.rate).collect();
        rates.sort_unstable();
        rates.dedup();
        rates
    }

    /// What workload `index` is built with.
    #[must_use]
    pub fn workload_context(&self, index: usize) -> WorkloadContext {
        WorkloadContext {
            hosts: hosts(&self.topology),
            seed: self.seed,
            index: index as u64,
        }
    }

    /// The folder of the results.
    #[must_use]
    pub fn output_dir(&self) -> PathBuf {
        self.output
            .dir
            .clone()
            .unwrap_or_else(|| Path::new("results").join(&self.name))
    }

    /// Every setting with its value, defaults filled in, as it stands in `summary.json`.
    #[must_use]
    pub fn resolved(&self) -> serde_json::Value {
        let nic_rate = self.nic_rate();
        let link_rates = self.link_rates();
        let context = LawContext {
            nic_rate,
            link_rates: &link_rates,
            fidelity: self.fidelity(),
        };
        let workloads: Vec<serde_json::Value> = self
            .workloads
            .iter()
            .map(|workload| tagged(workload.kind(), &workload_value(workload)))
            .collect();
        serde_json::json!({
            "name": self.name,
            "seed": self.seed,
            "profile": self.profile,
            "topology": tagged(self.topology_config.name(), &topology_value(&self.topology_config)),
            "switch": self.switch.resolved(nic_rate, self.fidelity()),
            "transport": self.transport,
            "routing": self.routing.resolved(self.seed, self.fidelity()),
            "workload": workloads,
            "cc": self.cc.resolved(&context),
            "run": self.run,
        })
    }
}

fn nic_rate(topology: &Topology) -> Rate {
    let mut rates: Vec<Rate> = topology
        .hosts()
        .iter()
        .flat_map(|&host| topology.ports(host).iter().map(|port| port.rate))
        .collect();
    rates.sort_unstable();
    rates
        .chunk_by(|a, b| a == b)
        .max_by_key(|same| (same.len(), same[0]))
        .map_or(Rate::from_gbps(100), |same| same[0])
}

const fn fidelity(profile: Option<Profile>) -> Fidelity {
    match profile {
        None => Fidelity::Exact,
        Some(Profile::Ns3Hpcc) => Fidelity::Published,
    }
}

fn is_plain(name: &str) -> bool {
    !name.is_empty()
        && !name.starts_with('.')
        && name
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '.' | '-' | '_'))
}

fn to_value(settings: &impl Serialize) -> serde_json::Value {
    serde_json::to_value(settings).expect("settings are plain tables")
}

/// A table with its kind in front.
fn tagged(kind: &str, settings: &serde_json::Value) -> serde_json::Value {
    let mut table = serde_json::Map::new();
    table.insert("kind".to_owned(), kind.into());
    if let Some(keys) = settings.as_object() {
        table.extend(
            keys.iter()
                .filter(|(_, value)| !value.is_null())
                .map(|(k, v)| (k.clone(), v.clone())),
        );
    }
    table.into()
}

fn topology_value(config: &TopologyConfig) -> serde_json::Value {
    match config {
        TopologyConfig::FatTree(config) => to_value(config),
        TopologyConfig::LeafSpine(config) => to_value(config),
        TopologyConfig::Dumbbell(config) => to_value(config),
        TopologyConfig::Star(config) => to_value(config),
        TopologyConfig::Chain(config) => to_value(config),
        TopologyConfig::File(config) => to_value(config),
    }
}

fn workload_value(config: &WorkloadConfig) -> serde_json::Value {
    match config {
        WorkloadConfig::AllToAll(config) => to_value(config),
        WorkloadConfig::Incast(config) => to_value(config),
        WorkloadConfig::List(config) => to_value(config),
        WorkloadConfig::Permutation(config) => to_value(config),
        WorkloadConfig::Poisson(config) => to_value(config),
    }
}

fn read_file(what: &'static str, path: &Path) -> Result<String, Error> {
    std::fs::read_to_string(path).map_err(|source| Error::Read {
        what,
        path: path.to_owned(),
        source,
    })
}

fn hosts(topology: &Topology) -> Arc<[Host]> {
    topology
        .hosts()
        .iter()
        .map(|&id| {
            let bps = topology
                .ports(id)
                .iter()
                .map(|port| port.rate.as_bps())
                .sum();
            Host {
                id,
                rate: Rate::from_bps(bps).expect("a host has a link, and a link a rate"),
            }
        })
        .collect()
}

/// The tables whose keys all have defaults.
struct Tables<'d, 'a> {
    document: &'d Document<'a>,
    root: &'d mut DeTable<'a>,
}

impl Tables<'_, '_> {
    fn take<T: serde::de::DeserializeOwned + Default>(
        &mut self,
        name: &str,
        keys: Keys,
        validate: impl Fn(&T) -> Result<(), ConfigError>,
    ) -> Result<T, Error> {
        let Some(section) = self.document.section(self.root, name)? else {
            return Ok(T::default());
        };
        let settings: T = self.document.settings(&section, keys)?;
        validate(&settings).map_err(|error| self.document.refuse(&section, error))?;
        Ok(settings)
    }
}

fn read_seed(document: &Document<'_>, root: &mut DeTable<'_>) -> Result<u64, Error> {
    let Some(value) = root.remove("seed") else {
        return Ok(1);
    };
    value
        .get_ref()
        .as_integer()
        .and_then(|integer| u64::from_str_radix(integer.as_str(), integer.radix()).ok())
        .filter(|&seed| i64::try_from(seed).is_ok())
        .ok_or_else(|| {
            document.mistake(
                value.span(),
                "a seed is a whole number from 0 to 2^63 - 1",
                "write it like `seed = 1`",
            )
        })
}

fn read_profile(document: &Document<'_>, root: &mut DeTable<'_>) -> Result<Option<Profile>, Error> {
    let Some(value) = root.remove("profile") else {
        return Ok(None);
    };
    match value.get_ref().as_str() {
        Some("ns3-hpcc") => Ok(Some(Profile::Ns3Hpcc)),
        Some(name) => Err(document.mistake(
            value.span(),
            format!("there is no profile `{name}`"),
            suggest(name, Profile::NAMES),
        )),
        None => Err(document.mistake(
            value.span(),
            "a profile is a name in quotes",
            format!("write one of: {}", Profile::NAMES.join(", ")),
        )),
    }
}

fn read_topology<'a>(
    document: &Document<'a>,
    root: &mut DeTable<'a>,
    base: &Path,
) -> Result<(TopologyConfig, Topology), Error> {
    let Some(mut section) = document.section(root, "topology")? else {
        return Err(document.mistake(
            document.text.len()..document.text.len(),
            "the scenario has no [topology] table",
            "add `[topology]` and `kind = \"fat-tree\"`; `fabricsim list` shows all topologies",
        ));
    };
    let kinds: Vec<&'static str> = fabricsim_topology::KINDS
        .iter()
        .map(|(name, ..)| *name)
        .collect();
    let kind = document.kind(&mut section, &kinds)?;
    let keys = keys_of(fabricsim_topology::KINDS, kind);
    let config = match kind {
        "fat-tree" => TopologyConfig::FatTree(document.settings(&section, keys)?),
        "leaf-spine" => TopologyConfig::LeafSpine(document.settings(&section, keys)?),
        "dumbbell" => TopologyConfig::Dumbbell(document.settings(&section, keys)?),
        "star" => TopologyConfig::Star(document.settings(&section, keys)?),
        "chain" => TopologyConfig::Chain(document.settings(&section, keys)?),
        "file" => TopologyConfig::File(document.settings(&section, keys)?),
        _ => unreachable!("`kind` answers with one of the names it was given"),
    };
    let topology = match (&config, config.build()) {
        (_, Some(built)) => built.map_err(|error| document.refuse(&section, error))?,
        (TopologyConfig::File(FileConfig { path }), None) => {
            let path = base.join(path);
            let text = read_referenced(document, &section, "path", "the topology", &path)?;
            parse_hpcc(&text)
                .map_err(|error| Error::input(&path.display().to_string(), &text, error))?
        }
        (_, None) => unreachable!("only files are not built from their settings"),
    };
    Ok((config, topology))
}

/// The keys of `kind` in a list of kinds.
fn keys_of(kinds: &[(&str, &str, Keys)], kind: &str) -> Keys {
    kinds
        .iter()
        .find(|(name, ..)| *name == kind)
        .map_or(&[], |(_, _, keys)| keys)
}

/// Reads a file that a section names; a missing one is a mistake at that place of the scenario.
fn read_referenced(
    document: &Document<'_>,
    section: &Section<'_>,
    key: &str,
    what: &str,
    path: &Path,
) -> Result<String, Error> {
    std::fs::read_to_string(path).map_err(|error| {
        document.mistake(
            Document::place(section, key),
            format!(
                "{}, key `{key}`: cannot read {what} `{}`: {error}",
                section.title,
                path.display()
            ),
            "give a file that exists; paths are relative to the scenario file",
        )
    })
}

/// `sizes` that are no built-in law, no size and no file.
fn unknown_sizes(document: &Document<'_>, section: &Section<'_>, name: &str) -> Error {
    let wrong = |message: String, help: String| {
        let message = format!("{}, key `sizes`: {message}", section.title);
        document.mistake(Document::place(section, "sizes"), message, help)
    };
    if name.starts_with(|c: char| c.is_ascii_digit()) {
        return match name.parse::<Bytes>() {
            Ok(_) => wrong(
                "flows of zero bytes never end".to_owned(),
                "write a size from 1B up, such as \"500KB\"".to_owned(),
            ),
            Err(error) => wrong(
                error.to_string().replace("; write it like `400KB`", ""),
                "write a size with a unit, such as \"400KB\"".to_owned(),
            ),
        };
    }
    let known = suggest(name, SizeCdf::BUILTIN);
    wrong(
        format!("`{name}` is no built-in law of sizes, and there is no such file"),
        format!("{known}; or give a CDF file, relative to the scenario file"),
    )
}

fn read_workload<'a>(
    document: &Document<'a>,
    mut section: Section<'a>,
    base: &Path,
    context: &WorkloadContext,
    fidelity: Fidelity,
) -> Result<WorkloadConfig, Error> {
    let kinds: Vec<&'static str> = fabricsim_workload::KINDS
        .iter()
        .map(|(name, ..)| *name)
        .collect();
    let kind = document.kind(&mut section, &kinds)?;
    let keys = keys_of(fabricsim_workload::KINDS, kind);
    let mut config = match kind {
        "poisson" => WorkloadConfig::Poisson(document.settings(&section, keys)?),
        "incast" => WorkloadConfig::Incast(document.settings(&section, keys)?),
        "permutation" => WorkloadConfig::Permutation(document.settings(&section, keys)?),
        "all-to-all" => WorkloadConfig::AllToAll(document.settings(&section, keys)?),
        "list" => WorkloadConfig::List(document.settings(&section, keys)?),
        _ => unreachable!("`kind` answers with one of the names it was given"),
    };
    let times = match fidelity {
        Fidelity::Exact => FlowTimes::Exact,
        Fidelity::Published => FlowTimes::Truncated,
    };
    let file = config.file().map(|(key, path)| (key, base.join(path)));
    if let Some((key, path)) = file {
        let text = match &config {
            WorkloadConfig::Poisson(poisson) if !path.exists() => {
                return Err(unknown_sizes(document, &section, poisson.sizes.name()));
            }
            WorkloadConfig::Poisson(_) => {
                read_referenced(document, &section, key, "the law of sizes", &path)?
            }
            _ => read_referenced(document, &section, key, "the flows", &path)?,
        };
        config
            .load(&text, context, times)
            .map_err(|error| Error::input(&path.display().to_string(), &text, error))?;
    }
    config
        .expected(context)
        .map_err(|error| document.refuse(&section, error))?;
    Ok(config)
}
