//! The `[run]` and `[output]` tables.

use std::path::PathBuf;

use fabricsim_base::input::ConfigError;
use fabricsim_base::units::{Bytes, Duration};
use fabricsim_base::{choices, settings};
use fabricsim_report::HPCC_FCT_NODES;
use fabricsim_topology::Topology;

choices! {
    /// Skipping of periods in which the state of the network repeats.
    #[derive(Default)]
    pub enum FastForward {
        /// Every packet is simulated.
        #[default]
        Off = "off" ("simulates every packet"),
        /// Periods are skipped if the state repeats exactly, so that results stay the same.
        Exact = "exact" ("skips periods in which the state repeats; the results are the same"),
    }
}

settings! {
    /// The `[run]` table.
    pub struct RunSettings {
        /// Stop at this simulated time.
        ///
        /// Flows may be unfinished then.
        #[note("(default: when all flows have ended)")]
        pub stop_at: Option<Duration> = none,
        /// Give up when no byte is acknowledged for this long.
        #[range(above "0s")]
        #[refused(
            "a run would give up at once",
            "give a time above the retransmission timeout, such as \"1s\""
        )]
        #[note("(default \"1s\", or four times the largest base round-trip time and the least retransmission timeout, if that is longer)")]
        pub stall_after: Option<Duration> = none,
        /// Memory that packets may take when all links are full.
        ///
        /// A scenario that would take more is rejected before it runs.
        #[range(from "1B")]
        #[refused("nothing could be sent", "give a size such as \"64GB\"")]
        #[note("(default: 16 times the machine's available memory)")]
        pub packet_memory: Option<Bytes> = none,
        /// Skip periods in which the state of the network repeats ("exact"), or none ("off").
        ///
        /// Results are the same.
        pub fast_forward: FastForward = "off",
    }
}

impl RunSettings {
    pub(crate) fn validate(&self) -> Result<(), ConfigError> {
        self.validate_ranges()
    }
}

choices! {
    /// Rule for the ideal completion times of flows, to which slowdowns are relative.
    pub enum IdealRule {
        /// The flow alone in the idle network, packet by packet.
        Exact = "exact" ("the flow alone in the idle network"),
        /// The formula of the published simulator: the base round-trip time, including a full
        /// payload at each link, plus all bytes at the slowest link.
        Published = "published" ("the formula of the published simulator"),
    }
}

settings! {
    /// The `[output]` table.
    pub struct OutputSettings {
        /// Folder of the results.
        #[note("(default \"results/<name>\")")]
        pub dir: Option<PathBuf> = none,
        /// Write pauses.csv: every PFC pause and resume that arrives.
        pub pauses: bool = false,
        /// Find the largest use of each switch's buffer (buffers.csv) exactly, even if no threshold
        /// is near. Takes 1.0 to 1.5 times the CPU.
        pub exact_buffers: bool = false,
        /// Write fct.txt: completion times in the form of the published simulator.
        pub fct_txt: bool = false,
        /// Rule for ideal completion times: "exact" (the flow alone in the idle network) or
        /// "published" (the formula of the published simulator, which counts a packet twice at the
        /// slowest link).
        #[note("(default \"exact\"; profile: \"published\")")]
        pub ideal: Option<IdealRule> = none,
    }
}

impl OutputSettings {
    pub(crate) fn validate(&self) -> Result<(), ConfigError> {
        if self
            .dir
            .as_ref()
            .is_some_and(|dir| dir.as_os_str().is_empty())
        {
            return Err(ConfigError::new(
                "dir",
                "a folder without a name would be the working folder itself",
                "give a folder such as \"results/run1\", or \".\" for the working folder",
            ));
        }
        Ok(())
    }

    /// Rejects files that cannot express the nodes of `topology`.
    pub(crate) fn validate_for(&self, topology: &Topology) -> Result<(), ConfigError> {
        let nodes = topology.len();
        if !self.fct_txt || nodes <= HPCC_FCT_NODES {
            return Ok(());
        }
        Err(ConfigError::new(
            "fct_txt",
            format!(
                "the addresses of an fct.txt have room for {HPCC_FCT_NODES} nodes, and here are {nodes}"
            ),
            "leave the key out: fct.csv has all flows",
        ))
    }
}
