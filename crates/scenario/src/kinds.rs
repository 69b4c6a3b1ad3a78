//! Kinds that scenarios can select: built-in ones, and kinds that a program adds.

use std::sync::Arc;

use fabricsim_qdisc::{
    AqmKind, DisciplineConfig, DisciplineKind, DisciplineVisitor, ShortFormReader,
};
use fabricsim_topology::{
    BoxedTopology, PolicyKind, PolicyVisitor, RoutingPolicy, TopologyKind, TopologyVisitor,
    visit_policies,
};
use fabricsim_workload::{BoxedWorkload, WorkloadKind, WorkloadVisitor};

use crate::cc::registry::{AnyCcConfig, CcRegistry};
use crate::text::document::{Document, Section};
use crate::text::error::Error;
use fabricsim_base::input::{InputError, Keys};

/// The congestion controls, topologies, workloads, queue disciplines and routing policies that
/// scenarios can select.
///
/// A new registry has all built-in kinds. Kinds that a program adds are read, checked, listed and
/// run in the same way:
///
/// ```
/// use fabricsim_scenario::Scenario;
/// use fabricsim_scenario::kinds::Registry;
///
/// let registry = Registry::default();
/// let names: Vec<&str> = registry.topologies().map(|(name, ..)| name).collect();
/// assert!(names.contains(&"fat-tree"));
/// # let text = "[topology]\nkind = \"star\"\n[cc]\nkind = \"hpcc\"\n\
/// #     [[workload]]\nkind = \"permutation\"\nsize = \"1MB\"";
/// let scenario = Scenario::from_toml_with(text, &registry)?;
/// # Ok::<(), fabricsim_scenario::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Registry {
    /// Congestion controls beyond the built-in ones.
    pub congestion_controls: CcRegistry,
    topologies: Vec<Kind<BoxedTopology>>,
    workloads: Vec<Kind<BoxedWorkload>>,
    disciplines: Vec<Kind<DisciplineConfig>>,
    /// Readers of the disciplines' short forms, in the order of `disciplines`.
    short_forms: Vec<fn(&mut ShortFormReader<'_>)>,
    policies: Vec<KnownPolicy>,
    traffic: Traffic,
}

/// Source of the traffic of a scenario.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Traffic {
    /// Workloads of the scenario; there must be at least one.
    Workloads,
    /// A program, together with the workloads of the scenario if it has any.
    Program,
}

/// A routing policy that scenarios can select.
#[derive(Clone, Debug)]
struct KnownPolicy {
    /// The policy with the defaults of its keys.
    policy: Arc<dyn RoutingPolicy>,
    /// Reader of its keys, if it has any.
    read: Option<ReadPolicy>,
}

type ReadPolicy = fn(&Document<'_>, &Section<'_>) -> Result<Arc<dyn RoutingPolicy>, Error>;

/// A kind of table that is read as a `T`.
#[derive(Debug)]
struct Kind<T> {
    name: &'static str,
    about: &'static str,
    keys: Keys,
    read: fn(&Document<'_>, &Section<'_>) -> Result<T, Error>,
}

impl<T> Clone for Kind<T> {
    fn clone(&self) -> Self {
        Self { ..*self }
    }
}

/// A kind for lists and help: its name, a one-line description and its keys.
pub type KindDoc = (&'static str, &'static str, Keys);

impl<T> Kind<T> {
    const fn doc(&self) -> KindDoc {
        (self.name, self.about, self.keys)
    }
}

impl Default for Registry {
    fn default() -> Self {
        let mut registry = Self {
            congestion_controls: CcRegistry::default(),
            topologies: Vec::new(),
            workloads: Vec::new(),
            disciplines: Vec::new(),
            short_forms: Vec::new(),
            policies: Vec::new(),
            traffic: Traffic::Workloads,
        };
        visit_policies(&mut registry);
        fabricsim_topology::visit_kinds(&mut registry);
        fabricsim_workload::visit_kinds(&mut registry);
        fabricsim_qdisc::visit_kinds(&mut registry);
        registry
    }
}

impl From<&Self> for Registry {
    fn from(registry: &Self) -> Self {
        registry.clone()
    }
}

impl From<&CcRegistry> for Registry {
    fn from(congestion_controls: &CcRegistry) -> Self {
        Self {
            congestion_controls: congestion_controls.clone(),
            ..Self::default()
        }
    }
}

impl TopologyVisitor for Registry {
    fn visit<K: TopologyKind>(&mut self) {
        self.topologies.push(Kind {
            name: K::NAME,
            about: K::ABOUT,
            keys: K::KEYS,
            read: |document, section| Ok(Box::new(document.settings::<K>(section, K::KEYS)?)),
        });
    }
}

impl WorkloadVisitor for Registry {
    fn visit<K: WorkloadKind>(&mut self) {
        self.workloads.push(Kind {
            name: K::NAME,
            about: K::ABOUT,
            keys: K::KEYS,
            read: |document, section| Ok(Box::new(document.settings::<K>(section, K::KEYS)?)),
        });
    }
}

impl DisciplineVisitor for Registry {
    fn visit<K: DisciplineKind>(&mut self) {
        self.disciplines.push(Kind {
            name: K::NAME,
            about: K::ABOUT,
            keys: K::KEYS,
            read: |document, section| Ok(document.settings::<K>(section, K::KEYS)?.into_config()),
        });
        self.short_forms.push(|reader| reader.visit::<K>());
    }
}

impl PolicyVisitor for Registry {
    fn visit_plain(&mut self, policy: impl RoutingPolicy + 'static) {
        self.policies.push(KnownPolicy {
            policy: Arc::new(policy),
            read: None,
        });
    }

    fn visit<K: PolicyKind>(&mut self) {
        self.policies.push(KnownPolicy {
            policy: Arc::new(K::default()),
            read: Some(|document, section| {
                let policy = document.settings::<K>(section, K::default().keys())?;
                let checked = policy.validate();
                checked.map_err(|error| document.refuse(section, error))?;
                Ok(Arc::new(policy))
            }),
        });
    }
}

impl Registry {
    /// Allows scenarios without `[[workload]]`, because the program that runs them sends the
    /// traffic.
    #[must_use]
    pub fn with_optional_workloads(mut self) -> Self {
        self.traffic = Traffic::Program;
        self
    }

    /// Returns `true` if a scenario may have no `[[workload]]`.
    pub(crate) fn allows_no_workload(&self) -> bool {
        self.traffic == Traffic::Program
    }

    /// Adds the topology `K`; scenarios select it by `[topology] kind`.
    ///
    /// # Panics
    /// Panics if there is a topology with the same name.
    pub fn add_topology<K: TopologyKind>(&mut self) {
        refuse_known(self.topologies(), K::NAME);
        TopologyVisitor::visit::<K>(self);
    }

    /// Adds the workload `K`; scenarios select it by `[[workload]] kind`.
    ///
    /// # Panics
    /// Panics if there is a workload with the same name.
    pub fn add_workload<K: WorkloadKind>(&mut self) {
        refuse_known(self.workloads(), K::NAME);
        WorkloadVisitor::visit::<K>(self);
    }

    /// Adds the queue discipline `K`; scenarios select it by `discipline = { kind = ... }` of
    /// `[[queue]]`.
    ///
    /// # Panics
    /// Panics if there is a discipline with the same name.
    pub fn add_discipline<K: AqmKind>(&mut self) {
        refuse_known(self.disciplines(), <K as AqmKind>::NAME);
        DisciplineVisitor::visit::<K>(self);
    }

    /// Adds the routing policy `policy`; scenarios select it by `[routing] policy`.
    ///
    /// # Panics
    /// Panics if there is a policy with the same name.
    pub fn add_routing_policy(&mut self, policy: impl RoutingPolicy + 'static) {
        let known = self.routing_policies();
        refuse_known(known.map(|known| (known.name(), "", NONE)), policy.name());
        PolicyVisitor::visit_plain(self, policy);
    }

    /// Adds the routing policy `K`, which has keys; scenarios select it by `[routing] policy`.
    ///
    /// # Panics
    /// Panics if there is a policy with the same name.
    pub fn add_routing_policy_kind<K: PolicyKind>(&mut self) {
        let known = self.routing_policies();
        refuse_known(
            known.map(|known| (known.name(), "", NONE)),
            K::default().name(),
        );
        PolicyVisitor::visit::<K>(self);
    }

    /// Yields the topologies, in the order in which they were added.
    pub fn topologies(&self) -> impl Iterator<Item = KindDoc> {
        self.topologies.iter().map(Kind::doc)
    }

    /// Yields the workloads, in the order in which they were added.
    pub fn workloads(&self) -> impl Iterator<Item = KindDoc> {
        self.workloads.iter().map(Kind::doc)
    }

    /// Yields the queue disciplines, in the order in which they were added.
    pub fn disciplines(&self) -> impl Iterator<Item = KindDoc> {
        self.disciplines.iter().map(Kind::doc)
    }

    /// Yields the routing policies with the defaults of their keys, in the order in which they were
    /// added. The first one is the default of scenarios.
    pub fn routing_policies(&self) -> impl Iterator<Item = &Arc<dyn RoutingPolicy>> {
        self.policies.iter().map(|known| &known.policy)
    }

    /// Reads the table of a routing policy.
    pub(crate) fn read_policy<'a>(
        &self,
        document: &Document<'a>,
        section: &mut Section<'a>,
    ) -> Result<Arc<dyn RoutingPolicy>, Error> {
        let names: Vec<&'static str> = self.routing_policies().map(|known| known.name()).collect();
        let name = document.kind(section, &names)?;
        let known = (self.policies.iter())
            .find(|known| known.policy.name() == name)
            .expect("`kind` returns one of the names it was given");
        match known.read {
            Some(read) => read(document, section),
            None => {
                document.refuse_unknown(&section.title, &section.table, &[])?;
                Ok(Arc::clone(&known.policy))
            }
        }
    }

    /// Reads a `[topology]` table.
    pub(crate) fn read_topology<'a>(
        &self,
        document: &Document<'a>,
        section: &mut Section<'a>,
    ) -> Result<BoxedTopology, Error> {
        read(&self.topologies, document, section)
    }

    /// Reads the table of an algorithm.
    pub(crate) fn read_cc<'a>(
        &self,
        document: &Document<'a>,
        section: &Section<'a>,
    ) -> Result<AnyCcConfig, Error> {
        AnyCcConfig::read_in_scenario(document, section.clone(), &self.congestion_controls)
    }

    /// Reads the table of a discipline.
    pub(crate) fn read_discipline<'a>(
        &self,
        document: &Document<'a>,
        section: &mut Section<'a>,
    ) -> Result<DisciplineConfig, Error> {
        read(&self.disciplines, document, section)
    }

    /// Reads a discipline in its short form.
    pub(crate) fn read_discipline_line(&self, line: &str) -> Result<DisciplineConfig, InputError> {
        DisciplineConfig::from_line(line, |reader| {
            self.short_forms.iter().for_each(|show| show(reader));
        })
    }

    /// Reads a `[[workload]]` table.
    pub(crate) fn read_workload<'a>(
        &self,
        document: &Document<'a>,
        section: &mut Section<'a>,
    ) -> Result<BoxedWorkload, Error> {
        read(&self.workloads, document, section)
    }
}

const NONE: Keys = &[];

fn refuse_known(mut known: impl Iterator<Item = KindDoc>, name: &str) {
    assert!(
        known.all(|(other, ..)| other != name),
        "there is a kind called `{name}` already"
    );
}

/// Reads `section` as the kind among `kinds` that its key `kind` names.
fn read<'a, T>(
    kinds: &[Kind<T>],
    document: &Document<'a>,
    section: &mut Section<'a>,
) -> Result<T, Error> {
    let names: Vec<&'static str> = kinds.iter().map(|kind| kind.name).collect();
    let name = document.kind(section, &names)?;
    let kind = kinds.iter().find(|kind| kind.name == name);
    (kind
        .expect("`kind` returns one of the names it was given")
        .read)(document, section)
}
