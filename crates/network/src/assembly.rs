//! Selection of the kind of network that a plan needs: the header that its packets carry and
//! the telemetry that its switches write into it.

use std::sync::Arc;

use fabricsim_core::engine::Threads;
use fabricsim_core::id::NodeId;
use fabricsim_core::plugin::quirks::{RoundingDraws, SimultaneousEvents};
use fabricsim_core::plugin::{ByInsertion, ByNode, EventOrder, NoTelemetry, Telemetry};
use fabricsim_core::ranks::Shares;
use fabricsim_core::units::Rate;
use fabricsim_hpcc::{ExactStack, IntDecoder, IntHeader, IntScale, IntTelemetry};
use fabricsim_pint::query::QueryTelemetry;
use fabricsim_pint::{PintDigest, PintSettings, PintTelemetry, PortLink};
use fabricsim_topology::Port;
use fabricsim_transport::tcp::TcpOnly;

use crate::headers::{Inserted, Mixed, Observed, Plain, Queried, WithBoth, WithInt};
use crate::model;
use crate::plan::{BuildContext, Parts, Plan, TcpPlan};
use crate::runner::Runner;

impl Plan<'_> {
    /// Builds the smallest network in which every algorithm gets the telemetry that it reads, of nodes
    /// with `parts`, to be run by `threads`; `shares` are the ranks of a run over several of them.
    ///
    /// # Panics
    /// When INT has no room for the network's paths or rates: 128 switches and 64 rates, or, in the
    /// published format, 5 and 8.
    #[must_use]
    pub fn build(
        &self,
        parts: &dyn Parts,
        threads: &Threads,
        shares: Option<&Shares>,
    ) -> Box<dyn Runner> {
        let inputs = BuildContext {
            plan: self,
            parts,
            threads,
            shares,
        };
        inputs.build()
    }
}

impl BuildContext<'_> {
    fn build(self) -> Box<dyn Runner> {
        let Plan {
            int,
            digest,
            context,
            ..
        } = self.plan;
        let (int, longest) = (*int, context.longest_path);
        if let Some(tcp) = &self.plan.tcp {
            return match (int || digest.is_some(), longest) {
                (false, _) => {
                    Box::new(model::build_mixed::<TcpOnly, _>(self, tcp, None, |_, _| {
                        NoTelemetry
                    }))
                }
                (true, 0..=10) => self.mixed::<ExactStack<10>>(tcp),
                (true, _) => self.mixed::<ExactStack<128>>(tcp),
            };
        }
        if self.plan.queries.is_some() {
            return if int && longest > 10 {
                self.with_queries::<ExactStack<128>>()
            } else {
                self.with_queries::<ExactStack<10>>()
            };
        }
        if self.plan.context.quirks.event_order == SimultaneousEvents::ByInsertion {
            return self.by_insertion();
        }
        match (int, digest, longest) {
            (false, None, _) => self.of::<Plain, ByNode, _>(|_, _| NoTelemetry),
            (false, Some(pint), _) => self.of::<PintDigest, ByNode, _>(self.pint_telemetry(pint)),
            (true, None, 0..=5) => self.with_int::<ExactStack<5>>(),
            (true, _, 0..=10) => self.with_both::<ExactStack<10>>(),
            (true, _, _) => self.with_queries::<ExactStack<128>>(),
        }
    }

    /// Builds a network with events in the order of insertion, whose INT header is the published
    /// one. Its packets have room for that and for a digest in any case.
    fn by_insertion(self) -> Box<dyn Runner> {
        let scale = self.int_scale();
        let digest = self.digest_telemetry();
        self.of::<Inserted, ByInsertion, _>(|node, ports| {
            let scale = scale.as_ref();
            (
                scale.map(|scale| int_telemetry(scale, node, ports)),
                digest.as_ref().map(|digest| digest(node, ports)),
            )
        })
    }

    fn with_int<I: IntHeader>(self) -> Box<dyn Runner> {
        let scale = IntScale::new(self.plan.context);
        self.of::<WithInt<I>, ByNode, _>(|node, ports| int_telemetry(&scale, node, ports))
    }

    /// A network of INT whose packets have room for a digest, if an algorithm reads one.
    fn with_both<I: IntHeader>(self) -> Box<dyn Runner> {
        let scale = IntScale::new(self.plan.context);
        let digest = self.digest_telemetry();
        self.of::<WithBoth<I>, ByNode, _>(|node, ports| {
            let digest = digest.as_ref().map(|digest| digest(node, ports));
            (int_telemetry(&scale, node, ports), digest)
        })
    }

    /// A network whose packets have room for queries, for INT and for a digest, of which there may be
    /// any.
    fn with_queries<I: IntHeader>(self) -> Box<dyn Runner> {
        let scale = self.int_scale();
        let digest = self.digest_telemetry();
        self.of::<Queried<I>, ByNode, _>(|node, ports| {
            let rates: Vec<Rate> = ports.iter().map(|port| port.rate).collect();
            let queries = self.plan.queries.clone();
            let queries =
                queries.map(|queries| QueryTelemetry::new(queries, node, &rates, NoTelemetry));
            let scale = scale.as_ref();
            let int = scale.map(|scale| int_telemetry(scale, node, ports));
            let digest = digest.as_ref().map(|digest| digest(node, ports));
            (queries, (int, digest))
        })
    }

    /// A network of TCP in which algorithms of either transport read telemetry: packets have room
    /// for INT and a digest, and switches write what is read.
    fn mixed<I: IntHeader>(self, tcp: &TcpPlan) -> Box<dyn Runner> {
        let scale = self.int_scale();
        let digest = self.digest_telemetry();
        let telemetry = |node: NodeId, ports: &[Port]| {
            let int = scale.as_ref();
            (
                int.map(|scale| int_telemetry(scale, node, ports)),
                digest.as_ref().map(|digest| digest(node, ports)),
            )
        };
        let reader = self
            .plan
            .int
            .then(|| Arc::new(IntDecoder::new(self.plan.context)) as Arc<_>);
        Box::new(model::build_mixed::<Mixed<I>, _>(
            self, tcp, reader, telemetry,
        ))
    }

    /// A network whose packets carry `H`, whose events are in the order `O` and whose switches have
    /// the telemetry that `telemetry` makes from their number and ports.
    fn of<H, O, T>(self, telemetry: impl Fn(NodeId, &[Port]) -> T) -> Box<dyn Runner>
    where
        H: Observed,
        O: EventOrder<H>,
        T: Telemetry<H> + Sync + 'static,
    {
        Box::new(model::build::<H, O, T>(self, telemetry))
    }

    /// The scale of INT, if an algorithm reads it.
    fn int_scale(self) -> Option<IntScale> {
        self.plan.int.then(|| IntScale::new(self.plan.context))
    }

    /// Returns a function that creates the telemetry of a switch for digests, if an algorithm reads
    /// them.
    fn digest_telemetry(self) -> Option<impl Fn(NodeId, &[Port]) -> PintTelemetry> {
        self.plan
            .digest
            .as_ref()
            .map(|pint| self.pint_telemetry(pint))
    }

    /// Returns a function that creates the telemetry of a switch with the settings `pint`. The
    /// random draws of the published simulator are reproduced only in a network with one switch.
    fn pint_telemetry<'p>(
        self,
        pint: &'p PintSettings,
    ) -> impl Fn(NodeId, &[Port]) -> PintTelemetry + use<'p> {
        let published = self.plan.context.quirks.pint_draws == RoundingDraws::SharedSequence
            && self.plan.topology.switches().count() == 1;
        let seed = self.plan.seed;
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
}

fn int_telemetry(scale: &IntScale, node: NodeId, ports: &[Port]) -> IntTelemetry {
    let rates: Vec<Rate> = ports.iter().map(|port| port.rate).collect();
    IntTelemetry::new(scale, node, &rates).expect("the scale was made from the rates of all links")
}
