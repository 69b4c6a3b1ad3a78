//! The data of a page that shows a fabric over time.
//!
//! `fabricsim view` and the playground make the data, and scripts of the page draw it. Columns of
//! numbers are in base64, and series have a bounded number of steps with a byte for each port, so
//! that pages of thousands of links stay small.

mod columns;
mod fabric;
mod series;
mod steps;

use std::fmt;

use serde_json::{Value, json};

pub use columns::Distinct;
pub use fabric::Fabric;
pub use series::series;

use crate::observed::DelayedFlow;

/// The version of the data, which the scripts check.
pub const FORMAT: u32 = 1;

/// A node or port that observations name and the fabric does not have.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Unknown {
    /// The file with the observation.
    pub file: &'static str,
    /// The node or port, such as `port 3 of node 7`.
    pub subject: String,
}

impl fmt::Display for Unknown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "topology.csv has no {}", self.subject)
    }
}

impl std::error::Error for Unknown {}

/// Returns a row for each flow of `file`: number, source, destination, class, bytes, and start,
/// completion time and ideal completion time in nanoseconds.
///
/// # Errors
/// Fails at a host that the fabric does not have.
pub fn flow_rows(
    fabric: &Fabric<'_>,
    file: &'static str,
    flows: &[DelayedFlow],
) -> Result<Vec<Value>, Unknown> {
    let row = |own: &DelayedFlow| {
        let node = |node| {
            fabric.node(node).ok_or_else(|| Unknown {
                file,
                subject: format!("node {}", node.0),
            })
        };
        Ok(json!([
            own.flow.0,
            node(own.src)?,
            node(own.dst)?,
            own.class.0,
            own.size.get(),
            own.start.as_ps() as f64 / 1e3,
            own.fct.as_ps() as f64 / 1e3,
            own.ideal.as_ps() as f64 / 1e3
        ]))
    };
    flows.iter().map(row).collect()
}
