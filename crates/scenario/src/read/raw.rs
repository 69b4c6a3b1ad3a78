//! Reads the tables of a scenario as typed values, before anything is checked that a table cannot
//! tell by its keys.

use fabricsim_core::input::Key;
use fabricsim_pint::query::QueryConfig;
use fabricsim_topology::BoxedTopology;
use fabricsim_transport::rdma::RdmaConfig;
use fabricsim_transport::tcp::{TcpConfig, TcpProfile};
use fabricsim_workload::BoxedWorkload;
use toml::Spanned;
use toml::de::DeValue;

use crate::cc::registry::AnyCcConfig;
use crate::kinds::Registry;
use crate::read::root::{read_name, read_profile, read_seed};
use crate::read::tables::{QueryTables, Tables};
use crate::schema::class::{CLASS_KEYS, ClassTable};
use crate::schema::event::KINDS;
use crate::schema::event::tables::{LinkTable, LossTable, RateTable, SwitchTable};
use crate::schema::observe::ObserveSettings;
use crate::schema::profile::Profile;
use crate::schema::queries::BudgetSettings;
use crate::schema::queue::{QUEUE_KEYS, QueuePlace, QueueRule};
use crate::schema::routing::RoutingSettings;
use crate::schema::run::{OutputSettings, RunSettings};
use crate::schema::switch::SwitchSettings;
use crate::text::document::{Document, Section};
use crate::text::error::Error;

/// A scenario as it is written: the values of its tables, and defaults for what is left out.
#[derive(Debug)]
pub(crate) struct RawScenario {
    pub(crate) name: String,
    pub(crate) seed: u64,
    pub(crate) profile: Option<Profile>,
    pub(crate) switch: SwitchSettings,
    pub(crate) transport: RdmaConfig,
    pub(crate) tcp: TcpConfig,
    pub(crate) routing: RoutingSettings,
    pub(crate) run: RunSettings,
    pub(crate) output: OutputSettings,
    pub(crate) events: Vec<RawEvent>,
    pub(crate) observe: Option<ObserveSettings>,
    pub(crate) queries: RawQueries,
    pub(crate) topology: BoxedTopology,
    pub(crate) cc: AnyCcConfig,
    pub(crate) workloads: Vec<RawWorkload>,
    pub(crate) classes: Vec<RawClass>,
    pub(crate) queues: Vec<QueueRule>,
}

/// An `[[event]]` table, by its kind.
#[derive(Debug)]
pub(crate) enum RawEvent {
    LinkDown(LinkTable),
    LinkUp(LinkTable),
    LinkRate(RateTable),
    LinkLoss(LossTable),
    SwitchDown(SwitchTable),
    SwitchUp(SwitchTable),
}

/// The `[pint]` table and those of queries.
#[derive(Debug)]
pub(crate) struct RawQueries {
    pub(crate) pint: Option<BudgetSettings>,
    pub(crate) queries: Vec<QueryConfig>,
}

/// A `[[workload]]` table.
#[derive(Debug)]
pub(crate) struct RawWorkload {
    pub(crate) workload: BoxedWorkload,
    /// The algorithm of its flows, where they have their own.
    pub(crate) cc: Option<AnyCcConfig>,
    /// Whether the table says a priority.
    pub(crate) names_priority: bool,
}

/// A `[[class]]` table.
#[derive(Debug)]
pub(crate) struct RawClass {
    pub(crate) table: ClassTable,
    pub(crate) cc: AnyCcConfig,
}

impl RawScenario {
    /// Reads `tables`, which are those of `document`.
    ///
    /// # Errors
    /// The first key or value that its table cannot have.
    pub(crate) fn read<'a>(
        document: &Document<'a>,
        tables: &mut Tables<'a>,
        registry: &Registry,
    ) -> Result<Self, Error> {
        let placed = |error| document.error(error);
        Ok(Self {
            name: read_name(tables.name.as_ref(), document.name).map_err(placed)?,
            seed: read_seed(tables.seed.as_ref()).map_err(placed)?,
            profile: read_profile(tables.profile.as_ref()).map_err(placed)?,
            switch: document.settings_or_default(tables.switch.as_ref())?,
            transport: document.settings_or_default(tables.rdma.as_ref())?,
            tcp: read_tcp(document, tables.tcp.as_ref())?,
            routing: document.settings_or_default(tables.routing.as_ref())?,
            run: document.settings_or_default(tables.run.as_ref())?,
            output: document.settings_or_default(tables.output.as_ref())?,
            events: each(&mut tables.events, |section| read_event(document, section))?,
            observe: (tables.observe.as_ref())
                .map(|section| document.settings(section, ObserveSettings::KEYS))
                .transpose()?,
            queries: read_queries(document, &tables.queries)?,
            topology: registry.read_topology(document, &mut tables.topology)?,
            cc: registry.read_cc(document, tables.cc.clone())?,
            workloads: each(&mut tables.workloads, |section| {
                read_workload(document, section, registry)
            })?,
            classes: each(&mut tables.classes, |section| {
                read_class(document, section, registry)
            })?,
            queues: each(&mut tables.queues, |section| {
                read_queue(document, section, registry)
            })?,
        })
    }
}

/// Reads each of `sections`.
fn each<'a, T>(
    sections: &mut [Section<'a>],
    read: impl FnMut(&mut Section<'a>) -> Result<T, Error>,
) -> Result<Vec<T>, Error> {
    sections.iter_mut().map(read).collect()
}

/// Reads the `[tcp]` table. Its profile is that of datacenters where none is named.
fn read_tcp<'a>(document: &Document<'a>, table: Option<&Section<'a>>) -> Result<TcpConfig, Error> {
    let mut tcp: TcpConfig = document.settings_or_default(table)?;
    if !table.is_some_and(|section| section.table.contains_key("profile")) {
        tcp.profile = TcpProfile::Datacenter;
    }
    Ok(tcp)
}

/// Reads an `[[event]]` table.
fn read_event<'a>(document: &Document<'a>, section: &mut Section<'a>) -> Result<RawEvent, Error> {
    let kinds: Vec<&'static str> = KINDS.iter().map(|(name, ..)| *name).collect();
    Ok(match document.kind(section, &kinds)? {
        "link-down" => RawEvent::LinkDown(document.settings(section, LinkTable::KEYS)?),
        "link-up" => RawEvent::LinkUp(document.settings(section, LinkTable::KEYS)?),
        "link-rate" => RawEvent::LinkRate(document.settings(section, RateTable::KEYS)?),
        "link-loss" => RawEvent::LinkLoss(document.settings(section, LossTable::KEYS)?),
        "switch-down" => RawEvent::SwitchDown(document.settings(section, SwitchTable::KEYS)?),
        "switch-up" => RawEvent::SwitchUp(document.settings(section, SwitchTable::KEYS)?),
        _ => unreachable!("`kind` returns one of the names it was given"),
    })
}

/// Reads the `[pint]` and `[[query]]` tables.
pub(crate) fn read_queries<'a>(
    document: &Document<'a>,
    tables: &QueryTables<'a>,
) -> Result<RawQueries, Error> {
    let queries = tables.queries.iter();
    let queries = queries.map(|section| document.settings(section, QueryConfig::KEYS));
    Ok(RawQueries {
        pint: (tables.pint.as_ref())
            .map(|section| document.settings(section, BudgetSettings::KEYS))
            .transpose()?,
        queries: queries.collect::<Result<_, _>>()?,
    })
}

/// Reads a `[[workload]]` table.
fn read_workload<'a>(
    document: &Document<'a>,
    section: &mut Section<'a>,
    registry: &Registry,
) -> Result<RawWorkload, Error> {
    Ok(RawWorkload {
        names_priority: section.table.contains_key("priority"),
        cc: read_own_cc(document, section, registry)?,
        workload: registry.read_workload(document, section)?,
    })
}

/// Reads a `[[class]]` table.
fn read_class<'a>(
    document: &Document<'a>,
    section: &mut Section<'a>,
    registry: &Registry,
) -> Result<RawClass, Error> {
    let Some(cc) = read_own_cc(document, section, registry)? else {
        return Err(document.diagnostic(
            section.span.clone(),
            format!("{} does not say its algorithm", section.title),
            "add `cc = { kind = \"dcqcn\" }`; `fabricsim list cc` shows all algorithms",
        ));
    };
    let table = document.settings(section, CLASS_KEYS)?;
    Ok(RawClass { table, cc })
}

/// Reads and removes the `cc` table of a workload or class.
fn read_own_cc<'a>(
    document: &Document<'a>,
    section: &mut Section<'a>,
    registry: &Registry,
) -> Result<Option<AnyCcConfig>, Error> {
    let own = document.subsection(section, "cc")?;
    own.map(|cc| registry.read_cc(document, cc)).transpose()
}

/// Reads a `[[queue]]` table.
fn read_queue<'a>(
    document: &Document<'a>,
    section: &mut Section<'a>,
    registry: &Registry,
) -> Result<QueueRule, Error> {
    document.refuse_unknown(&section.title, &section.table, &Key::names(QUEUE_KEYS))?;
    let discipline = match section.table.get("discipline").map(Spanned::get_ref) {
        None => {
            return Err(document.diagnostic(
                section.span.clone(),
                format!("{} does not say its discipline", section.title),
                "add `discipline = \"fq_codel\"`; docs/scenarios.md has all kinds",
            ));
        }
        Some(DeValue::String(_)) => document.parsed(section, "discipline")?,
        Some(_) => {
            let table = document.subsection(section, "discipline")?;
            registry.read_discipline(document, table.expect("it has just been seen"))?
        }
    };
    let place = document.settings(section, QueuePlace::KEYS)?;
    Ok(QueueRule { discipline, place })
}
