//! What a queue discipline is built with.

use fabricsim_core::units::{Bytes, Rate};

/// What a discipline has to know of the place where it stands.
#[derive(Clone, Copy, Debug)]
pub struct DisciplineContext {
    /// The seed of the run.
    pub seed: u64,
    /// The number of this queue in the simulation, which no other queue has: it draws from a random
    /// stream of its own.
    pub entity: u64,
    /// The rate of the port's link.
    pub rate: Rate,
    /// Bytes on the wire of a full packet: rules that leave a single waiting packet alone compare with it.
    pub packet: Bytes,
}
