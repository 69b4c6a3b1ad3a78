//! The NIC ports by which replies leave a host with several.

use std::fmt;
use std::sync::Arc;

use fabricsim_base::flow::FlowKey;
use fabricsim_base::id::PortId;

type Choice = dyn Fn(&FlowKey) -> Option<PortId> + Send + Sync;

/// A function from the key of a reply to the port by which it leaves; `None` where no route leads
/// on.
#[derive(Clone)]
pub struct ReplyNics(Arc<Choice>);

impl ReplyNics {
    /// Replies leave as `choose` says.
    pub fn new(choose: impl Fn(&FlowKey) -> Option<PortId> + Send + Sync + 'static) -> Self {
        Self(Arc::new(choose))
    }

    /// The port by which the reply to a packet with `key` leaves, which has arrived at `nic`.
    pub(super) fn of(&self, key: &FlowKey, nic: PortId) -> PortId {
        (self.0)(&key.reversed()).unwrap_or(nic)
    }
}

impl fmt::Debug for ReplyNics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReplyNics").finish_non_exhaustive()
    }
}
