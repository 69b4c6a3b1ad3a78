//! The `[capture]` table.

use fabricsim_base::id::{NodeId, PortId};
use fabricsim_base::input::{ConfigError, NodeRange, NumberRange};
use fabricsim_base::units::{Bytes, Time};
use fabricsim_base::{choices, settings};
use fabricsim_topology::Topology;

use crate::schema::far_end::{FarEnd, ports_among};

/// Maximum number of nodes for which frames have addresses.
const MOST_ADDRESSES: usize = 1 << 24;

/// Number of priorities of frames.
const PRIORITIES: u32 = 8;

choices! {
    /// Frames of a port by their direction.
    #[derive(Default)]
    pub enum CaptureDirection {
        /// Frames in both directions.
        #[default]
        Both = "both",
        /// Frames that leave the port.
        Out = "out",
        /// Frames that arrive at the port.
        In = "in",
    }
}

settings! {
    /// The `[capture]` table.
    pub struct CaptureSettings {
        /// Nodes with captured ports, such as ["320..376"].
        #[note("(default all)")]
        pub nodes: Option<Vec<NodeRange>> = none,
        /// Their ports, such as ["0..4"].
        #[note("(default all)")]
        pub ports: Option<Vec<NumberRange>> = none,
        /// Only ports with a link to "hosts" or to "switches".
        #[note("(default both)")]
        pub towards: Option<FarEnd> = none,
        /// Frames that a port sends ("out"), frames that it receives ("in"), or "both".
        pub direction: CaptureDirection = "both",
        /// Only frames of these priorities, such as ["3"], and pauses of them.
        #[note("(default all)")]
        pub priorities: Option<Vec<NumberRange>> = none,
        /// Only packets of these flows, such as ["0..16"], and all pauses.
        #[note("(default all)")]
        pub flow_ids: Option<Vec<NumberRange>> = none,
        /// Time of the first frame.
        pub from: Time = "0s",
        /// Time after the last frame.
        #[note("(default: with the run)")]
        pub until: Option<Time> = none,
        /// Most bytes of a frame that are stored.
        ///
        /// Payload is not simulated: all of it is zero. Wireshark decodes the headers of truncated
        /// RDMA frames, but its list shows such frames as malformed.
        #[range(from "64B", to "65535B")]
        #[refused("{value} are not what can be stored of a frame", "give 64B to 65535B, such as \"128B\"")]
        pub snap_length: Bytes = "65535B",
        /// Write INT into data frames of RDMA, as an IPv6 IOAM trace.
        pub telemetry: bool = false,
        /// Most frames in the file.
        #[range(from 1)]
        #[refused("the file would be empty", "give a number such as 10000000")]
        pub max_frames: u64 = 10000000,
    }
}

impl CaptureSettings {
    /// Rejects values without a meaning, and ports that do not exist.
    pub(crate) fn validate(&self, topology: &Topology) -> Result<(), ConfigError> {
        self.validate_ranges()?;
        let refuse = |key, message, help: &str| Err(ConfigError::new(key, message, help));
        if let Some(until) = self.until.filter(|&until| until <= self.from) {
            return refuse(
                "until",
                format!(
                    "frames are captured until {until}, and from {} on",
                    self.from
                ),
                "give a later time, or leave the key out",
            );
        }
        // An empty list would capture nothing; most likely it was meant as "all".
        let empty = |ranges: &Option<Vec<NumberRange>>| ranges.as_ref().is_some_and(Vec::is_empty);
        for (key, empty) in [
            ("nodes", self.nodes.as_ref().is_some_and(Vec::is_empty)),
            ("ports", empty(&self.ports)),
            ("priorities", empty(&self.priorities)),
            ("flow_ids", empty(&self.flow_ids)),
        ] {
            if empty {
                let message = "the list is empty".to_owned();
                return refuse(key, message, "leave the key out to mean all");
            }
        }
        let mut priorities = self.priorities.iter().flatten();
        if let Some(range) = priorities.find(|range| range.end > PRIORITIES) {
            return refuse(
                "priorities",
                format!("`{range}` includes {}", range.first.max(PRIORITIES)),
                "priorities are 0 to 7",
            );
        }
        // The lists refer to the network, so compare them with it.
        let count = u32::try_from(topology.len()).unwrap_or(u32::MAX);
        let mut ranges = self.nodes.iter().flatten().map(|range| range.0);
        if let Some(range) = ranges.find(|range| range.end > count) {
            return refuse(
                "nodes",
                format!(
                    "`{range}` includes node {}, which is not there",
                    range.first.max(count)
                ),
                &format!("the nodes are numbered 0 to {}, hosts first", count - 1),
            );
        }
        if captured_ports(self, topology).next().is_none() {
            let key = match self.nodes {
                Some(_) => "nodes",
                None => "ports",
            };
            return refuse(
                key,
                "no port is chosen".to_owned(),
                "give nodes and ports that are there, or leave the keys out",
            );
        }
        if topology.len() > MOST_ADDRESSES {
            return refuse(
                "nodes",
                format!(
                    "the addresses of frames have room for {MOST_ADDRESSES} nodes, and here are {count}"
                ),
                "leave the table out",
            );
        }
        Ok(())
    }

    /// Returns `true` if frames that leave a port are captured.
    #[must_use]
    pub fn takes_sent(&self) -> bool {
        self.direction != CaptureDirection::In
    }

    /// Returns `true` if frames that arrive at a port are captured.
    #[must_use]
    pub fn takes_arrived(&self) -> bool {
        self.direction != CaptureDirection::Out
    }
}

/// Yields the ports that `settings` select, in the order of nodes and ports.
pub fn captured_ports(
    settings: &CaptureSettings,
    topology: &Topology,
) -> impl Iterator<Item = (NodeId, PortId)> {
    let (nodes, ports) = (settings.nodes.as_deref(), settings.ports.as_deref());
    ports_among(topology, nodes, ports, settings.towards)
}
