//! A setting that is on or off.

use fabricsim_base::choices;

choices! {
    /// Whether something is done.
    pub enum Switch {
        /// It is.
        On = "on",
        /// It is not.
        Off = "off",
    }
}
