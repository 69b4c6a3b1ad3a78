//! Graphs of operations from files: our CSV, GOAL of LogGOPSim, and workloads of SimAI; and traces
//! of Chakra and PyTorch, which become such a CSV.

mod assembly;
mod chakra;
mod csv;
mod foreign;
mod goal;
mod goal_binary;
mod simai;
mod times;
mod workload;

use std::path::PathBuf;
use std::sync::Arc;

use fabricsim_base::input::{ConfigError, InputError, Keys};
use fabricsim_base::settings;
use fabricsim_base::units::{Duration, Time};
use serde::{Deserialize, Serialize};

use crate::check;
use crate::compute::{Profile, RooflineKeys};
use crate::context::WorkloadContext;
use crate::graph::{Connections, Instance, Overlap, Pace, Program, SendEnd, SlowRanks, Slowdown};
use crate::host_range::HostRange;
use crate::placement::{Order, Placement};
use crate::text::lines;

pub use chakra::{
    ChakraError, Dimensions, ImportedTrace, ProcessGroups, RankTrace, TraceFile, TraceForm,
    TraceImport, chakra_to_csv,
};
pub use goal_binary::{goal_binary_to_text, is_goal_binary};
pub use simai::{is_simai_workload, simai_passed_over};
pub use times::ComputeTimes;
use times::{Times, Used};

settings! {
    /// The operations of ranks that wait for one another: messages, receipts, computations and
    /// collectives.
    pub struct GraphTable {
        /// A CSV with the columns rank, id, op, GOAL of LogGOPSim, text or binary, or a workload of
        /// SimAI for GPUs on all hosts.
        pub path: PathBuf = required,
        /// Name of the job in results.
        #[note("(default: \"job\" and the number of the workload)")]
        pub job: Option<String> = null,
        /// Hosts that ranks are placed on in the order of their numbers, such as ["0..16"].
        #[note("(default: all)")]
        pub hosts: Option<Vec<HostRange>> = null,
        /// Placement of ranks on hosts.
        pub placement: Placement = "packed",
        /// With "scattered": hosts from one rank to the next.
        #[range(from 1)]
        #[refused("ranks cannot be {value} hosts apart", "write at least 1")]
        pub placement_stride: u32 = 1,
        /// Hosts to leave out at the beginning of that order, such as hosts of other jobs.
        pub skip: u32 = 0,
        /// When an operation that sends has ended.
        pub send_end: SendEnd = "acknowledged",
        /// With GOAL: duration of a `calc` of 1.
        pub calc_unit: Duration = "1ns",
        /// How often the graph is executed.
        #[range(from 1, to 65536)]
        #[refused("{value} iterations are outside the range 1 to 65536", "write for example 10")]
        pub iterations: u32 = 1,
        /// Iterations at the beginning that statistics of iterations leave out.
        pub warm_up: u32 = 0,
        /// Coefficient of variation of computing times, such as 0.1: each is multiplied by a random
        /// factor with a mean of 1.
        #[range(from 0.0, to 10.0)]
        #[refused("a variation of {value} is outside the range 0 to 10", "write for example 0.1")]
        pub compute_jitter: f64 = 0.0,
        /// Ranks with longer computing times: [{ ranks = ["3"], factor = 1.5 }].
        #[note("(default: none)")]
        pub slow_ranks: Option<Vec<SlowRanks>> = null,
        /// Device that computes operations with FLOPs and bytes: { device = "h100" }.
        #[note("(default: none)")]
        pub roofline: Option<RooflineKeys> = null,
        /// A CSV with the measured times of operations, in the columns operation, size, `time_us`.
        #[note("(default: none)")]
        pub profile: Option<PathBuf> = null,
        /// Computing time of an operation that has several.
        pub compute_times: ComputeTimes = "stated",
        /// Factors of computing times while messages of the rank are under way, and of transmission
        /// times of its host while it computes: { compute = 1.2, communication = 1.3 }.
        #[note("(default: none)")]
        pub overlap: Option<Overlap> = null,
        /// Time at which the graph begins.
        pub start: Time = "0s",
        /// Connections of messages.
        pub connections: Connections = "kept",
        /// Priority queue.
        #[range(from 1, to 7)]
        #[refused(check::NO_PRIORITY, check::PRIORITIES)]
        #[note("(default 3); 1 with an algorithm of TCP")]
        pub priority: u8 = 3,
        /// Destination port.
        pub dst_port: u16 = 400,
    }
}

/// A graph that has been read.
#[derive(Clone, Debug, Default, PartialEq)]
struct Loaded {
    /// The program of each rank.
    programs: Vec<Arc<Program>>,
    instances: Arc<[Instance]>,
    messages: f64,
    bytes: f64,
    used: Used,
}

/// The operations of a file.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(from = "GraphTable", into = "GraphTable")]
pub struct GraphConfig {
    /// The settings.
    pub table: GraphTable,
    /// The path, as written.
    path: String,
    /// The path of the profile, as written.
    profile_path: Option<String>,
    /// The content of the profile after it has been read.
    profile: Option<Arc<Profile>>,
    /// The content of the file after it has been read.
    loaded: Option<Arc<Loaded>>,
}

impl From<GraphTable> for GraphConfig {
    fn from(table: GraphTable) -> Self {
        Self {
            path: table.path.to_string_lossy().into_owned(),
            profile_path: (table.profile.as_ref()).map(|path| path.to_string_lossy().into_owned()),
            table,
            profile: None,
            loaded: None,
        }
    }
}

impl From<GraphConfig> for GraphTable {
    fn from(config: GraphConfig) -> Self {
        config.table
    }
}

impl GraphConfig {
    /// The keys of its table.
    pub(crate) const KEYS: Keys = GraphTable::KEYS;

    /// Returns the operations of the file at `path`. [`Workload::load`](crate::Workload::load) must
    /// pass its text later.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        GraphTable::with_required(path.into()).into()
    }

    /// Reads the content of the file, in any of the formats. `hosts` is the number of hosts for its
    /// ranks.
    fn read(&self, text: &str, hosts: usize) -> Result<Loaded, InputError> {
        if is_simai_workload(text) {
            return simai::parse(text, u32::try_from(hosts).unwrap_or(u32::MAX));
        }
        let first = lines(text).next();
        let is_goal = first
            .is_some_and(|line| line.text.starts_with("num_ranks") || line.text.starts_with('/'));
        if is_goal {
            return goal::parse(text, self.table.calc_unit);
        }
        match foreign::refused(text) {
            Some(error) => Err(error),
            None => csv::parse(text, Times::new(&self.table, self.profile.as_deref())),
        }
    }

    fn order(&self) -> Order<'_> {
        Order {
            hosts: self.table.hosts.as_deref(),
            placement: self.table.placement,
            stride: self.table.placement_stride,
            skip: self.table.skip,
        }
    }

    /// Returns the slowdown of computations by messages, and of messages by computations.
    fn slowdown(&self, loaded: &Loaded) -> Result<Option<Slowdown>, ConfigError> {
        let computes = loaded.programs.iter().any(|program| program.computes());
        let overlap = self.table.overlap.as_ref();
        overlap.map_or(Ok(None), |keys| keys.slowdown(computes))
    }

    /// Returns the speeds of the ranks.
    fn pace(&self, context: &WorkloadContext, loaded: &Loaded) -> Result<Pace, ConfigError> {
        let ranks = u32::try_from(loaded.programs.len()).unwrap_or(u32::MAX);
        let computes = loaded.programs.iter().any(|program| program.computes());
        let vary = (
            self.table.compute_jitter,
            self.table.slow_ranks.as_deref().unwrap_or_default(),
        );
        Pace::new(context, vary, (ranks, computes))
    }

    fn checked(&self, context: &WorkloadContext) -> Result<&Arc<Loaded>, ConfigError> {
        check::two_hosts(context)?;
        self.table.validate_ranges()?;
        check::job(self.table.job.as_deref())?;
        check::instant("start", self.table.start)?;
        check::span("calc_unit", self.table.calc_unit)?;
        if let Some(roofline) = &self.table.roofline {
            roofline.rates()?;
        }
        let not_loaded = |key, path: &str| {
            let message = format!("the file `{path}` has not been loaded");
            ConfigError::new(key, message, "load it first")
        };
        if let (Some(path), None) = (&self.profile_path, &self.profile) {
            return Err(not_loaded("profile", path));
        }
        let loaded = (self.loaded.as_ref()).ok_or_else(|| not_loaded("path", &self.path))?;
        loaded.used.check(&self.table)?;
        self.slowdown(loaded)?;
        let (hosts, ranks) = (self.order().placed(context)?.len(), loaded.programs.len());
        if hosts < ranks {
            return Err(ConfigError::new(
                "path",
                format!("the graph has {ranks} ranks, and there are {hosts} hosts for them"),
                "use a larger topology, more `hosts`, or a smaller `skip`: each rank has a host \
                 of its own",
            ));
        }
        Ok(loaded)
    }
}

#[cfg(test)]
mod tests;
