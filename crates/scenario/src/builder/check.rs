//! Checks of a program's settings, table by table.

use fabricsim_base::input::ConfigError;
use fabricsim_topology::Topology;

use super::ScenarioBuilder;
use crate::schema::capture::CaptureSettings;
use crate::schema::name::is_plain;
use crate::schema::observe::ObserveSettings;
use crate::schema::part::{Part, Refused, WithoutText};
use crate::schema::run::RunSettings;
use crate::text::error::Error;

impl ScenarioBuilder {
    /// Checks each table individually.
    pub(super) fn check_tables(&self) -> Result<(), Refused> {
        let refused = |part: Part| move |error: ConfigError| part.refused(error);
        self.switch.validate().map_err(refused(Part::Switch))?;
        self.transport.validate().map_err(refused(Part::Rdma))?;
        self.tcp.validate().map_err(refused(Part::Tcp))?;
        self.run.validate().map_err(refused(Part::Run))?;
        self.output.validate().map_err(refused(Part::Output))?;
        for cc in self.cc.iter().chain(self.class_cc.values()) {
            cc.validate().map_err(refused(Part::Cc))?;
        }
        for (index, rule) in self.queues.iter().enumerate() {
            let part = Part::Queue(index);
            rule.place.validate().map_err(refused(part))?;
            rule.discipline.validate().map_err(refused(part))?;
        }
        Ok(())
    }
}

/// Checks the recordings of `run` in the network `topology`.
pub(super) fn check_recording(
    observe: Option<&ObserveSettings>,
    capture: Option<&CaptureSettings>,
    run: &RunSettings,
    topology: &Topology,
) -> Result<(), Refused> {
    let refused = |part: Part| move |error: ConfigError| part.refused(error);
    if let Some(observe) = observe {
        let checked = observe.validate(topology, run);
        checked.map_err(refused(Part::Observe))?;
    }
    match capture {
        Some(capture) => (capture.validate(topology)).map_err(refused(Part::Capture)),
        None => Ok(()),
    }
}

/// Rejects names that cannot be part of a file name.
pub(super) fn check_name(name: &str, scenario: &WithoutText) -> Result<(), Error> {
    if is_plain(name) {
        return Ok(());
    }
    let message = "a name is up to 200 letters, digits, dots, dashes and underscores, and begins with \
                   none of `.` and `-`";
    Err(scenario.error(message, "give one such as \"fat320-websearch-50\""))
}

/// Rejects seeds that a TOML text cannot express.
pub(super) fn check_seed(seed: u64, scenario: &WithoutText) -> Result<(), Error> {
    if i64::try_from(seed).is_ok() {
        return Ok(());
    }
    let message = "a seed is a whole number from 0 to 2^63 - 1";
    Err(scenario.error(message, "give one such as 1"))
}
