//! The end of a link that is not the port's own.

use fabricsim_core::choices;

choices! {
    /// Kind of node at the far end of a link.
    pub enum FarEnd {
        /// A host.
        Hosts = "hosts",
        /// A switch.
        Switches = "switches",
    }
}
