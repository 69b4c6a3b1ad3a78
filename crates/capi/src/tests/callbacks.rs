//! Callbacks: the requests that they can make, and panics in them.

use std::ffi::c_void;
use std::ptr::null_mut;

use super::*;

/// A record of the calls of a callback.
#[derive(Default)]
struct Seen {
    handle: FabricsimHandle,
    delivered: u64,
    codes: Vec<i32>,
}

const ALL: u32 = u32::MAX;

/// Forwards a message until it has been delivered ten times, then stops the run.
unsafe extern "C-unwind" fn pass_on(user: *mut c_void, event: *const FabricsimEvent) {
    // SAFETY: the test has given a `Seen`, and the library gives an event.
    let (seen, event) = unsafe { (&mut *user.cast::<Seen>(), &*event) };
    if event.kind != FABRICSIM_EVENT_DELIVERED {
        return;
    }
    seen.delivered += 1;
    assert_eq!(now(seen.handle), event.at);
    seen.codes.push(fabricsim_close(seen.handle));
    let mut statistics = FabricsimStatistics::default();
    // SAFETY: there is room.
    let counted = unsafe { fabricsim_statistics(seen.handle, &raw mut statistics) };
    seen.codes.push(counted);
    // SAFETY: nothing is written.
    seen.codes
        .push(unsafe { fabricsim_run_until(seen.handle, u64::MAX, null_mut()) });
    if seen.delivered == 10 {
        assert_eq!(fabricsim_stop(seen.handle), FABRICSIM_OK);
    } else {
        let dst = event.message.dst;
        let next = message(dst, (dst + 1) % 4, 5_000);
        assert_eq!(send(seen.handle, &next), FABRICSIM_OK);
        assert_eq!(
            send(seen.handle, &message(9, 9, 0)),
            FABRICSIM_ERROR_ARGUMENT
        );
    }
}

unsafe extern "C-unwind" fn panics(_user: *mut c_void, _event: *const FabricsimEvent) {
    panic!("a callback that panics, as a test wants it");
}

fn run(handle: FabricsimHandle) -> (i32, u32) {
    let mut stop = 99;
    // SAFETY: there is room.
    let code = unsafe { fabricsim_run_until(handle, u64::MAX, &raw mut stop) };
    (code, stop)
}

#[test]
fn a_callback_sends_and_stops_and_does_nothing_else() {
    let handle = open(STAR);
    let mut seen = Seen {
        handle,
        ..Seen::default()
    };
    let user = (&raw mut seen).cast();
    // SAFETY: `seen` outlives the simulation.
    let set = unsafe { fabricsim_set_callback(handle, Some(pass_on), user, ALL) };
    assert_eq!(set, FABRICSIM_OK);
    assert_eq!(send(handle, &message(0, 1, 5_000)), FABRICSIM_OK);
    assert_eq!(run(handle), (FABRICSIM_OK, FABRICSIM_STOP_ASKED));
    assert_eq!(run(handle), (FABRICSIM_OK, FABRICSIM_STOP_FINISHED));
    assert_eq!(fabricsim_close(handle), FABRICSIM_OK);
    assert_eq!(seen.delivered, 10);
    assert!(seen.codes.iter().all(|&code| code == FABRICSIM_ERROR_BUSY));
}

#[test]
fn a_panic_in_a_callback_ends_the_run_and_stays_inside() {
    let handle = open(STAR);
    // SAFETY: the callback uses no pointer.
    let set = unsafe { fabricsim_set_callback(handle, Some(panics), null_mut(), ALL) };
    assert_eq!(set, FABRICSIM_OK);
    assert_eq!(send(handle, &message(0, 1, 5_000)), FABRICSIM_OK);
    assert_eq!(
        run(handle),
        (FABRICSIM_ERROR_CALLBACK, FABRICSIM_STOP_ASKED)
    );
    // SAFETY: as above.
    let set = unsafe { fabricsim_set_callback(handle, None, null_mut(), 0) };
    assert_eq!(set, FABRICSIM_OK);
    assert_eq!(run(handle), (FABRICSIM_OK, FABRICSIM_STOP_FINISHED));
    assert_eq!(fabricsim_close(handle), FABRICSIM_OK);
}
