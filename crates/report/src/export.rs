//! Results in the formats of other simulators, so that their own analysis scripts read them.
//!
//! [`Exporter`] is a format, [`EXPORTERS`] the list of all of them. Functions here receive and
//! return texts; the caller opens the files.

mod conweave;
mod hpcc;
mod htsim;
mod nodes;

use std::fmt::Write as _;

use fabricsim_base::input::InputError;
use fabricsim_base::units::{Bytes, Duration};

use crate::observed::read_pauses;
use nodes::Nodes;

/// A result format of another simulator.
pub trait Exporter: Sync {
    /// Returns the name of the format, for the option `--format`.
    fn name(&self) -> &'static str;

    /// Returns one line on the files that it writes.
    fn about(&self) -> &'static str;

    /// Converts `results` to files of this format.
    ///
    /// # Errors
    /// Fails if the results lack a file that the format needs, and at a malformed word in one of
    /// their files.
    fn export(&self, results: &Results) -> Result<Vec<Exported>, ExportError>;
}

/// All formats.
pub const EXPORTERS: &[&dyn Exporter] = &[&hpcc::Hpcc, &conweave::ConWeave, &htsim::Htsim];

/// Returns the exporter of this name.
#[must_use]
pub fn exporter(name: &str) -> Option<&'static dyn Exporter> {
    EXPORTERS.iter().copied().find(|known| known.name() == name)
}

/// Contents of the files in a folder of results; `None` for missing files.
#[derive(Clone, Debug, Default)]
pub struct Results {
    /// `fct.csv`.
    pub fct_csv: Option<String>,
    /// `fct.txt`.
    pub fct_txt: Option<String>,
    /// `pauses.csv`.
    pub pauses: Option<String>,
    /// `queue_distribution.csv`.
    pub queue_distribution: Option<String>,
    /// `links.csv`.
    pub links: Option<String>,
    /// `topology.csv`.
    pub topology: Option<String>,
    /// Payload of a full packet.
    pub mtu: Option<Bytes>,
    /// Time span in which queues are observed; it may end after the run does.
    pub observed: Option<Observed>,
    /// Prefix of file names if the format has one: the number of a run.
    pub id: String,
}

/// A span of simulated time.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Observed {
    /// Beginning of the span.
    pub from: Duration,
    /// End of the span; `None` if it lasts until the run ends.
    pub until: Option<Duration>,
}

/// A file in the format of another simulator.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Exported {
    /// File name.
    pub name: String,
    /// File content.
    pub text: String,
}

impl Exported {
    fn new(name: impl Into<String>, text: String) -> Self {
        Self {
            name: name.into(),
            text,
        }
    }
}

/// Reason why results cannot be exported.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum ExportError {
    /// A word of a file is malformed.
    In {
        /// Name of the file.
        file: &'static str,
        /// Position, message and help.
        error: InputError,
    },
    /// The results lack a file.
    Missing {
        /// Name of the file.
        file: &'static str,
        /// The way to make a run write the file.
        help: &'static str,
    },
}

/// Returns a function that assigns an error to the file `name`.
fn within(file: &'static str) -> impl Fn(InputError) -> ExportError {
    move |error| ExportError::In { file, error }
}

/// Returns the content of a file that the format needs.
fn needed<'r>(
    text: Option<&'r String>,
    file: &'static str,
    help: &'static str,
) -> Result<&'r str, ExportError> {
    let text = text.map(String::as_str);
    text.ok_or(ExportError::Missing { file, help })
}

/// Reads the nodes of the network from `topology.csv`.
fn nodes_of(results: &Results) -> Result<Nodes, ExportError> {
    const HELP: &str = "run the scenario again: every run writes it";
    let text = needed(results.topology.as_ref(), "topology.csv", HELP)?;
    Nodes::read(text).map_err(within("topology.csv"))
}

/// Formats pauses like both ns-3 simulators, in the order of arrival:
/// `time node node_type interface type`. The node type is 0 for hosts and 1 for switches,
/// interfaces count from 1, and the type is 1 for a pause and 0 for its end. Times are truncated to
/// nanoseconds.
fn pauses_of(text: &str, nodes: &Nodes) -> Result<String, ExportError> {
    let rows = read_pauses(text).map_err(within("pauses.csv"))?;
    Ok(rows.iter().fold(String::new(), |mut text, row| {
        let kind = u8::from(nodes.is_switch(row.node));
        let (port, stops) = (row.port.index() + 1, u8::from(row.stops));
        let written = writeln!(
            text,
            "{} {} {kind} {port} {stops}",
            row.at.as_ns(),
            row.node.0
        );
        written.expect("a text takes all");
        text
    }))
}

#[cfg(test)]
mod tests;
