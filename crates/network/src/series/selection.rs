//! The selection of the flows to observe.

use fabricsim_base::id::{ClassId, FlowId};
use fabricsim_base::input::NumberRange;
use fabricsim_base::rng::mix;
use fabricsim_base::units::Bytes;

/// Selection of the flows to observe. A flow must meet every condition.
#[derive(Clone, Debug)]
pub struct FlowFilter {
    /// Numbers of the flows; `None` for all.
    pub ids: Option<Vec<NumberRange>>,
    /// Classes of the flows; `None` for all.
    pub classes: Option<Vec<NumberRange>>,
    /// Smallest size of the flows.
    pub min_size: Bytes,
    /// Share of the flows, above 0 and up to 1, chosen by a hash of their numbers.
    pub share: f64,
}

impl FlowFilter {
    /// Returns `true` if a flow with this number can be chosen, depending on its class and size.
    pub(super) fn takes_id(&self, flow: FlowId) -> bool {
        NumberRange::any_contains(self.ids.as_deref(), flow.0)
            && (self.share >= 1.0 || place(flow) < self.share)
    }

    pub(super) fn takes(&self, flow: FlowId, class: ClassId, size: Bytes) -> bool {
        self.takes_id(flow)
            && NumberRange::any_contains(self.classes.as_deref(), u32::from(class.0))
            && size >= self.min_size
    }
}

/// Returns a number from 0 to 1 that depends on the number of the flow only.
fn place(flow: FlowId) -> f64 {
    f64::from((mix(u64::from(flow.0) + 1) >> 32) as u32) / f64::from(u32::MAX)
}
