//! A setting that is on or off.

use fabricsim_base::choices;

choices! {
    /// A setting that is on or off.
    pub enum Switch {
        /// The feature is enabled.
        On = "on",
        /// The feature is disabled.
        Off = "off",
    }
}
