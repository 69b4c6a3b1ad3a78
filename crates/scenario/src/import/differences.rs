//! Differences from the published simulator, for the files of one folder.

use fabricsim_base::input::InputError;

use super::LeftOut;
use super::config::Configuration;

/// Returns the difference that without pauses, the headroom of related simulators still accepts
/// packets.
pub(super) fn without_pauses(config: &Configuration<'_>) -> Result<Option<LeftOut>, InputError> {
    Ok(match config.given_value("ENABLE_PFC") {
        Some(pauses) if !pauses.flag()? => Some(LeftOut::new(
            "ENABLE_PFC",
            "without pauses no headroom is set aside, and packets above a port's threshold are dropped; \
             in the simulators that have this key they also fill the headroom first",
        )),
        _ => None,
    })
}
