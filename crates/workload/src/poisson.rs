//! Open-loop background traffic: Poisson arrivals at every host.

mod source;
mod workload;

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use fabricsim_core::flow::FlowSource;
use fabricsim_core::id::ClassId;
use fabricsim_core::input::ConfigError;
use fabricsim_core::rng::{Purpose, Stream};
use fabricsim_core::units::{Duration, Time};
use serde::{Deserialize, Serialize};

use self::source::{Poisson, Sender};
use crate::arrivals::bytes_per_second;
use crate::cdf::SizeCdf;
use crate::check;
use crate::context::{Expected, WorkloadContext};
use crate::host_range::{HostRange, select};
use crate::sizes::Sizes;

/// Keys, units and defaults.
const KEYS: &[(&str, &str)] = &[
    (
        "sizes",
        "`websearch`, `hadoop`, `alistorage`, one size such as \"1MB\", or a CDF file (required)",
    ),
    (
        "load",
        "payload bytes over a host's link rate, above 0, up to 2 (required)",
    ),
    (
        "duration",
        "for how long flows arrive, such as \"10ms\" (required)",
    ),
    ("start", "when arrivals begin, a time (default \"0s\")"),
    ("priority", "priority queue, 1 to 7 (default 3)"),
    ("dst_port", "destination port (default 100)"),
    (
        "sources",
        "hosts that send, such as [\"0..16\"] (default all)",
    ),
    (
        "destinations",
        "hosts that receive, such as [\"0..16\"] (default all)",
    ),
];

/// Poisson arrivals: each source host starts flows at exponential gaps with mean
/// `mean size / (host rate x load / 8)`, to a host drawn evenly from the other destinations.
///
/// This is the background traffic of the HPCC paper (SIGCOMM 2019, section 5.1).
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct PoissonConfig {
    /// The flow-size distribution.
    pub sizes: Sizes,
    /// Payload bytes over the host's link rate: above 0, up to 2.
    pub load: f64,
    /// For how long flows arrive.
    pub duration: Duration,
    /// When arrivals begin.
    #[serde(default)]
    pub start: Time,
    /// Priority queue, 1 to 7.
    #[serde(default = "check::default_priority")]
    pub priority: u8,
    /// Destination port.
    #[serde(default = "check::default_dst_port")]
    pub dst_port: u16,
    /// Hosts that send; all when absent.
    #[serde(default)]
    pub sources: Option<Vec<HostRange>>,
    /// Hosts that receive; all when absent.
    #[serde(default)]
    pub destinations: Option<Vec<HostRange>>,
}

impl PoissonConfig {
    /// Flows between all hosts from time zero, the other keys at their defaults.
    pub fn new(sizes: impl Into<Sizes>, load: f64, duration: Duration) -> Self {
        Self {
            sizes: sizes.into(),
            load,
            duration,
            start: Time::ZERO,
            priority: check::DEFAULT_PRIORITY,
            dst_port: check::DEFAULT_DST_PORT,
            sources: None,
            destinations: None,
        }
    }

    /// The source of flows, in memory proportional to the number of hosts.
    ///
    /// # Errors
    /// When a value is out of its range, a subset names what is not a host or leaves a host nobody
    /// to send to, or the file of `sizes` has not been loaded.
    pub fn build(
        &self,
        context: &WorkloadContext,
        class: ClassId,
    ) -> Result<Box<dyn FlowSource>, ConfigError> {
        let sizes = self.checked(context)?;
        let (sources, destinations) = self.ends(context)?;
        let end = self.start.saturating_add(self.duration);
        let mut senders = Vec::new();
        let mut due = BinaryHeap::new();
        for position in sources {
            let host = context.hosts[position];
            let own = destinations.binary_search(&position).ok();
            let choices = destinations.len() - usize::from(own.is_some());
            let entity = context.host_entity(host.id);
            let mut sender = Sender {
                id: host.id,
                own,
                choices: choices as u64,
                mean_gap: sizes.mean() / bytes_per_second(host.rate, self.load),
                arrivals: Stream::new(context.seed, entity, Purpose::Arrivals),
                peers: Stream::new(context.seed, entity, Purpose::Destinations),
            };
            let first = self.start.saturating_add(sender.gap());
            if first < end {
                due.push(Reverse((first, senders.len())));
            }
            senders.push(sender);
        }
        let destinations = destinations
            .iter()
            .map(|&position| context.hosts[position].id)
            .collect();
        Ok(Box::new(Poisson {
            sizes: sizes.clone(),
            senders,
            destinations,
            due,
            end,
            class,
            priority: check::priority(self.priority)?,
            dst_port: self.dst_port,
        }))
    }

    /// The expected number of flows and bytes.
    ///
    /// # Errors
    /// As [`PoissonConfig::build`].
    pub fn expected(&self, context: &WorkloadContext) -> Result<Expected, ConfigError> {
        let sizes = self.checked(context)?;
        let (sources, _) = self.ends(context)?;
        let bytes: f64 = sources
            .into_iter()
            .map(|position| bytes_per_second(context.hosts[position].rate, self.load))
            .map(|per_second| per_second * self.duration.as_secs_f64())
            .sum();
        let expected = Expected {
            flows: bytes / sizes.mean(),
            bytes,
        };
        check::amount("duration", expected)
    }

    /// The positions of the hosts that send and of those that receive; every one that sends has
    /// another one to send to.
    fn ends(&self, context: &WorkloadContext) -> Result<(Vec<usize>, Vec<usize>), ConfigError> {
        let sources = select("sources", self.sources.as_deref(), context)?;
        let destinations = select("destinations", self.destinations.as_deref(), context)?;
        match destinations[..] {
            [only] if sources.binary_search(&only).is_ok() => Err(ConfigError::new(
                "destinations",
                format!(
                    "host {} has no host to send to but itself",
                    context.hosts[only].id
                ),
                "add destinations, or leave this host out of `sources`",
            )),
            _ => Ok((sources, destinations)),
        }
    }

    fn checked(&self, context: &WorkloadContext) -> Result<&SizeCdf, ConfigError> {
        check::two_hosts(context)?;
        check::load(self.load)?;
        check::duration(self.duration)?;
        check::instant("start", self.start)?;
        check::priority(self.priority)?;
        self.sizes.cdf().ok_or_else(|| {
            ConfigError::new(
                "sizes",
                format!("the CDF file `{}` has not been loaded", self.sizes.name()),
                format!("load it, or write one of {}", SizeCdf::BUILTIN.join(", ")),
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use fabricsim_core::flow::FlowRequest;
    use fabricsim_core::id::NodeId;

    use super::*;
    use crate::context::testing::context;

    fn flows(config: &PoissonConfig, context: &WorkloadContext) -> Vec<FlowRequest> {
        let mut source = config.build(context, ClassId(0)).unwrap();
        std::iter::from_fn(|| source.next_flow()).collect()
    }

    #[test]
    fn flows_and_bytes_match_the_load() {
        let context = context(16, 11);
        let config = PoissonConfig::new("hadoop", 0.5, Duration::from_ms(20));
        let flows = flows(&config, &context);
        let expected = config.expected(&context).unwrap();
        let count = flows.len() as f64;
        assert!(
            (count - expected.flows).abs() < 3.0 * expected.flows.sqrt(),
            "{count} {expected:?}"
        );
        assert!((expected.bytes - 16.0 * 100e9 / 8.0 * 0.5 * 0.02).abs() < 1.0);

        let bytes: f64 = flows.iter().map(|flow| flow.size.as_f64()).sum();
        let squares: f64 = flows.iter().map(|flow| flow.size.as_f64().powi(2)).sum();
        assert!(
            (bytes - expected.bytes).abs() < 3.0 * squares.sqrt(),
            "{bytes} {expected:?}"
        );
    }

    #[test]
    fn destinations_are_even_and_never_the_sender() {
        let context = context(5, 3);
        let flows = flows(
            &PoissonConfig::new("10KB", 0.5, Duration::from_ms(4)),
            &context,
        );
        assert!(flows.iter().all(|flow| flow.src != flow.dst));
        let n = flows.len() as f64;
        for src in 0..5 {
            for dst in (0..5).filter(|dst| *dst != src) {
                let pair = |f: &&FlowRequest| f.src == NodeId(src) && f.dst == NodeId(dst);
                let count = flows.iter().filter(pair).count() as f64;
                assert!(
                    (count - n / 20.0).abs() < 4.0 * (n / 20.0).sqrt(),
                    "{src} to {dst}: {count} of {n}"
                );
            }
        }
    }

    #[test]
    fn the_same_seed_makes_the_same_flows() {
        let config = PoissonConfig::new("websearch", 0.3, Duration::from_ms(2));
        let first = flows(&config, &context(8, 1));
        assert_eq!(first, flows(&config, &context(8, 1)));
        assert_ne!(first, flows(&config, &context(8, 2)));
        let second_workload = WorkloadContext {
            index: 1,
            ..context(8, 1)
        };
        assert_ne!(first, flows(&config, &second_workload));
    }

    #[test]
    fn a_hosts_arrivals_do_not_depend_on_the_other_hosts() {
        let config = PoissonConfig::new("websearch", 0.3, Duration::from_ms(5));
        let of_host_2 = |count| {
            let flows = flows(&config, &context(count, 1));
            let own = flows.iter().filter(|flow| flow.src == NodeId(2));
            own.map(|flow| (flow.start, flow.size)).collect::<Vec<_>>()
        };
        assert!(!of_host_2(4).is_empty());
        assert_eq!(of_host_2(4), of_host_2(64));
    }

    #[test]
    fn a_thousand_million_flows_are_built_at_once() {
        let context = context(1_000, 1);
        let config = PoissonConfig::new("1KB", 0.5, "200ms".parse().unwrap());
        assert!(config.expected(&context).unwrap().flows > 1e9);
        let mut source = config.build(&context, ClassId(0)).unwrap();
        assert!((0..1_000).all(|_| source.next_flow().is_some()));
    }

    #[test]
    fn subsets_limit_who_sends_and_receives() {
        let mut config = PoissonConfig::new("10KB", 0.5, Duration::from_ms(1));
        config.sources = Some(vec!["0..2".parse().unwrap()]);
        config.destinations = Some(vec!["1..4".parse().unwrap()]);
        let flows = flows(&config, &context(8, 1));
        assert!(!flows.is_empty());
        assert!(
            flows
                .iter()
                .all(|f| f.src.0 < 2 && (1..4).contains(&f.dst.0) && f.src != f.dst)
        );
        config.sources = Some(vec!["1".parse().unwrap()]);
        config.destinations = Some(vec!["1".parse().unwrap()]);
        assert_eq!(
            config.build(&context(8, 1), ClassId(0)).err().unwrap().key,
            "destinations"
        );
    }

    #[test]
    fn errors_name_their_key() {
        let key = |change: fn(&mut PoissonConfig)| {
            let mut config = PoissonConfig::new("websearch", 0.5, Duration::from_ms(1));
            change(&mut config);
            config
                .build(&context(4, 1), ClassId(0))
                .err()
                .expect("refused")
                .key
        };
        assert_eq!(key(|c| c.load = -0.5), "load");
        assert_eq!(key(|c| c.duration = Duration::ZERO), "duration");
        assert_eq!(key(|c| c.priority = 9), "priority");
        assert_eq!(key(|c| c.sizes = "no-such-file.txt".into()), "sizes");
        assert_eq!(
            key(|c| c.sources = Some(vec!["2..9".parse().unwrap()])),
            "sources"
        );
    }

    proptest::proptest! {
        #[test]
        fn starts_never_decrease_and_stay_in_the_window(seed: u64, hosts in 2u32..20, load in 0.01..1.5f64) {
            let mut config = PoissonConfig::new("hadoop", load, Duration::from_us(200));
            config.start = Time::from_ns(5_000);
            let flows = flows(&config, &context(hosts, seed));
            proptest::prop_assert!(flows.is_sorted_by_key(|flow| (flow.start, flow.src)));
            proptest::prop_assert!(flows.iter().all(|f| (5_000..205_000).contains(&f.start.as_ns())));
        }
    }
}
