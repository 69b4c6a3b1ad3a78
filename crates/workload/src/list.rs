//! Flows listed in a file: our CSV, the HPCC simulator's `flow.txt` or a connection matrix of
//! htsim.

mod application;
mod csv;
mod hpcc;
mod htsim;
mod row;
mod waits;
mod workload;

use std::path::PathBuf;
use std::sync::Arc;

use fabricsim_base::checkpoint::Checkpointed;
use fabricsim_base::flow::{FlowRequest, FlowSource};
use fabricsim_base::id::ClassId;
use fabricsim_base::input::{ConfigError, InputError, Keys};
use fabricsim_base::settings;
use fabricsim_base::units::Time;
use serde::{Deserialize, Serialize};

pub use self::csv::parse_csv;
use self::hpcc::parse_first_hpcc_flows;
pub use self::hpcc::{FlowTimes, parse_hpcc_flows};
pub use self::htsim::parse_connection_matrix;
use self::waits::Waits;
use crate::context::WorkloadContext;
use crate::text::lines;

/// The formats of a list of flows.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum ListFormat {
    /// A CSV with a header; see [`parse_csv`].
    Csv,
    /// A connection matrix of htsim; see [`parse_connection_matrix`].
    ConnectionMatrix,
    /// The HPCC simulator's `flow.txt`; see [`parse_hpcc_flows`].
    HpccFlows,
}

/// Detects the format by the first line that is neither empty nor a comment. Letters or commas are
/// the header of a CSV, one word and a number start a connection matrix, and only numbers start a
/// `flow.txt`.
#[must_use]
pub fn detect(text: &str) -> ListFormat {
    let is_header =
        |line: &str| line.contains(',') || line.contains(|c: char| c.is_ascii_alphabetic());
    match lines(text).next() {
        Some(line) if htsim::is_header(line) => ListFormat::ConnectionMatrix,
        Some(line) if is_header(line.text) => ListFormat::Csv,
        _ => ListFormat::HpccFlows,
    }
}

/// Flows read from a file, sorted by start; flows with equal starts keep the file's order. If flows
/// wait for other flows, all keep the file's order.
#[derive(Clone, Debug, PartialEq)]
pub struct FlowList {
    flows: Arc<[FlowRequest]>,
    classes: Classes,
    waits: Option<Arc<Waits>>,
}

/// Source of the class of a flow.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Classes {
    /// A column of the file.
    Listed,
    /// The workload that uses the list.
    OfWorkload,
}

impl FlowList {
    fn sorted(mut flows: Vec<FlowRequest>, classes: Classes) -> Self {
        flows.sort_by_key(|flow| flow.start);
        Self {
            flows: flows.into(),
            classes,
            waits: None,
        }
    }

    /// Returns a list of flows that wait for one another, in the order of their rows.
    fn waiting(flows: Vec<FlowRequest>, classes: Classes, waits: Waits) -> Self {
        Self {
            flows: flows.into(),
            classes,
            waits: Some(Arc::new(waits)),
        }
    }

    /// Returns `true` if flows wait for other flows, so that applications start them at their
    /// hosts. The start of a waiting flow is relative to the end of the last flow that it waits
    /// for.
    #[must_use]
    pub const fn has_waits(&self) -> bool {
        self.waits.is_some()
    }

    /// Returns the flows in the order of their starts, or in the file's order if they wait for
    /// other flows. Their class is zero if the file has none.
    #[must_use]
    pub fn flows(&self) -> &[FlowRequest] {
        &self.flows
    }

    /// Returns the class of `flow`, one of these flows, in a workload of class `own`.
    #[must_use]
    pub const fn class_of(&self, flow: &FlowRequest, own: ClassId) -> ClassId {
        match self.classes {
            Classes::OfWorkload => own,
            Classes::Listed => flow.class,
        }
    }

    /// Returns a source of these flows. They have the class `class` if the file has no classes.
    #[must_use]
    pub fn source(&self, class: ClassId) -> Box<dyn FlowSource> {
        let class = match self.classes {
            Classes::Listed => None,
            Classes::OfWorkload => Some(class),
        };
        Box::new(ListSource {
            flows: Arc::clone(&self.flows),
            next: 0,
            class,
        })
    }
}

settings! {
    /// The table of a list of flows.
    pub struct ListTable {
        /// A CSV with the columns src, dst, size_bytes, start_ns, a flow.txt of the HPCC simulator
        /// or of ConWeave's, or a connection matrix of htsim.
        ///
        /// With the columns id and after, flows wait for other flows.
        path: PathBuf = required,
        /// Ignore lines of a flow.txt beyond its count, as the HPCC simulator does.
        ignore_rest: bool = false,
    }
}

/// The flows of a file, at the times in the file.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(from = "ListTable", into = "ListTable")]
pub struct ListConfig {
    /// The file.
    pub path: String,
    /// If `true`, lines of a flow.txt beyond its count are ignored.
    pub ignore_rest: bool,
    /// The content of the file after it has been read.
    list: Option<FlowList>,
}

impl From<ListTable> for ListConfig {
    fn from(table: ListTable) -> Self {
        Self {
            ignore_rest: table.ignore_rest,
            ..Self::new(table.path.to_string_lossy())
        }
    }
}

impl From<ListConfig> for ListTable {
    fn from(config: ListConfig) -> Self {
        Self {
            ignore_rest: config.ignore_rest,
            ..Self::with_required(config.path.into())
        }
    }
}

impl ListConfig {
    /// The keys of its table.
    pub(crate) const KEYS: Keys = ListTable::KEYS;

    /// Returns the flows of the file at `path`. [`ListConfig::load`] must pass its text later.
    pub fn new(path: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            ignore_rest: false,
            list: None,
        }
    }

    /// Reads `text`, the content of the file, in any of the formats. `times` applies to the HPCC
    /// simulator's format only.
    ///
    /// # Errors
    /// Returns the position of the error in `text`; see [`parse_csv`],
    /// [`parse_connection_matrix`] and [`parse_hpcc_flows`].
    pub fn load(
        &mut self,
        text: &str,
        context: &WorkloadContext,
        times: FlowTimes,
    ) -> Result<(), InputError> {
        self.list = Some(match detect(text) {
            ListFormat::Csv => parse_csv(text, context)?,
            ListFormat::ConnectionMatrix => parse_connection_matrix(text, context)?,
            ListFormat::HpccFlows if self.ignore_rest => {
                parse_first_hpcc_flows(text, context, times)?
            }
            ListFormat::HpccFlows => parse_hpcc_flows(text, context, times)?,
        });
        Ok(())
    }

    /// Returns the flows, or `None` if the file has not been loaded.
    #[must_use]
    pub fn list(&self) -> Option<&FlowList> {
        self.list.as_ref()
    }

    fn loaded(&self) -> Result<&FlowList, ConfigError> {
        self.list.as_ref().ok_or_else(|| {
            ConfigError::new(
                "path",
                format!("the file `{}` has not been loaded", self.path),
                "load it first",
            )
        })
    }
}

#[derive(Checkpointed, Clone, Debug)]
#[checkpoint(plain)]
struct ListSource {
    #[checkpoint(rebuilt)]
    flows: Arc<[FlowRequest]>,
    next: usize,
    /// Replaces the class of the flows if set.
    #[checkpoint(rebuilt)]
    class: Option<ClassId>,
}

impl FlowSource for ListSource {
    fn next_start(&self) -> Option<Time> {
        self.flows.get(self.next).map(|flow| flow.start)
    }

    fn next_flow(&mut self) -> Option<FlowRequest> {
        let flow = *self.flows.get(self.next)?;
        self.next += 1;
        Some(FlowRequest {
            class: self.class.unwrap_or(flow.class),
            ..flow
        })
    }

    fabricsim_base::saves_state!();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::testing::context;
    use crate::workload::Workload;

    #[test]
    fn the_forms_are_told_apart() {
        assert_eq!(
            detect("# note\n\nsrc,dst,size_bytes,start_ns\n"),
            ListFormat::Csv
        );
        assert_eq!(detect("\"src\"\n"), ListFormat::Csv);
        assert_eq!(detect("2\n0 1 3 100 1000 2.0\n"), ListFormat::HpccFlows);
        assert_eq!(
            detect("Nodes 2\nConnections 1\n0->1 start 0 size 1\n"),
            ListFormat::ConnectionMatrix
        );
        assert_eq!(detect("id,start_ns\n"), ListFormat::Csv);
        assert_eq!(detect(""), ListFormat::HpccFlows);
    }

    #[test]
    fn flows_come_sorted_and_with_the_workloads_class() {
        let context = context(4, 1);
        let mut config = ListConfig::new("flows.csv");
        assert_eq!(
            config
                .build(&context, ClassId(0))
                .err()
                .expect("refused")
                .key,
            "path"
        );
        let text = "src,dst,size_bytes,start_ns\n0,1,10,50\n2,3,20,7\n3,1,30,50\n";
        config.load(text, &context, FlowTimes::Exact).unwrap();
        let mut source = config.build(&context, ClassId(6)).unwrap();
        assert_eq!(source.next_start(), Some(Time::from_ns(7)));
        let flows: Vec<_> = std::iter::from_fn(|| source.next_flow()).collect();
        assert_eq!(
            flows.iter().map(|f| f.size.get()).collect::<Vec<_>>(),
            [20, 10, 30]
        );
        assert!(flows.iter().all(|flow| flow.class == ClassId(6)));
        assert!((config.expected(&context).unwrap().bytes - 60.0).abs() < 1e-9);
    }

    #[test]
    fn listed_classes_are_kept() {
        let context = context(4, 1);
        let mut config = ListConfig::new("flows.csv");
        config
            .load(
                "src,dst,size_bytes,start_ns,class\n0,1,10,50,3\n",
                &context,
                FlowTimes::Exact,
            )
            .unwrap();
        let mut source = config.build(&context, ClassId(6)).unwrap();
        assert_eq!(source.next_flow().map(|flow| flow.class), Some(ClassId(3)));
    }
}
