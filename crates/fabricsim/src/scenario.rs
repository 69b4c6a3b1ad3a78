//! A scenario: everything that decides what a simulation does, read from one TOML text.

mod classes;
mod counts;
mod identity;
mod paths;
mod places;
mod read;
mod resolved;
mod timeout;
mod transports;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use fabricsim_core::id::ClassId;
use fabricsim_core::plugin::{CcContext, Fidelity};
use fabricsim_core::units::{Duration, Rate};
use fabricsim_pint::PintConfig;
use fabricsim_report::HEADER_BYTES;
use fabricsim_topology::{BoxedTopology, RoutingPolicy, Topology};
use fabricsim_transport::Transport;
use fabricsim_transport::rdma::RdmaConfig;
use fabricsim_transport::tcp::{TcpConfig, TcpProfile};
use fabricsim_workload::{BoxedWorkload, Host, WorkloadContext};
use toml::de::DeTable;

use crate::document::Document;
use crate::error::Error;
use crate::failures::{self, Event};
use crate::input_file::{FileKind, read_text};
use crate::kinds::Registry;
use crate::observe::{self, ObserveSettings};
use crate::queries::{self, QuerySettings};
use crate::registry::AnyCcConfig;
use crate::settings::{
    OutputSettings, Profile, QueueRule, RoutingSettings, RunSettings, SwitchSettings, read_queues,
};
use classes::{ClassCc, read_cc, read_classes};
use counts::{FlowCount, check_count};
use paths::find_policy;
use read::{Tables, read_profile, read_seed, read_topology, read_workload};
use resolved::tagged;
use transports::TCP_PRIORITY;
pub(crate) use transports::TcpFacts;

pub use classes::CLASS_KEYS;
pub(crate) use places::Part;
pub use places::Places;

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

/// The tables of a scenario.
pub(crate) const TABLES: &[&str] = &[
    "name",
    "seed",
    "profile",
    "topology",
    "switch",
    "queue",
    "transport",
    "tcp",
    "routing",
    "workload",
    "class",
    "event",
    "cc",
    "run",
    "output",
    "observe",
    "pint",
    "query",
];

/// A scenario that has been read, checked and given its topology.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// Names the results.
    pub name: String,
    /// What paths in it are relative to.
    pub folder: PathBuf,
    /// Seed of every random stream.
    pub seed: u64,
    /// Whose quirks to take over.
    pub profile: Option<Profile>,
    /// Where the network comes from.
    pub topology_config: BoxedTopology,
    /// The network.
    pub topology: Arc<Topology>,
    /// The switches.
    pub switch: SwitchSettings,
    /// The disciplines of the queues of TCP, in the order of the scenario; the first one that fits holds.
    pub queues: Vec<QueueRule>,
    /// RDMA.
    pub transport: RdmaConfig,
    /// TCP.
    pub tcp: TcpConfig,
    /// The routes.
    pub routing: RoutingSettings,
    /// What chooses among equal next hops.
    pub routing_policy: Arc<dyn RoutingPolicy>,
    /// The traffic, in the order of the scenario: a flow's class is its place here.
    pub workloads: Vec<BoxedWorkload>,
    /// What fails and comes back, in the order of the scenario.
    pub events: Vec<Event>,
    /// The algorithm.
    pub cc: AnyCcConfig,
    /// The algorithms of classes that have their own.
    pub class_cc: BTreeMap<ClassId, AnyCcConfig>,
    /// When to stop.
    pub run: RunSettings,
    /// Where results go.
    pub output: OutputSettings,
    /// The time series to write, if any.
    pub observe: Option<ObserveSettings>,
    /// What packets are asked on their way, if anything.
    pub queries: Option<QuerySettings>,
    /// Where its tables stand, for messages.
    pub places: Arc<Places>,
}

impl Scenario {
    /// Reads a scenario from `text`. Paths in it are relative to the working folder.
    ///
    /// # Errors
    /// The first mistake, with its place and the remedy.
    pub fn from_toml(text: &str) -> Result<Self, Error> {
        Self::from_toml_with(text, &Registry::default())
    }

    /// Like [`from_toml`](Self::from_toml), with what `registry` adds to the built-in kinds.
    ///
    /// # Errors
    /// The first mistake, with its place and the remedy.
    pub fn from_toml_with(text: &str, registry: impl Into<Registry>) -> Result<Self, Error> {
        Self::read("scenario", text, Path::new("."), &registry.into())
    }

    /// Reads the scenario file at `path`, changed by `overrides` (`key=value`, dotted keys). Paths in
    /// it are relative to the file.
    ///
    /// # Errors
    /// When the file cannot be read, and the first mistake in it.
    pub fn from_file(path: &Path, overrides: &[String]) -> Result<Self, Error> {
        Self::from_file_with(path, overrides, &Registry::default())
    }

    /// Like [`from_file`](Self::from_file), with what `registry` adds to the built-in kinds.
    ///
    /// # Errors
    /// When the file cannot be read, and the first mistake in it.
    pub fn from_file_with(
        path: &Path,
        overrides: &[String],
        registry: impl Into<Registry>,
    ) -> Result<Self, Error> {
        let registry = &registry.into();
        let text = read_text(FileKind::SCENARIO, path)?;
        let base = path.parent().unwrap_or_else(|| Path::new("."));
        Self::changed(
            &path.display().to_string(),
            &text,
            base,
            overrides,
            registry,
        )
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
        Self::changed(source, text, base, overrides, &Registry::default())
    }

    fn changed(
        source: &str,
        text: &str,
        base: &Path,
        overrides: &[String],
        registry: &Registry,
    ) -> Result<Self, Error> {
        if overrides.is_empty() {
            return Self::read(source, text, base, registry);
        }
        // Broken TOML is reported as it stands in the file.
        Document::new(source, text).parse()?;
        let changed = crate::overrides::apply(source, text, overrides)?;
        Self::read(&format!("{source} (with --set)"), &changed, base, registry)
    }

    fn read(source: &str, text: &str, base: &Path, registry: &Registry) -> Result<Self, Error> {
        let document = Document::new(source, text);
        let root = document.parse()?;
        Self::read_tables(document, root, base, registry)
    }

    /// Reads a scenario from the tables of `document`.
    pub(crate) fn read_tables<'a>(
        document: Document<'a>,
        mut root: DeTable<'a>,
        base: &Path,
        registry: &Registry,
    ) -> Result<Self, Error> {
        let (source, text) = (document.name, document.text);
        let custom = &registry.congestion_controls;
        document.refuse_unknown("a scenario", &root, TABLES)?;
        let places = Arc::new(Places::of(&document, &root));
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
                        "a name is up to 200 letters, digits, dots, dashes and underscores in quotes, \
                         and begins with none of `.` and `-`",
                        "write it like \"fat320-websearch-50\"",
                    ));
                }
            },
        };
        let seed = read_seed(&document, &mut root)?;
        let profile = read_profile(&document, &mut root)?;
        let fidelity = fidelity(profile);
        let network_place = root.get("topology").map_or(0..0, toml::Spanned::span);
        let (topology_config, topology) = read_topology(&document, &mut root, base, registry)?;
        let topology = Arc::new(topology);
        let switch_place = |key: &str| {
            root.get("switch")
                .and_then(|switch| switch.get_ref().as_table()?.get(key))
                .map_or(0..0, toml::Spanned::span)
        };
        let (buffer_place, rules_place) = (switch_place("buffer"), switch_place("ecn_rules"));
        let policy_place = (root.get("routing"))
            .and_then(|routing| routing.get_ref().as_table()?.get("policy"))
            .map_or(0..0, toml::Spanned::span);
        let cc_place = root.get("cc").map_or(0..0, toml::Spanned::span);
        let mut tables = Tables {
            document: &document,
            root: &mut root,
        };
        let switch = tables.take("switch", SwitchSettings::KEYS, SwitchSettings::validate)?;
        let transport = tables.take("transport", RdmaConfig::KEYS, RdmaConfig::validate)?;
        let profile_given = (tables.root.get("tcp")).is_some_and(|tcp| {
            tcp.get_ref()
                .as_table()
                .is_some_and(|tcp| tcp.contains_key("profile"))
        });
        let in_datacentre = |tcp: TcpConfig| match profile_given {
            true => tcp,
            false => TcpConfig {
                profile: TcpProfile::Datacentre,
                ..tcp
            },
        };
        let tcp = tables.take("tcp", TcpConfig::KEYS, |tcp: &TcpConfig| {
            in_datacentre(tcp.clone()).validate()
        })?;
        let tcp = in_datacentre(tcp);
        let routing = tables.take("routing", RoutingSettings::KEYS, |routing| {
            find_policy(routing, registry).map(|_| ())
        })?;
        let routing_policy = find_policy(&routing, registry).expect("the name has been looked up");
        let run = tables.take("run", RunSettings::KEYS, RunSettings::validate)?;
        let output = tables.take("output", OutputSettings::KEYS, OutputSettings::validate)?;
        let cc = match document.section(&mut root, "cc")? {
            Some(section) => AnyCcConfig::read(&document, section, custom)?,
            None => {
                return Err(document.mistake(
                    text.len()..text.len(),
                    "the scenario has no [cc] table",
                    "add `[cc]` and `kind = \"hpcc\"`; `fabricsim list` shows all algorithms",
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
        check_count(&document, &sections)?;
        let hosts = hosts(&topology);
        let mut flows = FlowCount::default();
        let mut class_cc = ClassCc::new();
        let mut without_priority = Vec::new();
        let mut workloads: Vec<BoxedWorkload> = sections
            .into_iter()
            .enumerate()
            .map(|(index, mut section)| {
                if !section.table.contains_key("priority") {
                    without_priority.push(index);
                }
                if let Some(cc) = read_cc(&document, &mut section, custom)? {
                    class_cc.insert(ClassId(u16::try_from(index).unwrap_or(u16::MAX)), cc);
                }
                let context = WorkloadContext {
                    hosts: Arc::clone(&hosts),
                    seed,
                    index: index as u64,
                };
                let place = section.span.clone();
                let (workload, expected) =
                    read_workload(&document, section, base, &context, (fidelity, registry))?;
                flows.add(&document, place, index, expected)?;
                Ok(workload)
            })
            .collect::<Result<_, _>>()?;
        read_classes(&document, &mut root, custom, &mut class_cc)?;
        for index in without_priority {
            let class = ClassId(u16::try_from(index).unwrap_or(u16::MAX));
            if class_cc.get(&class).unwrap_or(&cc).transport() == Transport::Tcp {
                workloads[index].set_priority(TCP_PRIORITY);
            }
        }
        let (queues, queue_sections): (Vec<_>, Vec<_>) =
            read_queues(&document, &mut root, registry)?
                .into_iter()
                .unzip();
        let events = failures::read(&document, &mut root, &topology)?;
        let observe = observe::read(&document, &mut root, &topology, &run)?;
        let (queries, query_places) = queries::read(&document, &mut root)?.unzip();
        let scenario = Self {
            name,
            folder: base.to_owned(),
            seed,
            profile,
            topology_config,
            topology,
            switch,
            queues,
            transport,
            tcp,
            routing,
            routing_policy,
            workloads,
            events,
            cc,
            class_cc,
            run,
            output,
            observe,
            queries,
            places,
        };
        scenario
            .check_ecn_rates()
            .and_then(|()| scenario.check_ecn_priorities())
            .map_err(|error| document.mistake(rules_place, error.message, error.help))?;
        scenario
            .check_lowest_rates()
            .and_then(|()| scenario.check_digests())
            .and_then(|()| scenario.check_transports())
            .map_err(|error| document.mistake(cc_place.clone(), error.message, error.help))?;
        (scenario.check_long_paths())
            .map_err(|error| document.mistake(cc_place.clone(), error.message, error.help))?;
        (scenario.check_routes())
            .map_err(|error| document.mistake(network_place, error.message, error.help))?;
        scenario.check_queues(&document, &queue_sections)?;
        if let Some((settings, places)) = scenario.queries.as_ref().zip(query_places) {
            let algorithms: Vec<&PintConfig> = scenario.pint_configs().collect();
            places.check(
                &document,
                settings,
                (seed, fidelity),
                &algorithms,
                &scenario.topology,
            )?;
        }
        (scenario.check_path_stability())
            .map_err(|error| document.mistake(policy_place, error.message, error.help))?;
        let longest_packet = scenario.transport.mtu + HEADER_BYTES;
        scenario
            .switch
            .validate_for(
                &scenario.topology,
                &scenario.buffer_config(),
                longest_packet,
            )
            .map_err(|error| {
                let message = format!("[switch], key `{}`: {}", error.key, error.message);
                document.mistake(buffer_place, message, error.help)
            })?;
        scenario
            .wanted_marks()
            .map_err(|error| document.mistake(cc_place, error.message, error.help))?;
        Ok(scenario)
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

    /// The distinct rates of all links, ascending, with those that events give them.
    #[must_use]
    pub fn link_rates(&self) -> Vec<Rate> {
        let mut rates: Vec<Rate> = self.topology.links().iter().map(|link| link.rate).collect();
        rates.extend(self.events.iter().filter_map(|event| event.kind.rate()));
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

    /// Priorities that flows and answers of RDMA use, as far as the scenario says.
    #[must_use]
    pub(crate) fn priorities(&self) -> u8 {
        let mut used = [false; 8];
        for workload in &self.workloads {
            for (priority, _) in workload.users(ClassId(0)) {
                used[usize::from(priority & 7)] = true;
            }
        }
        if let Some(answers) = self.transport.answer_priority {
            used[usize::from(answers & 7)] = true;
        }
        let tcp = if self.has_tcp() {
            self.tcp_priorities()
        } else {
            0
        };
        let used = used.iter().zip(0..);
        let used = used.filter(|&(used, priority)| *used && tcp >> priority & 1 == 0);
        u8::try_from(used.count()).expect("eight priorities")
    }

    /// The transport with every default filled in.
    #[must_use]
    pub fn transport_resolved(&self) -> RdmaConfig {
        let by_algorithm = match self.fidelity() {
            Fidelity::Exact => false,
            Fidelity::Published => self.cc.answers_ignore_pause(),
        };
        RdmaConfig {
            answers_ignore_pause: Some(self.transport.answers_ignore_pause.unwrap_or(by_algorithm)),
            rto_min: Some(self.least_timeout()),
            ..self.transport.clone()
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
        let context = CcContext {
            nic_rate,
            link_rates: &link_rates,
            base_rtt: Duration::ZERO,
            longest_path: 0,
            seed: self.seed,
            fidelity: self.fidelity(),
        };
        let workloads: Vec<serde_json::Value> = self
            .workloads
            .iter()
            .map(|workload| tagged(workload.kind(), &workload.value()))
            .collect();
        let classes: Vec<serde_json::Value> = self
            .class_cc
            .iter()
            .map(|(class, cc)| serde_json::json!({"id": class.0, "cc": cc.resolved(&context)}))
            .collect();
        let mut resolved = serde_json::json!({
            "name": self.name,
            "seed": self.seed,
            "profile": self.profile,
            "topology": tagged(self.topology_config.kind(), &self.topology_config.value()),
            "switch": SwitchSettings {
                ecn: None,
                ecn_rules: self.ecn_in_use(),
                ..self.switch.resolved(nic_rate, self.fidelity())
            },
            "transport": self.transport_resolved(),
            "routing": self.routing.resolved(self.seed, self.fidelity()),
            "workload": workloads,
            "cc": self.cc.resolved(&context),
            "class": classes,
            "run": self.run,
        });
        if self.has_tcp() {
            resolved["tcp"] = serde_json::json!(self.tcp.resolved());
            resolved["queue"] = serde_json::json!(self.queues);
            resolved["switch"]["lossy_alpha"] = self.switch.lossy_alpha().into();
        }
        if !self.events.is_empty() {
            resolved["event"] = self.events.iter().map(Event::value).collect();
        }
        if let Some(queries) = &self.queries {
            resolved["pint"] = serde_json::json!(queries.pint);
            resolved["query"] = serde_json::json!(queries.queries);
        }
        if let Some(observe) = &self.observe {
            resolved["observe"] = serde_json::json!(observe);
        }
        resolved
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

/// The longest name of a folder of results, in bytes: file systems take 255.
const LONGEST_PLAIN_NAME: usize = 200;

pub(crate) fn is_plain(name: &str) -> bool {
    !name.is_empty()
        && name.len() <= LONGEST_PLAIN_NAME
        && !name.starts_with(['.', '-'])
        && name
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '.' | '-' | '_'))
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
