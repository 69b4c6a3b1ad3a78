//! The largest use of a shared buffer so far.

use std::cmp::Reverse;

use fabricsim_base::checkpoint::Checkpointed;
use fabricsim_base::id::PortId;
use fabricsim_base::units::Bytes;
use fabricsim_core::plugin::BufferUse;
use serde::{Deserialize, Serialize};

/// The longest packet.
const LONGEST: u64 = u16::MAX as u64;

/// The precision with which a buffer knows its largest use.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Precision {
    /// Exact if a threshold was near, otherwise a bound. This costs nothing.
    #[default]
    Bounded,
    /// Exact. The switch handles packets in time order while the use may become the largest.
    Exact,
}

/// The largest use of a shared buffer so far.
///
/// A switch [need not](fabricsim_core::plugin::Slack) admit and release packets in time order while
/// the buffer is calm, and then the buffer does not know its true use. So the use counts only if the
/// buffer was not calm before the admission. All other uses are below a bound, whatever the division
/// of the run into epochs.
#[derive(Checkpointed, Clone, Debug)]
#[checkpoint(plain)]
pub(super) struct LargestUse {
    /// The buffer is calm only if the shared part uses fewer bytes. At most `calm_below`.
    #[checkpoint(extreme)]
    watched_from: u64,
    /// A threshold may be reached if the shared part uses this or more.
    #[checkpoint(rebuilt)]
    calm_below: u64,
    #[checkpoint(rebuilt)]
    precision: Precision,
    #[checkpoint(extreme)]
    shared: u64,
    /// Bytes in the headroom of all shares now.
    headroom_used: u64,
    #[checkpoint(extreme)]
    headroom: u64,
}

impl LargestUse {
    /// Returns the use of an empty buffer, which is calm below `calm_below` as far as thresholds are
    /// concerned.
    pub(super) const fn new(calm_below: u64, precision: Precision) -> Self {
        Self {
            watched_from: match precision {
                Precision::Bounded => calm_below,
                Precision::Exact => 0,
            },
            calm_below,
            precision,
            shared: 0,
            headroom_used: 0,
            headroom: 0,
        }
    }

    /// Returns the number of used bytes of the shared part from which the buffer is not calm.
    #[inline]
    pub(super) const fn watched_from(&self) -> u64 {
        self.watched_from
    }

    /// Notes that the shared part uses `bytes` after an admission to a buffer that was not calm.
    #[inline]
    pub(super) fn note_shared(&mut self, bytes: u64) {
        if bytes <= self.shared {
            return;
        }
        self.shared = bytes;
        if self.precision == Precision::Exact {
            // A packet that a calm buffer admits must not lead to a larger use.
            self.watched_from = bytes.saturating_sub(LONGEST).min(self.calm_below);
        }
    }

    /// Notes that a share uses `bytes` more of its headroom.
    pub(super) fn add_headroom(&mut self, bytes: u64) {
        self.headroom_used += bytes;
        self.headroom = self.headroom.max(self.headroom_used);
    }

    /// Notes that a share uses `bytes` less of its headroom.
    pub(super) const fn release_headroom(&mut self, bytes: u64) {
        self.headroom_used -= bytes;
    }

    /// Returns the largest use, given the largest headroom of each port.
    pub(super) fn report(&self, ports: impl Iterator<Item = u64>) -> BufferUse {
        // An admission to a calm buffer leaves at most this.
        let unknown = match (self.precision, self.calm_below) {
            (Precision::Exact, _) | (_, 0) => 0,
            (Precision::Bounded, below) => below - 1 + LONGEST,
        };
        let fullest = (ports.enumerate()).max_by_key(|&(index, most)| (most, Reverse(index)));
        let (index, most) = fullest.unwrap_or_default();
        BufferUse {
            shared: Bytes::new(self.shared.max(unknown)),
            is_exact: self.shared >= unknown,
            headroom: Bytes::new(self.headroom),
            fullest: PortId::from_index(index),
            in_fullest: Bytes::new(most),
        }
    }
}
