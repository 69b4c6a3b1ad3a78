//! The controller of a flow in a checkpoint.

use fabricsim_base::checkpoint::{LoadError, Reader, Stored, Writer};
use fabricsim_core::plugin::CongestionControl;

/// Saves `controller`, preceded by its name.
pub(crate) fn save<H, C: CongestionControl<H> + ?Sized>(controller: &C, out: &mut Writer) {
    controller.type_name().to_owned().store(out);
    out.section(|out| controller.save_state(out));
    // Audit the whole controller, because external algorithms may save their state by hand.
    out.audit("the controller of a flow", &controller);
}

/// Loads the state from [`save`] into `controller`, which must be built for the same flow. Returns
/// `false` if the saved controller was of another kind and the run changes congestion control. Then
/// `controller` stays in its initial state.
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
