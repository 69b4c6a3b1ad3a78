//! Open-loop background traffic: Poisson arrivals at every host.

mod source;
mod workload;

use fabricsim_base::input::ConfigError;
use fabricsim_base::settings;
use fabricsim_base::units::{Duration, Time};

use crate::cdf::SizeCdf;
use crate::check;
use crate::context::WorkloadContext;
use crate::host_range::{HostRange, select};
use crate::sizes::Sizes;

settings! {
    /// Poisson arrivals: each source host starts flows at exponential gaps with mean
    /// `mean size / (host rate x load / 8)`, to a host drawn evenly from the other destinations.
    ///
    /// This is the background traffic of the HPCC paper (SIGCOMM 2019, section 5.1).
    pub struct PoissonConfig {
        /// `websearch`, `hadoop`, `alistorage`, one size such as "1MB", or a CDF file.
        pub sizes: Sizes = required,
        /// Payload bytes over a host's link rate.
        #[range(above 0.0, to 2.0)]
        #[refused(check::NO_LOAD, check::LOADS)]
        pub load: f64 = required,
        /// For how long flows arrive, such as "10ms".
        pub duration: Duration = required,
        /// Time at which arrivals begin.
        pub start: Time = "0s",
        /// Priority queue.
        #[range(from 1, to 7)]
        #[refused(check::NO_PRIORITY, check::PRIORITIES)]
        #[note("(default 3); 1 with an algorithm of TCP")]
        pub priority: u8 = 3,
        /// Destination port.
        pub dst_port: u16 = 100,
        /// Hosts that send, such as ["0..16"].
        #[note("(default: all)")]
        pub sources: Option<Vec<HostRange>> = null,
        /// Hosts that receive, such as ["0..16"].
        #[note("(default: all)")]
        pub destinations: Option<Vec<HostRange>> = null,
    }
}

impl PoissonConfig {
    /// Returns flows between all hosts from time zero, with the other keys at their defaults.
    pub fn new(sizes: impl Into<Sizes>, load: f64, duration: Duration) -> Self {
        Self::with_required(sizes.into(), load, duration)
    }

    /// Returns the positions of the sending and of the receiving hosts. Every sender has another
    /// host to send to.
    fn ends(&self, context: &WorkloadContext) -> Result<(Vec<usize>, Vec<usize>), ConfigError> {
        let sources = select("sources", self.sources.as_deref(), context)?;
        let destinations = select("destinations", self.destinations.as_deref(), context)?;
        match destinations[..] {
            [only] if sources.binary_search(&only).is_ok() => Err(ConfigError::new(
                "destinations",
                format!(
                    "{} has no host to send to but itself",
                    context.names.label(context.hosts[only].id)
                ),
                "add destinations, or leave this host out of `sources`",
            )),
            _ => Ok((sources, destinations)),
        }
    }

    fn checked(&self, context: &WorkloadContext) -> Result<&SizeCdf, ConfigError> {
        check::two_hosts(context)?;
        self.validate_ranges()?;
        check::duration(self.duration)?;
        check::instant("start", self.start)?;
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
    use fabricsim_base::flow::FlowRequest;
    use fabricsim_base::id::{ClassId, NodeId};

    use super::*;
    use crate::context::testing::context;
    use crate::workload::Workload;

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
        for load in [0.0, -0.5, 50.0, f64::NAN, f64::INFINITY] {
            let config = PoissonConfig::new("websearch", load, Duration::from_ms(1));
            let error = config.expected(&context(4, 1)).expect_err("refused");
            assert_eq!(error.key, "load");
            assert!(error.help.contains("0.5"), "{error}");
        }
        assert_eq!(key(|c| c.duration = Duration::ZERO), "duration");
        assert_eq!(key(|c| c.priority = 0), "priority");
        assert_eq!(key(|c| c.priority = 8), "priority");
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
