//! The `[host]` table.

use fabricsim_base::input::ConfigError;
use fabricsim_base::settings;
use fabricsim_base::units::Duration;
use fabricsim_topology::Topology;

settings! {
    /// The `[host]` table.
    pub struct HostSettings {
        /// Time of a packet's pass through the stack of a host, on its way out or in.
        pub stack_delay: Duration = "0s",
    }
}

impl HostSettings {
    /// Returns `topology` with the time through the stack added to the delay of each host's links,
    /// once in each direction and at each end that is a host.
    ///
    /// # Errors
    /// Fails if a link then exceeds the maximum delay.
    pub(crate) fn apply(&self, topology: Topology) -> Result<Topology, ConfigError> {
        if self.stack_delay == Duration::ZERO {
            return Ok(topology);
        }
        let delayed = topology.with_stack_delay(self.stack_delay);
        delayed.map_err(|error| {
            ConfigError::new(
                "stack_delay",
                error.to_string(),
                "write the time that a packet takes through a host, such as \"3us\"",
            )
        })
    }
}
