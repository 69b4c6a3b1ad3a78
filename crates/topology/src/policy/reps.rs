//! Recycled entropies: senders learn which paths are good.

use fabricsim_base::input::{ConfigError, Keys};
use fabricsim_base::settings;
use fabricsim_base::units::Duration;
use fabricsim_core::plugin::{EntropyRecycling, PathStability};

use super::{Chooser, PolicyContext, PolicyKind};

settings! {
    /// Switches hash like `ecmp`, and RDMA senders put an entropy value into each packet instead of
    /// the source port. The value is either random or recycled from an acknowledgement without a
    /// mark. This is REPS (Bonato et al., arXiv 2407.21625); the rules and the defaults of
    /// `values`, `buffer` and `freeze` follow `UecMpReps` in `htsim/sim/uec_mp.cpp` and
    /// `htsim/sim/buffer_reps.cpp` of uet-htsim.
    ///
    /// Differs from the paper: in htsim, receivers choose an entropy value for each
    /// acknowledgement. Here, an acknowledgement has the value of its packet, so both directions
    /// hash the same value.
    ///
    /// Differs from the paper: htsim freezes only if switches trim packets, since its timeouts may
    /// otherwise be due to full buffers. Here, a timeout always freezes.
    pub struct Reps {
        /// Number of entropy values.
        #[range(from 1, to 65536)]
        #[refused("packets cannot have {value} entropy values", "give a number from 1 to 65536, such as 64")]
        pub values: u32 = 64,
        /// Number of entropy values that a flow keeps.
        #[range(from 1, to 65535)]
        #[refused("a flow cannot keep {value} entropy values", "give a number from 1 to 65535, such as 8")]
        pub buffer: u32 = 8,
        /// Time for which a flow uses only its stored values after a timeout.
        pub freeze: Duration = "10ms",
    }
}

impl PolicyKind for Reps {
    const NAME: &'static str = "reps";
    const ABOUT: &'static str =
        "senders give each packet an entropy value and reuse good ones; switches hash it (REPS)";
    const KEYS: Keys = Self::KEYS;

    fn validate(&self) -> Result<(), ConfigError> {
        self.validate_ranges()
    }

    fn path_stability(&self) -> PathStability {
        PathStability::PerPacket
    }

    fn entropy(&self) -> Option<EntropyRecycling> {
        Some(EntropyRecycling {
            values: self.values,
            buffer: u16::try_from(self.buffer).unwrap_or(u16::MAX),
            freeze: self.freeze,
        })
    }

    fn chooser(&self, at: &PolicyContext) -> Chooser {
        Chooser::by_hash(at)
    }
}
