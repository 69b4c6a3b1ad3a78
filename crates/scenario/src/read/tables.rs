//! The tables of a scenario as they stand in its text.

use std::ops::Range;

use fabricsim_core::input::{ConfigError, InputError};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::schema::part::{Part, Reason, Refused};
use crate::schema::root::TABLES;
use crate::text::document::{Document, Section};
use crate::text::error::Error;

/// The keys and tables at the top of a scenario, each with its place.
#[derive(Clone, Debug)]
pub(crate) struct Tables<'a> {
    pub(crate) name: Option<Spanned<DeValue<'a>>>,
    pub(crate) seed: Option<Spanned<DeValue<'a>>>,
    pub(crate) profile: Option<Spanned<DeValue<'a>>>,
    pub(crate) topology: Section<'a>,
    pub(crate) switch: Option<Section<'a>>,
    pub(crate) rdma: Option<Section<'a>>,
    pub(crate) tcp: Option<Section<'a>>,
    pub(crate) routing: Option<Section<'a>>,
    pub(crate) run: Option<Section<'a>>,
    pub(crate) output: Option<Section<'a>>,
    pub(crate) cc: Section<'a>,
    pub(crate) workloads: Vec<Section<'a>>,
    pub(crate) classes: Vec<Section<'a>>,
    pub(crate) queues: Vec<Section<'a>>,
    pub(crate) events: Vec<Section<'a>>,
    pub(crate) observe: Option<Section<'a>>,
    pub(crate) queries: QueryTables<'a>,
}

/// The `[pint]` table and those of queries.
#[derive(Clone, Debug)]
pub(crate) struct QueryTables<'a> {
    pub(crate) pint: Option<Section<'a>>,
    pub(crate) queries: Vec<Section<'a>>,
}

impl<'a> Tables<'a> {
    /// Takes the tables out of `root`, and refuses others.
    ///
    /// # Errors
    /// The first key that is none of a scenario's or no table, and the first table that is missing.
    pub(crate) fn take(document: &Document<'a>, mut root: DeTable<'a>) -> Result<Self, Error> {
        document.refuse_unknown("a scenario", &root, TABLES)?;
        let root = &mut root;
        let tables = Self {
            name: root.remove("name"),
            seed: root.remove("seed"),
            profile: root.remove("profile"),
            topology: document.section(root, "topology")?.ok_or_else(|| {
                document.missing(
                    "the scenario has no [topology] table",
                    "add `[topology]` and `kind = \"fat-tree\"`; `fabricsim list` shows all topologies",
                )
            })?,
            switch: document.section(root, "switch")?,
            rdma: document.section(root, "rdma")?,
            tcp: document.section(root, "tcp")?,
            routing: document.section(root, "routing")?,
            run: document.section(root, "run")?,
            output: document.section(root, "output")?,
            cc: document.section(root, "cc")?.ok_or_else(|| {
                document.missing(
                    "the scenario has no [cc] table",
                    "add `[cc]` and `kind = \"hpcc\"`; `fabricsim list` shows all algorithms",
                )
            })?,
            workloads: document.sections(root, "workload")?,
            classes: document.sections(root, "class")?,
            queues: document.sections(root, "queue")?,
            events: document.sections(root, "event")?,
            observe: document.section(root, "observe")?,
            queries: QueryTables::take(document, root)?,
        };
        if tables.workloads.is_empty() {
            return Err(document.missing(
                "the scenario has no [[workload]] table, so nothing would be sent",
                "add `[[workload]]` with `kind = \"poisson\"`; `fabricsim list` shows all workloads",
            ));
        }
        Ok(tables)
    }

    /// Returns where a part stands that is refused.
    pub(crate) fn place(&self, refused: &Refused) -> Place<'_, 'a> {
        match refused.part {
            Part::Topology => Place::Table(&self.topology),
            Part::Profile => Place::of_value(self.profile.as_ref()),
            Part::Switch => Place::of_table(self.switch.as_ref()),
            Part::SwitchBuffer => Place::of_key(self.switch.as_ref(), "buffer"),
            Part::SwitchRules => Place::of_key(self.switch.as_ref(), "ecn_rules"),
            Part::Rdma => Place::of_table(self.rdma.as_ref()),
            Part::Tcp => Place::of_table(self.tcp.as_ref()),
            Part::Routing => Place::of_table(self.routing.as_ref()),
            Part::RoutingPolicy => Place::of_key(self.routing.as_ref(), "policy"),
            Part::Run => Place::of_table(self.run.as_ref()),
            Part::Output => Place::of_table(self.output.as_ref()),
            Part::Cc => Place::Table(&self.cc),
            Part::Workload(index) => Place::of_table(self.workloads.get(index)),
            Part::ClassId(index) => Place::of_key(self.classes.get(index), "id"),
            Part::Queue(index) => Place::of_table(self.queues.get(index)),
            Part::Event(index) => Place::of_table(self.events.get(index)),
            Part::Observe => Place::of_table(self.observe.as_ref()),
            Part::Pint | Part::Query(_) => self.queries.place(refused),
        }
    }
}

impl<'a> QueryTables<'a> {
    /// Takes the tables out of `root`.
    ///
    /// # Errors
    /// When one of the keys is no table.
    pub(crate) fn take(document: &Document<'a>, root: &mut DeTable<'a>) -> Result<Self, Error> {
        Ok(Self {
            pint: document.section(root, "pint")?,
            queries: document.sections(root, "query")?,
        })
    }

    /// Returns where a part stands that is refused. All queries together stand at the first one,
    /// unless their budget is given and at fault.
    pub(crate) fn place(&self, refused: &Refused) -> Place<'_, 'a> {
        let pint = self.pint.as_ref();
        match (refused.part, &refused.reason) {
            (Part::Query(index), _) => Place::of_table(self.queries.get(index)),
            (_, Reason::Key(error)) if !self.gives_budget(error.key) => {
                let first = self.queries.first();
                Place::Span(first.map_or(0..0, |first| first.span.clone()))
            }
            _ => Place::of_table(pint),
        }
    }

    /// Returns whether `key` is the budget, and given.
    fn gives_budget(&self, key: &str) -> bool {
        let pint = self.pint.as_ref();
        key == "bits" && pint.is_some_and(|pint| pint.table.contains_key("bits"))
    }
}

/// Where a part of a scenario stands in its text.
#[derive(Debug)]
pub(crate) enum Place<'t, 'a> {
    /// A table, whose keys have places of their own.
    Table(&'t Section<'a>),
    /// A value, or the start of the text where it is not given.
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

    /// Returns the error of what is refused for `reason` here.
    pub(crate) fn error(self, document: &Document<'a>, reason: Reason) -> Error {
        document.error(match (self, reason) {
            (_, Reason::File(error)) => return error,
            (Self::Table(table), Reason::Key(error)) => table.refusal(error),
            (Self::Table(table), Reason::Whole { message, help }) => {
                InputError::new(table.span.clone(), message, help)
            }
            (Self::Span(span), Reason::Key(ConfigError { message, help, .. }))
            | (Self::Span(span), Reason::Whole { message, help }) => {
                InputError::new(span, message, help)
            }
        })
    }
}
