//! What can be set of a harm test.

use fabricsim_core::input::ConfigError;
use fabricsim_core::units::{Bytes, Duration, Rate};
use fabricsim_transport::tcp::{Feedback, Reuse, TcpConfig};
use serde::{Deserialize, Deserializer, Serialize};

use fabricsim_scenario::cc::registry::{AnyCcConfig, CONGESTION_CONTROLS, CcEntry, Transport};

use super::qdisc_setting::QdiscSetting;
use super::workload::FlowDistribution;

/// The workload that is drawn.
pub const DRAWN: &str = "drawn";
/// The workload of heistp/ccafct.
pub const CCAFCT: &str = "ccafct-seed1";

/// The gaps between the tool's flows.
const MEAN_ARRIVAL: Duration = Duration::from_ms(200);
/// The tool's lengths.
const LEN_P5: Bytes = Bytes::new(64 << 10);
const LEN_P95: Bytes = Bytes::new(2 << 20);
/// How long the tool's flows arrive.
const DURATION: Duration = Duration::from_ms(180_000);

/// The algorithms of TCP.
fn tcp_entries() -> Vec<&'static CcEntry> {
    let all = CONGESTION_CONTROLS.iter();
    all.filter(|cc| cc.transport == Transport::Tcp).collect()
}

/// The algorithm of TCP called `name` with its default settings.
fn tcp_named(name: &str) -> Option<AnyCcConfig> {
    AnyCcConfig::by_name(name).filter(|cc| cc.transport() == Transport::Tcp)
}

/// Reads the `[[cc]]` tables.
fn algorithms<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<AnyCcConfig>, D::Error> {
    let tables = Vec::<serde_json::Value>::deserialize(deserializer)?;
    let read = |table| AnyCcConfig::from_value(table, tcp_entries);
    let read: Result<_, _> = tables.into_iter().map(read).collect();
    read.map_err(serde::de::Error::custom)
}

/// The settings of a harm test. Defaults are those of heistp/ccafct, but for `cca` and `workload`.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct HarmSettings {
    /// Algorithms whose harm is measured.
    pub cca: Vec<String>,
    /// Flows of the competitor.
    pub competitors: u16,
    /// The algorithm of the workload.
    pub baseline: String,
    /// Round-trip times without transmission.
    pub rtt: Vec<Duration>,
    /// Of the bottleneck, in both directions.
    pub bandwidth: Rate,
    /// The discipline in front of both bottlenecks.
    pub qdisc: QdiscSetting,
    /// `drawn`, `ccafct-seed1` or a file.
    pub workload: String,
    /// How long flows arrive.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration: Option<Duration>,
    /// The mean gap between drawn flows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean_arrival: Option<Duration>,
    /// The 5th percentile of drawn lengths.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub len_p5: Option<Bytes>,
    /// Their 95th percentile.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub len_p95: Option<Bytes>,
    /// How long a cell may last after its flows have arrived.
    pub timeout: Duration,
    /// How long the competitor is alone.
    pub slow_start_delay: Duration,
    /// The feedback of marks that the competitor asks for.
    pub competitor_ecn: Feedback,
    /// The feedback of marks that the workload asks for.
    pub workload_ecn: Feedback,
    /// Which connection a request uses.
    pub reuse: Reuse,
    /// Percentiles of completion times, each with its harm.
    pub percentiles: Vec<f64>,
    /// Of everything random.
    pub seed: u64,
    /// How often everything is run, each time with the next seed.
    pub repeats: u16,
    /// Settings of TCP.
    pub tcp: TcpConfig,
    /// Settings of algorithms that are not their defaults.
    #[serde(deserialize_with = "algorithms")]
    pub cc: Vec<AnyCcConfig>,
}

impl Default for HarmSettings {
    fn default() -> Self {
        Self {
            cca: vec!["cubic".to_owned(), "prague".to_owned()],
            competitors: 1,
            baseline: "cubic".to_owned(),
            rtt: [10, 20, 40, 80, 160].map(Duration::from_ms).to_vec(),
            bandwidth: Rate::from_mbps(50),
            qdisc: QdiscSetting::default(),
            workload: DRAWN.to_owned(),
            duration: None,
            mean_arrival: None,
            len_p5: None,
            len_p95: None,
            timeout: Duration::from_ms(90_000),
            slow_start_delay: Duration::from_ms(20_000),
            competitor_ecn: Feedback::Accurate,
            workload_ecn: Feedback::None,
            reuse: Reuse::LateBinding,
            percentiles: vec![50.0, 95.0],
            seed: 1,
            repeats: 1,
            tcp: TcpConfig::default(),
            cc: Vec::new(),
        }
    }
}

impl HarmSettings {
    /// The keys, each with what it means.
    pub const KEYS: &'static [(&'static str, &'static str)] = &[
        (
            "cca",
            "algorithms whose harm is measured (default [\"cubic\", \"prague\"])",
        ),
        (
            "competitors",
            "flows of the competing algorithm (default 1)",
        ),
        ("baseline", "algorithm of the workload (default \"cubic\")"),
        (
            "rtt",
            "round-trip times (default [\"10ms\", \"20ms\", \"40ms\", \"80ms\", \"160ms\"])",
        ),
        (
            "bandwidth",
            "rate of the bottleneck, in both directions (default \"50Mbps\")",
        ),
        (
            "qdisc",
            "discipline of both bottlenecks: a line like \"fq_codel flows 1\" (default) or a table",
        ),
        (
            "workload",
            "\"drawn\" (default), \"ccafct-seed1\" (the tool's flows) or a CSV file of start_ns,size_bytes",
        ),
        (
            "duration",
            "how long flows arrive (default \"180s\"; of a file: all of them)",
        ),
        (
            "mean_arrival",
            "mean gap between drawn flows, exponentially distributed (default \"200ms\")",
        ),
        (
            "len_p5",
            "5th percentile of drawn lengths, lognormally distributed (default \"64KiB\")",
        ),
        ("len_p95", "their 95th percentile (default \"2MiB\")"),
        (
            "timeout",
            "how long a cell may last after the time of arrivals (default \"90s\")",
        ),
        (
            "slow_start_delay",
            "how long the competitor is alone at first (default \"20s\")",
        ),
        (
            "competitor_ecn",
            "marks: \"none\", \"classic\", \"dctcp\" or \"accurate\" (default)",
        ),
        (
            "workload_ecn",
            "the same for the workload (default \"none\")",
        ),
        (
            "reuse",
            "connections of requests: \"late-binding\" (default) or \"none\"",
        ),
        (
            "percentiles",
            "percentiles of completion times, with their harm (default [50.0, 95.0])",
        ),
        ("seed", "seed of everything random (default 1)"),
        (
            "repeats",
            "runs of everything, each with the next seed (default 1)",
        ),
        ("tcp", "table of TCP's settings"),
        (
            "cc",
            "[[cc]] tables: settings of algorithms by their `kind` (default: each algorithm's own)",
        ),
    ];

    /// The same test in a short form: 10 and 20 ms, flows for 5 s, no delay.
    pub fn make_quick(&mut self) {
        self.rtt = [10, 20].map(Duration::from_ms).to_vec();
        self.duration = Some(Duration::from_ms(5_000));
        self.slow_start_delay = Duration::ZERO;
    }

    /// How long flows arrive that are not from a file.
    #[must_use]
    pub fn duration(&self) -> Duration {
        self.duration.unwrap_or(DURATION)
    }

    /// What flows are drawn from.
    #[must_use]
    pub fn flow_distribution(&self) -> FlowDistribution {
        FlowDistribution {
            mean_arrival: self.mean_arrival.unwrap_or(MEAN_ARRIVAL),
            len_p5: self.len_p5.unwrap_or(LEN_P5),
            len_p95: self.len_p95.unwrap_or(LEN_P95),
        }
    }

    /// Flows that arrive in [`Self::duration`] at the mean gap.
    #[must_use]
    pub fn flow_count(&self) -> u64 {
        self.duration().as_ps() / self.flow_distribution().mean_arrival.as_ps().max(1)
    }

    /// The algorithm called `name`, with its settings of [`Self::cc`].
    #[must_use]
    pub fn algorithm_named(&self, name: &str) -> Option<AnyCcConfig> {
        let own = self.cc.iter().find(|cc| cc.name() == name);
        own.cloned().or_else(|| tcp_named(name))
    }

    /// # Errors
    /// The first value that a test cannot have.
    pub fn validate(&self) -> Result<(), ConfigError> {
        self.validate_algorithms()?;
        self.validate_path()?;
        self.validate_workload()?;
        self.validate_statistics()
    }

    fn validate_algorithms(&self) -> Result<(), ConfigError> {
        let known = tcp_entries().iter().map(|cc| cc.name).collect::<Vec<_>>();
        let known = known.join(", ");
        if self.cca.is_empty() {
            return Err(ConfigError::new(
                "cca",
                "there is no competitor",
                format!("name one or more of: {known}"),
            ));
        }
        let named = self.cca.iter().map(|name| ("cca", name));
        for (key, name) in named.chain([("baseline", &self.baseline)]) {
            if tcp_named(name).is_none() {
                let message = format!("`{name}` is no algorithm of TCP");
                return Err(ConfigError::new(key, message, format!("known: {known}")));
            }
        }
        for (index, name) in self.cca.iter().enumerate() {
            if self.cca[..index].contains(name) {
                let message = format!("`{name}` is there twice");
                return Err(ConfigError::new("cca", message, "name each algorithm once"));
            }
        }
        for (index, cc) in self.cc.iter().enumerate() {
            let name = cc.name();
            if self.cc[..index].iter().any(|other| other.name() == name) {
                let message = format!("`{name}` has two tables");
                return Err(ConfigError::new("cc", message, "put its keys into one"));
            }
            cc.validate().map_err(|error| {
                let message = format!("`{}` of `{name}`: {}", error.key, error.message);
                ConfigError::new("cc", message, error.help)
            })?;
        }
        if self.competitors == 0 || self.competitors > 1_000 {
            return Err(ConfigError::new(
                "competitors",
                format!("{} flows compete", self.competitors),
                "give 1 to 1000",
            ));
        }
        self.tcp.validate().map_err(|error| {
            let message = format!("`{}`: {}", error.key, error.message);
            ConfigError::new("tcp", message, error.help)
        })
    }

    fn validate_path(&self) -> Result<(), ConfigError> {
        if self.rtt.is_empty() {
            return Err(ConfigError::new(
                "rtt",
                "there is no round-trip time",
                "give one or more, such as \"10ms\"",
            ));
        }
        for (index, rtt) in self.rtt.iter().enumerate() {
            if *rtt < Duration::from_us(1) || *rtt > Duration::from_ms(100_000) {
                let message = format!("a path of {rtt} cannot be simulated");
                return Err(ConfigError::new("rtt", message, "give 1us to 100s"));
            }
            if self.rtt[..index].contains(rtt) {
                let message = format!("{rtt} is there twice");
                return Err(ConfigError::new("rtt", message, "give each one once"));
            }
        }
        let bandwidth = self.bandwidth;
        if bandwidth < Rate::from_bps(10_000).expect("not zero") || bandwidth > Rate::from_gbps(400)
        {
            return Err(ConfigError::new(
                "bandwidth",
                format!("a bottleneck of {bandwidth} cannot be simulated"),
                "give 10Kbps to 400Gbps",
            ));
        }
        self.qdisc.validate()
    }

    fn validate_workload(&self) -> Result<(), ConfigError> {
        let own = [
            ("mean_arrival", self.mean_arrival.is_some()),
            ("len_p5", self.len_p5.is_some()),
            ("len_p95", self.len_p95.is_some()),
        ];
        if self.workload != DRAWN
            && let Some((key, _)) = own.iter().find(|(_, given)| *given)
        {
            return Err(ConfigError::new(
                key,
                format!("the flows of `{}` are not drawn", self.workload),
                format!("leave `{key}` out, or set `workload = \"{DRAWN}\"`"),
            ));
        }
        let distribution = self.flow_distribution();
        if distribution.mean_arrival == Duration::ZERO {
            return Err(ConfigError::new(
                "mean_arrival",
                "all flows would arrive at once",
                "give more than 0s, such as \"200ms\"",
            ));
        }
        if distribution.len_p5 == Bytes::ZERO || distribution.len_p5 > distribution.len_p95 {
            return Err(ConfigError::new(
                "len_p5",
                format!(
                    "5% of lengths are below {} and 95% below {}",
                    distribution.len_p5, distribution.len_p95
                ),
                "give at least \"1B\", and not more than `len_p95`",
            ));
        }
        if distribution.len_p95 > MOST_BYTES {
            return Err(ConfigError::new(
                "len_p95",
                format!("5% of lengths would be above {}", distribution.len_p95),
                "give at most \"1TB\"",
            ));
        }
        let longest = Duration::from_ms(1_000_000_000);
        for (key, duration) in [
            ("duration", self.duration()),
            ("timeout", self.timeout),
            ("slow_start_delay", self.slow_start_delay),
        ] {
            if duration > longest {
                let message = format!("{duration} is longer than can be simulated");
                return Err(ConfigError::new(key, message, "give at most \"1000000s\""));
            }
        }
        let count = self.flow_count();
        let all = count.saturating_mul(self.repeats.into());
        if all > MOST_FLOWS {
            return Err(ConfigError::new(
                "repeats",
                format!("{} runs of {count} flows are {all} flows", self.repeats),
                format!("choose fewer or shorter runs: up to {MOST_FLOWS} flows in all"),
            ));
        }
        let (least, most) = match self.workload.as_str() {
            DRAWN => (1, 10_000_000),
            CCAFCT => (1, 900),
            _ => return Ok(()),
        };
        if (least..=most).contains(&count) {
            return Ok(());
        }
        let (duration, gap) = (self.duration(), distribution.mean_arrival);
        Err(ConfigError::new(
            "duration",
            format!("{duration} at a flow each {gap} are {count} flows"),
            format!("`{}` has {least} to {most}", self.workload),
        ))
    }

    fn validate_statistics(&self) -> Result<(), ConfigError> {
        let is_percentile = |p: &f64| *p > 0.0 && *p < 100.0;
        if let Some(wrong) = self.percentiles.iter().find(|p| !is_percentile(p)) {
            return Err(ConfigError::new(
                "percentiles",
                format!("{wrong} is no percentile"),
                "give numbers above 0 and below 100",
            ));
        }
        if self.repeats == 0 {
            return Err(ConfigError::new(
                "repeats",
                "nothing would be run",
                "give 1 or more",
            ));
        }
        Ok(())
    }
}

/// The most flows of all runs; they are drawn before the first one.
const MOST_FLOWS: u64 = 100_000_000;
/// The longest 95th percentile.
const MOST_BYTES: Bytes = Bytes::new(1_000_000_000_000);
