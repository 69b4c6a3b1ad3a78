//! Reads a scenario from its text, one table after the other.

mod blame;
mod classes;
mod event;
mod observe;
pub(crate) mod queries;
mod queue;
mod referenced;
mod root;
pub(crate) mod routing;
mod tables;
pub(crate) mod topology;
mod traffic;
pub(crate) mod workload;

pub use queries::read_plan;

use std::path::Path;
use std::sync::Arc;

use fabricsim_transport::rdma::RdmaConfig;
use toml::de::DeTable;

use crate::kinds::Registry;
use crate::scenario::Scenario;
use crate::scenario::places::Places;
use crate::schema::profile::quirks;
use crate::schema::root::TABLES;
use crate::schema::run::{OutputSettings, RunSettings};
use crate::schema::switch::SwitchSettings;
use crate::text::document::Document;
use crate::text::error::Error;
use crate::text::file_kind::FileKind;
use crate::text::input_file::read_text;
use crate::text::overrides;

use blame::TextBlame;
use classes::{read_classes, read_default_cc};
use event::read_events;
use observe::read_observe;
use queries::read_queries;
use queue::read_queues;
use root::{read_name, read_profile, read_seed};
use routing::read_routing;
use tables::{read_table, read_tcp};
use topology::read_topology;
use traffic::TrafficReader;

impl Scenario {
    /// Reads a scenario from `text`. Paths in it are relative to the working folder.
    ///
    /// # Errors
    /// The first diagnostic, with its place and a suggested fix.
    pub fn from_toml(text: &str) -> Result<Self, Error> {
        Self::from_toml_with(text, Registry::default())
    }

    /// Like [`from_toml`](Self::from_toml), with the kinds of `registry`: a
    /// [`CcRegistry`](crate::cc::registry::CcRegistry) alone, or all of a [`Registry`].
    ///
    /// # Errors
    /// The first diagnostic, with its place and a suggested fix.
    pub fn from_toml_with(text: &str, registry: impl Into<Registry>) -> Result<Self, Error> {
        Self::read("scenario", text, Path::new("."), &registry.into())
    }

    /// Reads the scenario file at `path`, changed by `overrides` (`key=value`, dotted keys). Paths
    /// in it are relative to the file.
    ///
    /// # Errors
    /// When the file cannot be read, and the first error in it.
    pub fn from_file(path: &Path, overrides: &[String]) -> Result<Self, Error> {
        Self::from_file_with(path, overrides, Registry::default())
    }

    /// Like [`from_file`](Self::from_file), with the kinds of `registry`: a
    /// [`CcRegistry`](crate::cc::registry::CcRegistry) alone, or all of a [`Registry`].
    ///
    /// # Errors
    /// When the file cannot be read, and the first error in it.
    pub fn from_file_with(
        path: &Path,
        overrides: &[String],
        registry: impl Into<Registry>,
    ) -> Result<Self, Error> {
        let text = read_text(FileKind::SCENARIO, path)?;
        let base = path.parent().unwrap_or_else(|| Path::new("."));
        let source = path.display().to_string();
        Self::from_text_with(&source, &text, base, overrides, registry)
    }

    /// Reads a scenario from `text`, called `source` in messages and changed by `overrides`. Paths
    /// in it are relative to `base`.
    ///
    /// # Errors
    /// The first diagnostic, with its place and a suggested fix.
    pub fn from_text(
        source: &str,
        text: &str,
        base: &Path,
        overrides: &[String],
    ) -> Result<Self, Error> {
        Self::from_text_with(source, text, base, overrides, Registry::default())
    }

    /// Like [`from_text`](Self::from_text), with the kinds of `registry`.
    ///
    /// # Errors
    /// The first diagnostic, with its place and a suggested fix.
    pub fn from_text_with(
        source: &str,
        text: &str,
        base: &Path,
        overrides: &[String],
        registry: impl Into<Registry>,
    ) -> Result<Self, Error> {
        let registry = &registry.into();
        if overrides.is_empty() {
            return Self::read(source, text, base, registry);
        }
        // Broken TOML is reported as it stands in the file.
        Document::new(source, text).parse()?;
        let changed = overrides::apply(source, text, overrides)?;
        Self::read(&format!("{source} (with --set)"), &changed, base, registry)
    }

    fn read(source: &str, text: &str, base: &Path, registry: &Registry) -> Result<Self, Error> {
        let document = Document::new(source, text);
        let root = document.parse()?;
        Self::read_tables(document, root, base, registry)
    }

    /// Reads a scenario from the tables of `document`. Paths in it are relative to `base`.
    ///
    /// # Errors
    /// The first diagnostic, with its place and a suggested fix.
    pub fn read_tables<'a>(
        document: Document<'a>,
        mut root: DeTable<'a>,
        base: &Path,
        registry: &Registry,
    ) -> Result<Self, Error> {
        let (document, root) = (&document, &mut root);
        document.refuse_unknown("a scenario", root, TABLES)?;
        let places = Arc::new(Places::of(document, root));
        let mut blame = TextBlame::of(document, root);

        // What names a run, and the network.
        let name = read_name(document, root)?;
        let seed = read_seed(document, root)?;
        let profile = read_profile(document, root)?;
        let (topology_config, topology) = read_topology(document, root, base, registry)?;
        let topology = Arc::new(topology);

        // Tables that may be left out.
        let switch = read_table(document, root, "switch", SwitchSettings::validate)?;
        let transport = read_table(document, root, "rdma", RdmaConfig::validate)?;
        let tcp = read_tcp(document, root)?;
        let (routing, routing_policy) = read_routing(document, root, registry)?;
        let run = read_table(document, root, "run", RunSettings::validate)?;
        let output = read_table(document, root, "output", OutputSettings::validate)?;

        // Congestion control and traffic, which depend on each other by the classes of flows.
        let custom = &registry.congestion_controls;
        let cc = read_default_cc(document, root, custom)?;
        let mut traffic = TrafficReader {
            document,
            base,
            registry,
            seed,
            times: quirks(profile).start_times,
            class_cc: classes::ClassCc::new(),
            without_priority: Vec::new(),
        };
        let workloads = traffic.read_workloads(root, &topology)?;
        read_classes(document, root, custom, &mut traffic.class_cc)?;
        let workloads = traffic.with_priorities(workloads, &cc);
        let class_cc = traffic.class_cc;

        // Queues, events and what is written down of them.
        let (queues, sections) = read_queues(document, root, registry)?.into_iter().unzip();
        blame.queues = sections;
        let events = read_events(document, root, &topology)?;
        let observe = read_observe(document, root, &topology, &run)?;
        let (queries, sections) = read_queries(document, root)?.unzip();
        blame.queries = sections;

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
        scenario.check(&blame)?;
        Ok(scenario)
    }
}
