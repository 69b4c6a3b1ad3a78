//! The simulator in a browser: `docs/playground` has the page whose worker calls what is exported
//! here. Texts go in and out through a buffer of this module; what comes out is JSON.

mod experiment;

use std::cell::RefCell;

use serde_json::Value;

pub use experiment::{Experiment, refusal};

/// What the exported functions work on. A worker is one thread.
#[derive(Default)]
struct State {
    text: Vec<u8>,
    reply: String,
    experiment: Option<Experiment>,
}

thread_local! {
    static STATE: RefCell<State> = RefCell::default();
}

/// Runs `action` and keeps what it says as the reply. Returns the length of that.
fn reply(action: impl FnOnce(&mut State) -> Value) -> usize {
    STATE.with_borrow_mut(|state| {
        state.reply = action(state).to_string();
        state.reply.len()
    })
}

/// Makes room for a text of `len` bytes and returns where it is. The room lasts until the next call.
#[expect(unsafe_code, reason = "a name for the page's script")]
#[unsafe(no_mangle)]
pub extern "C" fn fabricsim_room(len: usize) -> *mut u8 {
    STATE.with_borrow_mut(|state| {
        state.text.clear();
        state.text.resize(len, 0);
        state.text.as_mut_ptr()
    })
}

/// Opens the scenario whose text has been put into the room. The reply is empty, or says what is wrong.
/// Returns the length of the reply.
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

/// Simulates `intervals` intervals, or to the end. The reply says how far it is. Returns the length of
/// the reply.
#[expect(unsafe_code, reason = "a name for the page's script")]
#[unsafe(no_mangle)]
pub extern "C" fn fabricsim_step(intervals: u32) -> usize {
    reply(|state| match &mut state.experiment {
        Some(experiment) => experiment.step(intervals),
        None => Value::Null,
    })
}

/// Draws what has been seen so far. The reply has a list of figures as SVG. Returns the length of the
/// reply.
#[expect(unsafe_code, reason = "a name for the page's script")]
#[unsafe(no_mangle)]
pub extern "C" fn fabricsim_draw() -> usize {
    reply(|state| match &state.experiment {
        Some(experiment) => experiment.figures().into(),
        None => Value::Null,
    })
}

/// Returns where the last reply is. It lasts until the next call.
#[expect(unsafe_code, reason = "a name for the page's script")]
#[unsafe(no_mangle)]
pub extern "C" fn fabricsim_reply() -> *const u8 {
    STATE.with_borrow(|state| state.reply.as_ptr())
}
