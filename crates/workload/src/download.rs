//! Downloads that never end: background traffic that shares links with other flows.

mod workload;

use fabricsim_base::checkpoint::Checkpointed;
use fabricsim_base::flow::{FlowRequest, FlowSource};
use fabricsim_base::id::NodeId;
use fabricsim_base::input::ConfigError;
use fabricsim_base::settings;
use fabricsim_base::units::Time;

use crate::check;
use crate::context::WorkloadContext;

settings! {
    /// Downloads of a client from a server over TCP that never end. A run does not wait for them:
    /// it ends when all other flows have ended.
    pub struct DownloadConfig {
        /// Number of the host that downloads.
        pub client: NodeId = required,
        /// Number of the host that sends the bytes.
        pub server: NodeId = required,
        /// Downloads, each over a connection of its own.
        #[range(from 1, to 1000)]
        #[refused("there are {value} downloads", "give 1 to 1000")]
        pub flows: u16 = 1,
        /// Time of their requests.
        pub start: Time = "0s",
        /// Priority queue.
        #[range(from 1, to 7)]
        #[refused(check::NO_PRIORITY, check::PRIORITIES)]
        pub priority: u8 = 1,
        /// Port of the server.
        pub dst_port: u16 = 80,
    }
}

impl DownloadConfig {
    /// Returns one download from time zero, with the other keys at their defaults.
    #[must_use]
    pub fn new(client: NodeId, server: NodeId) -> Self {
        Self::with_required(client, server)
    }

    fn checked(&self, context: &WorkloadContext) -> Result<(), ConfigError> {
        check::pair(context, self.client, self.server)?;
        self.validate_ranges()?;
        check::instant("start", self.start)
    }
}

/// Source of identical downloads.
#[derive(Checkpointed, Clone, Debug)]
#[checkpoint(plain)]
struct Downloads {
    #[checkpoint(rebuilt)]
    each: FlowRequest,
    left: u16,
}

impl FlowSource for Downloads {
    fn next_start(&self) -> Option<Time> {
        (self.left > 0).then_some(self.each.start)
    }

    fn next_flow(&mut self) -> Option<FlowRequest> {
        self.left = self.left.checked_sub(1)?;
        Some(self.each)
    }

    fabricsim_base::saves_state!();
}

#[cfg(test)]
mod tests {
    use fabricsim_base::id::ClassId;

    use super::*;
    use crate::context::testing::context;
    use crate::workload::Workload;

    #[test]
    fn downloads_start_together_and_never_end() {
        let mut config = DownloadConfig::new(NodeId(1), NodeId(0));
        config.flows = 3;
        config.start = Time::from_ns(9);
        let mut source = config.build(&context(2, 1), ClassId(4)).expect("a source");
        assert_eq!(source.next_start(), Some(Time::from_ns(9)));
        let flows: Vec<FlowRequest> = std::iter::from_fn(|| source.next_flow()).collect();
        assert_eq!(flows.len(), 3);
        assert!(
            flows
                .iter()
                .all(|flow| flow.is_endless() && flow.start == Time::from_ns(9))
        );
        assert!(config.is_endless());
    }

    #[test]
    fn a_download_from_oneself_is_refused() {
        let config = DownloadConfig::new(NodeId(1), NodeId(1));
        assert_eq!(
            config.expected(&context(2, 1)).expect_err("refused").key,
            "server"
        );
    }
}
