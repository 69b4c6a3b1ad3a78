//! Scenarios: everything that determines a simulation, read from TOML and checked as a whole.
//!
//! * [`text`]: texts as tables with the positions of their values, diagnostics, `--set`, input
//!   files.
//! * [`schema`]: the tables that belong to no plugin.
//! * [`cc`]: the congestion-control algorithms that a scenario can select, including the ones that
//!   a program adds.
//! * [`kinds`]: the registry of everything else that a scenario can select: topologies, workloads,
//!   disciplines, routing policies.
//! * [`scenario`]: the [`Scenario`], and the checks across its parts.
//! * [`json_schema`]: the tables as a JSON Schema.
//! * [`read`]: from a text to a scenario: tables, then typed values, then checked ones.
//! * [`import`]: from a configuration of the published HPCC simulator to the text of a scenario.
//!
//! * [`builder`]: from settings to a scenario, for programs without a text.
//!
//! This crate simulates nothing: the crate `fabricsim` builds a network from a scenario and runs
//! it.

pub mod builder;
pub mod cc;
pub mod import;
pub mod json_schema;
pub mod kinds;
pub mod read;
pub mod scenario;
pub mod schema;
pub mod text;

pub use builder::ScenarioBuilder;
pub use scenario::Scenario;
pub use text::error::Error;
