//! Features that exclude hosts that forward.

use fabricsim_base::input::ConfigError;
use fabricsim_core::plugin::quirks::SimultaneousEvents;

use crate::scenario::Scenario;

impl Scenario {
    /// Rejects hosts that forward in scenarios with a feature that knows hosts and switches alone.
    pub(crate) fn check_forwarding(&self) -> Result<(), ConfigError> {
        if self.topology.forwarding().is_none() {
            return Ok(());
        }
        let delays = self.observe.as_ref().is_some_and(|own| own.delays);
        let inserted = self.quirks().event_order == SimultaneousEvents::ByInsertion;
        let (what, without) = if inserted {
            (
                "the published simulator has no hosts that forward",
                "the profile",
            )
        } else if self.routing.binds_nics() {
            (
                "flows run between NICs, and a host that forwards has one address",
                "the NICs of [routing]",
            )
        } else if self.queries.is_some() {
            ("queries know the paths over switches alone", "the queries")
        } else if delays {
            (
                "delays.csv knows hosts and switches, and no node that is both",
                "`delays` of [observe]",
            )
        } else {
            return Ok(());
        };
        Err(ConfigError::new(
            "forward",
            what,
            format!("leave out this key, or {without}"),
        ))
    }
}
