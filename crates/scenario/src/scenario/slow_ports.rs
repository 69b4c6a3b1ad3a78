//! Features that exclude hosts with ports that computations slow.

use fabricsim_base::input::ConfigError;
use fabricsim_core::plugin::quirks::SimultaneousEvents;

use crate::scenario::Scenario;
use crate::schema::part::{Part, Refused};

impl Scenario {
    /// Rejects computations that slow ports if the ports of hosts cannot change their rates within
    /// an epoch.
    pub(crate) fn check_slow_ports(&self) -> Result<(), Refused> {
        let Some(index) = (self.workloads.iter()).position(|workload| workload.slows_ports())
        else {
            return Ok(());
        };
        let inserted = self.quirks().event_order == SimultaneousEvents::ByInsertion;
        let (what, without) = if inserted {
            (
                "`communication` changes the rates of hosts, and the published simulator has hosts \
                 of one rate",
                "the profile",
            )
        } else if self.topology.forwarding().is_some() {
            (
                "`communication` slows the packets of a host, and a host that forwards has the \
                 packets of others on the same wires",
                "`forward` of [host]",
            )
        } else {
            return Ok(());
        };
        Err(Part::Workload(index).refused(ConfigError::new(
            "overlap",
            what,
            format!("leave out `communication`, or {without}"),
        )))
    }
}
