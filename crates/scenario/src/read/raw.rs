//! Reads the tables of a scenario as typed values, before any value is checked.

use fabricsim_pint::query::QueryConfig;
use fabricsim_qdisc::DisciplineConfig;
use fabricsim_topology::BoxedTopology;
use fabricsim_transport::rdma::RdmaConfig;
use fabricsim_transport::tcp::TcpConfig;
use fabricsim_workload::BoxedWorkload;

use crate::cc::registry::AnyCcConfig;
use crate::kinds::Registry;
use crate::read::root::{read_name, read_profile, read_seed};
use crate::read::tables::Tables;
use crate::schema::class::{CLASS_KEYS, ClassTable};
use crate::schema::event::KINDS;
use crate::schema::event::tables::{LinkTable, LossTable, RateTable, SwitchTable};
use crate::schema::host::HostSettings;
use crate::schema::observe::ObserveSettings;
use crate::schema::profile::Profile;
use crate::schema::queries::BudgetSettings;
use crate::schema::queue::{QUEUE_KEYS, QueuePlace};
use crate::schema::routing::RoutingSettings;
use crate::schema::run::{OutputSettings, RunSettings};
use crate::schema::switch::SwitchSettings;
use crate::text::document::{Document, LineOrTable};
use crate::text::error::Error;

/// A scenario as it is written: the values of its tables, and defaults for what is left out.
#[derive(Debug)]
pub(crate) struct RawScenario {
    pub(crate) name: String,
    pub(crate) seed: u64,
    pub(crate) profile: Option<Profile>,
    pub(crate) topology: BoxedTopology,
    pub(crate) host: HostSettings,
    pub(crate) switch: SwitchSettings,
    pub(crate) transport: RdmaConfig,
    pub(crate) tcp: RawTcp,
    pub(crate) routing: RoutingSettings,
    pub(crate) run: RunSettings,
    pub(crate) output: OutputSettings,
    pub(crate) cc: AnyCcConfig,
    pub(crate) workloads: Vec<RawWorkload>,
    pub(crate) classes: Vec<RawClass>,
    pub(crate) events: Vec<RawEvent>,
    pub(crate) observe: Option<ObserveSettings>,
    pub(crate) queries: RawQueries,
    pub(crate) queues: Vec<RawQueue>,
}

/// The `[tcp]` table.
#[derive(Debug)]
pub(crate) struct RawTcp {
    pub(crate) config: TcpConfig,
    /// Whether the table says a profile.
    pub(crate) names_profile: bool,
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

/// A `[[queue]]` table.
#[derive(Debug)]
pub(crate) struct RawQueue {
    pub(crate) discipline: RawDiscipline,
    pub(crate) place: QueuePlace,
}

/// The discipline of a `[[queue]]` table.
#[derive(Debug)]
pub(crate) enum RawDiscipline {
    /// A line of words.
    Line(String),
    /// A table.
    Table(DisciplineConfig),
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
        let kinds: Vec<&'static str> = KINDS.iter().map(|(name, ..)| *name).collect();
        Ok(Self {
            name: read_name(tables.name.as_ref(), document.name).map_err(placed)?,
            seed: read_seed(tables.seed.as_ref()).map_err(placed)?,
            profile: read_profile(tables.profile.as_ref()).map_err(placed)?,
            topology: registry.read_topology(document, &mut tables.topology)?,
            host: (document.optional_settings(tables.host.as_ref())?).unwrap_or_default(),
            switch: (document.optional_settings(tables.switch.as_ref())?).unwrap_or_default(),
            transport: (document.optional_settings(tables.rdma.as_ref())?).unwrap_or_default(),
            tcp: RawTcp {
                config: (document.optional_settings(tables.tcp.as_ref())?).unwrap_or_default(),
                names_profile: (tables.tcp.as_ref())
                    .is_some_and(|tcp| tcp.table.contains_key("profile")),
            },
            routing: (document.optional_settings(tables.routing.as_ref())?).unwrap_or_default(),
            run: (document.optional_settings(tables.run.as_ref())?).unwrap_or_default(),
            output: (document.optional_settings(tables.output.as_ref())?).unwrap_or_default(),
            cc: registry.read_cc(document, &tables.cc)?,
            workloads: (tables.workloads.iter_mut())
                .map(|tables| {
                    let cc = tables.cc.as_ref();
                    Ok(RawWorkload {
                        names_priority: tables.own.table.contains_key("priority"),
                        cc: cc.map(|cc| registry.read_cc(document, cc)).transpose()?,
                        workload: registry.read_workload(document, &mut tables.own)?,
                    })
                })
                .collect::<Result<_, Error>>()?,
            classes: (tables.classes.iter())
                .map(|tables| {
                    Ok(RawClass {
                        cc: registry.read_cc(document, &tables.cc)?,
                        table: document.settings(&tables.own, CLASS_KEYS)?,
                    })
                })
                .collect::<Result<_, Error>>()?,
            events: (tables.events.iter_mut())
                .map(|table| match document.kind(table, &kinds)? {
                    "link-down" => {
                        (document.settings(table, LinkTable::KEYS)).map(RawEvent::LinkDown)
                    }
                    "link-up" => (document.settings(table, LinkTable::KEYS)).map(RawEvent::LinkUp),
                    "link-rate" => {
                        (document.settings(table, RateTable::KEYS)).map(RawEvent::LinkRate)
                    }
                    "link-loss" => {
                        (document.settings(table, LossTable::KEYS)).map(RawEvent::LinkLoss)
                    }
                    "switch-down" => {
                        (document.settings(table, SwitchTable::KEYS)).map(RawEvent::SwitchDown)
                    }
                    "switch-up" => {
                        (document.settings(table, SwitchTable::KEYS)).map(RawEvent::SwitchUp)
                    }
                    _ => unreachable!("`kind` returns one of the names it was given"),
                })
                .collect::<Result<_, Error>>()?,
            observe: document.optional_settings(tables.observe.as_ref())?,
            queries: RawQueries {
                pint: document.optional_settings(tables.queries.pint.as_ref())?,
                queries: document.settings_of(&tables.queries.queries, QueryConfig::KEYS)?,
            },
            queues: (tables.queues.iter_mut())
                .map(|tables| {
                    Ok(RawQueue {
                        place: document.settings(&tables.own, QUEUE_KEYS)?,
                        discipline: match &mut tables.discipline {
                            LineOrTable::Line(line) => RawDiscipline::Line(line.text.clone()),
                            LineOrTable::Table(table) => {
                                RawDiscipline::Table(registry.read_discipline(document, table)?)
                            }
                        },
                    })
                })
                .collect::<Result<_, Error>>()?,
        })
    }
}
