//! The `[pint]` and `[[query]]` tables: what packets are asked on their way, and the files of the answers.

mod files;

use std::collections::BTreeSet;
use std::path::Path;

use fabricsim_core::id::NodeId;
use fabricsim_core::input::ConfigError;
use fabricsim_core::plugin::Fidelity;
use fabricsim_core::units::Duration;
use fabricsim_pint::PintConfig;
use fabricsim_pint::query::{Aggregation, Demand, Plan, Queries, QueryConfig, QueryNetwork, Value};
use fabricsim_topology::Topology;
use serde::{Deserialize, Serialize};
use toml::de::DeTable;

use crate::document::{Document, Section};
use crate::error::Error;
use crate::input_file::{FileKind, read_text};
use crate::scenario::{Part, Scenario, TABLES, is_plain};
use crate::settings::Keys;

pub(crate) use files::write_answers;

/// The `[pint]` table.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct BudgetSettings {
    /// Bits that packets have for the digests of all queries.
    pub bits: u32,
    /// Note what the values of hops really were, beside the answers.
    pub truth: bool,
}

impl Default for BudgetSettings {
    fn default() -> Self {
        Self {
            bits: 16,
            truth: true,
        }
    }
}

impl BudgetSettings {
    /// The keys of the table.
    pub const KEYS: Keys = &[
        (
            "bits",
            "bits that each packet has for the digests of all queries, 1 to 64 (default 16)",
        ),
        (
            "truth",
            "note what the values of hops really were, beside the estimates (default true)",
        ),
    ];
}

/// Letters of a name, which is part of a file's.
const LONGEST_NAME: usize = 100;

/// The queries of a scenario.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct QuerySettings {
    /// What all share.
    pub pint: BudgetSettings,
    /// The queries, in the order of the scenario.
    pub queries: Vec<QueryConfig>,
}

impl QuerySettings {
    /// The query for the latencies of hops, beside the one that `scenario`'s algorithm reads.
    ///
    /// # Errors
    /// When the scenario's profile has no queries.
    pub fn of_latencies(scenario: &Scenario) -> Result<Self, Error> {
        if scenario.fidelity() == Fidelity::Published {
            return Err(scenario.places.refuse(
                Part::Profile,
                "the published simulator has no queries",
                "leave out the profile",
            ));
        }
        let mut queries = vec![QueryConfig::new(Value::HopLatency)];
        if let Some(cc) = scenario.pint_configs().next() {
            queries.push(QueryConfig {
                aggregation: Some(Aggregation::Max),
                bits: cc.log_code(Fidelity::Exact).bits(),
                ..QueryConfig::new(Value::EgressUtilization)
            });
        }
        Ok(Self {
            pint: BudgetSettings {
                bits: queries.iter().map(|query| query.bits).sum(),
                ..BudgetSettings::default()
            },
            queries,
        })
    }

    /// The files of the answers, in the order of the queries.
    pub(crate) fn file_names(&self) -> impl Iterator<Item = String> {
        (1..).zip(&self.queries).map(|(number, query): (usize, _)| {
            let usual = format!("query{number}");
            files::file_name(query.name.as_deref().unwrap_or(&usual))
        })
    }

    /// What switches and sinks do in `network`; `cc` is what HPCC-PINT runs with, if it does.
    pub(crate) fn build(
        &self,
        seed: u64,
        cc: Option<&PintConfig>,
        network: &QueryNetwork,
    ) -> Result<Queries, (Option<usize>, ConfigError)> {
        let code = cc.map(|cc| cc.log_code(Fidelity::Exact));
        Queries::new(&self.queries, self.pint.bits, seed, code.as_ref(), network)
    }
}

/// `topology` as queries see it.
pub(crate) fn query_network(
    topology: &Topology,
    longest_path: u16,
    base_rtt: Duration,
) -> QueryNetwork {
    let is_switch = |node: NodeId| !topology.is_host(node);
    let switches: Vec<NodeId> = topology.switches().collect();
    let between = topology
        .links()
        .iter()
        .map(|link| (link.a, link.b))
        .filter(|&(a, b)| is_switch(a) && is_switch(b));
    let ports = switches.iter().map(|&node| topology.ports(node).len());
    QueryNetwork {
        longest_path,
        base_rtt,
        links: between.collect(),
        most_ports: ports
            .max()
            .map_or(0, |most| u16::try_from(most).unwrap_or(u16::MAX)),
        switches,
    }
}

/// Takes the tables out of `root`.
///
/// # Errors
/// The first error in them.
pub(crate) fn read<'a>(
    document: &Document<'a>,
    root: &mut DeTable<'a>,
) -> Result<Option<(QuerySettings, QueryPlaces<'a>)>, Error> {
    let pint = document.section(root, "pint")?;
    let sections = document.sections(root, "query")?;
    if sections.is_empty() {
        return match pint {
            None => Ok(None),
            Some(pint) => Err(document.diagnostic(
                pint.span,
                "[pint] is for queries, and the scenario has none",
                "add `[[query]]` with `value = \"switch-id\"`, or leave the table out",
            )),
        };
    }
    let settings: BudgetSettings = match &pint {
        Some(section) => document.settings(section, BudgetSettings::KEYS)?,
        None => BudgetSettings::default(),
    };
    let mut names = BTreeSet::new();
    let mut queries = Vec::new();
    for (number, section) in (1..).zip(&sections) {
        let mut query: QueryConfig = document.settings(section, QueryConfig::KEYS)?;
        query
            .validate()
            .map_err(|error| document.refuse(section, error))?;
        let name = query.name.get_or_insert_with(|| format!("query{number}"));
        let refuse = |message: String, help: &str| {
            Err(document.refuse(section, ConfigError::new("name", message, help)))
        };
        if name.len() > LONGEST_NAME {
            return refuse(
                format!("a name of {} letters is too long for a file's", name.len()),
                "give one of up to 100",
            );
        }
        if !is_plain(name) {
            return refuse(
                format!("`{name}` cannot be part of a file name"),
                "use letters, digits, dots, dashes and underscores, and begin with none of `.` and `-`",
            );
        }
        // Some disks do not tell large letters from small ones.
        if !names.insert(name.to_lowercase()) {
            return refuse(
                format!("two queries are called `{name}`"),
                "give each a name of its own: it names the file of the answers",
            );
        }
        queries.push(query);
    }
    let settings = QuerySettings {
        pint: settings,
        queries,
    };
    Ok(Some((settings, QueryPlaces { pint, sections })))
}

/// The `[[query]]` tables of the file at `path`, which may be a scenario, and the plan for them.
///
/// # Errors
/// When the file cannot be read, and the first error in these tables.
pub fn read_plan(path: &Path) -> Result<(Vec<QueryConfig>, Plan), Error> {
    let text = read_text(FileKind::QUERIES, path)?;
    let name = path.display().to_string();
    let document = Document::new(&name, &text);
    let mut root = document.parse()?;
    document.refuse_unknown("a file of queries", &root, TABLES)?;
    let Some((settings, places)) = read(&document, &mut root)? else {
        return Err(document.diagnostic(
            text.len()..text.len(),
            "there is no [[query]] table",
            "add `[[query]]` with `value = \"switch-id\"`",
        ));
    };
    let demands: Vec<Demand> = settings.queries.iter().map(QueryConfig::demand).collect();
    let plan = Plan::new(&demands, settings.pint.bits, 1);
    let plan = plan.map_err(|error| places.refuse(&document, None, error))?;
    Ok((settings.queries, plan))
}

/// Where the tables stand, for messages.
pub(crate) struct QueryPlaces<'a> {
    pint: Option<Section<'a>>,
    sections: Vec<Section<'a>>,
}

impl QueryPlaces<'_> {
    /// The error `error` of query `index`, or of the budget of all.
    fn refuse(&self, document: &Document<'_>, index: Option<usize>, error: ConfigError) -> Error {
        match (index, &self.pint) {
            (Some(index), _) => document.refuse(&self.sections[index], error),
            (None, Some(pint)) if error.key == "bits" && pint.table.contains_key("bits") => {
                document.refuse(pint, error)
            }
            (None, _) => {
                document.diagnostic(self.sections[0].span.clone(), error.message, error.help)
            }
        }
    }

    /// Refuses `settings` that no network could serve, or not with these algorithms.
    pub(crate) fn check(
        &self,
        document: &Document<'_>,
        settings: &QuerySettings,
        (seed, fidelity): (u64, Fidelity),
        algorithms: &[&PintConfig],
        topology: &Topology,
    ) -> Result<(), Error> {
        let first = &self.sections[0];
        if fidelity == Fidelity::Published {
            return Err(document.diagnostic(
                first.span.clone(),
                "the published simulator has no queries, only the digest of HPCC-PINT",
                "leave out the profile, or the queries",
            ));
        }
        if let Some(cc) = algorithms.iter().find(|cc| cc.digest_fraction < 1.0) {
            return Err(document.diagnostic(
                first.span.clone(),
                format!(
                    "`digest_fraction` is {} in [cc], and beside queries the plan says which packets carry \
                     the algorithm's digest",
                    cc.digest_fraction
                ),
                "leave it out there, and set `frequency` in the query that the algorithm reads",
            ));
        }
        // The length of paths matters only to traces, whose schemes exist for every length.
        let network = query_network(topology, 5, Duration::from_us(1));
        let built = settings.build(seed, algorithms.first().copied(), &network);
        let queries = built.map_err(|(index, error)| self.refuse(document, index, error))?;
        if queries.cc().is_none() && !algorithms.is_empty() {
            return Err(document.diagnostic(
                first.span.clone(),
                "hpcc-pint reads a digest, and beside queries it has to be one of them",
                "add `[[query]]` with `value = \"egress-utilization\"` and `aggregation = \"max\"`",
            ));
        }
        Ok(())
    }
}
