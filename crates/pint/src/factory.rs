//! The factory of the algorithms.

use std::sync::{Arc, OnceLock};

use fabricsim_core::plugin::{ControllerFactory, Fidelity, FlowStart};
use fabricsim_core::units::Rate;

use crate::config::PintConfig;
use crate::controller::{Constants, HpccPint};
use crate::digest::PintHeader;
use crate::log_code::LogCode;

/// Who says which packets carry a digest.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Carrier {
    /// The sender.
    Sender,
    /// The first switch, by the plan of all queries, whose bytes all packets have room for.
    Switch,
}

/// Makes the algorithm of each flow.
#[derive(Clone, Debug)]
pub struct PintFactory {
    pub(crate) config: PintConfig,
    /// The most common rate of NICs.
    pub(crate) nic_rate: Rate,
    /// Seed of the run.
    pub(crate) seed: u64,
    /// Whose arithmetic to use.
    pub(crate) fidelity: Fidelity,
    /// What the digests mean.
    pub(crate) code: LogCode,
    /// What a digest takes on the wire.
    pub(crate) telemetry_bytes: u16,
    /// Who says which packets carry a digest.
    pub(crate) carrier: Carrier,
    /// Those of the first flow.
    pub(crate) constants: Arc<OnceLock<Arc<Constants>>>,
}

impl PintFactory {
    /// The settings of a flow whose NIC has `line_rate`. The published script has one set for all.
    pub(crate) fn config_for(&self, line_rate: Rate) -> PintConfig {
        let nic_rate = match self.fidelity {
            Fidelity::Exact => line_rate,
            Fidelity::Published => self.nic_rate,
        };
        self.config.filled_in(nic_rate, self.fidelity)
    }

    /// From now on the plan of queries says which packets carry a digest.
    pub fn follow_plan(&mut self) {
        self.carrier = Carrier::Switch;
    }

    /// The share of the packets whose digests count.
    pub(crate) const fn fraction(&self) -> f64 {
        self.config.digest_fraction
    }
}

impl<H: PintHeader> ControllerFactory<H> for PintFactory {
    type Controller = HpccPint;

    fn build(&self, start: &FlowStart) -> HpccPint {
        HpccPint::new(self, start)
    }
}
