//! The functions of the library, called as a program in C calls them.

#![allow(
    clippy::unwrap_used,
    reason = "a test may stop at what it did not expect"
)]

mod callbacks;
mod errors;
mod export;
mod header;
mod hosts;
mod random;
mod ring;

use std::ffi::CString;

use crate::*;

const STAR: &str = "[topology]\nkind = \"star\"\nhosts = 4\n[cc]\nkind = \"hpcc\"\n";

/// Opens a simulation of `text`.
fn open(text: &str) -> FabricsimHandle {
    let text = CString::new(text).unwrap();
    let mut handle = 0;
    // SAFETY: the text ends with a zero, and the handle has room.
    let code = unsafe { fabricsim_open_text(text.as_ptr(), 1, &raw mut handle) };
    assert_eq!(code, FABRICSIM_OK, "{}", last_error());
    handle
}

/// Returns the message of the last error of this thread.
fn last_error() -> String {
    // SAFETY: no buffer is given.
    let room = unsafe { fabricsim_last_error(std::ptr::null_mut(), 0) };
    let mut buffer = vec![1u8; room];
    // SAFETY: the buffer has this room.
    let again = unsafe { fabricsim_last_error(buffer.as_mut_ptr().cast(), room) };
    assert_eq!((again, buffer.pop()), (room, Some(0)));
    String::from_utf8(buffer).unwrap()
}

const fn message(src: u32, dst: u32, size: u64) -> FabricsimMessage {
    FabricsimMessage {
        src,
        dst,
        size,
        tag: 0,
        token: 0,
        flow_class: 0,
        dst_port: 0,
        priority: 0,
        reserved: [0; 3],
    }
}

fn send(handle: FabricsimHandle, message: &FabricsimMessage) -> i32 {
    // SAFETY: a reference is a pointer to a message.
    unsafe { fabricsim_send(handle, message) }
}

/// Runs to the next event before `until`. Returns the event, or the reason for having none.
fn next(handle: FabricsimHandle, until: u64) -> Result<FabricsimEvent, u32> {
    let (mut event, mut stop) = (FabricsimEvent::default(), 0);
    // SAFETY: both have room.
    let code = unsafe { fabricsim_run_until_next(handle, until, &raw mut event, &raw mut stop) };
    assert_eq!(code, FABRICSIM_OK, "{}", last_error());
    match stop {
        FABRICSIM_STOP_EVENT => Ok(event),
        other => Err(other),
    }
}

fn now(handle: FabricsimHandle) -> u64 {
    let mut now = 0;
    // SAFETY: it has room.
    assert_eq!(unsafe { fabricsim_now(handle, &raw mut now) }, FABRICSIM_OK);
    now
}
