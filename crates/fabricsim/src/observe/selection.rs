//! The flows that are observed.

use fabricsim_base::id::{ClassId, FlowId};
use fabricsim_base::input::NumberRange;
use fabricsim_base::units::Bytes;

use fabricsim_scenario::schema::observe::ObserveSettings;

/// Selection of the flows that are observed.
#[derive(Clone, Debug)]
pub(super) struct FlowFilter {
    ids: Option<Vec<NumberRange>>,
    classes: Option<Vec<NumberRange>>,
    min_size: Bytes,
}

impl FlowFilter {
    pub(super) fn new(settings: &ObserveSettings) -> Self {
        Self {
            ids: settings.flow_ids.clone(),
            classes: settings.classes.clone(),
            min_size: settings.min_size,
        }
    }

    pub(super) fn takes(&self, flow: FlowId, class: ClassId, size: Bytes) -> bool {
        NumberRange::any_contains(self.ids.as_deref(), flow.0)
            && NumberRange::any_contains(self.classes.as_deref(), u32::from(class.0))
            && size >= self.min_size
    }
}
