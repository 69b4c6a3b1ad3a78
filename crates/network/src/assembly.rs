//! Selection of the kind of network for a plan: the header of its packets and the telemetry that
//! its switches write into the header.

use fabricsim_base::id::NodeId;
use fabricsim_base::ranks::Shares;
use fabricsim_base::units::Rate;
use fabricsim_core::plugin::quirks::{RoundingDraws, SimultaneousEvents};
use fabricsim_core::plugin::{ByInsertion, ByNode, EventOrder, NoTelemetry, Telemetry};
use fabricsim_engine::Threads;
use fabricsim_hpcc::{IntScale, IntTelemetry};
use fabricsim_pint::query::QueryTelemetry;
use fabricsim_pint::{PintSettings, PintTelemetry, PortLink};
use fabricsim_topology::Port;
use fabricsim_transport::tcp::TcpHeader;

use crate::headers::{Full, FullLong, Inserted, Int, Layout, Pint, Plain, Slots, Tcp, TcpAndInt};
use crate::model;
use crate::plan::{BuildContext, Parts, Plan};
use crate::runner::Runner;

impl Plan<'_> {
    /// Builds the smallest network in which every algorithm gets the telemetry that it reads.
    /// `parts` supplies the parts that differ between nodes, `threads` run the network, and
    /// `shares` divides the nodes among the ranks of a distributed run.
    ///
    /// # Panics
    /// Panics if INT has no room for the network's paths or rates. It has room for 128 switches and
    /// 64 rates, or, in the published format, for 5 switches and 8 rates.
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
            digest,
            context,
            is_mixed,
            queries,
            ..
        } = self.plan;
        if queries.is_some() || self.plan.tag().is_some() {
            return self.full();
        }
        let (int, longest) = (self.plan.has_int(), context.longest_path);
        if *is_mixed {
            return match (int || digest.is_some(), longest) {
                (false, _) => self.mixed::<Tcp, _>(|_, _| NoTelemetry),
                (true, 0..=5) => self.mixed::<TcpAndInt, _>(self.algorithms_telemetry()),
                _ => self.full(),
            };
        }
        if context.quirks.event_order == SimultaneousEvents::ByInsertion {
            // The INT header is the published one. Packets always have room for it and for a
            // digest.
            return self.of::<Inserted, ByInsertion, _>(self.algorithms_telemetry());
        }
        match (int, digest, longest) {
            (false, None, _) => self.of::<Plain, ByNode, _>(|_, _| NoTelemetry),
            (false, Some(pint), _) => self.of::<Pint, ByNode, _>(self.pint_telemetry(pint)),
            (true, None, 0..=5) => {
                let scale = IntScale::new(context);
                self.of::<Int, ByNode, _>(|node, ports| int_telemetry(&scale, node, ports))
            }
            _ => self.full(),
        }
    }

    /// Builds a network that supports every feature, for rare combinations of features. It has both
    /// transports, and its packets have room for queries, INT, a digest and a tag. Such packets are
    /// larger than in the other networks, so the run is slower.
    fn full(self) -> Box<dyn Runner> {
        if self.plan.has_int() && self.plan.context.longest_path > 10 {
            self.full_with::<FullLong>()
        } else {
            self.full_with::<Full>()
        }
    }

    fn full_with<L: Layout<Tcp = TcpHeader>>(self) -> Box<dyn Runner> {
        let algorithms = self.algorithms_telemetry();
        self.mixed::<L, _>(|node, ports| {
            let queries = self.plan.queries.clone();
            let queries = queries
                .map(|queries| QueryTelemetry::new(queries, node, &rates(ports), NoTelemetry));
            let tag = self
                .plan
                .tag()
                .map(|tag| tag.switch(self.plan.context, node, &rates(ports)));
            (queries, (algorithms(node, ports), tag))
        })
    }

    /// Returns a function that creates the telemetry that a switch writes for algorithms.
    fn algorithms_telemetry(
        self,
    ) -> impl Fn(NodeId, &[Port]) -> (Option<IntTelemetry>, Option<PintTelemetry>) {
        let scale = self
            .plan
            .has_int()
            .then(|| IntScale::new(self.plan.context));
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

    /// Builds a network with both transports. Packets have the slots of `L`, and `telemetry`
    /// creates the telemetry of a switch from the switch's number and ports.
    fn mixed<L, T>(self, telemetry: impl Fn(NodeId, &[Port]) -> T) -> Box<dyn Runner>
    where
        L: Layout<Tcp = TcpHeader>,
        T: Telemetry<Slots<L>> + Sync + 'static,
    {
        Box::new(model::build_mixed::<Slots<L>, T>(self, telemetry))
    }

    /// Like [`Self::mixed`], but with RDMA alone and with events in the order `O`.
    fn of<L, O, T>(self, telemetry: impl Fn(NodeId, &[Port]) -> T) -> Box<dyn Runner>
    where
        L: Layout,
        O: EventOrder<Slots<L>>,
        T: Telemetry<Slots<L>> + Sync + 'static,
    {
        Box::new(model::build::<Slots<L>, O, T>(self, telemetry))
    }

    /// Returns a function that creates the telemetry of a switch with the settings `pint`. Only
    /// networks with one switch reproduce the random draws of the published simulator.
    fn pint_telemetry<'p>(
        self,
        pint: &'p PintSettings,
    ) -> impl Fn(NodeId, &[Port]) -> PintTelemetry + use<'p> {
        let published = self.plan.context.quirks.rounding_draws == RoundingDraws::SharedSequence
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
    let telemetry = IntTelemetry::new(scale, node, &rates(ports));
    telemetry.expect("the scale was made from the rates of all links")
}

fn rates(ports: &[Port]) -> Vec<Rate> {
    ports.iter().map(|port| port.rate).collect()
}
