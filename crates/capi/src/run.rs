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

/// Sets the function that fabricsim_run_until() calls with each event of the `kinds`
/// (FABRICSIM_EVENT_... combined by `|`), on the thread that runs the simulation. The library
/// passes `user` to each call, so it must stay valid for as long. A null callback ends the calls.
///
/// A callback can send messages, set and cancel timers, and call fabricsim_now() and
/// fabricsim_stop(): its requests take effect at the instant of the event. It can call no other
/// function.
///
/// # Safety
/// `callback` can be called with `user` until the program sets another one or closes the
/// simulation.
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

/// Runs all events before `until`, in picoseconds; UINT64_MAX runs to the end. Writes the reason
/// for the return, FABRICSIM_STOP_..., to `stop`, which may be null. Without a callback, events are
/// kept for fabricsim_run_until_next().
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

/// Runs to the next event before `until` and writes it to `event`. fabricsim_now() is then the
/// exact time of the event, and requests take effect at that time. Writes FABRICSIM_STOP_EVENT to
/// `stop`, or the reason for having no event. Fails if a callback is set.
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

/// Ends the events FABRICSIM_EVENT_ACKNOWLEDGED from now on: a run costs less if only deliveries
/// and timers are events. A callback cannot call this.
#[unsafe(no_mangle)]
pub extern "C" fn fabricsim_ignore_acknowledgements(simulation: FabricsimHandle) -> i32 {
    guard(|| {
        let session = table::get(simulation)?;
        session.engine()?.simulation.ignore_acknowledgements();
        Ok(())
    })
}

/// Ends the run after the current event. Only a callback can call this. The run can continue later.
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

/// Returns an error if a callback has panicked during the run.
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
