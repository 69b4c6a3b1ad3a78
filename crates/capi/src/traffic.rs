//! Messages and timers.

use facade::driver::Message;
use facade::prelude::Time;

use crate::error::{Failure, guard};
use crate::session::{Caller, Request};
use crate::types::{FabricsimHandle, FabricsimMessage};
use crate::{pointers, table};

/// Sends a message now. The library copies it.
///
/// # Safety
/// `message` points to a message.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fabricsim_send(
    simulation: FabricsimHandle,
    message: *const FabricsimMessage,
) -> i32 {
    guard(|| {
        // SAFETY: the caller vouches for `message`.
        let message = unsafe { pointers::read(message, "message") }?;
        send(simulation, None, &message)
    })
}

/// Sends a message at the time `at`, in picoseconds, which is now or later. The library copies it.
///
/// # Safety
/// `message` points to a message.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fabricsim_send_at(
    simulation: FabricsimHandle,
    at: u64,
    message: *const FabricsimMessage,
) -> i32 {
    guard(|| {
        // SAFETY: the caller vouches for `message`.
        let message = unsafe { pointers::read(message, "message") }?;
        send(simulation, Some(Time::from_ps(at)), &message)
    })
}

fn send(
    simulation: FabricsimHandle,
    at: Option<Time>,
    message: &FabricsimMessage,
) -> Result<(), Failure> {
    let session = table::get(simulation)?;
    let refuse = |why| Failure::argument(format!("cannot send the message: {why}"));
    let message: Message = message.message(&session.hosts).map_err(refuse)?;
    match session.caller()? {
        Caller::Callback(mut calls, now) => {
            let at = at.unwrap_or(now);
            session.rules.check(&message, at, now)?;
            calls.requests.push(Request::Send(at, message));
        }
        Caller::Outside(mut engine) => {
            let simulation = &mut engine.simulation;
            let at = at.unwrap_or_else(|| simulation.now());
            simulation.send_at(at, &message)?;
        }
    }
    Ok(())
}

/// Sets the timer `token` to the time `at`, in picoseconds, or moves it there if it is already set.
/// It fires as an event FABRICSIM_EVENT_TIMER. `at` is now or later.
#[unsafe(no_mangle)]
pub extern "C" fn fabricsim_set_timer(simulation: FabricsimHandle, at: u64, token: u64) -> i32 {
    guard(|| {
        let session = table::get(simulation)?;
        let at = Time::from_ps(at);
        match session.caller()? {
            Caller::Callback(mut calls, now) => {
                session.rules.check_timer(at, now)?;
                calls.requests.push(Request::SetTimer(at, token));
            }
            Caller::Outside(mut engine) => engine.simulation.set_timer(at, token)?,
        }
        Ok(())
    })
}

/// Cancels the timer `token`, if it is set.
#[unsafe(no_mangle)]
pub extern "C" fn fabricsim_cancel_timer(simulation: FabricsimHandle, token: u64) -> i32 {
    guard(|| {
        let session = table::get(simulation)?;
        match session.caller()? {
            Caller::Callback(mut calls, _) => calls.requests.push(Request::CancelTimer(token)),
            Caller::Outside(mut engine) => {
                engine.simulation.cancel_timer(token);
            }
        }
        Ok(())
    })
}
