//! A driver that only lets lazy nodes catch up.

use crate::network::node::Node;
use crate::plugin::Model;
use fabricsim_base::units::Time;
use fabricsim_engine::{Driver, Epoch, Execution, Processes};

/// Runs lazy nodes up to the time that the rest of the network has reached.
pub(in crate::network) struct Synchronize(pub(in crate::network) Option<Time>);

impl<M: Model> Driver<Node<M>> for Synchronize {
    fn before(&mut self, processes: &mut Processes<'_, Node<M>>, _next: Time) -> Option<Epoch> {
        let end = self.0.take().filter(|_| processes.may_run_lazily())?;
        Some(Epoch {
            start: end,
            end,
            execution: Execution::Eager,
        })
    }

    /// Does nothing: only switches run lazily, and no flow ends at a switch.
    fn collect(&mut self, _processes: &mut Processes<'_, Node<M>>) {}
}
