//! The flows that are observed.

use fabricsim_base::id::{ClassId, FlowId};
use fabricsim_base::input::NumberRange;
use fabricsim_base::units::Bytes;

/// Selection of the flows that are observed.
#[derive(Clone, Debug)]
pub struct FlowFilter {
    /// Their numbers; `None` for all.
    pub ids: Option<Vec<NumberRange>>,
    /// Their classes; `None` for all.
    pub classes: Option<Vec<NumberRange>>,
    /// Their least size.
    pub min_size: Bytes,
}

impl FlowFilter {
    /// Returns `true` if flows with this number may be chosen.
    pub(super) fn takes_id(&self, flow: FlowId) -> bool {
        NumberRange::any_contains(self.ids.as_deref(), flow.0)
    }

    pub(super) fn takes(&self, flow: FlowId, class: ClassId, size: Bytes) -> bool {
        self.takes_id(flow)
            && NumberRange::any_contains(self.classes.as_deref(), u32::from(class.0))
            && size >= self.min_size
    }
}
