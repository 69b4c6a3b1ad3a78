//! Selection of the kind of network that a scenario needs: the header that its packets carry and
//! the telemetry that its switches write into it.

use std::sync::Arc;

use fabricsim_core::engine::Threads;
use fabricsim_core::id::NodeId;
use fabricsim_core::plugin::quirks::{IntFormat, RoundingDraws, SimultaneousEvents};
use fabricsim_core::plugin::{ByInsertion, ByNode, CcContext, EventOrder, NoTelemetry, Telemetry};
use fabricsim_core::ranks::Shares;
use fabricsim_core::units::Rate;
use fabricsim_hpcc::{ExactStack, IntDecoder, IntHeader, IntScale, IntTelemetry};
use fabricsim_pint::query::{Queries, QueryTelemetry};
use fabricsim_pint::{PintDigest, PintSettings, PintTelemetry, PortLink};
use fabricsim_topology::{Port, Routes};
use fabricsim_transport::rdma::RdmaSettings;
use fabricsim_transport::tcp::TcpOnly;

use crate::network::headers::{Inserted, Mixed, Observed, Plain, Queried, WithBoth, WithInt};
use crate::network::model;
use crate::network::model::BuildContext;
use crate::network::runner::Runner;
use fabricsim_scenario::cc::registry::{ClassFactories, RequiredTelemetry};
use fabricsim_scenario::scenario::Scenario;
use fabricsim_scenario::schema::part::Part;
use fabricsim_scenario::text::error::Error;

/// Inputs from which a network is built.
pub(crate) struct Assembly<'a> {
    pub(crate) scenario: &'a Scenario,
    pub(crate) routes: &'a Routes,
    pub(crate) context: &'a CcContext,
    pub(crate) settings: RdmaSettings<ClassFactories>,
    pub(crate) queries: Option<Arc<Queries>>,
    pub(crate) threads: &'a Threads,
    /// The ranks of a run over several of them.
    pub(crate) shares: Option<&'a Shares>,
}

impl<'a> Assembly<'a> {
    /// Returns the inputs that all kinds of networks share, without queries.
    const fn site(&self) -> BuildContext<'a> {
        BuildContext {
            scenario: self.scenario,
            routes: self.routes,
            queries: None,
            threads: self.threads,
            shares: self.shares,
        }
    }

    /// Builds the smallest network in which every algorithm of the scenario gets the telemetry that
    /// it reads.
    ///
    /// # Errors
    /// When the telemetry has no room for the network's paths or rates.
    pub(crate) fn build(self) -> Result<Box<dyn Runner>, Error> {
        let int = self.scenario.needs(RequiredTelemetry::Int);
        if int {
            self.check_int()?;
        }
        let digest = self.pint();
        let longest = self.context.longest_path;
        if self.scenario.is_mixed() {
            return Ok(match (int || digest.is_some(), longest) {
                (false, _) => Box::new(model::build_mixed::<TcpOnly, _, _>(
                    self.site(),
                    self.settings,
                    None,
                    |_, _| NoTelemetry,
                )),
                (true, 0..=10) => self.mixed::<ExactStack<10>>(digest.as_ref()),
                (true, _) => self.mixed::<ExactStack<128>>(digest.as_ref()),
            });
        }
        if let Some(queries) = self.queries.clone() {
            let queries = Some(&queries);
            return Ok(if int && longest > 10 {
                self.with_queries::<ExactStack<128>>(queries, digest.as_ref())
            } else {
                self.with_queries::<ExactStack<10>>(queries, digest.as_ref())
            });
        }
        if self.context.quirks.event_order == SimultaneousEvents::ByInsertion {
            return Ok(self.by_insertion(int, digest.as_ref()));
        }
        Ok(match (int, digest, longest) {
            (false, None, _) => self.of::<Plain, ByNode, _>(|_, _| NoTelemetry),
            (false, Some(pint), _) => {
                let telemetry = self.pint_telemetry(&pint);
                self.of::<PintDigest, ByNode, _>(telemetry)
            }
            (true, None, 0..=5) => self.with_int::<ExactStack<5>>(),
            (true, pint, 0..=10) => self.with_both::<ExactStack<10>>(pint.as_ref()),
            (true, pint, _) => self.with_queries::<ExactStack<128>>(None, pint.as_ref()),
        })
    }

    /// Builds a network with events in the order of insertion, whose INT header is the published
    /// one. Its packets have room for that and for a digest in any case.
    fn by_insertion(self, int: bool, pint: Option<&PintSettings>) -> Box<dyn Runner> {
        let digest = pint.map(|pint| self.pint_telemetry(pint));
        let scale = int.then(|| IntScale::new(self.context));
        self.of::<Inserted, ByInsertion, _>(|node, ports| {
            let scale = scale.as_ref();
            (
                scale.map(|scale| int_telemetry(scale, node, ports)),
                digest.as_ref().map(|digest| digest(node, ports)),
            )
        })
    }

    fn check_int(&self) -> Result<(), Error> {
        let longest = self.context.longest_path;
        let rates = self.context.link_rates.len();
        let refuse =
            |part, message: String, help: &str| Err(self.scenario.refuse(part, message, help));
        match self.context.quirks.int {
            IntFormat::Quantized if longest > 5 || rates > 8 => refuse(
                Part::Profile,
                format!(
                    "the published telemetry header holds 5 hops and 8 link rates; this network \
                     has paths of {longest} switches and {rates} rates"
                ),
                "leave out the profile, or give a smaller network",
            ),
            _ if rates > 64 => refuse(
                Part::Topology,
                format!("the links have {rates} different rates, and telemetry can name 64"),
                "give links and events fewer rates, or [cc] an algorithm that reads no telemetry, such as \
                 dcqcn",
            ),
            IntFormat::Exact if longest > 128 => refuse(
                Part::Topology,
                format!("a path passes {longest} switches, and telemetry is built for up to 128"),
                "give a network with shorter paths, or [cc] an algorithm that reads no telemetry, such as \
                 dcqcn",
            ),
            _ => Ok(()),
        }
    }

    /// Returns the PINT settings of switches for the algorithms that read digests, if there is such
    /// an algorithm. All of them have the same settings; otherwise the scenario would have been
    /// refused.
    fn pint(&self) -> Option<PintSettings> {
        let config = self.scenario.pint_configs().next();
        config.map(|config| PintSettings::new(&config, self.context))
    }

    fn with_int<I: IntHeader>(self) -> Box<dyn Runner> {
        let scale = IntScale::new(self.context);
        self.of::<WithInt<I>, ByNode, _>(|node, ports| int_telemetry(&scale, node, ports))
    }

    /// A network of INT whose packets have room for the digest of `pint`, if there is one.
    fn with_both<I: IntHeader>(self, pint: Option<&PintSettings>) -> Box<dyn Runner> {
        let scale = IntScale::new(self.context);
        let digest = pint.map(|pint| self.pint_telemetry(pint));
        self.of::<WithBoth<I>, ByNode, _>(|node, ports| {
            let digest = digest.as_ref().map(|digest| digest(node, ports));
            (int_telemetry(&scale, node, ports), digest)
        })
    }

    /// A network whose packets have room for `queries`, for INT and for the digest of `pint`, of
    /// which there may be any.
    fn with_queries<I: IntHeader>(
        self,
        queries: Option<&Arc<Queries>>,
        pint: Option<&PintSettings>,
    ) -> Box<dyn Runner> {
        let digest = pint.map(|pint| self.pint_telemetry(pint));
        let int = self.scenario.needs(RequiredTelemetry::Int);
        let scale = int.then(|| IntScale::new(self.context));
        let queries = queries.cloned();
        self.of::<Queried<I>, ByNode, _>(move |node, ports| {
            let rates: Vec<Rate> = ports.iter().map(|port| port.rate).collect();
            let queries = queries.clone();
            let queries =
                queries.map(|queries| QueryTelemetry::new(queries, node, &rates, NoTelemetry));
            let scale = scale.as_ref();
            let int = scale.map(|scale| int_telemetry(scale, node, ports));
            let digest = digest.as_ref().map(|digest| digest(node, ports));
            (queries, (int, digest))
        })
    }

    /// Returns a function that creates the telemetry of a switch with the settings `pint`. The
    /// random draws of the published simulator are reproduced only in a network with one switch.
    fn pint_telemetry<'p>(
        &self,
        pint: &'p PintSettings,
    ) -> impl Fn(NodeId, &[Port]) -> PintTelemetry + use<'p> {
        let published = self.context.quirks.pint_draws == RoundingDraws::SharedSequence
            && self.scenario.topology().switches().count() == 1;
        let seed = self.scenario.seed();
        move |node, ports| {
            let link = |port: &Port| PortLink {
                rate: port.rate,
                delay: port.delay,
            };
            let links: Vec<PortLink> = ports.iter().map(link).collect();
            if published {
                PintTelemetry::published(pint, &links)
            } else {
                PintTelemetry::new(pint, &links, seed, node)
            }
        }
    }

    /// A network whose packets carry `H`, whose events are in the order `O` and whose switches have
    /// the telemetry that `telemetry` makes from their number and ports.
    fn of<H, O, T>(self, telemetry: impl Fn(NodeId, &[Port]) -> T) -> Box<dyn Runner>
    where
        H: Observed,
        O: EventOrder<H>,
        T: Telemetry<H> + Sync + 'static,
    {
        let site = BuildContext {
            scenario: self.scenario,
            routes: self.routes,
            queries: self.queries.as_ref(),
            threads: self.threads,
            shares: self.shares,
        };
        Box::new(model::build::<H, O, T, _>(site, self.settings, telemetry))
    }

    /// A network of TCP in which algorithms of either transport read telemetry: packets have room
    /// for INT and a digest, and switches write what is read.
    fn mixed<I: IntHeader>(self, pint: Option<&PintSettings>) -> Box<dyn Runner> {
        let int = self.scenario.needs(RequiredTelemetry::Int);
        let scale = int.then(|| IntScale::new(self.context));
        let digest = pint.map(|pint| self.pint_telemetry(pint));
        let telemetry = |node: NodeId, ports: &[Port]| {
            let int = scale.as_ref();
            (
                int.map(|scale| int_telemetry(scale, node, ports)),
                digest.as_ref().map(|digest| digest(node, ports)),
            )
        };
        let reader = int.then(|| Arc::new(IntDecoder::new(self.context)) as Arc<_>);
        Box::new(model::build_mixed::<Mixed<I>, _, _>(
            self.site(),
            self.settings,
            reader,
            telemetry,
        ))
    }
}

fn int_telemetry(scale: &IntScale, node: NodeId, ports: &[Port]) -> IntTelemetry {
    let rates: Vec<Rate> = ports.iter().map(|port| port.rate).collect();
    IntTelemetry::new(scale, node, &rates).expect("the scale was made from the rates of all links")
}
