//! Senseless sequences of calls end in error codes.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use super::*;

/// A call: its kind, and the numbers that its arguments are made of.
type Call = (u8, u8, u64, u64);

const SCENARIOS: [&std::ffi::CStr; 5] = [
    c"[topology]\nkind = \"star\"\nhosts = 4\n[cc]\nkind = \"hpcc\"\n",
    c"[topology]\nkind = \"star\"\nhosts = 3\n[cc]\nkind = \"cubic\"\n",
    c"[topology]\nkind = \"star\"\nhosts = 18446744073709551615\n[cc]\nkind = \"hpcc\"\n",
    c"[topology",
    c"",
];

/// Sends, sets timers, stops or panics, depending on the time of the event.
unsafe extern "C-unwind" fn erratic(user: *mut c_void, event: *const FabricsimEvent) {
    // SAFETY: the test has given a handle, and the library gives an event.
    let (handle, event) = unsafe { (*user.cast::<FabricsimHandle>(), &*event) };
    match event.at % 7 {
        0 => panic!("a callback that panics, as a test wants it"),
        1 => {
            fabricsim_stop(handle);
        }
        2 if event.message.token < 3 => {
            let reply = FabricsimMessage {
                token: event.message.token + 1,
                ..message(event.message.dst, event.message.src, 10)
            };
            send(handle, &reply);
        }
        3 => {
            fabricsim_set_timer(handle, event.at.wrapping_sub(1), 0);
        }
        4 => {
            fabricsim_close(handle);
        }
        _ => {}
    }
}

/// Returns a message made of these numbers, which is often impossible.
fn message_of(which: u8, a: u64, b: u64) -> FabricsimMessage {
    FabricsimMessage {
        src: u32::try_from(a % 5).unwrap(),
        dst: u32::try_from(b % 5).unwrap(),
        size: if which == 2 { b } else { 1 + b % 3_000 },
        tag: a,
        token: 0,
        flow_class: u16::from(which / 4),
        dst_port: u16::from(which),
        priority: u8::from(which.is_multiple_of(3)),
        reserved: [u8::from(which == 5); 3],
    }
}

/// Exports the flows, to a null pointer if `null_now`, and releases them.
fn export(handle: FabricsimHandle, null_now: bool) -> i32 {
    let mut stream = FFI_ArrowArrayStream::empty();
    let place = if null_now {
        null_mut()
    } else {
        &raw mut stream
    };
    // SAFETY: there is room, or the place is null.
    unsafe { fabricsim_export_flows(handle, place) }
}

/// Makes one call. Its code must be one that the header documents.
fn call((kind, which, a, b): Call, handles: &mut Vec<FabricsimHandle>, user: *mut c_void) {
    // Most calls need an open handle: otherwise they would only test the check of handles.
    let handle = match which {
        0 => a,
        1 => 0,
        _ => *handles.last().unwrap_or(&b),
    };
    let sent = message_of(which, a, b);
    let mut event = FabricsimEvent::default();
    let (mut number, mut small, mut size) = (0u64, 0u32, 0usize);
    let mut buffer = [0; 16];
    let null_now = which % 16 == 3;
    let horizon = if which % 8 == 5 {
        u64::MAX
    } else {
        a % (1 << 28)
    };
    // SAFETY: all pointers are null or to variables here, and each `room` is at most the length of
    // its buffer.
    let code = unsafe {
        match kind % 22 {
            0 => {
                let text = SCENARIOS[usize::from(which) % SCENARIOS.len()];
                let threads = [1, 1, 0, u32::MAX, 2][usize::from(kind) % 5];
                let place = if null_now {
                    null_mut()
                } else {
                    &raw mut number
                };
                let code = fabricsim_open_text(text.as_ptr(), threads, place);
                if code == FABRICSIM_OK {
                    handles.push(number);
                }
                code
            }
            1 => fabricsim_close(handle),
            2 if null_now => fabricsim_send(handle, null()),
            2 | 3 => fabricsim_send(handle, &raw const sent),
            4 => fabricsim_send_at(handle, horizon, &raw const sent),
            5 => fabricsim_set_timer(handle, horizon, b % 4),
            6 => fabricsim_cancel_timer(handle, b % 4),
            7 => fabricsim_run_until(handle, horizon, &raw mut small),
            8 | 9 => fabricsim_run_until_next(handle, horizon, &raw mut event, &raw mut small),
            10 => fabricsim_stop(handle),
            11 => {
                let function =
                    (which % 2 == 0).then_some(erratic as unsafe extern "C-unwind" fn(_, _));
                fabricsim_set_callback(handle, function, user, u32::from(which))
            }
            12 => {
                let room = usize::try_from(b % 17).unwrap();
                let host = u32::try_from(a % 6).unwrap();
                fabricsim_host_name(handle, host, buffer.as_mut_ptr(), room, &raw mut size)
            }
            13 => fabricsim_find_host(handle, c"x".as_ptr(), &raw mut small),
            17 => fabricsim_ignore_acknowledgements(handle),
            18 => fabricsim_keep_flows(handle, u32::from(which % 2 == 0)),
            14 => fabricsim_ideal_time(handle, &raw const sent, &raw mut number),
            15 => {
                let mut statistics = FabricsimStatistics::default();
                fabricsim_statistics(handle, &raw mut statistics)
            }
            19 => export(handle, null_now),
            20 => fabricsim_host_node(handle, u32::try_from(a % 6).unwrap(), &raw mut small),
            21 => fabricsim_node_host(handle, u32::try_from(a % 6).unwrap(), &raw mut small),
            _ => fabricsim_write_flows(handle, c"/nowhere/fct.csv".as_ptr()),
        }
    };
    // No call of a program can cause an internal error of the library.
    assert!(
        (FABRICSIM_ERROR_CALLBACK..=FABRICSIM_OK).contains(&code),
        "{code}"
    );
    assert!(code == FABRICSIM_OK || !last_error().is_empty());
}

fn sequences(cases: u32) {
    let mut runner = TestRunner::new(Config {
        failure_persistence: None,
        ..Config::with_cases(cases)
    });
    let calls = prop::collection::vec(any::<Call>(), 1..40);
    let tried = runner.run(&calls, |calls| {
        let mut handles = vec![open(STAR)];
        let mut own = Box::new(handles[0]);
        for made in calls {
            call(made, &mut handles, (&raw mut *own).cast());
        }
        for handle in handles {
            let code = fabricsim_close(handle);
            prop_assert!(code == FABRICSIM_OK || code == FABRICSIM_ERROR_HANDLE);
        }
        Ok(())
    });
    tried.unwrap();
}

#[test]
fn random_calls_end_in_error_codes() {
    sequences(200);
}

#[test]
#[ignore = "takes seconds"]
fn ten_thousand_sequences_of_random_calls_end_in_error_codes() {
    sequences(10_000);
}
