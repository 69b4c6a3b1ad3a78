//! Selection of the kind of network that a plan needs: the header that its packets carry and
//! the telemetry that its switches write into it.

use std::sync::Arc;

use fabricsim_base::id::NodeId;
use fabricsim_base::ranks::Shares;
use fabricsim_base::units::Rate;
use fabricsim_core::plugin::quirks::{RoundingDraws, SimultaneousEvents};
use fabricsim_core::plugin::{
    ByInsertion, ByNode, EventOrder, NoTelemetry, Telemetry, TelemetryReader,
};
use fabricsim_engine::Threads;
use fabricsim_hpcc::{ExactStack, HasInt, IntDecoder, IntHeader, IntScale, IntTelemetry};
use fabricsim_pint::query::QueryTelemetry;
use fabricsim_pint::{PintDigest, PintSettings, PintTelemetry, PortLink};
use fabricsim_topology::Port;
use fabricsim_transport::tcp::{HasTcp, TcpOnly};

use crate::headers::{Full, Inserted, Mixed, Observed, Plain, WithInt};
use crate::model;
use crate::plan::{BuildContext, Parts, Plan};
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
            is_mixed,
            queries,
            ..
        } = self.plan;
        let (int, is_asked, longest) = (*int, queries.is_some(), context.longest_path);
        if *is_mixed {
            return match (is_asked, int || digest.is_some(), longest) {
                (false, false, _) => self.mixed::<TcpOnly, _>(None, |_, _| NoTelemetry),
                (false, true, 0..=5) => self.mixed::<Mixed<ExactStack<5>>, _>(
                    self.int_reader(),
                    self.algorithms_telemetry(),
                ),
                _ => self.full(),
            };
        }
        if !is_asked && context.quirks.event_order == SimultaneousEvents::ByInsertion {
            // The INT header is the published one. Packets have room for it and for a digest in any
            // case.
            return self.of::<Inserted, ByInsertion, _>(self.algorithms_telemetry());
        }
        match (is_asked, int, digest, longest) {
            (false, false, None, _) => self.of::<Plain, ByNode, _>(|_, _| NoTelemetry),
            (false, false, Some(pint), _) => {
                self.of::<PintDigest, ByNode, _>(self.pint_telemetry(pint))
            }
            (false, true, None, 0..=5) => self.with_int::<ExactStack<5>>(),
            _ => self.full(),
        }
    }

    /// Builds a network in which everything is possible, for what is rarely asked for: with both
    /// transports, and packets with room for queries, for INT and for a digest, of which there may be
    /// any.
    fn full(self) -> Box<dyn Runner> {
        if self.plan.int && self.plan.context.longest_path > 10 {
            self.full_with::<ExactStack<128>>()
        } else {
            self.full_with::<ExactStack<10>>()
        }
    }

    fn full_with<I: IntHeader>(self) -> Box<dyn Runner> {
        let algorithms = self.algorithms_telemetry();
        self.mixed::<Full<I>, _>(self.int_reader(), |node, ports| {
            let rates: Vec<Rate> = ports.iter().map(|port| port.rate).collect();
            let queries = self.plan.queries.clone();
            let queries =
                queries.map(|queries| QueryTelemetry::new(queries, node, &rates, NoTelemetry));
            (queries, algorithms(node, ports))
        })
    }

    fn with_int<I: IntHeader>(self) -> Box<dyn Runner> {
        let scale = IntScale::new(self.plan.context);
        self.of::<WithInt<I>, ByNode, _>(|node, ports| int_telemetry(&scale, node, ports))
    }

    /// Returns what decodes INT for algorithms of TCP, if one reads it.
    fn int_reader<H: HasInt>(self) -> Option<Arc<dyn TelemetryReader<H>>> {
        let int = self.plan.int;
        int.then(|| Arc::new(IntDecoder::new(self.plan.context)) as Arc<_>)
    }

    /// Returns a function that creates the telemetry of a switch for what algorithms read.
    fn algorithms_telemetry(
        self,
    ) -> impl Fn(NodeId, &[Port]) -> (Option<IntTelemetry>, Option<PintTelemetry>) {
        let scale = self.plan.int.then(|| IntScale::new(self.plan.context));
        let digest = self.plan.digest.as_ref();
        let digest = digest.map(|pint| self.pint_telemetry(pint));
        move |node, ports| {
            let scale = scale.as_ref();
            (
                scale.map(|scale| int_telemetry(scale, node, ports)),
                digest.as_ref().map(|digest| digest(node, ports)),
            )
        }
    }

    /// A network of both transports whose packets carry `H`. `reader` decodes the telemetry of TCP's
    /// probes, and `telemetry` makes that of a switch from its number and ports.
    fn mixed<H, T>(
        self,
        reader: Option<Arc<dyn TelemetryReader<H>>>,
        telemetry: impl Fn(NodeId, &[Port]) -> T,
    ) -> Box<dyn Runner>
    where
        H: Observed + HasTcp,
        T: Telemetry<H> + Sync + 'static,
    {
        Box::new(model::build_mixed::<H, T>(self, reader, telemetry))
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
