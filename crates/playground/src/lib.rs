//! The simulator in a browser. The worker of the page in `docs/playground` calls the functions that
//! this module exports. Input texts and replies pass through a buffer of this module; replies are
//! JSON.

mod experiment;
mod recording;

use std::cell::RefCell;

use serde_json::Value;

pub use experiment::{Experiment, refusal};

/// The state of the exported functions. A worker is one thread, so it needs no lock.
#[derive(Default)]
struct State {
    text: Vec<u8>,
    reply: String,
    experiment: Option<Experiment>,
}

thread_local! {
    static STATE: RefCell<State> = RefCell::default();
}

/// Runs `action` and stores its result as the reply. Returns the length of the reply.
fn reply(action: impl FnOnce(&mut State) -> Value) -> usize {
    STATE.with_borrow_mut(|state| {
        state.reply = action(state).to_string();
        state.reply.len()
    })
}

/// Reserves a buffer for a text of `len` bytes and returns its address. The buffer is valid until
/// the next call.
#[expect(unsafe_code, reason = "a name for the page's script")]
#[unsafe(no_mangle)]
pub extern "C" fn fabricsim_room(len: usize) -> *mut u8 {
    STATE.with_borrow_mut(|state| {
        state.text.clear();
        state.text.resize(len, 0);
        state.text.as_mut_ptr()
    })
}

/// Opens the scenario in the buffer. The reply is an empty object, or the errors if the scenario is
/// wrong. Returns the length of the reply.
#[expect(unsafe_code, reason = "a name for the page's script")]
#[unsafe(no_mangle)]
pub extern "C" fn fabricsim_open() -> usize {
    reply(|state| {
        state.experiment = None;
        let text = String::from_utf8_lossy(&state.text);
        match Experiment::new(&text) {
            Ok(experiment) => {
                state.experiment = Some(experiment);
                Value::Object(serde_json::Map::new())
            }
            Err(error) => refusal(&error),
        }
    })
}

/// Simulates `intervals` intervals, or to the end of the run. The reply is the progress. Returns
/// the length of the reply.
#[expect(unsafe_code, reason = "a name for the page's script")]
#[unsafe(no_mangle)]
pub extern "C" fn fabricsim_step(intervals: u32) -> usize {
    reply(|state| match &mut state.experiment {
        Some(experiment) => experiment.step(intervals),
        None => Value::Null,
    })
}

/// Draws the samples and results so far. The reply is a list of figures as SVG. Returns the length
/// of the reply.
#[expect(unsafe_code, reason = "a name for the page's script")]
#[unsafe(no_mangle)]
pub extern "C" fn fabricsim_draw() -> usize {
    reply(|state| match &state.experiment {
        Some(experiment) => experiment.figures().into(),
        None => Value::Null,
    })
}

/// Describes the fabric with its samples and results so far: the reply is the data that
/// `fabricsim view` puts into its page, and the texts of files by their names. Returns the length
/// of the reply.
#[expect(unsafe_code, reason = "a name for the page's script")]
#[unsafe(no_mangle)]
pub extern "C" fn fabricsim_results() -> usize {
    reply(|state| match &state.experiment {
        Some(experiment) => experiment.results(),
        None => Value::Null,
    })
}

/// Describes the keys of scenarios: the reply is their JSON Schema. Returns the length of the
/// reply.
#[expect(unsafe_code, reason = "a name for the page's script")]
#[unsafe(no_mangle)]
pub extern "C" fn fabricsim_schema() -> usize {
    reply(|_| fabricsim_scenario::json_schema::scenario_schema())
}

/// Returns the address of the last reply. It is valid until the next call.
#[expect(unsafe_code, reason = "a name for the page's script")]
#[unsafe(no_mangle)]
pub extern "C" fn fabricsim_reply() -> *const u8 {
    STATE.with_borrow(|state| state.reply.as_ptr())
}
