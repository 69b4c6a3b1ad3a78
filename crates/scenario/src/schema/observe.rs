//! The `[observe]` table.

use fabricsim_base::id::{NodeId, PortId};
use fabricsim_base::input::{ConfigError, NodeRange, NumberRange};
use fabricsim_base::units::{Bytes, Duration, Time};
use fabricsim_base::{choices, settings};
use fabricsim_network::each_series;
use fabricsim_network::series::{self, FlowFilter, Scope, SeriesKind};
use fabricsim_topology::Topology;

use crate::schema::far_end::{FarEnd, ports_among};
use crate::schema::name::is_plain;
use crate::schema::port_group::PortGroup;
use crate::schema::run::RunSettings;

/// The group of all observed ports.
pub const ALL_PORTS: &str = "all";

/// The narrowest bin of a distribution: no packet is smaller.
const NARROWEST_BIN: Bytes = Bytes::new(64);

choices! {
    /// The format of the files of time series.
    #[derive(Default)]
    pub enum SeriesFormat {
        /// Text, one line for each row.
        #[default]
        Csv = "csv",
        /// Apache Parquet, if the library was built with the feature `parquet`.
        Parquet = "parquet" ("builds with this feature"),
    }
}

impl SeriesFormat {
    /// Returns the extension of file names.
    #[must_use]
    pub const fn ending(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Parquet => "parquet",
        }
    }
}

/// Declares the `[observe]` table with a key for each series.
macro_rules! observe_settings {
    ($($series:ident: $kind:ident, $doc:literal;)+) => {
        settings! {
            /// The `[observe]` table.
            pub struct ObserveSettings {
                /// Time from one sample to the next.
                #[range(above "0s")]
                #[refused(
                    "no time would pass from one sample to the next",
                    "give a time such as \"10us\""
                )]
                pub interval: Duration = "10us",
                /// Start of the first interval.
                pub from: Time = "0s",
                /// End of the last interval.
                #[note("(default: with the run)")]
                pub until: Option<Time> = none,
                $(#[doc = $doc] pub $series: bool = false,)+
                /// Width of the bins of queue_distribution.csv, at least "64B".
                ///
                /// No packet is smaller.
                pub distribution_bin: Bytes = "1KB",
                /// Groups of ports with a name in queue_groups.csv and summary.json: [{ name =
                /// "bottleneck", nodes = ["8"], ports = ["3"] }].
                pub queue_groups: Vec<PortGroup> = empty,
                /// Nodes with observed ports, such as ["320..376"].
                #[note("(default all)")]
                pub nodes: Option<Vec<NodeRange>> = none,
                /// Their ports, such as ["0..4"].
                #[note("(default all)")]
                pub ports: Option<Vec<NumberRange>> = none,
                /// Only ports with a link to "hosts" or to "switches".
                #[note("(default both)")]
                pub towards: Option<FarEnd> = none,
                /// Flows that are observed, such as ["0..16"].
                #[note("(default all)")]
                pub flow_ids: Option<Vec<NumberRange>> = none,
                /// Only flows of these classes.
                #[note("(default all)")]
                pub classes: Option<Vec<NumberRange>> = none,
                /// Only flows of at least this size.
                pub min_size: Bytes = "0B",
                /// Only this share of the flows, chosen by a hash of their numbers. Messages share the
                /// choice of their connection.
                #[range(above 0.0, to 1.0)]
                pub flow_share: f64 = 1.0,
                /// Most rows of one file.
                #[range(from 1)]
                #[refused("the files would be empty", "give a number such as 10000000")]
                pub max_rows: u64 = 10000000,
                /// Format of the files.
                pub format: SeriesFormat = "csv",
            }
        }

        impl ObserveSettings {
            /// The keys of all series.
            const SERIES: &[&str] = &[$(stringify!($series)),+];

            /// Yields the series to record.
            pub fn series(&self) -> impl Iterator<Item = SeriesKind> {
                let all = [$((self.$series, SeriesKind::of::<series::$kind>(stringify!($series)))),+];
                all.into_iter().filter_map(|(wanted, kind)| wanted.then_some(kind))
            }
        }
    };
}

each_series!(observe_settings);

impl ObserveSettings {
    /// Rejects values without a meaning, and a series with more rows than its file may have.
    pub(crate) fn validate(
        &self,
        topology: &Topology,
        run: &RunSettings,
    ) -> Result<(), ConfigError> {
        if self.series().next().is_none() {
            return Err(ConfigError::new(
                "queues",
                "nothing is observed",
                format!(
                    "set one of {} to true, or leave the table out",
                    Self::SERIES.join(", ")
                ),
            ));
        }
        self.validate_ranges()?;
        self.check_groups(topology)?;
        if let Some(until) = self.until.filter(|&until| until <= self.from) {
            return Err(ConfigError::new(
                "until",
                format!(
                    "the last interval ends at {until}, and the first begins at {}",
                    self.from
                ),
                "give a later time, or leave the key out",
            ));
        }
        if self.distribution_bin < NARROWEST_BIN {
            return Err(ConfigError::new(
                "distribution_bin",
                format!(
                    "bins of {} bytes are narrower than the smallest packet",
                    self.distribution_bin.get()
                ),
                "give a size from \"64B\" up",
            ));
        }
        if self.format == SeriesFormat::Parquet && !cfg!(feature = "parquet") {
            return Err(ConfigError::new(
                "format",
                "this build cannot write Parquet",
                "use \"csv\", or build with `cargo build --release --features parquet`",
            ));
        }
        // An empty list would observe nothing; most likely it was meant as "all".
        let empty = |ranges: &Option<Vec<NumberRange>>| ranges.as_ref().is_some_and(Vec::is_empty);
        for (key, empty) in [
            ("nodes", self.nodes.as_ref().is_some_and(Vec::is_empty)),
            ("ports", empty(&self.ports)),
            ("flow_ids", empty(&self.flow_ids)),
            ("classes", empty(&self.classes)),
        ] {
            if empty {
                return Err(ConfigError::new(
                    key,
                    "the list is empty",
                    "leave the key out to mean all",
                ));
            }
        }
        self.check_ports(topology, run)
    }

    /// Returns the observed part of a run.
    #[must_use]
    pub fn scope<'a>(&self, topology: &'a Topology) -> Scope<'a> {
        Scope {
            topology,
            time: self.from..self.until.unwrap_or(Time::MAX),
            ports: chosen_ports(self, topology).collect(),
            bin: self.distribution_bin,
            flows: FlowFilter {
                ids: self.flow_ids.clone(),
                classes: self.classes.clone(),
                min_size: self.min_size,
                share: self.flow_share,
            },
        }
    }

    /// Rejects groups without ports, and unusable names.
    fn check_groups(&self, topology: &Topology) -> Result<(), ConfigError> {
        const KEY: &str = "queue_groups";
        if !self.queue_groups.is_empty() && !self.queue_distribution {
            return Err(ConfigError::new(
                KEY,
                "the lengths of queues are not observed",
                "set queue_distribution = true, or leave the key out",
            ));
        }
        let ports = queue_ports(self, topology);
        for (index, group) in self.queue_groups.iter().enumerate() {
            let name = &group.name;
            let refuse = |message, help: &str| Err(ConfigError::new(KEY, message, help));
            if !is_plain(name) || name == ALL_PORTS {
                return refuse(
                    format!("`{name}` cannot be the name of a group"),
                    "give letters, digits, `-` and `_`, and another name than \"all\"",
                );
            }
            if self.queue_groups[..index]
                .iter()
                .any(|one| one.name == *name)
            {
                return refuse(
                    format!("two groups have the name `{name}`"),
                    "give each group its own name",
                );
            }
            if group.choose(&ports, topology).is_empty() {
                return refuse(
                    format!("the group `{name}` has no port"),
                    "give switches and ports that are there and observed",
                );
            }
        }
        Ok(())
    }

    fn check_ports(&self, topology: &Topology, run: &RunSettings) -> Result<(), ConfigError> {
        let count = u32::try_from(topology.len()).unwrap_or(u32::MAX);
        let ranges = self.nodes.iter().flatten().map(|range| range.0);
        if let Some(range) = ranges.clone().find(|range| range.end > count) {
            return Err(ConfigError::new(
                "nodes",
                format!(
                    "`{range}` includes node {}, which is not there",
                    range.first.max(count)
                ),
                format!("the nodes are numbered 0 to {}, hosts first", count - 1),
            ));
        }
        // Blame the key that most likely excludes all ports.
        let narrowing = if self.nodes.is_some() {
            "nodes"
        } else {
            "ports"
        };
        let samples = self.samples(run);
        let on_switches = queue_ports(self, topology).len() as u64;
        if (self.queues || self.queue_distribution) && on_switches == 0 {
            return Err(ConfigError::new(
                narrowing,
                "no port of a switch is chosen, and only switches have queues",
                "give numbers of switches (they follow the hosts) and of existing ports",
            ));
        }
        let ports = chosen_ports(self, topology).count() as u64;
        if self.links && ports == 0 {
            return Err(ConfigError::new(
                narrowing,
                "no port is chosen",
                "give nodes and ports that are there, or leave the keys out",
            ));
        }
        // The run would stop in the middle if a file became too long, so estimate its rows now.
        let longest = [(self.queues, on_switches), (self.links, ports)]
            .into_iter()
            .filter_map(|(wanted, ports)| wanted.then_some(ports))
            .max()
            .unwrap_or(0);
        let Some(rows) = samples.map(|samples| samples.saturating_mul(longest)) else {
            return Ok(());
        };
        if rows > self.max_rows {
            return Err(ConfigError::new(
                "max_rows",
                format!(
                    "samples of {longest} ports every {} make {rows} rows, and a file may have {}",
                    self.interval, self.max_rows
                ),
                "give a longer interval, fewer nodes or ports, a shorter time or a larger max_rows",
            ));
        }
        Ok(())
    }

    /// Returns the maximum number of samples of a run, if it is known.
    fn samples(&self, run: &RunSettings) -> Option<u64> {
        let stop = run.stop_at.map(|after| Time::ZERO + after);
        let end = [self.until, stop].into_iter().flatten().min()?;
        let span = end.since(self.from).as_ps();
        Some(span.div_ceil(self.interval.as_ps()))
    }
}

/// Yields the ports of hosts and switches that `settings` select, in order.
pub fn chosen_ports(
    settings: &ObserveSettings,
    topology: &Topology,
) -> impl Iterator<Item = (NodeId, PortId)> {
    let (nodes, ports) = (settings.nodes.as_deref(), settings.ports.as_deref());
    ports_among(topology, nodes, ports, settings.towards)
}

/// Returns the selected ports of switches, because only switches have queues.
pub fn queue_ports(settings: &ObserveSettings, topology: &Topology) -> Vec<(NodeId, PortId)> {
    chosen_ports(settings, topology)
        .filter(|(node, _)| !topology.is_host(*node))
        .collect()
}
