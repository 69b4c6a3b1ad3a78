//! Errors have a code and a message.

use std::ptr::{null, null_mut};

use super::*;

fn refused(text: &str) -> String {
    let text = CString::new(text).unwrap();
    let mut handle = 7;
    // SAFETY: the text ends with a zero, and the handle has room.
    let code = unsafe { fabricsim_open_text(text.as_ptr(), 1, &raw mut handle) };
    assert_eq!((code, handle), (FABRICSIM_ERROR_SCENARIO, 0));
    last_error()
}

#[test]
fn an_error_in_a_scenario_has_place_and_help() {
    let words = refused("sede = 3\n[topology]\nkind = \"star\"\n[cc]\nkind = \"hpcc\"\n");
    assert!(words.starts_with("scenario:1:1: "), "{words}");
    assert!(words.contains("help: did you mean `seed`?"), "{words}");
    assert!(refused("").contains("[topology]"));
}

#[test]
fn a_handle_that_has_been_closed_is_none() {
    let handle = open(STAR);
    assert_eq!(fabricsim_close(handle), FABRICSIM_OK);
    assert_eq!(fabricsim_close(handle), FABRICSIM_ERROR_HANDLE);
    let other = open(STAR);
    assert_ne!(other, handle);
    assert_eq!(send(handle, &message(0, 1, 1)), FABRICSIM_ERROR_HANDLE);
    assert_eq!(fabricsim_close(other), FABRICSIM_OK);
    for wrong in [0, u64::MAX, 1 << 32, 12_345] {
        assert_eq!(fabricsim_close(wrong), FABRICSIM_ERROR_HANDLE);
    }
}

#[test]
fn null_is_refused() {
    let handle = open(STAR);
    // SAFETY: all of these must refuse null.
    unsafe {
        assert_eq!(
            fabricsim_open_text(null(), 1, null_mut()),
            FABRICSIM_ERROR_NULL
        );
        assert_eq!(
            fabricsim_open_text(c"".as_ptr(), 1, null_mut()),
            FABRICSIM_ERROR_NULL
        );
        let file = fabricsim_open_file(c"x".as_ptr(), null(), 3, 1, null_mut());
        assert_eq!(file, FABRICSIM_ERROR_NULL);
        assert_eq!(fabricsim_send(handle, null()), FABRICSIM_ERROR_NULL);
        assert_eq!(fabricsim_now(handle, null_mut()), FABRICSIM_ERROR_NULL);
        assert_eq!(fabricsim_hosts(handle, null_mut()), FABRICSIM_ERROR_NULL);
        assert_eq!(
            fabricsim_statistics(handle, null_mut()),
            FABRICSIM_ERROR_NULL
        );
        let next = fabricsim_run_until_next(handle, 0, null_mut(), null_mut());
        assert_eq!(next, FABRICSIM_ERROR_NULL);
        assert_eq!(fabricsim_write_flows(handle, null()), FABRICSIM_ERROR_NULL);
        assert_eq!(fabricsim_run_until(handle, 1, null_mut()), FABRICSIM_OK);
    }
    assert_eq!(fabricsim_close(handle), FABRICSIM_OK);
}

#[test]
fn impossible_messages_are_refused_in_words() {
    let handle = open(STAR);
    for (wrong, words) in [
        (
            message(0, 4, 1),
            "its destination is host 4, and the network has 4 hosts",
        ),
        (message(9, 0, 1), "its source is host 9"),
        (message(1, 1, 1), "sends to itself"),
        (message(0, 1, 0), "no bytes"),
        (
            FabricsimMessage {
                reserved: [0, 0, 1],
                ..message(0, 1, 1)
            },
            "its `reserved` bytes are not zero",
        ),
        (message(0, 1, u64::MAX), "flows up to"),
        (
            FabricsimMessage {
                priority: 8,
                ..message(0, 1, 1)
            },
            "its priority is 8",
        ),
    ] {
        assert_eq!(send(handle, &wrong), FABRICSIM_ERROR_ARGUMENT);
        assert!(last_error().contains(words), "{}", last_error());
    }
    assert_eq!(
        fabricsim_set_timer(handle, u64::MAX, 0),
        FABRICSIM_ERROR_ARGUMENT
    );
    assert_eq!(fabricsim_stop(handle), FABRICSIM_ERROR_ARGUMENT);
    assert_eq!(fabricsim_close(handle), FABRICSIM_OK);
}

#[test]
fn hosts_have_names_and_messages_an_ideal_time() {
    let handle = open(STAR);
    let (mut count, mut host, mut needed, mut time) = (0, 9, 0, 0);
    let mut buffer = [1; 3];
    // SAFETY: all pointers are to variables, and `room` is the length of the buffer.
    unsafe {
        assert_eq!(fabricsim_hosts(handle, &raw mut count), FABRICSIM_OK);
        let place = buffer.as_mut_ptr();
        let code = fabricsim_host_name(handle, 2, place, 3, &raw mut needed);
        assert_eq!(code, FABRICSIM_OK);
        assert_eq!(buffer[2], 0);
        let mut name = vec![0; needed];
        let place = name.as_mut_ptr();
        let code = fabricsim_host_name(handle, 2, place, needed, null_mut());
        assert_eq!(code, FABRICSIM_OK);
        assert_eq!(std::ffi::CStr::from_ptr(name.as_ptr()), c"host2");
        let code = fabricsim_find_host(handle, name.as_ptr(), &raw mut host);
        assert_eq!((code, host), (FABRICSIM_OK, 2));
        let code = fabricsim_host_name(handle, 4, null_mut(), 0, null_mut());
        assert_eq!(code, FABRICSIM_ERROR_ARGUMENT);
        let sent = message(0, 1, 100_000);
        let code = fabricsim_ideal_time(handle, &raw const sent, &raw mut time);
        assert_eq!(code, FABRICSIM_OK);
    }
    assert_eq!(count, 4);
    assert_eq!(send(handle, &message(0, 1, 100_000)), FABRICSIM_OK);
    let events: Vec<_> = std::iter::from_fn(|| next(handle, u64::MAX).ok()).collect();
    let kinds: Vec<u32> = events.iter().map(|event| event.kind).collect();
    assert_eq!(
        kinds,
        [FABRICSIM_EVENT_DELIVERED, FABRICSIM_EVENT_ACKNOWLEDGED]
    );
    // The network is idle; the acknowledgement of the last packet is a packet itself.
    assert!(events[1].at >= time && events[1].at < time + time / 10);
    assert_eq!(fabricsim_close(handle), FABRICSIM_OK);
}
