//! Every host sends to one other host and receives from one other host.

mod workload;

use fabricsim_base::checkpoint::Checkpointed;
use fabricsim_base::flow::{FlowRequest, FlowSource};
use fabricsim_base::id::{ClassId, NodeId};
use fabricsim_base::input::ConfigError;
use fabricsim_base::priority::Priority;
use fabricsim_base::rng::Stream;
use fabricsim_base::settings;
use fabricsim_base::units::{Bytes, Duration, Time};

use crate::check;
use crate::context::WorkloadContext;

settings! {
    /// Rounds of permutation traffic: in each round, every host sends one flow, to its image under
    /// a random permutation without fixed points. All such permutations are equally likely.
    pub struct PermutationConfig {
        /// Payload of each flow, such as "1MB".
        pub size: Bytes = required,
        /// Time of the first round.
        pub start: Time = "0s",
        /// Number of rounds, each with a new permutation.
        #[range(from 1)]
        #[refused("no rounds make no flows", "write at least 1")]
        pub count: u32 = 1,
        /// Time from one round to the next.
        pub gap: Duration = "0s",
        /// Priority queue.
        #[range(from 1, to 7)]
        #[refused(check::NO_PRIORITY, check::PRIORITIES)]
        #[note("(default 3); 1 with an algorithm of TCP")]
        pub priority: u8 = 3,
        /// Destination port.
        pub dst_port: u16 = 100,
    }
}

impl PermutationConfig {
    /// Returns one round at time zero.
    #[must_use]
    pub fn new(size: Bytes) -> Self {
        Self::with_required(size)
    }

    fn checked(&self, context: &WorkloadContext) -> Result<(), ConfigError> {
        check::two_hosts(context)?;
        check::size(self.size)?;
        self.validate_ranges()?;
        check::instant("start", self.start)?;
        check::span("gap", self.gap)?;
        if self.gap == Duration::ZERO {
            check::together("gap", context.hosts.len() as f64 * f64::from(self.count))?;
        }
        Ok(())
    }
}

#[derive(Checkpointed, Clone, Debug)]
#[checkpoint(plain)]
struct Permutation {
    #[checkpoint(rebuilt)]
    config: PermutationConfig,
    #[checkpoint(rebuilt)]
    class: ClassId,
    #[checkpoint(rebuilt)]
    hosts: Box<[NodeId]>,
    /// The current round's permutation of positions.
    targets: Vec<usize>,
    stream: Stream,
    round: u32,
    position: usize,
}

impl Permutation {
    /// Shuffles until no host is its own target: e times on average, for any number of hosts.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a draw is below the number of hosts"
    )]
    fn derange(&mut self) {
        loop {
            for i in (1..self.targets.len()).rev() {
                let other = self.stream.below(i as u64 + 1) as usize;
                self.targets.swap(i, other);
            }
            if self
                .targets
                .iter()
                .enumerate()
                .all(|(from, to)| from != *to)
            {
                return;
            }
        }
    }
}

impl FlowSource for Permutation {
    fn next_start(&self) -> Option<Time> {
        let due = self
            .config
            .start
            .saturating_add(self.config.gap.saturating_mul(u64::from(self.round)));
        (self.round < self.config.count).then_some(due)
    }

    fn next_flow(&mut self) -> Option<FlowRequest> {
        let start = self.next_start()?;
        if self.position == 0 {
            self.derange();
        }
        let (src, dst) = (
            self.hosts[self.position],
            self.hosts[self.targets[self.position]],
        );
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
    fn every_host_sends_and_receives_once_a_round() {
        let mut config = PermutationConfig::new(Bytes::new(1_000));
        config.count = 3;
        config.gap = Duration::from_us(5);
        for hosts in [2, 3, 7, 64] {
            let context = context(hosts, 9);
            let mut source = config.build(&context, ClassId(0)).unwrap();
            let flows: Vec<_> = std::iter::from_fn(|| source.next_flow()).collect();
            assert!((flows.len() as f64 - config.expected(&context).unwrap().flows).abs() < 0.5);
            for (round, flows) in (0u64..).zip(flows.chunks(hosts as usize)) {
                let mut receivers: Vec<u32> = flows.iter().map(|flow| flow.dst.0).collect();
                receivers.sort_unstable();
                assert!(receivers.into_iter().eq(0..hosts));
                assert!(flows.iter().map(|flow| flow.src.0).eq(0..hosts));
                assert!(
                    flows
                        .iter()
                        .all(|f| f.src != f.dst && f.start.as_ns() == 5_000 * round)
                );
            }
        }
    }

    #[test]
    fn errors_name_their_key() {
        let mut config = PermutationConfig::new(Bytes::ZERO);
        assert_eq!(
            config
                .build(&context(4, 1), ClassId(0))
                .err()
                .expect("refused")
                .key,
            "size"
        );
        config.size = Bytes::new(1);
        config.count = 0;
        assert_eq!(
            config
                .build(&context(4, 1), ClassId(0))
                .err()
                .expect("refused")
                .key,
            "count"
        );
        assert_eq!(
            config
                .build(&context(1, 1), ClassId(0))
                .err()
                .expect("refused")
                .key,
            "kind"
        );
    }
}
