//! The NIC ports for the replies of a host with several ports.

use std::fmt;
use std::sync::Arc;

use fabricsim_base::flow::FlowKey;
use fabricsim_base::id::PortId;

type Choice = dyn Fn(&FlowKey) -> Option<PortId> + Send + Sync;

/// A function from the key of a reply to its NIC port, or `None` if there is no route.
#[derive(Clone)]
pub struct ReplyNics(Arc<Choice>);

impl ReplyNics {
    /// Returns a selection of ports by `choose`.
    pub fn new(choose: impl Fn(&FlowKey) -> Option<PortId> + Send + Sync + 'static) -> Self {
        Self(Arc::new(choose))
    }

    /// Returns the port for the reply to a packet with `key` that has arrived at `nic`.
    pub(super) fn of(&self, key: &FlowKey, nic: PortId) -> PortId {
        (self.0)(&key.reversed()).unwrap_or(nic)
    }
}

impl fmt::Debug for ReplyNics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReplyNics").finish_non_exhaustive()
    }
}
