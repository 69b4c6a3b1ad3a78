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
        /// Hosts with several links forward packets for other hosts, as a switch does.
        pub forward: bool = false,
        /// Time that a forwarded packet takes through a host before it is queued.
        ///
        /// There is no published measurement for GPUs, so the default is the one of switches.
        #[range(to "10ms")]
        #[refused(
            "{value} through a host is too long",
            "write a time up to 10ms, such as \"500ns\""
        )]
        pub forwarding_delay: Duration = "0s",
    }
}

impl HostSettings {
    /// Returns `topology` with the time through the stack added to the delay of each host's links,
    /// once in each direction and at each end that is a host, and with hosts that forward.
    ///
    /// # Errors
    /// Fails if a link then exceeds the maximum delay, or if hosts that do not forward have a delay
    /// for it.
    pub(crate) fn apply(&self, topology: Topology) -> Result<Topology, ConfigError> {
        self.validate_ranges()?;
        let topology = self.with_stacks(topology)?;
        match (self.forward, self.forwarding_delay) {
            (true, delay) => Ok(topology.with_forwarding(delay)),
            (false, Duration::ZERO) => Ok(topology),
            (false, _) => Err(ConfigError::new(
                "forwarding_delay",
                "hosts forward nothing",
                "add forward = true, or leave the key out",
            )),
        }
    }

    fn with_stacks(&self, topology: Topology) -> Result<Topology, ConfigError> {
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
