//! Settings of a harm test.

mod validate;

use fabricsim_base::settings;
use fabricsim_base::units::{Bytes, Duration, Rate};
use fabricsim_scenario::cc::registry::AnyCcConfig;
use fabricsim_transport::tcp::{Feedback, Reuse, TcpConfig};

use super::algorithms::{TcpAlgorithms, tcp_named};
use super::qdisc_setting::QdiscSetting;
use fabricsim_workload::FlowDistribution;

/// The name of the workload with random flows.
pub const DRAWN: &str = "drawn";
/// The workload of heistp/ccafct.
pub const CCAFCT: &str = "ccafct-seed1";

/// Time during which the tool's flows arrive.
const DURATION: Duration = Duration::from_ms(180_000);

/// The message that refuses long times.
const TOO_LONG: &str = "{value} is longer than can be simulated";
const LONGEST: &str = "give at most \"1000000s\"";

settings! {
    /// The settings of a harm test. Defaults are from heistp/ccafct, except `cca` and `workload`.
    pub struct HarmSettings {
        /// Competing algorithms to measure.
        pub cca: Vec<String> = ["cubic", "prague"],
        /// Flows of the competing algorithm.
        #[range(from 1, to 1000)]
        #[refused("{value} flows compete", "give 1 to 1000")]
        pub competitors: u16 = 1,
        /// Algorithm of the workload.
        pub baseline: String = "cubic",
        /// Round-trip times, without transmission.
        pub rtt: Vec<Duration> = ["10ms", "20ms", "40ms", "80ms", "160ms"],
        /// Rate of the bottleneck, in both directions.
        #[range(from "10Kbps", to "400Gbps")]
        #[refused(
            "a bottleneck of {value} cannot be simulated",
            "give 10Kbps to 400Gbps"
        )]
        pub bandwidth: Rate = "50Mbps",
        /// Discipline of both bottlenecks: a line like "fq_codel flows 1" or a table with its
        /// `kind`.
        ///
        /// The default is a single CoDel queue.
        pub qdisc: QdiscSetting = "fq_codel flows 1",
        /// "drawn", "ccafct-seed1" (the tool's flows) or a CSV file of start_ns,size_bytes.
        pub workload: String = "drawn",
        /// Time during which flows arrive.
        #[range(to "1000000s")]
        #[refused(TOO_LONG, LONGEST)]
        #[note("(default \"180s\"; of a file: all of them)")]
        pub duration: Option<Duration> = none,
        /// Mean gap between drawn flows, exponentially distributed.
        #[range(above "0s")]
        #[refused(
            "all flows would arrive at once",
            "give more than 0s, such as \"200ms\""
        )]
        #[note("(default \"200ms\")")]
        pub mean_arrival: Option<Duration> = none,
        /// 5th percentile of drawn lengths, lognormally distributed.
        #[note("(default \"64KiB\")")]
        pub len_p5: Option<Bytes> = none,
        /// 95th percentile of drawn lengths.
        #[range(to "1TB")]
        #[refused("5% of lengths would be above {value}", "give at most \"1TB\"")]
        #[note("(default \"2MiB\")")]
        pub len_p95: Option<Bytes> = none,
        /// Longest time that a cell may last after the time of arrivals.
        #[range(to "1000000s")]
        #[refused(TOO_LONG, LONGEST)]
        pub timeout: Duration = "90s",
        /// Time for which the competitor is alone at first.
        #[range(to "1000000s")]
        #[refused(TOO_LONG, LONGEST)]
        pub slow_start_delay: Duration = "20s",
        /// ECN feedback that the competitor requests.
        pub competitor_ecn: Feedback = "accurate",
        /// ECN feedback that the workload requests.
        pub workload_ecn: Feedback = "none",
        /// Connections of requests.
        pub reuse: Reuse = "late-binding",
        /// Percentiles of completion times, with their harm.
        pub percentiles: Vec<f64> = [50.0, 95.0],
        /// Seed of everything random.
        pub seed: u64 = 1,
        /// Runs of everything, each with the next seed.
        #[range(from 1)]
        #[refused("the test would not run", "give 1 or more")]
        pub repeats: u16 = 1,
        /// Table of TCP's settings, such as `initial_window` or `min_rto`.
        pub tcp: TcpConfig = default,
        /// [[cc]] tables: settings of algorithms by their `kind`.
        #[note("(default: each algorithm's own)")]
        pub cc: TcpAlgorithms = apart,
    }
}

impl HarmSettings {
    /// Shortens the test: 10 and 20 ms, flows for 5 s, no delay.
    pub fn make_quick(&mut self) {
        self.rtt = [10, 20].map(Duration::from_ms).to_vec();
        self.duration = Some(Duration::from_ms(5_000));
        self.slow_start_delay = Duration::ZERO;
    }

    /// Returns the time during which flows arrive, if they are not from a file.
    #[must_use]
    pub fn duration(&self) -> Duration {
        self.duration.unwrap_or(DURATION)
    }

    /// Returns the distribution of drawn flow lengths.
    #[must_use]
    pub fn flow_distribution(&self) -> FlowDistribution {
        let tool = FlowDistribution::default();
        FlowDistribution {
            mean_arrival: self.mean_arrival.unwrap_or(tool.mean_arrival),
            len_p5: self.len_p5.unwrap_or(tool.len_p5),
            len_p95: self.len_p95.unwrap_or(tool.len_p95),
        }
    }

    /// Returns the number of flows that arrive in [`Self::duration`] at the mean gap.
    #[must_use]
    pub fn flow_count(&self) -> u64 {
        self.duration().as_ps() / self.flow_distribution().mean_arrival.as_ps().max(1)
    }

    /// Returns the algorithm called `name`, with its settings from [`Self::cc`].
    #[must_use]
    pub fn algorithm_named(&self, name: &str) -> Option<AnyCcConfig> {
        let own = self.cc.tables().iter().find(|cc| cc.name() == name);
        own.cloned().or_else(|| tcp_named(name))
    }
}
