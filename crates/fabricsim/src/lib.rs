//! A packet-level discrete-event simulator of datacenter networks: scenarios, models and results.
//!
//! This is the crate to import. A [`Scenario`] is read from TOML and checked as a whole: network,
//! switches, transport, traffic, congestion-control algorithm. A [`Simulation`] is built from it
//! and advances only on request: you run it in steps, add flows between steps, and take the flows
//! that have ended.
//!
//! ```
//! use fabricsim::prelude::*;
//!
//! let scenario = Scenario::from_toml(
//!   r#"
//!   [topology]
//!   kind = "star"
//!   hosts = 9
//!   [[workload]]
//!   kind = "incast"
//!   fan_in = 8
//!   size = "100KB"
//!   at = "0s"
//!   [cc]
//!   kind = "hpcc"
//!   "#,
//! )?;
//! let mut simulation = Simulation::new(&scenario, 1)?;
//!
//! simulation.run_until(Time::from_ns(20_000));
//! assert_eq!(simulation.flows_started(), 8);
//!
//! simulation.run_until(Time::MAX);
//! let completions = simulation.take_completions();
//! assert_eq!(completions.len(), 8);
//! for completion in &completions {
//!   let record = simulation.record(completion);
//!   assert!(record.slowdown() >= 1.0);
//! }
//! // Eight flows of 100 KB share one link of 100 Gbps: at least 64 us.
//! let last = completions.iter().map(|completion| completion.finish).max();
//! assert!(last > Some(Time::from_ns(64_000)));
//! # Ok::<(), Error>(())
//! ```
//!
//! A program without a text builds a scenario from settings; the checks are the same:
//!
//! ```
//! use fabricsim::cc::AnyCcConfig;
//! use fabricsim::prelude::*;
//! use fabricsim::settings::{PermutationConfig, StarConfig};
//!
//! let scenario = Scenario::builder()
//!   .topology(StarConfig::default())
//!   .workload(PermutationConfig::new(Bytes::new(1_000_000)))
//!   .cc(AnyCcConfig::by_name("hpcc").expect("an algorithm of this name"))
//!   .build()?;
//! let mut simulation = Simulation::new(&scenario, 1)?;
//! assert_eq!(simulation.run_until(Time::MAX), Stop::Finished);
//! # Ok::<(), Error>(())
//! ```
//!
//! The number of threads (the second argument of [`Simulation::new`]) never changes the results.
//! [`outcome::run_to_folder`] runs a scenario to its end and writes `fct.csv` and `summary.json`,
//! as the command `fabricsim run` does.
//!
//! An error in a scenario is an [`Error`] with its position and a suggested fix:
//!
//! ```
//! use fabricsim::Scenario;
//!
//! let error = Scenario::from_toml("sede = 3\n").expect_err("a misspelled key");
//! let diagnostic = error.diagnostic().expect("an error in the text");
//! assert_eq!(diagnostic.line(), 1);
//! assert_eq!(diagnostic.faulty_text(), "sede");
//! assert!(diagnostic.help().starts_with("did you mean `seed`?"));
//! ```
//!
//! Congestion-control algorithms are in [`cc`], other plugins in [`plugin`], the tables of a
//! scenario in [`settings`]. `docs/public-api.txt` lists each name of this crate. The crates below
//! it, which define most of these names, give no guarantees themselves.

pub mod buffers;
mod capture;
pub mod cc;
pub mod checkpoint;

pub mod driver;
mod failures;
#[doc(hidden)]
pub mod identity;
mod network;
pub mod observe;
pub mod outcome;
#[doc(hidden)]
pub mod output;
pub mod oversubscription;
pub mod pace;
pub mod plugin;
pub mod prelude;
mod query_files;
pub mod ranks;
pub mod settings;
pub mod simulation;
pub mod size;
pub mod summary;
pub mod utilization;
pub mod warnings;

/// The serialization framework of settings: derive with `#[serde(crate = "fabricsim::serde")]`.
pub use serde;

/// Exact times, sizes and rates.
pub mod units {
    pub use fabricsim_base::units::{Bytes, Duration, Rate, Time, UnitError};
}

/// Numbers of flows, classes, nodes and ports.
pub mod id {
    pub use fabricsim_base::id::{ClassId, FlowId, NodeId, PortId};
}

/// Flows: requested, active, and finished.
pub mod flow {
    pub use fabricsim_base::flow::{
        Completion, Connection, Flow, FlowKey, FlowRequest, FlowSource, PathInfo,
    };
    pub use fabricsim_base::priority::Priority;
}

/// Keys of tables, and errors in their values and in files.
pub mod input {
    pub use fabricsim_base::input::{ConfigError, InputError, Key, Keys, ValueKind};
}

/// Results of the queries of `[[pint.query]]`.
pub mod query {
    pub use fabricsim_pint::query::{
        Estimate, HopResult, HopSeries, PacketResult, PathResult, QueryResults, Reach, Statistic,
    };
}

/// Records of flows, their file, and slowdowns.
pub mod report {
    pub use fabricsim_report::{
        Checksum, FctRecord, FctWriter, Percentile, SlowdownRow, SlowdownTable, read_fct,
    };
}

pub use fabricsim_base::saves_state;
pub use fabricsim_scenario::kinds::Registry;
pub use fabricsim_scenario::{Error, Scenario, ScenarioBuilder};
pub use simulation::Simulation;
