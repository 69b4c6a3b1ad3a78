//! Running a simulation.

use std::ffi::c_void;

use facade::driver::Next;
use facade::prelude::{Stop, Time};

use crate::callback;
use crate::error::{Failure, guard};
use crate::session::{Caller, Request, Session, User};
use crate::types::{
    FABRICSIM_ERROR_CALLBACK, FABRICSIM_STOP_ASKED, FABRICSIM_STOP_DEADLOCKED,
    FABRICSIM_STOP_EVENT, FABRICSIM_STOP_FINISHED, FABRICSIM_STOP_HORIZON,
    FABRICSIM_STOP_OVERLOADED, FABRICSIM_STOP_STALLED, FABRICSIM_STOP_TIME, FabricsimCallback,
    FabricsimEvent, FabricsimHandle,
};
use crate::{pointers, table};

/// Lets `callback` be called with each event of the `kinds` (FABRICSIM_EVENT_... put together by
/// `|`) within fabricsim_run_until(), on the thread that runs the simulation. `user` is handed to it
/// and has to stay for as long. A callback that is null ends this.
///
/// From a callback, messages can be sent, timers be set and canceled, fabricsim_now() asked and
/// fabricsim_stop() called: what it asks for is done at the instant of the event. Nothing else.
///
/// # Safety
/// `callback` can be called with `user` until another one is set or the simulation is closed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fabricsim_set_callback(
    simulation: FabricsimHandle,
    callback: FabricsimCallback,
    user: *mut c_void,
    kinds: u32,
) -> i32 {
    guard(|| {
        let session = table::get(simulation)?;
        let mut engine = session.engine()?;
        let mut calls = session.calls();
        calls.callback.function = callback;
        calls.callback.user = User(user);
        calls.callback.kinds = kinds;
        drop(calls);
        match callback {
            Some(_) => engine.simulation.attach(callback::Caller::new(&session)),
            None => {
                engine.simulation.detach();
            }
        }
        Ok(())
    })
}

/// Runs everything that happens before `until`, in picoseconds; UINT64_MAX for all there is. Writes
/// why it has come back to `stop`, FABRICSIM_STOP_..., which may be null. Events without a callback
/// are kept for fabricsim_run_until_next().
///
/// # Safety
/// `stop` is null or points to room for it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fabricsim_run_until(
    simulation: FabricsimHandle,
    until: u64,
    stop: *mut u32,
) -> i32 {
    guard(|| {
        let session = table::get(simulation)?;
        let mut engine = session.engine()?;
        let came = engine.simulation.run_until(Time::from_ps(until));
        engine.keep_completions();
        // SAFETY: the caller vouches for `stop`.
        unsafe { pointers::write_if_asked(stop, code(came)) };
        after_callbacks(&session)
    })
}

/// Runs to the next event before `until` and writes it to `event`; fabricsim_now() is its exact time
/// then, and what is asked for happens at that time. Writes FABRICSIM_STOP_EVENT to `stop`, or why
/// there is no event. Not with a callback.
///
/// # Safety
/// `event` and `stop` point to room for them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fabricsim_run_until_next(
    simulation: FabricsimHandle,
    until: u64,
    event: *mut FabricsimEvent,
    stop: *mut u32,
) -> i32 {
    guard(|| {
        let session = table::get(simulation)?;
        // SAFETY: the caller vouches for `event` and `stop`.
        unsafe { pointers::write(event, FabricsimEvent::default(), "event") }?;
        // SAFETY: as above.
        unsafe { pointers::write(stop, FABRICSIM_STOP_TIME, "stop") }?;
        let mut engine = session.engine()?;
        if session.calls().callback.function.is_some() {
            let text = "the simulation has a callback: run it by fabricsim_run_until()";
            return Err(Failure::argument(text));
        }
        let came = match engine.simulation.run_until_next(Time::from_ps(until)) {
            Next::Event(next) => {
                let next = FabricsimEvent::of(&next, &session.hosts);
                // SAFETY: as above.
                unsafe { pointers::write(event, next, "event") }?;
                FABRICSIM_STOP_EVENT
            }
            Next::Stopped(came) => {
                engine.keep_completions();
                code(came)
            }
        };
        // SAFETY: as above.
        unsafe { pointers::write(stop, came, "stop") }
    })
}

/// Ends the events FABRICSIM_EVENT_ACKNOWLEDGED from now on: a run in which deliveries and timers
/// alone are heard of costs less. Not from a callback.
#[unsafe(no_mangle)]
pub extern "C" fn fabricsim_ignore_acknowledgements(simulation: FabricsimHandle) -> i32 {
    guard(|| {
        let session = table::get(simulation)?;
        session.engine()?.simulation.ignore_acknowledgements();
        Ok(())
    })
}

/// Ends the run after the present event. From a callback alone. The run can go on later.
#[unsafe(no_mangle)]
pub extern "C" fn fabricsim_stop(simulation: FabricsimHandle) -> i32 {
    guard(|| {
        let session = table::get(simulation)?;
        match session.caller()? {
            Caller::Callback(mut calls, _) => {
                calls.requests.push(Request::Stop);
                Ok(())
            }
            Caller::Outside(_) => Err(Failure::argument("no callback is under way")),
        }
    })
}

/// Returns the failure of a run in which a callback has panicked.
fn after_callbacks(session: &Session) -> Result<(), Failure> {
    if std::mem::take(&mut session.calls().panicked) {
        let text = "a callback has panicked, and the run has ended there";
        return Err(Failure::new(FABRICSIM_ERROR_CALLBACK, text));
    }
    Ok(())
}

const fn code(stop: Stop) -> u32 {
    match stop {
        Stop::Finished => FABRICSIM_STOP_FINISHED,
        Stop::TimeReached => FABRICSIM_STOP_TIME,
        Stop::Stalled => FABRICSIM_STOP_STALLED,
        Stop::Deadlocked => FABRICSIM_STOP_DEADLOCKED,
        Stop::Horizon => FABRICSIM_STOP_HORIZON,
        Stop::Overloaded(_) => FABRICSIM_STOP_OVERLOADED,
        Stop::Interrupted => FABRICSIM_STOP_ASKED,
    }
}
