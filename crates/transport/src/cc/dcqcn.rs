//! DCQCN: marks reduce the rate, timers recover it (Zhu et al., SIGCOMM 2015). There are two forms:
//! the form of NIC vendors, which the published HPCC simulator uses, and the form of the paper.

mod config;
mod paper;
mod vendor;

use fabricsim_base::checkpoint::Checkpointed;
use fabricsim_base::units::{Bytes, Rate, Time};
use fabricsim_core::plugin::{Ack, CongestionControl, ControllerFactory, FlowStart};

use super::paced_rate::PacedRate;

pub use config::{DcqcnConfig, ParameterSet};
pub use paper::PaperDcqcn;
pub use vendor::VendorDcqcn;

impl<H> ControllerFactory<H> for DcqcnConfig {
    type Controller = Dcqcn;

    fn build(&self, start: &FlowStart<'_>) -> Dcqcn {
        let values = self.values(start.default_nic_rate(), &start.network.quirks);
        let rate = PacedRate::new(start, self.window_keys());
        match self.parameters {
            ParameterSet::Vendor => Dcqcn::Vendor(VendorDcqcn::new(self, &values, rate)),
            ParameterSet::Paper => Dcqcn::Paper(PaperDcqcn::new(self, &values, rate)),
        }
    }
}

/// DCQCN for one flow.
#[derive(Checkpointed, Clone, Debug)]
pub enum Dcqcn {
    /// The vendors' form.
    Vendor(VendorDcqcn),
    /// The paper's form.
    Paper(PaperDcqcn),
}

impl Dcqcn {
    const fn rate(&self) -> &PacedRate {
        match self {
            Self::Vendor(cc) => cc.rate(),
            Self::Paper(cc) => cc.rate(),
        }
    }
}

impl<H> CongestionControl<H> for Dcqcn {
    #[inline]
    fn on_ack(&mut self, ack: &Ack<'_, H>) {
        if ack.marked > 0 {
            match self {
                Self::Vendor(cc) => cc.on_mark(ack.now),
                Self::Paper(cc) => cc.on_mark(ack.now),
            }
        }
    }

    #[inline]
    fn on_sent(&mut self, wire: Bytes) {
        if let Self::Paper(cc) = self {
            cc.on_sent(wire);
        }
    }

    fn reads_rounds(&self) -> bool {
        false
    }

    #[inline]
    fn window(&self) -> Option<Bytes> {
        self.rate().window()
    }

    #[inline]
    fn pacing_rate(&self) -> Option<Rate> {
        Some(self.rate().rate())
    }

    /// A new rate applies from the next packet on, as in the published simulators.
    #[inline]
    fn reschedules(&self) -> bool {
        false
    }

    #[inline]
    fn deadline(&self) -> Time {
        match self {
            Self::Vendor(cc) => cc.deadline(),
            Self::Paper(cc) => cc.deadline(),
        }
    }

    fn on_timer(&mut self, now: Time) {
        match self {
            Self::Vendor(cc) => cc.on_timer(now),
            Self::Paper(cc) => cc.on_timer(now),
        }
    }

    fabricsim_base::saves_state!();
}
