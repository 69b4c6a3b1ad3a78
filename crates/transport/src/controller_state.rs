//! The controller of a flow in a checkpoint.

use fabricsim_base::checkpoint::{LoadError, Reader, Stored, Writer};
use fabricsim_core::plugin::CongestionControl;

/// Saves `controller` behind its name.
pub(crate) fn save<H, C: CongestionControl<H> + ?Sized>(controller: &C, out: &mut Writer) {
    controller.type_name().to_owned().store(out);
    out.section(|out| controller.save_state(out));
    // All of it, as algorithms from outside may save their state by hand.
    out.audit("the controller of a flow", &controller);
}

/// Loads what [`save`] has saved into `controller`, which has been made for the same flow. Returns
/// `false` where the saved one was of another kind, and congestion control has become another one:
/// then `controller` begins anew.
pub(crate) fn load<H, C: CongestionControl<H> + ?Sized>(
    controller: &mut C,
    input: &mut Reader<'_>,
) -> Result<bool, LoadError> {
    let saved = String::fetch(input)?;
    let own = controller.type_name();
    if saved == own {
        input.section("congestion control", |input| controller.load_state(input))?;
        return Ok(true);
    }
    if !input.renews_control() {
        return Err(LoadError::new(format!(
            "it is controlled by {saved}, and here by {own}"
        )));
    }
    input.take_section()?;
    Ok(false)
}
