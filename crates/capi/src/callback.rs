//! The driver that calls the program's callback.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Weak};
use std::thread;

use facade::driver::{Actions, Driver, Event};

use crate::session::{Current, Request, Session};
use crate::types::FabricsimEvent;

/// Passes events to the callback of a session, then carries out the requests that it made.
pub(crate) struct Caller(Weak<Session>);

impl Caller {
    pub(crate) fn new(session: &Arc<Session>) -> Self {
        Self(Arc::downgrade(session))
    }
}

impl Driver for Caller {
    fn on_event(&mut self, event: &Event, actions: &mut Actions<'_>) {
        let Some(session) = self.0.upgrade() else {
            return;
        };
        let told = FabricsimEvent::of(event, &session.hosts);
        let mut calls = session.calls();
        let callback = calls.callback;
        let Some(function) = callback
            .function
            .filter(|_| callback.kinds & told.kind != 0)
        else {
            return;
        };
        calls.current = Some(Current {
            thread: thread::current().id(),
            now: event.at,
        });
        drop(calls);
        let user = callback.user;
        // SAFETY: the program has given the function and the pointer for this call, and the event
        // lives until the function returns.
        let called = catch_unwind(AssertUnwindSafe(|| unsafe {
            function(user.0, &raw const told)
        }));
        let mut calls = session.calls();
        calls.current = None;
        let requests = std::mem::take(&mut calls.requests);
        calls.panicked |= called.is_err();
        drop(calls);
        if called.is_err() {
            actions.stop();
        }
        for request in requests {
            // The callback's own call has already refused an impossible request.
            let _ = match request {
                Request::Send(at, message) => actions.send_at(at, &message),
                Request::SetTimer(at, token) => actions.set_timer(at, token),
                Request::CancelTimer(token) => {
                    actions.cancel_timer(token);
                    Ok(())
                }
                Request::Stop => {
                    actions.stop();
                    Ok(())
                }
            };
        }
    }
}
