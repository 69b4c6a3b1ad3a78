//! Reads the tables of a scenario as typed values, before any value is checked.

use std::sync::Arc;

use fabricsim_base::input::{InputError, SettingValue};
use fabricsim_pint::query::QueryConfig;
use fabricsim_qdisc::DisciplineConfig;
use fabricsim_topology::{BoxedTopology, RoutingPolicy};
use fabricsim_transport::rdma::RdmaConfig;
use fabricsim_transport::tcp::TcpConfig;
use fabricsim_workload::BoxedWorkload;
use serde::de::DeserializeOwned;

use crate::cc::registry::AnyCcConfig;
use crate::kinds::Registry;
use crate::read::faults::Faults;
use crate::read::root::{read_name, read_profile, read_seed};
use crate::read::tables::Tables;
use crate::schema::capture::CaptureSettings;
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
use crate::text::document::{Document, LineOrTable, Section};
use crate::text::error::Error;

/// A scenario as written: the values of its tables, with defaults for omitted keys.
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
    /// The policy of `routing`, if it is a table.
    pub(crate) policy: Option<Arc<dyn RoutingPolicy>>,
    pub(crate) run: RunSettings,
    pub(crate) output: OutputSettings,
    pub(crate) cc: AnyCcConfig,
    pub(crate) workloads: Vec<RawWorkload>,
    pub(crate) classes: Vec<RawClass>,
    pub(crate) events: Vec<RawEvent>,
    pub(crate) observe: Option<ObserveSettings>,
    pub(crate) capture: Option<CaptureSettings>,
    pub(crate) queries: RawQueries,
    pub(crate) queues: Vec<RawQueue>,
}

/// The `[tcp]` table.
#[derive(Debug)]
pub(crate) struct RawTcp {
    pub(crate) config: TcpConfig,
    /// `true` if the table names a profile.
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

/// The `[pint]` table and the `[[query]]` tables.
#[derive(Debug)]
pub(crate) struct RawQueries {
    pub(crate) pint: Option<BudgetSettings>,
    pub(crate) queries: Vec<QueryConfig>,
}

/// A `[[workload]]` table.
#[derive(Debug)]
pub(crate) struct RawWorkload {
    pub(crate) workload: BoxedWorkload,
    /// The algorithm of its flows, if they have their own.
    pub(crate) cc: Option<AnyCcConfig>,
    /// `true` if the table names a priority.
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
    /// The discipline, or the error in its line.
    pub(crate) discipline: Result<DisciplineConfig, InputError>,
    pub(crate) place: QueuePlace,
}

impl RawScenario {
    /// Reads `tables`, which belong to `document`.
    ///
    /// # Errors
    /// Returns the errors already `found` in them, and unknown keys and malformed values.
    pub(crate) fn read<'a>(
        document: &Document<'a>,
        tables: &Tables<'a>,
        registry: &Registry,
        found: Vec<Error>,
    ) -> Result<Self, Error> {
        let mut faults = Faults::new(document, found);
        let read = Self::read_all(document, tables, registry, &mut faults);
        faults.result()?;
        Ok(read.expect("what is not read has a fault"))
    }

    fn read_all<'a>(
        document: &Document<'a>,
        tables: &Tables<'a>,
        registry: &Registry,
        faults: &mut Faults<'_, 'a>,
    ) -> Option<Self> {
        let placed = |error| document.error(error);
        let name = faults.keep(read_name(tables.name.as_ref(), document.name).map_err(placed));
        let seed = faults.keep(read_seed(tables.seed.as_ref()).map_err(placed));
        let profile = faults.keep(read_profile(tables.profile.as_ref()).map_err(placed));
        let topology = tables.topology.as_ref().and_then(|table| {
            faults.section(table, |table| registry.read_topology(document, table))
        });
        let host = table_of(document, faults, tables.host.as_ref());
        let switch = table_of(document, faults, tables.switch.as_ref());
        let transport = table_of(document, faults, tables.rdma.as_ref());
        let tcp = table_of(document, faults, tables.tcp.as_ref());
        let names_profile =
            (tables.tcp.as_ref()).is_some_and(|tcp| tcp.table.contains_key("profile"));
        let routing = table_of(document, faults, tables.routing.as_ref());
        let policy = faults.optional(tables.policy.as_ref(), |table| {
            registry.read_policy(document, table).map(Some)
        });
        let run = table_of(document, faults, tables.run.as_ref());
        let output = table_of(document, faults, tables.output.as_ref());
        let cc = tables.cc.as_ref();
        let cc = cc.and_then(|cc| faults.section(cc, |table| registry.read_cc(document, table)));
        read_schemes(document, tables, registry, faults);
        let workloads = read_workloads(document, tables, registry, faults);
        let classes = read_classes(document, tables, registry, faults);
        let events = faults.sections(&tables.events, |table| read_event(document, table));
        let observe = faults.optional(tables.observe.as_ref(), |table| {
            document.settings(table, ObserveSettings::KEYS).map(Some)
        });
        let capture = faults.optional(tables.capture.as_ref(), |table| {
            document.settings(table, CaptureSettings::KEYS).map(Some)
        });
        let pint = faults.optional(tables.queries.pint.as_ref(), |table| {
            document.settings(table, BudgetSettings::KEYS).map(Some)
        });
        let queries = faults.sections(&tables.queries.queries, |table| {
            document.settings(table, QueryConfig::KEYS)
        });
        let queues = read_queues(document, tables, registry, faults);
        // A single missing part is enough to fail, but only now, after all errors have been found.
        Some(Self {
            name: name?,
            seed: seed?,
            profile: profile?,
            topology: topology?,
            host: host?,
            switch: switch?,
            transport: transport?,
            tcp: RawTcp {
                config: tcp?,
                names_profile,
            },
            routing: routing?,
            policy: policy?,
            run: run?,
            output: output?,
            cc: cc?,
            workloads: workloads?,
            classes: classes?,
            events: events?,
            observe: observe?,
            capture: capture?,
            queries: RawQueries {
                pint: pint?,
                queries: queries?,
            },
            queues: queues?,
        })
    }
}

/// Reads a table that may be missing.
fn table_of<'a, T: DeserializeOwned + SettingValue + Default>(
    document: &Document<'a>,
    faults: &mut Faults<'_, 'a>,
    section: Option<&Section<'a>>,
) -> Option<T> {
    faults.optional(section, |table| document.settings(table, T::KIND.keys()))
}

/// Reads the tables that can replace `[cc]`, because each must be a valid one.
fn read_schemes<'a>(
    document: &Document<'a>,
    tables: &Tables<'a>,
    registry: &Registry,
    faults: &mut Faults<'_, 'a>,
) {
    let mut names = Vec::new();
    for section in &tables.schemes {
        let read = faults.section(section, |table| registry.read_cc(document, table));
        let Some(name) = read.map(|cc| cc.name()) else {
            continue;
        };
        if names.contains(&name) {
            faults.keep(Err::<(), _>(document.diagnostic(
                section.span.clone(),
                format!("there is another [[scheme]] of kind `{name}`"),
                "remove one of the two: `--cc` and `--set cc=` name an algorithm",
            )));
        }
        names.push(name);
    }
}

fn read_workloads<'a>(
    document: &Document<'a>,
    tables: &Tables<'a>,
    registry: &Registry,
    faults: &mut Faults<'_, 'a>,
) -> Option<Vec<RawWorkload>> {
    let read: Vec<Option<RawWorkload>> = (tables.workloads.iter())
        .map(|tables| {
            let cc = faults.optional(tables.cc.as_ref(), |table| {
                registry.read_cc(document, table).map(Some)
            });
            let workload =
                faults.section(&tables.own, |table| registry.read_workload(document, table));
            Some(RawWorkload {
                names_priority: tables.own.table.contains_key("priority"),
                cc: cc?,
                workload: workload?,
            })
        })
        .collect();
    read.into_iter().collect()
}

fn read_classes<'a>(
    document: &Document<'a>,
    tables: &Tables<'a>,
    registry: &Registry,
    faults: &mut Faults<'_, 'a>,
) -> Option<Vec<RawClass>> {
    let read: Vec<Option<RawClass>> = (tables.classes.iter())
        .map(|tables| {
            let cc = tables.cc.as_ref();
            let cc =
                cc.and_then(|cc| faults.section(cc, |table| registry.read_cc(document, table)));
            let table = faults.section(&tables.own, |table| document.settings(table, CLASS_KEYS));
            Some(RawClass {
                cc: cc?,
                table: table?,
            })
        })
        .collect();
    read.into_iter().collect()
}

fn read_event<'a>(document: &Document<'a>, table: &mut Section<'a>) -> Result<RawEvent, Error> {
    let kinds: Vec<&'static str> = KINDS.iter().map(|(name, ..)| *name).collect();
    match document.kind(table, &kinds)? {
        "link-down" => (document.settings(table, LinkTable::KEYS)).map(RawEvent::LinkDown),
        "link-up" => (document.settings(table, LinkTable::KEYS)).map(RawEvent::LinkUp),
        "link-rate" => (document.settings(table, RateTable::KEYS)).map(RawEvent::LinkRate),
        "link-loss" => (document.settings(table, LossTable::KEYS)).map(RawEvent::LinkLoss),
        "switch-down" => (document.settings(table, SwitchTable::KEYS)).map(RawEvent::SwitchDown),
        "switch-up" => (document.settings(table, SwitchTable::KEYS)).map(RawEvent::SwitchUp),
        _ => unreachable!("`kind` returns one of the names it was given"),
    }
}

fn read_queues<'a>(
    document: &Document<'a>,
    tables: &Tables<'a>,
    registry: &Registry,
    faults: &mut Faults<'_, 'a>,
) -> Option<Vec<RawQueue>> {
    let read: Vec<Option<RawQueue>> = (tables.queues.iter())
        .map(|tables| {
            let place = faults.section(&tables.own, |table| document.settings(table, QUEUE_KEYS));
            let discipline = match &tables.discipline {
                Some(LineOrTable::Line(line)) => Some(registry.read_discipline_line(&line.text)),
                Some(LineOrTable::Table(table)) => faults.section(table, |table| {
                    registry.read_discipline(document, table).map(Ok)
                }),
                None => None,
            };
            Some(RawQueue {
                discipline: discipline?,
                place: place?,
            })
        })
        .collect();
    read.into_iter().collect()
}
