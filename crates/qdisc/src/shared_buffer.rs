//! The buffer that all ports of a switch share, with dynamic thresholds, headroom and PFC.

mod config;
mod largest;

use fabricsim_base::checkpoint::Checkpointed;
use fabricsim_base::id::PortId;
use fabricsim_base::limits::MAX_SIZE;
use fabricsim_base::priority::Priority;
use fabricsim_base::units::{Bytes, Rate};
use fabricsim_core::plugin::{Admission, Admit, BufferUse, Release, Slack};

pub use config::{BufferConfig, Headroom, Pfc, PortBuffer};
use largest::LargestUse;
pub use largest::Precision;

const QUEUES: usize = Priority::COUNT;

#[derive(Checkpointed, Clone, Copy, Debug, Default)]
#[checkpoint(plain)]
struct Share {
    /// Bytes in the reserve and the shared part.
    bytes: u64,
    /// Bytes in the headroom.
    headroom: u64,
    paused: bool,
}

impl Share {
    /// Returns `true` if the share is paused or uses headroom.
    const fn is_tense(&self) -> bool {
        self.paused || self.headroom > 0
    }
}

#[derive(Checkpointed, Clone, Debug)]
#[repr(C)]
struct Ingress {
    #[checkpoint(rebuilt)]
    headroom: u64,
    /// The port's share of the free buffer, in units of [`ONE`].
    #[checkpoint(rebuilt)]
    alpha: u64,
    #[checkpoint(each)]
    shares: [Share; QUEUES],
    /// The most bytes in the headroom of one share so far.
    #[checkpoint(extreme)]
    most_headroom: u64,
}

/// The buffer of one switch, accounted per (ingress port, priority).
///
/// Bytes first use the reserve, which is free; then the shared part, up to the dynamic threshold (a
/// share of the free shared part); then headroom. With PFC, the switch pauses the upstream neighbor
/// as soon as the threshold is reached or headroom is used. It resumes the neighbor when the
/// headroom is empty and the share is `resume_offset` below the threshold. Source: the published
/// HPCC simulator's buffer model, after the dynamic threshold scheme of Choudhury and Hahne (1998).
#[derive(Checkpointed, Clone, Debug)]
#[checkpoint(plain)]
pub struct SharedBuffer {
    #[checkpoint(each)]
    ingress: Vec<Ingress>,
    #[checkpoint(rebuilt)]
    pfc: Pfc,
    #[checkpoint(rebuilt)]
    reserve: u64,
    /// The part of the reserve that a packet may use if there is no other room.
    #[checkpoint(rebuilt)]
    usable_reserve: u64,
    #[checkpoint(rebuilt)]
    resume_offset: u64,
    /// The buffer without headroom and reserves.
    #[checkpoint(rebuilt)]
    capacity: u64,
    shared_used: u64,
    total_used: u64,
    /// Number of shares that are paused or use headroom.
    tense: u32,
    /// The largest use so far. The buffer is calm below its watch.
    largest: LargestUse,
}

/// The whole free buffer, in units of shares. It is a power of two, so that powers of one half are
/// exact and a threshold is a product and a shift. The largest buffer times this is below 2^64.
const ONE: u64 = 1 << ONE_BITS;
const ONE_BITS: u32 = 14;
const _: () = assert!(
    MAX_SIZE.get() < 1 << (64 - ONE_BITS),
    "thresholds are computed in 64 bits"
);

impl SharedBuffer {
    /// Returns the buffer of a switch with `ports`, in a network with hosts with NICs of
    /// `nic_rate`.
    #[must_use]
    pub fn new(config: &BufferConfig, nic_rate: Rate, ports: &[PortBuffer]) -> Self {
        let ingress: Vec<Ingress> = ports
            .iter()
            .map(|port| Ingress {
                shares: [Share::default(); QUEUES],
                headroom: config.headroom_of(port).get(),
                most_headroom: 0,
                alpha: share_of(config.alpha, nic_rate, port.rate),
            })
            .collect();
        let capacity = config.size.saturating_sub(config.set_aside(ports)).get();
        let least_share = ingress.iter().map(|port| port.alpha).min();
        let calm_below = calm_below(capacity, least_share.unwrap_or(ONE), ONE);
        Self {
            capacity,
            ingress,
            pfc: config.pfc,
            reserve: config.reserve.get(),
            usable_reserve: config.usable_reserve().get(),
            resume_offset: config.resume_offset.get(),
            shared_used: 0,
            total_used: 0,
            tense: 0,
            largest: LargestUse::new(calm_below, config.largest_use),
        }
    }

    /// Returns the setting of PFC, without which the buffer is lossy.
    #[must_use]
    pub const fn pfc(&self) -> Pfc {
        self.pfc
    }

    /// Returns the bytes for sharing in an empty buffer: the buffer without headroom and reserves.
    /// Zero if the configured size is not sufficient for these.
    #[must_use]
    pub const fn shared_capacity(&self) -> Bytes {
        Bytes::new(self.capacity)
    }

    /// Returns the used bytes of the shared part.
    #[inline]
    pub(crate) const fn shared_used(&self) -> u64 {
        self.shared_used
    }

    /// Returns the free bytes of the shared part.
    #[inline]
    pub(crate) const fn free_shared(&self) -> u64 {
        self.capacity.saturating_sub(self.shared_used)
    }

    /// Takes `size` bytes of the shared part, which must be [free](Self::free_shared).
    #[inline]
    pub(crate) fn take_shared(&mut self, size: Bytes) {
        debug_assert!(size.get() <= self.free_shared(), "a packet finds room");
        let was_calm = self.is_calm();
        self.shared_used += size.get();
        self.total_used += size.get();
        if !was_calm {
            self.largest.note_shared(self.shared_used);
        }
    }

    /// Releases bytes that [`Self::take_shared`] has taken.
    #[inline]
    pub(crate) const fn give_back_shared(&mut self, size: Bytes) {
        self.shared_used -= size.get();
        self.total_used -= size.get();
    }
}

/// Returns the share of a port: `alpha`, doubled for each doubling of the port's rate above the
/// NIC's, up to the whole.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "a cast of a float saturates, and the share is positive"
)]
fn share_of(alpha: f64, nic_rate: Rate, rate: Rate) -> u64 {
    let mut share = ((alpha * ONE as f64).round() as u64).clamp(1, ONE);
    let mut reference = nic_rate.as_bps();
    while share < ONE && rate.as_bps() > reference {
        reference = reference.saturating_mul(2);
        share = (share * 2).min(ONE);
    }
    share
}

/// Returns the threshold of a port with the share `alpha` of `free` bytes.
#[inline]
const fn part_of(free: u64, alpha: u64) -> u64 {
    (free * alpha) >> ONE_BITS
}

/// Returns the number of used bytes of the shared part from which a packet might reach a threshold,
/// or 0 if it always might. A queue or port may use at least the share `alpha`, in units of 1 /
/// `one`, of the free part of `capacity`.
///
/// No queue or port uses more of the shared part than the total, `used`. With the longest packet
/// that is `used + longest`. If this is below the share of `capacity - (used + longest)`, no packet
/// is dropped or paused, before the packet or after it.
pub(crate) fn calm_below(capacity: u64, alpha: u64, one: u64) -> u64 {
    let [capacity, alpha, one] = [capacity, alpha, one].map(u128::from);
    let reached = (capacity * alpha).saturating_sub(one) / (one + alpha);
    let reached = u64::try_from(reached).expect("less than the capacity");
    (reached + 1).saturating_sub(u64::from(u16::MAX))
}

impl SharedBuffer {
    /// [`Admission::admit`] if a threshold may be near.
    #[inline(never)]
    fn admit_near_threshold(&mut self, ingress: PortId, priority: Priority, size: u64) -> Admit {
        let port = &mut self.ingress[ingress.index()];
        let share = &mut port.shares[priority.index()];
        let free = self.capacity.saturating_sub(self.shared_used);
        let threshold = part_of(free, port.alpha);
        let (filled, was_tense) = (share.bytes + size, share.is_tense());
        if share.headroom + size > port.headroom {
            // The unused bytes of the reserve.
            let left = self.usable_reserve.saturating_sub(share.bytes);
            let shared = share.bytes.saturating_sub(self.reserve);
            if shared + size.saturating_sub(left) > threshold {
                return Admit::Drop;
            }
        }
        let beyond = filled.saturating_sub(self.reserve);
        if beyond > threshold {
            share.headroom += size;
            port.most_headroom = port.most_headroom.max(share.headroom);
            self.largest.add_headroom(size);
        } else {
            share.bytes = filled;
            self.shared_used += size.min(beyond);
            self.largest.note_shared(self.shared_used);
        }
        self.total_used += size;
        let mut verdict = Admit::Accept;
        if self.pfc == Pfc::On && !share.paused {
            let free = self.capacity.saturating_sub(self.shared_used);
            let threshold = part_of(free, port.alpha);
            if share.headroom > 0 || share.bytes.saturating_sub(self.reserve) >= threshold {
                share.paused = true;
                verdict = Admit::AcceptAndPause;
            }
        }
        self.tense += u32::from(!was_tense && share.is_tense());
        verdict
    }

    /// Returns `true` if no threshold is near.
    #[inline]
    const fn is_calm(&self) -> bool {
        self.shared_used < self.largest.watched_from() && self.tense == 0
    }

    /// [`Admission::release`] if some share is tense.
    #[inline(never)]
    fn release_tense(&mut self, ingress: PortId, priority: Priority, size: u64) -> Release {
        let port = &mut self.ingress[ingress.index()];
        let share = &mut port.shares[priority.index()];
        let was_tense = share.is_tense();
        let from_headroom = share.headroom.min(size);
        let rest = size - from_headroom;
        let from_shared = rest.min(share.bytes.saturating_sub(self.reserve));
        share.headroom -= from_headroom;
        self.largest.release_headroom(from_headroom);
        share.bytes -= rest;
        self.shared_used -= from_shared;
        self.total_used -= size;
        let free = self.capacity.saturating_sub(self.shared_used);
        let threshold = part_of(free, port.alpha);
        let shared = share.bytes.saturating_sub(self.reserve);
        let is_low = shared == 0 || shared + self.resume_offset <= threshold;
        let resumes = share.paused && share.headroom == 0 && is_low;
        if resumes {
            share.paused = false;
        }
        self.tense -= u32::from(was_tense && !share.is_tense());
        if resumes {
            Release::Resume
        } else {
            Release::Quiet
        }
    }
}

impl Admission for SharedBuffer {
    #[inline]
    fn admit(
        &mut self,
        ingress: PortId,
        _egress: PortId,
        priority: Priority,
        size: Bytes,
    ) -> Admit {
        let size = size.get();
        if !self.is_calm() {
            return self.admit_near_threshold(ingress, priority, size);
        }
        let share = &mut self.ingress[ingress.index()].shares[priority.index()];
        share.bytes += size;
        self.shared_used += size.min(share.bytes.saturating_sub(self.reserve));
        self.total_used += size;
        Admit::Accept
    }

    #[inline]
    fn slack(&self) -> Slack {
        if self.is_calm() {
            Slack {
                room: Bytes::new(self.largest.watched_from() - self.shared_used),
                packet: Bytes::new(u64::MAX),
            }
        } else {
            Slack::default()
        }
    }

    #[inline]
    fn release(
        &mut self,
        ingress: PortId,
        _egress: PortId,
        priority: Priority,
        size: Bytes,
    ) -> Release {
        let size = size.get();
        if self.tense > 0 {
            return self.release_tense(ingress, priority, size);
        }
        let share = &mut self.ingress[ingress.index()].shares[priority.index()];
        self.shared_used -= size.min(share.bytes.saturating_sub(self.reserve));
        self.total_used -= size;
        share.bytes -= size;
        Release::Quiet
    }

    fn has_paused(&self, ingress: PortId, priority: Priority) -> bool {
        self.ingress[ingress.index()].shares[priority.index()].paused
    }

    fn forget_pauses(&mut self, ingress: PortId) {
        for share in &mut self.ingress[ingress.index()].shares {
            let was_tense = share.is_tense();
            share.paused = false;
            self.tense -= u32::from(was_tense && !share.is_tense());
        }
    }

    fn used(&self) -> Bytes {
        Bytes::new(self.total_used)
    }

    fn largest_use(&self) -> Option<BufferUse> {
        let ports = self.ingress.iter().map(|port| port.most_headroom);
        Some(self.largest.report(ports))
    }

    fabricsim_base::saves_state!();
}

#[cfg(test)]
mod tests;
