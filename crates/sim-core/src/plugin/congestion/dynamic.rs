//! Controllers with their types erased.

use fabricsim_base::units::Rate;

use super::TelemetryView;
use super::{CcConfig, CongestionControl, ControllerFactory, EcnUse, Feedback, FlowStart};

/// A controller with its type erased: one dynamic call for each method.
pub type DynController = Box<dyn CongestionControl<TelemetryView>>;

/// A configuration with its type erased, as the factory of controllers.
pub trait DynFactory: Send + Sync + std::fmt::Debug {
    /// Returns the controller of a flow that starts now.
    fn build_dyn(&self, start: &FlowStart<'_>) -> DynController;

    /// Like [`CcConfig::lowest_rate_of`].
    fn lowest_rate_of(&self, start: &FlowStart<'_>) -> Option<Rate>;

    /// Like [`CcConfig::ecn`].
    fn ecn(&self, agreed: Feedback) -> EcnUse;
}

impl<C> DynFactory for C
where
    C: CcConfig + ControllerFactory<TelemetryView>,
    C::Controller: 'static,
{
    fn build_dyn(&self, start: &FlowStart<'_>) -> DynController {
        Box::new(self.build(start))
    }

    fn lowest_rate_of(&self, start: &FlowStart<'_>) -> Option<Rate> {
        CcConfig::lowest_rate_of(self, start)
    }

    fn ecn(&self, agreed: Feedback) -> EcnUse {
        CcConfig::ecn(self, agreed)
    }
}
