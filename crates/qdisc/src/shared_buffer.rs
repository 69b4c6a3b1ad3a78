//! The buffer that all ports of a switch share, with dynamic thresholds, headroom and PFC.

use fabricsim_core::checkpoint::Checkpointed;
use fabricsim_core::choices;
use fabricsim_core::id::PortId;
use fabricsim_core::limits::MAX_SIZE;
use fabricsim_core::packet::Priority;
use fabricsim_core::plugin::{Admission, Admit, Release};
use fabricsim_core::units::{Bytes, Duration, Rate};
use serde::{Deserialize, Serialize};

const QUEUES: usize = Priority::COUNT;
/// The priority of data where none is asked for.
const USUAL: usize = 3;

/// Whether the switch pauses its neighbors before it runs out of buffer.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pfc {
    /// Lossless: a neighbor is paused when its share is used up; headroom takes what is under way.
    On,
    /// Lossy: a packet beyond the threshold is dropped. There is no headroom.
    Off,
}

choices! {
    /// Headroom that an ingress port keeps for packets that arrive after a pause was sent.
    pub enum Headroom {
        /// Most that can arrive: the packet that causes the pause, a round trip on the link, the
        /// longest packet that is on the wire at either end, and the pause frames of all
        /// priorities. Nothing is dropped.
        ///
        /// Differs from the paper: the published simulator keeps `3 x rate x one-way delay`, which
        /// drops packets on short or slow links (see [`Self::Published`]).
        WorstCase = "worst-case" ("default, never drops"),
        /// `3 x rate x delay`, as in the published HPCC simulator.
        Published = "published" ("3 x rate x delay"),
    }
}

/// The settings of a switch's buffer.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct BufferConfig {
    /// The whole buffer of one switch.
    pub size: Bytes,
    /// Lossless or lossy.
    pub pfc: Pfc,
    /// The rule for the headroom of a port.
    pub headroom: Headroom,
    /// Bytes of each (port, priority) that are free before the shared part is touched.
    pub reserve: Bytes,
    /// A paused neighbor goes on when its share is this far below the threshold.
    pub resume_offset: Bytes,
    /// Priorities that carry flows. Headroom and reserve are kept for each one.
    ///
    /// Differs from the paper: the published simulator sets them aside once for each port, and a
    /// buffer can then hold more than its size when several priorities are in use.
    pub priorities: u8,
    /// The threshold of a port at NIC rate is this share of the free shared buffer, up to 1, in steps
    /// of 1/16384; a port of twice the rate has twice the share, and so on.
    pub alpha: f64,
}

impl Default for BufferConfig {
    fn default() -> Self {
        Self {
            size: Bytes::new(32 << 20),
            pfc: Pfc::On,
            headroom: Headroom::WorstCase,
            reserve: Bytes::new(4 << 10),
            resume_offset: Bytes::new(3 << 10),
            priorities: 1,
            alpha: 0.125,
        }
    }
}

impl BufferConfig {
    /// Bytes that packets may fill at an ingress port after a pause was sent.
    fn headroom_of(&self, port: &PortBuffer) -> u64 {
        let one_way = port.rate.bytes_in(port.delay).get();
        match (self.pfc, self.headroom) {
            (Pfc::Off, _) => 0,
            (Pfc::On, Headroom::Published) => one_way.saturating_mul(3),
            (Pfc::On, Headroom::WorstCase) => one_way
                .saturating_add(1)
                .saturating_mul(2)
                .saturating_add(3 * LONGEST_PACKET + QUEUES as u64 * PAUSE_FRAME),
        }
    }

    /// Bytes that a switch with `ports` sets aside for headroom and reserves, for each priority in
    /// use; only what is left of its buffer is shared. 2^64 - 1 bytes where it is more than that.
    #[must_use]
    pub fn set_aside(&self, ports: &[PortBuffer]) -> Bytes {
        let of_port = |port| Bytes::new(self.headroom_of(port)).saturating_add(self.reserve);
        let sum: Bytes = ports.iter().map(of_port).sum();
        sum.saturating_mul(u64::from(self.priorities.max(1)))
    }
}

impl BufferConfig {
    /// The share of `free` bytes that a port of NIC rate may take.
    #[must_use]
    pub fn alpha_of(&self, free: Bytes) -> Bytes {
        let nic = Rate::from_gbps(1);
        Bytes::new(part_of(free.get(), share_of(self.alpha, nic, nic)))
    }
}

/// Properties of a port that the buffer needs to know.
#[derive(Clone, Copy, Debug)]
pub struct PortBuffer {
    /// The rate of its link, the higher one of both directions.
    pub rate: Rate,
    /// The one-way delay of its link.
    pub delay: Duration,
}

#[derive(Checkpointed, Clone, Copy, Debug, Default)]
struct Share {
    /// Bytes in the reserve and the shared part.
    bytes: u64,
    /// Bytes in the headroom.
    #[checkpoint(rebuilt)]
    headroom: u64,
    paused: bool,
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
}

/// The buffer of one switch, counted per (ingress port, priority).
///
/// A packet is free up to the reserve, then counts as shared up to the dynamic threshold (a share
/// of the free shared part), then as headroom. With PFC the upstream neighbor is paused as soon
/// as the threshold is reached or headroom is used, and resumed when the headroom is empty and the
/// share is `resume_offset` below the threshold. Source: the published HPCC simulator's buffer
/// model, after the dynamic threshold scheme of Choudhury and Hahne (1998).
#[derive(Checkpointed, Clone, Debug)]
pub struct SharedBuffer {
    #[checkpoint(each)]
    ingress: Vec<Ingress>,
    #[checkpoint(rebuilt)]
    pfc: Pfc,
    #[checkpoint(rebuilt)]
    reserve: u64,
    #[checkpoint(rebuilt)]
    resume_offset: u64,
    /// The buffer without headroom and reserves.
    #[checkpoint(rebuilt)]
    capacity: u64,
    shared_used: u64,
    total_used: u64,
}

/// The longest packet that headroom must expect, in wire bytes.
const LONGEST_PACKET: u64 = 9_216;
/// A pause frame on the wire.
const PAUSE_FRAME: u64 = 46;
/// The whole of the free buffer, as shares of it are held: a power of two, so that powers of one
/// half are exact and a threshold is a product and a shift. The largest buffer times this is below
/// 2^64.
const ONE: u64 = 1 << ONE_BITS;
const ONE_BITS: u32 = 14;
const _: () = assert!(
    MAX_SIZE.get() < 1 << (64 - ONE_BITS),
    "thresholds are computed in 64 bits"
);

impl SharedBuffer {
    /// The buffer of a switch with `ports`, in a network whose hosts have NICs of `nic_rate`.
    #[must_use]
    pub fn new(config: &BufferConfig, nic_rate: Rate, ports: &[PortBuffer]) -> Self {
        let ingress: Vec<Ingress> = ports
            .iter()
            .map(|port| Ingress {
                shares: [Share::default(); QUEUES],
                headroom: config.headroom_of(port),
                alpha: share_of(config.alpha, nic_rate, port.rate),
            })
            .collect();
        Self {
            capacity: config.size.saturating_sub(config.set_aside(ports)).get(),
            ingress,
            pfc: config.pfc,
            reserve: config.reserve.get(),
            resume_offset: config.resume_offset.get(),
            shared_used: 0,
            total_used: 0,
        }
    }

    /// Returns whether the buffer is lossless.
    #[must_use]
    pub const fn pfc(&self) -> Pfc {
        self.pfc
    }

    /// Bytes that are left for sharing when nothing is stored: the buffer without headroom and
    /// reserves. Zero means that the configured size does not even hold those.
    #[must_use]
    pub const fn shared_capacity(&self) -> Bytes {
        Bytes::new(self.capacity)
    }

    /// Bytes of the shared part that nobody has.
    #[inline]
    pub(crate) const fn free_shared(&self) -> u64 {
        self.capacity.saturating_sub(self.shared_used)
    }

    /// Takes `size` bytes of the shared part; whether there were as many.
    #[inline]
    pub(crate) fn take_shared(&mut self, size: Bytes) -> bool {
        let fits = size.get() <= self.free_shared();
        if fits {
            self.shared_used += size.get();
            self.total_used += size.get();
        }
        fits
    }

    /// Gives back what [`Self::take_shared`] has taken.
    #[inline]
    pub(crate) const fn give_back_shared(&mut self, size: Bytes) {
        self.shared_used -= size.get();
        self.total_used -= size.get();
    }
}

/// Doubled for each doubling of the port's rate above the NIC's, up to the whole.
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

/// The threshold of a port that may take the share `alpha` of `free` bytes.
#[inline]
const fn part_of(free: u64, alpha: u64) -> u64 {
    (free * alpha) >> ONE_BITS
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
        let port = &mut self.ingress[ingress.index()];
        let share = &mut port.shares[priority.index()];
        let free = self.capacity.saturating_sub(self.shared_used);
        let threshold = part_of(free, port.alpha);
        let filled = share.bytes + size;
        if share.headroom + size > port.headroom
            && share.bytes.saturating_sub(self.reserve) + size > threshold
        {
            return Admit::Drop;
        }
        let beyond = filled.saturating_sub(self.reserve);
        if beyond > threshold {
            share.headroom += size;
        } else {
            share.bytes = filled;
            self.shared_used += size.min(beyond);
        }
        self.total_used += size;
        if self.pfc == Pfc::Off || share.paused {
            return Admit::Accept;
        }
        let free = self.capacity.saturating_sub(self.shared_used);
        let threshold = part_of(free, port.alpha);
        if share.headroom > 0 || share.bytes.saturating_sub(self.reserve) >= threshold {
            share.paused = true;
            Admit::AcceptAndPause
        } else {
            Admit::Accept
        }
    }

    #[inline]
    fn passes(&self, ingress: PortId, _egress: PortId, priority: Priority, size: Bytes) -> bool {
        let port = &self.ingress[ingress.index()];
        let share = &port.shares[priority.index()];
        // As if none of the packet were in the reserve, which is never too little.
        let shared = share.bytes.saturating_sub(self.reserve) + size.get();
        let free = self.capacity.saturating_sub(self.shared_used + size.get());
        shared < part_of(free, port.alpha) && share.headroom == 0 && !share.paused
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
        let port = &mut self.ingress[ingress.index()];
        let share = &mut port.shares[priority.index()];
        let from_headroom = share.headroom.min(size);
        let rest = size - from_headroom;
        let from_shared = rest.min(share.bytes.saturating_sub(self.reserve));
        share.headroom -= from_headroom;
        share.bytes -= rest;
        self.shared_used -= from_shared;
        self.total_used -= size;
        if !share.paused {
            return Release::Quiet;
        }
        let free = self.capacity.saturating_sub(self.shared_used);
        let threshold = part_of(free, port.alpha);
        let shared = share.bytes.saturating_sub(self.reserve);
        if share.headroom == 0 && (shared == 0 || shared + self.resume_offset <= threshold) {
            share.paused = false;
            Release::Resume
        } else {
            Release::Quiet
        }
    }

    #[inline]
    fn touch(&self, port: PortId) -> u64 {
        let ingress = &self.ingress[port.index()];
        // The priority in the middle is the usual one, and its neighbors share its cache lines.
        ingress.headroom ^ ingress.shares[USUAL].bytes ^ ingress.shares[USUAL].headroom
    }

    fn has_paused(&self, ingress: PortId, priority: Priority) -> bool {
        self.ingress[ingress.index()].shares[priority.index()].paused
    }

    fn forget_pauses(&mut self, ingress: PortId) {
        for share in &mut self.ingress[ingress.index()].shares {
            share.paused = false;
        }
    }

    fn used(&self) -> Bytes {
        Bytes::new(self.total_used)
    }

    fabricsim_core::saves_state!();
}

#[cfg(test)]
mod tests;
