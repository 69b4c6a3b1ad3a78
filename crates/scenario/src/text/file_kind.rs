//! The kinds of input files, and reasons for not reading one.

use std::fmt;
use std::io;

use fabricsim_workload::FileContent;

const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;

/// Kinds of input files: their names in messages, their maximum sizes, and the help if one is
/// missing.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct FileKind {
    name: &'static str,
    pub(crate) most: u64,
    pub(crate) help: &'static str,
    /// Decides if `-` is the standard input.
    pub(crate) piped: Piped,
}

/// Support for the standard input instead of a file.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Piped {
    ByDash,
    Never,
}

impl FileKind {
    /// Returns the kind of a workload's file with such `content`.
    #[must_use]
    pub const fn of(content: FileContent) -> Self {
        match content {
            FileContent::Sizes => Self::SIZES,
            FileContent::Flows => Self::FLOWS,
            FileContent::Requests => Self::WORKLOAD,
            FileContent::Graph => Self::GRAPH,
            FileContent::Profile => Self::PROFILE,
        }
    }

    /// A scenario; `-` is the standard input.
    pub const SCENARIO: Self = Self {
        piped: Piped::ByDash,
        ..Self::text(
            "the scenario",
            16 * MIB,
            "give the path of a scenario, such as examples/scenarios/default.toml",
        )
    };
    /// A scenario that a sweep changes.
    pub const BASE: Self = Self::text(
        "the base scenario",
        16 * MIB,
        "give a scenario file that exists; its path is relative to the sweep file",
    );
    /// A sweep.
    pub const SWEEP: Self = Self::text(
        "the sweep",
        16 * MIB,
        "give the path of a sweep, such as examples/sweeps/loads.toml",
    );
    /// A file of queries, or a scenario that contains queries.
    pub const QUERIES: Self = Self::text(
        "the queries",
        16 * MIB,
        "give the path of a TOML file with [[query]] tables; it may be a scenario",
    );
    /// The settings of a harm test.
    pub const HARM: Self = Self::text(
        "the harm test",
        16 * MIB,
        "give the path of a TOML file with the keys of docs/harm.md",
    );
    /// The network of a scenario: a list of links, GraphML or GML.
    pub const TOPOLOGY: Self = Self::text("the topology", 256 * MIB, BESIDE_SCENARIO);
    /// A distribution of flow sizes.
    pub const SIZES: Self = Self::text("the flow-size distribution", 16 * MIB, BESIDE_SCENARIO);
    /// A list of flows.
    pub const FLOWS: Self = Self::text("the flows", 2 * GIB, BESIDE_SCENARIO);
    /// A Chakra execution trace of one rank.
    pub const EXECUTION_TRACE: Self = Self::text(
        "the execution trace",
        2 * GIB,
        "give the common prefix of the files: NAME for NAME.0.et, NAME.1.et, ..",
    );
    /// The operations of ranks.
    pub const GRAPH: Self = Self::text("the graph", 2 * GIB, BESIDE_SCENARIO);
    /// The measured computing times of a workload.
    pub const PROFILE: Self = Self::text("the profile", 256 * MIB, BESIDE_SCENARIO);
    /// The requests of a harm test or of a workload.
    pub const WORKLOAD: Self = Self::text(
        "the workload",
        256 * MIB,
        "give `drawn`, `ccafct-seed1` or the path of a CSV with start_ns,size_bytes",
    );
    /// A file of results; `-` is the standard input.
    pub const RESULTS: Self = Self {
        piped: Piped::ByDash,
        ..Self::text(
            "the results",
            8 * GIB,
            "give an fct.csv, a folder of results with one, or the published simulator's fct.txt",
        )
    };
    /// A configuration of the published simulator.
    pub const CONFIGURATION: Self = Self::text(
        "the configuration",
        16 * MIB,
        "give the path of a config.txt of the published HPCC simulator",
    );
    /// The list of nodes that such a configuration traces.
    pub const TRACE: Self = Self::text(
        "the list of traced nodes",
        16 * MIB,
        "give a file that exists, or write ENABLE_TRACE 0",
    );
    /// A summary.json.
    pub const SUMMARY: Self = Self::text(
        "the summary",
        GIB,
        "run the scenario again: it writes a summary.json",
    );

    /// A checkpoint.
    pub const CHECKPOINT: Self = Self::text(
        "the checkpoint",
        256 * GIB,
        "give a file written by `fabricsim run --checkpoint-at`",
    );

    /// All kinds.
    pub const ALL: [Self; 17] = [
        Self::SCENARIO,
        Self::BASE,
        Self::SWEEP,
        Self::QUERIES,
        Self::HARM,
        Self::TOPOLOGY,
        Self::SIZES,
        Self::FLOWS,
        Self::WORKLOAD,
        Self::GRAPH,
        Self::PROFILE,
        Self::EXECUTION_TRACE,
        Self::RESULTS,
        Self::CONFIGURATION,
        Self::TRACE,
        Self::SUMMARY,
        Self::CHECKPOINT,
    ];

    const fn text(name: &'static str, most: u64, help: &'static str) -> Self {
        Self {
            name,
            most,
            help,
            piped: Piped::Never,
        }
    }

    /// Returns the maximum size of such a file, in bytes.
    #[must_use]
    pub const fn largest(self) -> u64 {
        self.most
    }

    /// Returns the suggested fix if the file does not exist.
    #[must_use]
    pub const fn help(self) -> &'static str {
        self.help
    }
}

const BESIDE_SCENARIO: &str = "give a file that exists; paths are relative to the scenario file";

impl fmt::Display for FileKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// Reason for not reading an existing file. It is wrapped in an [`io::Error`].
#[derive(Debug)]
pub(crate) struct Refusal {
    message: String,
    pub(crate) help: String,
}

impl Refusal {
    /// Returns the rejection in `error`, if it contains one.
    pub(crate) fn of(error: &io::Error) -> Option<&Self> {
        error.get_ref()?.downcast_ref()
    }

    pub(crate) fn error(message: impl Into<String>, help: impl Into<String>) -> io::Error {
        let (message, help) = (message.into(), help.into());
        io::Error::new(io::ErrorKind::InvalidInput, Self { message, help })
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Refusal {}
