//! The telemetry in the tag of packets.

use fabricsim_base::input::ConfigError;
use fabricsim_core::plugin::TelemetryId;

use super::Scenario;

impl Scenario {
    /// Rejects algorithms that read different telemetry from the tag, because a packet has only
    /// one. Under a profile, packets have no tag, so any such algorithm is rejected.
    pub(crate) fn check_tags(&self) -> Result<(), ConfigError> {
        let kinds = self.telemetry().into_iter();
        let tags: Vec<&str> = kinds
            .filter(|kind| kind.tag().is_some())
            .map(TelemetryId::name)
            .collect();
        match tags[..] {
            [one, ..] if self.profile.is_some() => Err(ConfigError::new(
                "cc",
                format!(
                    "the telemetry `{one}` needs a tag in packets, and packets of a profile have none"
                ),
                "leave out `profile`, or choose another algorithm (`fabricsim list cc`)",
            )),
            [one, other, ..] => Err(ConfigError::new(
                "cc",
                format!(
                    "classes read the telemetry `{one}` and `{other}`, and packets have one tag"
                ),
                "give all classes algorithms that read the same one",
            )),
            _ => Ok(()),
        }
    }
}
