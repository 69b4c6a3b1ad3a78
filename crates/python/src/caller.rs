//! The driver that calls the program's callbacks.

use std::sync::{Arc, Weak};
use std::thread;

use fabricsim::driver::{Actions, Driver, Event as Told};
use pyo3::prelude::*;

use crate::event::Event;
use crate::session::{Current, Request, Session};

/// Passes events to the callbacks of a session, then carries out the requests that they made.
pub(crate) struct EventCaller(Weak<Session>);

impl EventCaller {
    pub(crate) fn new(session: &Arc<Session>) -> Self {
        Self(Arc::downgrade(session))
    }
}

impl Driver for EventCaller {
    fn on_event(&mut self, event: &Told, actions: &mut Actions<'_>) {
        let Some(session) = self.0.upgrade() else {
            return;
        };
        if session.calls().callbacks.of(&event.kind).is_none() {
            session.tags.pass(&event.kind);
            return;
        }
        let called = Python::attach(|py| call(py, &session, event));
        let mut calls = session.calls();
        calls.current = None;
        let requests = std::mem::take(&mut calls.requests);
        if let Err(error) = called {
            calls.error = Some(error);
            actions.stop();
        }
        drop(calls);
        for request in requests {
            // The callback's own call has already rejected an impossible request.
            let _ = match request {
                Request::Send(at, message) => actions.send_at(at, &message),
                Request::SetTimer(at, number) => actions.set_timer(at, number),
                Request::CancelTimer(number) => {
                    actions.cancel_timer(number);
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

/// Calls the callback that receives events like `event`.
fn call(py: Python<'_>, session: &Session, event: &Told) -> PyResult<()> {
    let told = Event::new(py, event, &session.tags);
    let mut calls = session.calls();
    let callback = calls.callbacks.of(&event.kind);
    let Some(callback) = callback.map(|callback| callback.clone_ref(py)) else {
        return Ok(());
    };
    calls.current = Some(Current {
        thread: thread::current().id(),
        now: event.at,
    });
    drop(calls);
    callback.call1(py, (told,)).map(drop)
}
