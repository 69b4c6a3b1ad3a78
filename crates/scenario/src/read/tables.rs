//! The tables of a scenario as they stand in its text.

use std::ops::Range;

use fabricsim_core::input::{ConfigError, InputError, Key};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::scenario::places::Places;
use crate::schema::part::{Part, Reason, Refused};
use crate::schema::queue::QUEUE_KEYS;
use crate::schema::root::TABLES;
use crate::text::document::{Document, Line, LineOrTable, Section};
use crate::text::error::Error;

/// The keys and tables at the top of a scenario, each with its place.
#[derive(Clone, Debug)]
pub(crate) struct Tables<'a> {
    pub(crate) name: Option<Spanned<DeValue<'a>>>,
    pub(crate) seed: Option<Spanned<DeValue<'a>>>,
    pub(crate) profile: Option<Spanned<DeValue<'a>>>,
    pub(crate) topology: Section<'a>,
    pub(crate) host: Option<Section<'a>>,
    pub(crate) switch: Option<Section<'a>>,
    pub(crate) rdma: Option<Section<'a>>,
    pub(crate) tcp: Option<Section<'a>>,
    pub(crate) routing: Option<Section<'a>>,
    /// The policy of `routing`, where it is a table.
    pub(crate) policy: Option<Section<'a>>,
    pub(crate) run: Option<Section<'a>>,
    pub(crate) output: Option<Section<'a>>,
    pub(crate) cc: Section<'a>,
    pub(crate) workloads: Vec<WorkloadTables<'a>>,
    pub(crate) classes: Vec<ClassTables<'a>>,
    pub(crate) queues: Vec<QueueTables<'a>>,
    pub(crate) events: Vec<Section<'a>>,
    pub(crate) observe: Option<Section<'a>>,
    pub(crate) capture: Option<Section<'a>>,
    pub(crate) queries: QueryTables<'a>,
}

/// A `[[workload]]` table and that of its algorithm, if it has its own.
#[derive(Clone, Debug)]
pub(crate) struct WorkloadTables<'a> {
    pub(crate) own: Section<'a>,
    pub(crate) cc: Option<Section<'a>>,
}

/// A `[[class]]` table and that of its algorithm.
#[derive(Clone, Debug)]
pub(crate) struct ClassTables<'a> {
    pub(crate) own: Section<'a>,
    pub(crate) cc: Section<'a>,
}

/// A `[[queue]]` table and its discipline.
#[derive(Clone, Debug)]
pub(crate) struct QueueTables<'a> {
    pub(crate) own: Section<'a>,
    pub(crate) discipline: LineOrTable<'a>,
}

/// The `[pint]` table and those of queries.
#[derive(Clone, Debug)]
pub(crate) struct QueryTables<'a> {
    pub(crate) pint: Option<Section<'a>>,
    pub(crate) queries: Vec<Section<'a>>,
}

impl<'a> Tables<'a> {
    /// Parses `document` and takes the tables out of it, with their places.
    ///
    /// # Errors
    /// When it is no TOML, and those of [`Self::take`].
    pub(crate) fn parse(document: &Document<'a>) -> Result<(Self, Places), Error> {
        Self::take(document, document.parse()?)
    }

    /// Takes the tables out of `root`, and refuses others. Returns their places, too.
    ///
    /// # Errors
    /// The first key that is none of a scenario's or no table, and the first table that is missing.
    pub(crate) fn take(
        document: &Document<'a>,
        mut root: DeTable<'a>,
    ) -> Result<(Self, Places), Error> {
        let places = Places::of(document, &root);
        document.refuse_unknown("a scenario", &root, TABLES)?;
        let root = &mut root;
        let mut routing = document.section(root, "routing")?;
        let policy = match &mut routing {
            Some(section) => document.inner_table(section, "policy")?,
            None => None,
        };
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
            host: document.section(root, "host")?,
            switch: document.section(root, "switch")?,
            rdma: document.section(root, "rdma")?,
            tcp: document.section(root, "tcp")?,
            routing,
            policy,
            run: document.section(root, "run")?,
            output: document.section(root, "output")?,
            cc: document.section(root, "cc")?.ok_or_else(|| {
                document.missing(
                    "the scenario has no [cc] table",
                    "add `[cc]` and `kind = \"hpcc\"`; `fabricsim list` shows all algorithms",
                )
            })?,
            workloads: (document.sections(root, "workload")?.into_iter())
                .map(|mut own| {
                    let cc = document.subsection(&mut own, "cc")?;
                    Ok(WorkloadTables { own, cc })
                })
                .collect::<Result<_, Error>>()?,
            classes: (document.sections(root, "class")?.into_iter())
                .map(|mut own| match document.subsection(&mut own, "cc")? {
                    Some(cc) => Ok(ClassTables { own, cc }),
                    None => Err(document.diagnostic(
                        own.span,
                        format!("{} does not say its algorithm", own.title),
                        "add `cc = { kind = \"dcqcn\" }`; `fabricsim list cc` shows all algorithms",
                    )),
                })
                .collect::<Result<_, Error>>()?,
            queues: (document.sections(root, "queue")?.into_iter())
                .map(|mut own| {
                    document.refuse_unknown(&own.title, &own.table, &Key::names(QUEUE_KEYS))?;
                    match document.line_or_table(&mut own, "discipline")? {
                        Some(discipline) => Ok(QueueTables { own, discipline }),
                        None => Err(document.diagnostic(
                            own.span,
                            format!("{} does not say its discipline", own.title),
                            "add `discipline = \"fq_codel\"`; docs/scenarios.md has all kinds",
                        )),
                    }
                })
                .collect::<Result<_, Error>>()?,
            events: document.sections(root, "event")?,
            observe: document.section(root, "observe")?,
            capture: document.section(root, "capture")?,
            queries: QueryTables {
                pint: document.section(root, "pint")?,
                queries: document.sections(root, "query")?,
            },
        };
        Ok((tables, places))
    }

    /// Returns where a part stands that is refused.
    pub(crate) fn place(&self, refused: &Refused) -> Place<'_, 'a> {
        match refused.part {
            Part::Topology => Place::Table(&self.topology),
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
            Part::Cc => Place::Table(&self.cc),
            Part::Workload(index) => Place::Table(&self.workloads[index].own),
            Part::ClassId(index) => Place::of_key(Some(&self.classes[index].own), "id"),
            Part::Queue(index) => Place::Table(&self.queues[index].own),
            Part::Discipline(index) => match &self.queues[index].discipline {
                LineOrTable::Line(line) => Place::Line(line),
                LineOrTable::Table(table) => Place::Table(table),
            },
            Part::Event(index) => Place::Table(&self.events[index]),
            Part::Observe => Place::of_table(self.observe.as_ref()),
            Part::Capture => Place::of_table(self.capture.as_ref()),
            Part::Pint | Part::Query(_) => self.queries.place(refused),
        }
    }
}

impl<'a> QueryTables<'a> {
    /// Returns where a part stands that is refused. All queries together stand at the first one,
    /// unless their budget is given and at fault.
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
    /// A line, whose words have places of their own.
    Line(&'t Line),
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

    fn span(&self) -> Range<usize> {
        match self {
            Self::Table(table) => table.span.clone(),
            Self::Line(line) => line.span.clone(),
            Self::Span(span) => span.clone(),
        }
    }

    /// Returns the error of what is refused for `reason` here.
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
