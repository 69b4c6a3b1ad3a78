//! Every host sends to every other host.

mod workload;

use fabricsim_base::checkpoint::Checkpointed;
use fabricsim_base::flow::{FlowRequest, FlowSource};
use fabricsim_base::id::{ClassId, NodeId};
use fabricsim_base::input::ConfigError;
use fabricsim_base::priority::Priority;
use fabricsim_base::settings;
use fabricsim_base::units::{Bytes, Duration, Time};

use crate::check;
use crate::context::WorkloadContext;

settings! {
    /// A shuffle in rounds: in round r = 1, 2, … the i-th host sends to the (i + r)-th, modulo the
    /// number of hosts. Each round is a permutation, and all rounds together cover every pair.
    ///
    /// Rounds start `stagger` apart, even if the previous round has not finished.
    pub struct AllToAllConfig {
        /// Payload from each host to each other, such as "1MB".
        pub size: Bytes = required,
        /// Time of the first round.
        pub start: Time = "0s",
        /// Time from one round to the next; in round r host i sends to host i + r.
        pub stagger: Duration = "0s",
        /// Priority queue.
        #[range(from 1, to 7)]
        #[refused(check::NO_PRIORITY, check::PRIORITIES)]
        #[note("(default 3); 1 with an algorithm of TCP")]
        pub priority: u8 = 3,
        /// Destination port.
        pub dst_port: u16 = 100,
    }
}

impl AllToAllConfig {
    /// Returns the traffic with all flows starting at time zero.
    #[must_use]
    pub fn new(size: Bytes) -> Self {
        Self::with_required(size)
    }

    fn checked(&self, context: &WorkloadContext) -> Result<(), ConfigError> {
        check::two_hosts(context)?;
        check::size(self.size)?;
        self.validate_ranges()?;
        check::instant("start", self.start)?;
        check::span("stagger", self.stagger)?;
        if self.stagger == Duration::ZERO {
            let hosts = context.hosts.len() as f64;
            check::together("stagger", hosts * (hosts - 1.0))?;
        }
        Ok(())
    }
}

#[derive(Checkpointed, Clone, Debug)]
#[checkpoint(plain)]
struct AllToAll {
    #[checkpoint(rebuilt)]
    config: AllToAllConfig,
    #[checkpoint(rebuilt)]
    class: ClassId,
    #[checkpoint(rebuilt)]
    hosts: Box<[NodeId]>,
    round: usize,
    position: usize,
}

impl FlowSource for AllToAll {
    fn next_start(&self) -> Option<Time> {
        let wait = self.config.stagger.saturating_mul(self.round as u64 - 1);
        (self.round < self.hosts.len()).then(|| self.config.start.saturating_add(wait))
    }

    fn next_flow(&mut self) -> Option<FlowRequest> {
        let start = self.next_start()?;
        let src = self.hosts[self.position];
        let dst = self.hosts[(self.position + self.round) % self.hosts.len()];
        self.position += 1;
        if self.position == self.hosts.len() {
            self.position = 0;
            self.round += 1;
        }
        Some(FlowRequest {
            src,
            dst,
            size: self.config.size,
            start,
            class: self.class,
            priority: Priority::new(self.config.priority),
            src_port: None,
            dst_port: self.config.dst_port,
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
    fn every_pair_is_served_once_in_staggered_rounds() {
        let mut config = AllToAllConfig::new(Bytes::new(1_000));
        config.stagger = Duration::from_us(2);
        config.start = Time::from_ns(100);
        let context = context(5, 1);
        let mut source = config.build(&context, ClassId(0)).unwrap();
        let flows: Vec<_> = std::iter::from_fn(|| source.next_flow()).collect();
        let starts: Vec<u64> = flows
            .iter()
            .step_by(5)
            .map(|flow| flow.start.as_ns())
            .collect();
        assert_eq!(starts, [100, 2_100, 4_100, 6_100]);
        let mut pairs: Vec<_> = flows.iter().map(|flow| (flow.src, flow.dst)).collect();
        pairs.sort_unstable();
        pairs.dedup();
        assert_eq!(pairs.len(), 20);
        assert!(pairs.iter().all(|(src, dst)| src != dst));
        assert!((config.expected(&context).unwrap().bytes - 20_000.0).abs() < 1e-9);
    }

    #[test]
    fn a_size_of_zero_is_refused() {
        let config = AllToAllConfig::new(Bytes::ZERO);
        assert_eq!(
            config
                .build(&context(4, 1), ClassId(0))
                .err()
                .expect("refused")
                .key,
            "size"
        );
    }
}
