//! Poisson arrivals at every host, merged.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;

use fabricsim_base::checkpoint::Checkpointed;
use fabricsim_base::flow::{FlowRequest, FlowSource};
use fabricsim_base::id::{ClassId, NodeId};
use fabricsim_base::priority::Priority;
use fabricsim_base::rng::Stream;
use fabricsim_base::units::{Duration, Time};

use crate::arrivals::exponential_gap;
use crate::cdf::SizeCdf;

/// One host's arrivals.
#[derive(Checkpointed, Clone, Debug)]
pub(super) struct HostArrivals {
    #[checkpoint(rebuilt)]
    pub(super) id: NodeId,
    /// Position among the destinations, if the host is one.
    #[checkpoint(rebuilt)]
    pub(super) own: Option<usize>,
    /// Number of destinations other than the host itself.
    #[checkpoint(rebuilt)]
    pub(super) choices: u64,
    #[checkpoint(rebuilt)]
    pub(super) mean_gap: f64,
    pub(super) arrivals: Stream,
    pub(super) peers: Stream,
}

impl HostArrivals {
    pub(super) fn gap(&mut self) -> Duration {
        exponential_gap(&mut self.arrivals, self.mean_gap)
    }

    /// Draws a position among the destinations other than the host's own.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a draw is below the number of destinations"
    )]
    fn peer(&mut self) -> usize {
        let drawn = self.peers.below(self.choices) as usize;
        drawn + usize::from(self.own.is_some_and(|own| drawn >= own))
    }
}

/// The merged arrivals of all senders, in the order of (start, host).
#[derive(Checkpointed, Clone, Debug)]
#[checkpoint(plain)]
pub(super) struct Poisson {
    #[checkpoint(rebuilt)]
    pub(super) sizes: SizeCdf,
    #[checkpoint(each)]
    pub(super) senders: Vec<HostArrivals>,
    #[checkpoint(rebuilt)]
    pub(super) destinations: Box<[NodeId]>,
    pub(super) due: BinaryHeap<Reverse<(Time, usize)>>,
    #[checkpoint(rebuilt)]
    pub(super) end: Time,
    #[checkpoint(rebuilt)]
    pub(super) class: ClassId,
    #[checkpoint(rebuilt)]
    pub(super) priority: Priority,
    #[checkpoint(rebuilt)]
    pub(super) dst_port: u16,
}

impl FlowSource for Poisson {
    fn next_start(&self) -> Option<Time> {
        self.due.peek().map(|Reverse((start, _))| *start)
    }

    fn next_flow(&mut self) -> Option<FlowRequest> {
        let mut top = self.due.peek_mut()?;
        let Reverse((start, i)) = *top;
        let sender = &mut self.senders[i];
        let size = self.sizes.sample(sender.arrivals.uniform());
        let dst = self.destinations[sender.peer()];
        let next = start.saturating_add(sender.gap());
        if next < self.end {
            top.0.0 = next;
        } else {
            PeekMut::pop(top);
        }
        Some(FlowRequest {
            src: self.senders[i].id,
            dst,
            size,
            start,
            class: self.class,
            priority: self.priority,
            src_port: None,
            dst_port: self.dst_port,
        })
    }

    fabricsim_base::saves_state!();
}
