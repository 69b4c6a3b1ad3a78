//! The tables of a scenario as written in its text.

use std::ops::Range;

use fabricsim_base::input::{ConfigError, InputError};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::read::taker::Taker;
use crate::scenario::places::Places;
use crate::schema::part::{Part, Reason, Refused};
use crate::schema::root::TABLES;
use crate::text::document::{Document, Line, LineOrTable, Section};
use crate::text::error::Error;
use crate::text::messages::nearest;

/// The keys and tables at the top level of a scenario, with their positions.
#[derive(Debug)]
pub(crate) struct Tables<'a> {
    pub(crate) name: Option<Spanned<DeValue<'a>>>,
    pub(crate) seed: Option<Spanned<DeValue<'a>>>,
    pub(crate) profile: Option<Spanned<DeValue<'a>>>,
    /// If this is missing, `faults` has an error, as for every required table.
    pub(crate) topology: Option<Section<'a>>,
    pub(crate) host: Option<Section<'a>>,
    pub(crate) switch: Option<Section<'a>>,
    pub(crate) rdma: Option<Section<'a>>,
    pub(crate) tcp: Option<Section<'a>>,
    pub(crate) routing: Option<Section<'a>>,
    /// The policy of `routing`, if it is a table.
    pub(crate) policy: Option<Section<'a>>,
    pub(crate) run: Option<Section<'a>>,
    pub(crate) output: Option<Section<'a>>,
    pub(crate) cc: Option<Section<'a>>,
    /// Tables that can replace `cc`.
    pub(crate) schemes: Vec<Section<'a>>,
    pub(crate) workloads: Vec<WorkloadTables<'a>>,
    pub(crate) classes: Vec<ClassTables<'a>>,
    pub(crate) queues: Vec<QueueTables<'a>>,
    pub(crate) events: Vec<Section<'a>>,
    pub(crate) observe: Option<Section<'a>>,
    pub(crate) capture: Option<Section<'a>>,
    pub(crate) queries: QueryTables<'a>,
    /// Unknown tables, values that are not tables, and missing tables. All remaining tables are
    /// still read, so that users see all errors at once.
    pub(crate) faults: Vec<Error>,
    /// Tables that some key of the text names, exactly or misspelled, but not as a list. They are
    /// not reported as missing.
    pub(crate) meant: Vec<&'static str>,
}

/// A `[[workload]]` table and the table of its algorithm, if it has its own.
#[derive(Clone, Debug)]
pub(crate) struct WorkloadTables<'a> {
    pub(crate) own: Section<'a>,
    pub(crate) cc: Option<Section<'a>>,
}

/// A `[[class]]` table and the table of its algorithm.
#[derive(Clone, Debug)]
pub(crate) struct ClassTables<'a> {
    pub(crate) own: Section<'a>,
    pub(crate) cc: Option<Section<'a>>,
}

/// A `[[queue]]` table and its discipline.
#[derive(Clone, Debug)]
pub(crate) struct QueueTables<'a> {
    pub(crate) own: Section<'a>,
    pub(crate) discipline: Option<LineOrTable<'a>>,
}

/// The `[pint]` table and the `[[query]]` tables.
#[derive(Clone, Debug)]
pub(crate) struct QueryTables<'a> {
    pub(crate) pint: Option<Section<'a>>,
    pub(crate) queries: Vec<Section<'a>>,
}

impl<'a> Tables<'a> {
    /// Parses `document` and extracts the tables with their positions.
    ///
    /// # Errors
    /// Fails if it is not valid TOML.
    pub(crate) fn parse(document: &Document<'a>) -> Result<(Self, Places), Error> {
        Ok(Self::take(document, document.parse()?))
    }

    /// Extracts the tables from `root`, and returns them with their positions.
    pub(crate) fn take(document: &Document<'a>, mut root: DeTable<'a>) -> (Self, Places) {
        let places = Places::of(document, &root);
        let mut faults = document.unknown_keys("a scenario", &root, TABLES);
        let is_list = |name: &str, value: &DeValue<'_>| TABLES.contains(&name) && value.is_array();
        let meant: Vec<&'static str> = (root.iter())
            .filter(|(key, value)| !is_list(key.get_ref(), value.get_ref()))
            .filter_map(|(key, _)| nearest(key.get_ref(), TABLES))
            .collect();
        let mut taker = Taker {
            document,
            root: &mut root,
            faults: &mut faults,
        };
        let mut routing = taker.section("routing");
        let policy = match &mut routing {
            Some(section) => taker.keep(document.inner_table(section, "policy")),
            None => None,
        };
        let mut tables = Self {
            name: taker.root.remove("name"),
            seed: taker.root.remove("seed"),
            profile: taker.root.remove("profile"),
            topology: taker.needed("topology", "fat-tree", "topologies", &meant),
            host: taker.section("host"),
            switch: taker.section("switch"),
            rdma: taker.section("rdma"),
            tcp: taker.section("tcp"),
            routing,
            policy,
            run: taker.section("run"),
            output: taker.section("output"),
            cc: taker.needed("cc", "hpcc", "algorithms", &meant),
            schemes: taker.sections("scheme"),
            workloads: taker.each("workload", Taker::workload),
            classes: taker.each("class", Taker::class),
            queues: taker.each("queue", Taker::queue),
            events: taker.sections("event"),
            observe: taker.section("observe"),
            capture: taker.section("capture"),
            queries: QueryTables {
                pint: taker.section("pint"),
                queries: taker.sections("query"),
            },
            faults: Vec::new(),
            meant: Vec::new(),
        };
        (tables.faults, tables.meant) = (faults, meant);
        (tables, places)
    }

    /// Returns the position of a rejected part.
    pub(crate) fn place(&self, refused: &Refused) -> Place<'_, 'a> {
        match refused.part {
            Part::Topology => Place::of_table(self.topology.as_ref()),
            Part::Host => Place::of_table(self.host.as_ref()),
            Part::Profile => Place::of_value(self.profile.as_ref()),
            Part::Switch => Place::of_table(self.switch.as_ref()),
            Part::SwitchBuffer => Place::of_key(self.switch.as_ref(), "buffer"),
            Part::SwitchRules => Place::of_key(self.switch.as_ref(), "ecn_rules"),
            Part::Rdma => Place::of_table(self.rdma.as_ref()),
            Part::Tcp => Place::of_table(self.tcp.as_ref()),
            Part::Routing => Place::of_table(self.routing.as_ref()),
            Part::RoutingPolicy => match &self.policy {
                Some(table) => Place::Table(table),
                None => Place::of_key(self.routing.as_ref(), "policy"),
            },
            Part::Run => Place::of_table(self.run.as_ref()),
            Part::Output => Place::of_table(self.output.as_ref()),
            Part::Cc => Place::of_table(self.cc.as_ref()),
            Part::Workload(index) => Place::Table(&self.workloads[index].own),
            Part::ClassId(index) => Place::of_key(Some(&self.classes[index].own), "id"),
            Part::Queue(index) => Place::Table(&self.queues[index].own),
            Part::Discipline(index) => match &self.queues[index].discipline {
                Some(LineOrTable::Line(line)) => Place::Line(line),
                Some(LineOrTable::Table(table)) => Place::Table(table),
                None => Place::Table(&self.queues[index].own),
            },
            Part::Event(index) => Place::Table(&self.events[index]),
            Part::Observe => Place::of_table(self.observe.as_ref()),
            Part::Capture => Place::of_table(self.capture.as_ref()),
            Part::Pint | Part::Query(_) => self.queries.place(refused),
        }
    }
}

impl<'a> QueryTables<'a> {
    /// Returns the position of a rejected part. An error of all queries together is at the first
    /// query, unless it concerns the budget and the budget is given.
    pub(crate) fn place(&self, refused: &Refused) -> Place<'_, 'a> {
        let pint = self.pint.as_ref();
        match (refused.part, &refused.reason) {
            (Part::Query(index), _) => Place::Table(&self.queries[index]),
            (_, Reason::Key(error)) if !self.gives_budget(error.key) => {
                let first = self.queries.first();
                Place::Span(first.map_or(0..0, |first| first.span.clone()))
            }
            _ => Place::of_table(pint),
        }
    }

    /// Returns `true` if `key` is the budget and is given.
    fn gives_budget(&self, key: &str) -> bool {
        let pint = self.pint.as_ref();
        key == "bits" && pint.is_some_and(|pint| pint.table.contains_key("bits"))
    }
}

/// The position of a part of a scenario in its text.
#[derive(Debug)]
pub(crate) enum Place<'t, 'a> {
    /// A table; its keys have their own positions.
    Table(&'t Section<'a>),
    /// A line; its words have their own positions.
    Line(&'t Line),
    /// A value, or the start of the text if the value is not given.
    Span(Range<usize>),
}

impl<'t, 'a> Place<'t, 'a> {
    fn of_table(table: Option<&'t Section<'a>>) -> Self {
        table.map_or(Self::Span(0..0), Self::Table)
    }

    fn of_value(value: Option<&Spanned<DeValue<'a>>>) -> Self {
        Self::Span(value.map_or(0..0, Spanned::span))
    }

    fn of_key(table: Option<&Section<'a>>, key: &str) -> Self {
        Self::of_value(table.and_then(|table| table.table.get(key)))
    }

    fn span(&self) -> Range<usize> {
        match self {
            Self::Table(table) => table.span.clone(),
            Self::Line(line) => line.span.clone(),
            Self::Span(span) => span.clone(),
        }
    }

    /// Returns the error for rejecting the part at this position for `reason`.
    pub(crate) fn error(self, document: &Document<'a>, reason: Reason) -> Error {
        document.error(match (self, reason) {
            (_, Reason::File(error)) => return error,
            (Self::Table(table), Reason::Key(error)) => table.refusal(error),
            (Self::Line(line), Reason::Words(error)) => line.refusal(document.text, error),
            (
                place,
                Reason::Key(ConfigError { message, help, .. })
                | Reason::Words(InputError { message, help, .. })
                | Reason::Whole { message, help },
            ) => InputError::new(place.span(), message, help),
        })
    }
}
