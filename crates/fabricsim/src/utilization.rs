//! Link utilization expected from the workloads, computed before a run.

mod spans;
mod tiers;

use fabricsim_base::id::{ClassId, NodeId, PortId};
use fabricsim_base::units::{Bytes, Time};
use fabricsim_core::plugin::CcContext;
use fabricsim_pint::DIGEST;
use fabricsim_report::HEADER_BYTES;
use fabricsim_topology::NoSpread;
use fabricsim_workload::{AnyWorkload, FlowCost, Offered, Traffic};
use serde::Serialize;

use crate::simulation::Simulation;
use fabricsim_scenario::scenario::Scenario;
use spans::busiest_span;

/// Links above this share of their rate are reported as overloaded: queues are long near the full
/// rate, and grow without bound beyond it.
const OVERLOAD: f64 = 0.9;

/// Largest number of workloads that are counted.
const MOST_WORKLOADS: usize = 64;

/// Bytes of an ACK without telemetry, and the minimum size of an ACK in bytes.
const ACK: (f64, f64) = (46.0, 60.0);

/// The expected utilization of links: bytes on the wire, including headers and acknowledgements,
/// over rates. Assumes that flows spread evenly over equal next hops; failures and retransmissions
/// are not counted.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ExpectedUtilization {
    /// The span in which the busiest link is busiest; absent if there is no estimate.
    pub span: Option<BusySpan>,
    /// Traffic that is not counted, each entry with the reason.
    pub left_out: Vec<String>,
    #[serde(skip)]
    help: String,
}

/// A time in which the same workloads send.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BusySpan {
    /// Start of the span, in nanoseconds.
    pub from_ns: u64,
    /// End of the span, in nanoseconds.
    pub until_ns: u64,
    /// Tiers of links, each in one direction, from the hosts up and down again.
    pub tiers: Vec<TierUtilization>,
    /// The busiest direction of a link.
    pub busiest: BusyLink,
}

/// Links with the same distances from hosts, in one direction.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TierUtilization {
    /// The tiers of the sender and the receiver, such as `leaf to spine`.
    pub tier: String,
    /// Number of links.
    pub links: u64,
    /// Bytes on all links divided by their rates.
    pub mean: f64,
    /// The utilization of the busiest link.
    pub busiest: f64,
}

/// One direction of a link.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BusyLink {
    /// The tiers of the sender and the receiver, such as `leaf to spine`.
    pub tier: String,
    /// The sending node.
    pub node: NodeId,
    /// Name of the sending node.
    pub name: String,
    /// Egress port at the sending node.
    pub port: PortId,
    /// The receiving node.
    pub peer: NodeId,
    /// Name of the receiving node.
    pub peer_name: String,
    /// Expected utilization, as a share of the rate.
    pub utilization: f64,
}

impl ExpectedUtilization {
    /// Estimates the load that the workloads of `scenario` put on the links of `simulation`, which
    /// was built from it. This takes milliseconds for any regular fabric; irregular fabrics are
    /// omitted from a few thousand switches on.
    #[must_use]
    pub fn of(scenario: &Scenario, simulation: &Simulation) -> Self {
        let mut found = Self::default();
        if scenario.workloads().len() > MOST_WORKLOADS {
            let count = scenario.workloads().len();
            found.left_out.push(format!(
                "{count} workloads: at most {MOST_WORKLOADS} are counted"
            ));
            return found;
        }
        let mut offered = Vec::new();
        for (index, workload) in scenario.workloads().iter().enumerate() {
            let name = format!("[[workload]] {index} ({})", workload.kind());
            match rate_of(scenario, simulation, index, &**workload) {
                Some(rate) => {
                    if rate.longer > 0 {
                        found.left_out.push(format!(
                            "{name}: {} of its flows last longer than the time in which flows \
                             start, at any possible rate",
                            rate.longer
                        ));
                    }
                    offered.push(rate);
                }
                None => found.left_out.push(format!(
                    "{name}: its flows {}",
                    no_rate(scenario, index, &**workload)
                )),
            }
        }
        offered.retain(|rate| !matches!(&rate.traffic, Traffic::Pairs(pairs) if pairs.is_empty()));
        if scenario.routing().binds_nics() {
            found.left_out.push(
                "`nic` and `nics` of [routing]: flows are spread over all NICs here".to_owned(),
            );
        }
        let network = scenario.topology();
        match busiest_span(network, &offered) {
            Ok(span) => found.span = span,
            Err(NoSpread::LinkedHosts(a, b)) => found.left_out.push(format!(
                "all links: hosts {a} and {b} are linked to each other, and such networks are not counted"
            )),
            Err(NoSpread::TooLarge { classes }) => found.left_out.push(format!(
                "all links: {classes} kinds of switches are too many to be counted at once"
            )),
        }
        found.help = found.help_for(scenario);
        found
    }

    /// Returns a warning with a suggested fix if links are expected to exceed 90% of their rate, or
    /// `None` if there are no such links.
    #[must_use]
    pub fn warning(&self) -> Option<String> {
        let busiest = &self.span.as_ref()?.busiest;
        (busiest.utilization > OVERLOAD).then(|| {
            format!(
                "links from {} are expected to carry up to {} of their rate ({} (node {}) port {} to {} \
                 (node {})), and above {} queues grow; {}",
                busiest.tier,
                percent(busiest.utilization),
                busiest.name,
                busiest.node,
                busiest.port.0,
                busiest.peer_name,
                busiest.peer,
                percent(OVERLOAD),
                self.help
            )
        })
    }

    fn help_for(&self, scenario: &Scenario) -> String {
        let Some(span) = &self.span else {
            return String::new();
        };
        let share = OVERLOAD / span.busiest.utilization;
        if let [only] = scenario.workloads()
            && let Some(load) = only.load_factor()
        {
            // Rounded down to three digits, so that the load stays below the limit.
            let load = (load * share * 1e3).floor() / 1e3;
            if load > 0.0 {
                return format!("set load = {load}, or give those links a higher rate");
            }
        }
        if share < 0.001 {
            return "give those links a higher rate".to_owned();
        }
        format!(
            "reduce the load to {} of its present value, or give those links a higher rate",
            percent(share)
        )
    }

    /// Returns the lines of a table: a tier, and its utilization.
    #[must_use]
    pub fn lines(&self) -> Vec<(String, String)> {
        let mut lines = Vec::new();
        for tier in self.span.iter().flat_map(|span| &span.tiers) {
            let (mean, busiest) = (percent(tier.mean), percent(tier.busiest));
            let links = if tier.links == 1 { "link" } else { "links" };
            let text = format!("{mean} of {} {links}, {busiest} on the busiest", tier.links);
            lines.push((tier.tier.clone(), text));
        }
        for left_out in &self.left_out {
            lines.push(("not counted".to_owned(), left_out.clone()));
        }
        lines
    }
}

/// Formats a share in percent, with one decimal.
fn percent(share: f64) -> String {
    format!("{:.1}%", share * 100.0)
}

/// Returns the reason why workload number `index` has no rate.
fn no_rate(scenario: &Scenario, index: usize, workload: &dyn AnyWorkload) -> &'static str {
    let context = scenario.workload_context(index);
    if workload.is_endless() {
        return "never end";
    }
    let reacts = workload.applications(&context, ClassId(0));
    if reacts.is_ok_and(|applications| !applications.is_empty()) {
        "wait for one another"
    } else {
        "start all at once"
    }
}

/// Returns the traffic that workload `index` offers per second until the run ends, or `None` if it
/// has no rate: traffic that starts within one round trip is a burst.
fn rate_of(
    scenario: &Scenario,
    simulation: &Simulation,
    index: usize,
    workload: &dyn AnyWorkload,
) -> Option<Offered> {
    let class = ClassId(u16::try_from(index).ok()?);
    let cost = cost_of(scenario, simulation, class);
    let context = scenario.workload_context(index);
    // Errors in a workload were reported when the simulation was built.
    let mut offered = workload.offered(&context, &cost).ok().flatten()?;
    let stop = scenario.run().stop_at.map(|after| Time::ZERO + after);
    if let Some(stop) = stop.filter(|&stop| stop > offered.from) {
        offered.until = offered.until.min(stop);
    }
    let round_trip = simulation.network_info().path_stats.base_rtt;
    (offered.until.since(offered.from) > round_trip).then_some(offered)
}

/// Returns a function that computes the cost of a flow of `class` from its size.
fn cost_of(
    scenario: &Scenario,
    simulation: &Simulation,
    class: ClassId,
) -> impl Fn(Bytes) -> FlowCost + use<> {
    let tcp = scenario.tcp_facts();
    let tcp = tcp.filter(|tcp| tcp.class(class).is_some());
    let (payload, forth, back) = match tcp {
        Some(tcp) => {
            let headers = tcp.headers.as_f64();
            let every = f64::from(scenario.tcp().parameters().ack_every.max(1));
            (tcp.mss, headers, headers / every)
        }
        None => {
            let (forth, echoed) = telemetry(scenario, simulation, class);
            let ack = (ACK.0 + echoed).max(ACK.1);
            (scenario.transport().mtu, HEADER_BYTES.as_f64() + forth, ack)
        }
    };
    move |size| {
        let packets = size.get().div_ceil(payload.get().max(1)) as f64;
        FlowCost {
            forth: size.as_f64() + packets * forth,
            back: packets * back,
        }
    }
}

/// Returns the bytes of telemetry on a data packet of `class`, and on its ACK.
fn telemetry(scenario: &Scenario, simulation: &Simulation, class: ClassId) -> (f64, f64) {
    let info = simulation.network_info();
    let context = CcContext {
        link_rates: scenario.link_rates().into(),
        base_rtt: info.path_stats.base_rtt,
        longest_path: info.path_stats.switches,
        seed: scenario.seed(),
        quirks: *scenario.quirks(),
        ..CcContext::of_nics(info.nic_rate)
    };
    let cc = scenario
        .class_cc()
        .get(&class)
        .unwrap_or_else(|| scenario.cc());
    let own = f64::from(cc.telemetry_bytes(&context));
    match simulation.queries() {
        None => (own, own),
        Some(queries) => {
            let digests = f64::from(queries.plan().wire_bytes());
            // The digests of queries include the algorithm's own.
            let own = if cc.telemetry() == Some(DIGEST) {
                0.0
            } else {
                own
            };
            (digests + own, own)
        }
    }
}

/// Converts a time to whole nanoseconds.
fn ns(time: Time) -> u64 {
    time.as_ns()
}
