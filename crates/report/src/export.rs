//! Results in the forms of other simulators, so that their own analysis reads them.
//!
//! [`Exporter`] is what a form has to do, [`EXPORTERS`] the list of all of them. Texts are given and
//! returned; whoever calls opens the files.

mod conweave;
mod hpcc;
mod htsim;
mod nodes;

use std::fmt::Write as _;

use fabricsim_base::input::InputError;
use fabricsim_base::units::{Bytes, Duration};

use crate::observed::read_pauses;
use nodes::Nodes;

/// A form of results of another simulator.
pub trait Exporter: Sync {
    /// Returns the name of the form, as `--format` takes it.
    fn name(&self) -> &'static str;

    /// Returns which files it writes, in a line.
    fn about(&self) -> &'static str;

    /// Returns the files of `results` in this form.
    ///
    /// # Errors
    /// When a file of the results is missing that all others need, and at a word in one of them.
    fn export(&self, results: &Results) -> Result<Vec<Exported>, ExportError>;
}

/// All forms, one line each.
pub const EXPORTERS: &[&dyn Exporter] = &[&hpcc::Hpcc, &conweave::ConWeave, &htsim::Htsim];

/// Returns the exporter of this name.
#[must_use]
pub fn exporter(name: &str) -> Option<&'static dyn Exporter> {
    EXPORTERS.iter().copied().find(|known| known.name() == name)
}

/// Contents of the files in a folder of results; nothing for those that are not there.
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
    /// Span of time in which queues were observed, or would have been if the run had gone on.
    pub observed: Option<Observed>,
    /// What names of files begin with where the form asks for it: the number of a run.
    pub id: String,
}

/// A span of simulated time.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Observed {
    /// Its beginning.
    pub from: Duration,
    /// Its end, if it does not end with the run.
    pub until: Option<Duration>,
}

/// A file in the form of another simulator.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Exported {
    /// Its name.
    pub name: String,
    /// Its content.
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

/// Why results have no such form.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum ExportError {
    /// A word of a file cannot be used.
    In {
        /// The file.
        file: &'static str,
        /// The place, what is wrong and what would be right.
        error: InputError,
    },
    /// A file is missing.
    Missing {
        /// The file.
        file: &'static str,
        /// What makes a run write it.
        help: &'static str,
    },
}

/// Turns an error into one of the file `name`.
fn within(file: &'static str) -> impl Fn(InputError) -> ExportError {
    move |error| ExportError::In { file, error }
}

/// The content of a file that is needed.
fn needed<'r>(
    text: Option<&'r String>,
    file: &'static str,
    help: &'static str,
) -> Result<&'r str, ExportError> {
    let text = text.map(String::as_str);
    text.ok_or(ExportError::Missing { file, help })
}

/// The nodes of the network, which `topology.csv` has.
fn nodes_of(results: &Results) -> Result<Nodes, ExportError> {
    const HELP: &str = "run the scenario again: every run writes it";
    let text = needed(results.topology.as_ref(), "topology.csv", HELP)?;
    Nodes::read(text).map_err(within("topology.csv"))
}

/// Pauses as both ns-3 simulators write them, in the order of arrival: `time node node_type
/// interface type`, with 0 for hosts and 1 for switches, interfaces counted from 1, and 1 for a pause
/// and 0 for its end. Times are cut to nanoseconds.
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
