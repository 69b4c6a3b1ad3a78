//! A switch's buffer for lossless and lossy priorities.

use fabricsim_base::checkpoint::Checkpointed;
use fabricsim_base::id::PortId;
use fabricsim_base::priority::{Priority, PrioritySet};
use fabricsim_base::units::{Bytes, Rate};
use fabricsim_core::plugin::{Admission, Admit, BufferUse, Release, Slack};

use crate::shared_buffer::{BufferConfig, PortBuffer, SharedBuffer, calm_below};

const QUEUES: usize = Priority::COUNT;
/// The whole free buffer, in units of shares.
const ONE: u64 = 1 << ONE_BITS;
const ONE_BITS: u32 = 24;

/// The settings of the lossy priorities of a [`MixedBuffer`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LossyConfig {
    /// The lossy priorities; control is never lossy.
    pub priorities: PrioritySet,
    /// The maximum length of one queue as a multiple of the free buffer, in steps of 2^-24.
    pub alpha: f64,
    /// Maximum bytes of one queue, regardless of the free buffer.
    pub limit: Option<Bytes>,
    /// The lossy priorities that trim packets instead of dropping them.
    pub trimmed: PrioritySet,
    /// Maximum bytes of one queue of a trimming priority.
    pub trim_above: Bytes,
}

/// A [`SharedBuffer`] for lossless priorities that lends its shared part to lossy ones.
///
/// Admits a packet of a lossy priority if there is room and two conditions hold: the packet's queue
/// is shorter than `alpha` times the free bytes, and has at most `limit` bytes including the
/// packet. This is the dynamic threshold of Choudhury and Hahne (1998) on the queues of egress
/// ports, as in ASICs for traffic without PFC.
///
/// Lossy priorities never pause. Lossless priorities keep their reserves and headroom, which lossy
/// ones never use, so lossy traffic can never cause the drop of a lossless packet.
#[derive(Checkpointed, Clone, Debug)]
#[checkpoint(absolute)]
pub struct MixedBuffer {
    lossless: SharedBuffer,
    #[checkpoint(rebuilt)]
    lossy: PrioritySet,
    /// Limit of a lossy queue as a multiple of the free buffer, in units of [`ONE`].
    #[checkpoint(rebuilt)]
    alpha: u64,
    /// Maximum bytes of a queue of each priority.
    #[checkpoint(rebuilt)]
    limits: [u64; QUEUES],
    /// The smallest of `limits`.
    #[checkpoint(rebuilt)]
    least_limit: u64,
    #[checkpoint(rebuilt)]
    trimmed: PrioritySet,
    /// If the shared part uses fewer bytes than this, every lossy queue is below the threshold and
    /// there is room for the longest packet.
    #[checkpoint(rebuilt)]
    calm_below: u64,
    /// Bytes in each queue of a lossy priority, by egress port.
    queues: Vec<[u64; QUEUES]>,
}

impl MixedBuffer {
    /// Returns the buffer of a switch with `ports`, in a network with hosts with NICs of
    /// `nic_rate`.
    #[must_use]
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "a cast of a float saturates, and the share is positive"
    )]
    pub fn new(
        config: &BufferConfig,
        lossy: LossyConfig,
        nic_rate: Rate,
        ports: &[PortBuffer],
    ) -> Self {
        let limit = lossy.limit.map_or(u64::MAX, Bytes::get);
        let limits = Priority::all().map(|priority| match lossy.trimmed.contains(priority) {
            true => lossy.trim_above.get(),
            false => limit,
        });
        let mut of_priorities = [limit; QUEUES];
        for (own, limit) in of_priorities.iter_mut().zip(limits) {
            *own = limit;
        }
        let lossless = SharedBuffer::new(config, nic_rate, ports);
        let alpha = (lossy.alpha * ONE as f64).round() as u64;
        Self {
            calm_below: calm_below(lossless.shared_capacity().get(), alpha, ONE),
            lossless,
            lossy: lossy.priorities.intersection(PrioritySet::DATA),
            alpha,
            limits: of_priorities,
            least_limit: of_priorities.into_iter().min().unwrap_or(0),
            trimmed: lossy.trimmed,
            queues: vec![[0; QUEUES]; ports.len()],
        }
    }

    /// Returns the length at which a queue stores no more packets.
    #[inline]
    fn threshold(&self) -> u128 {
        // A share of 2^50 bytes does not fit 64 bits.
        (u128::from(self.lossless.free_shared()) * u128::from(self.alpha)) >> ONE_BITS
    }

    /// Returns `true` if the next packet of a lossy priority is admitted unless its queue would
    /// exceed its limit.
    #[inline]
    const fn is_lossy_calm(&self) -> bool {
        self.lossless.shared_used() < self.calm_below
    }

    /// Returns `true` if the queue of a lossy priority has room for `size` bytes. These are one
    /// packet of at most 65,535 bytes, for which a calm buffer has room, or several packets in an
    /// epoch in which the buffer stays calm.
    #[inline]
    fn takes(&self, egress: PortId, priority: Priority, size: Bytes) -> bool {
        let queue = self.queues[egress.index()][priority.index()];
        queue + size.get() <= self.limits[priority.index()]
            && (self.is_lossy_calm()
                || u128::from(queue) < self.threshold()
                    && size.get() <= self.lossless.free_shared())
    }

    const fn is_lossy(&self, priority: Priority) -> bool {
        self.lossy.contains(priority)
    }
}

impl Admission for MixedBuffer {
    #[inline]
    fn admit(&mut self, ingress: PortId, egress: PortId, priority: Priority, size: Bytes) -> Admit {
        if !self.is_lossy(priority) {
            return self.lossless.admit(ingress, egress, priority, size);
        }
        if !self.takes(egress, priority, size) {
            return match self.trimmed.contains(priority) {
                true => Admit::Trim,
                false => Admit::Drop,
            };
        }
        self.lossless.take_shared(size);
        self.queues[egress.index()][priority.index()] += size.get();
        Admit::Accept
    }

    #[inline]
    fn slack(&self) -> Slack {
        let own = self.calm_below.saturating_sub(self.lossless.shared_used());
        let room = self.lossless.slack().room.min(Bytes::new(own));
        Slack {
            room,
            packet: if room > Bytes::ZERO {
                Bytes::new(self.least_limit)
            } else {
                Bytes::ZERO
            },
        }
    }

    #[inline]
    fn release(
        &mut self,
        ingress: PortId,
        egress: PortId,
        priority: Priority,
        size: Bytes,
    ) -> Release {
        if !self.is_lossy(priority) {
            return self.lossless.release(ingress, egress, priority, size);
        }
        self.queues[egress.index()][priority.index()] -= size.get();
        self.lossless.give_back_shared(size);
        Release::Quiet
    }

    fn has_paused(&self, ingress: PortId, priority: Priority) -> bool {
        self.lossless.has_paused(ingress, priority)
    }

    fn forget_pauses(&mut self, ingress: PortId) {
        self.lossless.forget_pauses(ingress);
    }

    fn used(&self) -> Bytes {
        self.lossless.used()
    }

    fn largest_use(&self) -> Option<BufferUse> {
        self.lossless.largest_use()
    }

    fabricsim_base::saves_state!();
}

#[cfg(test)]
mod tests;
