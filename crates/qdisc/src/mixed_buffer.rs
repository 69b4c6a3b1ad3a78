//! A switch's buffer for lossless and lossy priorities.

use fabricsim_core::checkpoint::Checkpointed;
use fabricsim_core::id::PortId;
use fabricsim_core::packet::{Priority, PrioritySet};
use fabricsim_core::plugin::{Admission, Admit, Release};
use fabricsim_core::units::{Bytes, Rate};

use crate::shared_buffer::{BufferConfig, PortBuffer, SharedBuffer};

const QUEUES: usize = Priority::COUNT;
/// The whole of the free buffer, as shares of it are held.
const ONE: u64 = 1 << ONE_BITS;
const ONE_BITS: u32 = 24;

/// The settings of the lossy priorities of a [`MixedBuffer`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LossyConfig {
    /// The priorities; that of control is never lossy.
    pub priorities: PrioritySet,
    /// The share of the free buffer that one queue may be as long as, in steps of 2^-24.
    pub alpha: f64,
    /// The most bytes of one queue, whatever is free.
    pub limit: Option<Bytes>,
    /// Those of them whose packets are trimmed rather than dropped.
    pub trimmed: PrioritySet,
    /// The most bytes of one of their queues.
    pub trim_above: Bytes,
}

/// A [`SharedBuffer`] for lossless priorities that lends the shared part of its room to lossy ones.
///
/// A packet of a lossy priority is stored when the queue that it joins is shorter than `alpha`
/// times what is free and has no more than `limit` bytes with it, and there is room (the dynamic threshold of Choudhury and Hahne, 1998, on
/// the queues of egress ports, as ASICs have it for traffic without PFC); else it is dropped. Lossy
/// priorities pause nobody. Lossless ones keep their reserves and headroom, which lossy ones never
/// touch, so whatever they do no lossless packet is dropped.
#[derive(Checkpointed, Clone, Debug)]
pub struct MixedBuffer {
    lossless: SharedBuffer,
    #[checkpoint(rebuilt)]
    lossy: PrioritySet,
    /// In units of [`ONE`].
    #[checkpoint(rebuilt)]
    alpha: u64,
    /// The most bytes of a queue of each priority.
    #[checkpoint(rebuilt)]
    limits: [u64; QUEUES],
    #[checkpoint(rebuilt)]
    trimmed: PrioritySet,
    /// Bytes in each queue of a lossy priority, by egress port.
    queues: Vec<[u64; QUEUES]>,
}

impl MixedBuffer {
    /// The buffer of a switch with `ports`, in a network whose hosts have NICs of `nic_rate`.
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
        Self {
            lossless: SharedBuffer::new(config, nic_rate, ports),
            lossy: lossy.priorities.intersection(PrioritySet::DATA),
            alpha: (lossy.alpha * ONE as f64).round() as u64,
            limits: of_priorities,
            trimmed: lossy.trimmed,
            queues: vec![[0; QUEUES]; ports.len()],
        }
    }

    /// The length from which on a queue takes no packet.
    #[inline]
    fn threshold(&self) -> u128 {
        // A share of 2^50 bytes does not fit 64 bits.
        (u128::from(self.lossless.free_shared()) * u128::from(self.alpha)) >> ONE_BITS
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
        let threshold = self.threshold();
        let queue = &mut self.queues[egress.index()][priority.index()];
        if u128::from(*queue) >= threshold
            || *queue + size.get() > self.limits[priority.index()]
            || !self.lossless.take_shared(size)
        {
            return match self.trimmed.contains(priority) {
                true => Admit::Trim,
                false => Admit::Drop,
            };
        }
        *queue += size.get();
        Admit::Accept
    }

    #[inline]
    fn passes(&self, ingress: PortId, egress: PortId, priority: Priority, size: Bytes) -> bool {
        !self.is_lossy(priority) && self.lossless.passes(ingress, egress, priority, size)
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

    #[inline]
    fn touch(&self, port: PortId) -> u64 {
        self.lossless.touch(port) ^ self.queues[port.index()][0]
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

    fabricsim_core::saves_state!();
}

#[cfg(test)]
mod tests {
    use fabricsim_core::units::Duration;
    use proptest::prelude::*;

    use super::*;

    const LOSSY: Priority = Priority::new(1);
    const LOSSLESS: Priority = Priority::new(3);
    const PACKET: Bytes = Bytes::new(1_538);

    fn ports() -> [PortBuffer; 3] {
        [PortBuffer {
            rate: Rate::from_gbps(100),
            delay: Duration::from_us(1),
        }; 3]
    }

    fn buffer(size: u64, alpha: f64) -> MixedBuffer {
        limited(size, alpha, None)
    }

    fn limited(size: u64, alpha: f64, limit: Option<Bytes>) -> MixedBuffer {
        let config = BufferConfig {
            size: Bytes::new(size),
            ..BufferConfig::default()
        };
        let lossy = LossyConfig {
            priorities: PrioritySet::from_iter([LOSSY]),
            alpha,
            limit,
            trimmed: PrioritySet::EMPTY,
            trim_above: Bytes::ZERO,
        };
        MixedBuffer::new(&config, lossy, Rate::from_gbps(100), &ports())
    }

    fn fill(buffer: &mut MixedBuffer, egress: u16) -> u64 {
        let mut stored = 0;
        while buffer.admit(PortId(0), PortId(egress), LOSSY, PACKET) == Admit::Accept {
            stored += PACKET.get();
        }
        stored
    }

    #[test]
    fn a_queue_grows_to_its_share_of_what_it_leaves_free() {
        for (alpha, share) in [(1.0, 0.5), (0.25, 0.2), (4.0, 0.8)] {
            let mut buffer = buffer(2 << 20, alpha);
            let room = buffer.lossless.shared_capacity().as_f64();
            let stored = fill(&mut buffer, 1);
            #[expect(clippy::cast_precision_loss, reason = "megabytes")]
            let taken = stored as f64 / room;
            assert!((taken - share).abs() < 0.01, "{alpha}: {taken}");
            // Another queue has its share of the rest.
            assert!(fill(&mut buffer, 2) > 0, "{alpha}");
        }
    }

    /// One congested queue alone has alpha B / (1 + alpha): with alpha = 256 KiB / (B - 256 KiB)
    /// it has 256 KiB, whatever B is.
    #[test]
    fn a_share_can_stand_for_a_length() {
        const LENGTH: u64 = 256 << 10;
        for size in [12u64 << 20, 32 << 20, 1 << 30] {
            let room = buffer(size, 1.0).lossless.shared_capacity().get();
            #[expect(clippy::cast_precision_loss, reason = "a gigabyte")]
            let alpha = LENGTH as f64 / (room - LENGTH) as f64;
            let stored = fill(&mut buffer(size, alpha), 1);
            assert!(
                stored.abs_diff(LENGTH) <= PACKET.get() + 64,
                "{size}: {stored}"
            );
        }
    }

    #[test]
    fn a_queue_with_a_limit_never_exceeds_it() {
        let limit = Bytes::new(256_000);
        let mut buffer = limited(32 << 20, 1.0, Some(limit));
        for egress in [1, 2] {
            let stored = fill(&mut buffer, egress);
            assert!(stored <= limit.get() && stored + PACKET.get() > limit.get());
        }
        // What leaves makes room for as much.
        buffer.release(PortId(0), PortId(1), LOSSY, PACKET);
        assert_eq!(
            fill(&mut buffer, 1),
            fill(&mut limited(32 << 20, 1.0, Some(PACKET)), 1)
        );
    }

    #[test]
    fn what_a_trimmed_queue_has_no_room_for_is_cut() {
        let lossy = LossyConfig {
            priorities: PrioritySet::DATA,
            alpha: 1.0,
            limit: None,
            trimmed: PrioritySet::from_iter([LOSSLESS]),
            trim_above: Bytes::new(3 * 1_048),
        };
        let config = BufferConfig::default();
        let mut buffer = MixedBuffer::new(&config, lossy, Rate::from_gbps(100), &ports());
        let mut admit = |priority| buffer.admit(PortId(0), PortId(1), priority, Bytes::new(1_048));
        assert_eq!([(); 3].map(|()| admit(LOSSLESS)), [Admit::Accept; 3]);
        assert_eq!(admit(LOSSLESS), Admit::Trim);
        assert_eq!(admit(LOSSY), Admit::Accept);
        buffer.release(PortId(0), PortId(1), LOSSLESS, Bytes::new(1_048));
        let again = buffer.admit(PortId(2), PortId(1), LOSSLESS, Bytes::new(1_048));
        assert_eq!(again, Admit::Accept);
    }

    #[test]
    fn lossy_packets_pause_nobody_and_lossless_ones_are_paused_in_time() {
        let mut buffer = buffer(1 << 20, 256.0);
        fill(&mut buffer, 1);
        assert!(!buffer.has_paused(PortId(0), LOSSY));
        // Nothing is left to share: the reserve is, then the headroom, for as much as may be under
        // way.
        let mut pauses = 0;
        for _ in 0..20 {
            match buffer.admit(PortId(0), PortId(2), LOSSLESS, Bytes::new(1_048)) {
                Admit::Drop | Admit::Trim => panic!("a lossless packet is dropped"),
                Admit::AcceptAndPause => pauses += 1,
                Admit::Accept => {}
            }
        }
        assert_eq!(pauses, 1);
    }

    proptest! {
        /// Whatever comes and goes, the accounts are those of what is stored, lossy packets pause
        /// nobody, and a lossless neighbor that stops when it is told loses nothing.
        #[test]
        fn accounts_balance_and_lossless_packets_are_never_dropped(
            steps in prop::collection::vec((0u16..3, 0u16..3, any::<bool>(), 60u64..1_600, any::<bool>()), 1..600)
        ) {
            let mut buffer = buffer(200 << 10, 1.0);
            let mut held: Vec<(u16, u16, Priority, u64)> = Vec::new();
            for (ingress, egress, lossy, size, leave) in steps {
                let priority = if lossy { LOSSY } else { LOSSLESS };
                if leave && !held.is_empty() {
                    let (ingress, egress, priority, size) = held.remove(0);
                    buffer.release(PortId(ingress), PortId(egress), priority, Bytes::new(size));
                } else if !buffer.has_paused(PortId(ingress), priority) {
                    let verdict = buffer.admit(PortId(ingress), PortId(egress), priority, Bytes::new(size));
                    prop_assert!(lossy || verdict != Admit::Drop);
                    prop_assert!(!lossy || verdict != Admit::AcceptAndPause);
                    if verdict != Admit::Drop {
                        held.push((ingress, egress, priority, size));
                    }
                }
                let sum: u64 = held.iter().map(|h| h.3).sum();
                prop_assert_eq!(buffer.used().get(), sum);
                prop_assert!(sum <= 200 << 10);
            }
            for (ingress, egress, priority, size) in held {
                buffer.release(PortId(ingress), PortId(egress), priority, Bytes::new(size));
            }
            prop_assert_eq!(buffer.used().get(), 0);
            prop_assert_eq!(buffer.lossless.free_shared(), buffer.lossless.shared_capacity().get());
        }
    }
}
