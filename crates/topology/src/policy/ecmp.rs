//! Equal-cost multipath: the hash of addresses and ports chooses.

use fabricsim_core::plugin::PathStability;

use super::{Chooser, PolicyContext, RoutingPolicy};

/// Keeps each flow on one of the equal paths, by the hash of `[routing]`.
#[derive(Clone, Copy, Debug)]
pub struct Ecmp;

impl RoutingPolicy for Ecmp {
    fn name(&self) -> &'static str {
        "ecmp"
    }

    fn about(&self) -> &'static str {
        "each flow uses one of the equal paths, by a hash of its addresses and ports"
    }

    fn path_stability(&self) -> PathStability {
        PathStability::PerFlow
    }

    fn chooser(&self, at: &PolicyContext) -> Chooser {
        Chooser::by_hash(at)
    }
}
