//! Simulations that a program drives.

mod capture;
mod events;
mod readings;

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use fabricsim::driver::{Message, Next};
use fabricsim::id::ClassId;
use fabricsim::prelude::{Priority, Stop, Time};
use fabricsim::simulation::Interrupt;
use pyo3::PyTraverseError;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::gc::PyVisit;
use pyo3::prelude::*;

use crate::attend::Listener;
use crate::caller::EventCaller;
use crate::error::raise;
use crate::event::Event;
use crate::quantity::{size, time, time_or_end};
use crate::scenario::{Given, Traffic};
use crate::session::{Caller, Engine, Request, Session};

pub(crate) use events::Events;

/// A simulation of a scenario that a program drives: the program sends messages, receives their
/// events at the exact time, and reacts.
#[pyclass(frozen, weakref, subclass, module = "fabricsim._native")]
pub(crate) struct Simulation {
    /// `None` if it is closed.
    session: Mutex<Option<Arc<Session>>>,
    notes: Vec<String>,
}

/// Returns the exception of a method of a closed simulation.
fn closed() -> PyErr {
    PyValueError::new_err("the simulation is closed")
}

/// Returns the name of the reason why a run has returned.
const fn stop_name(stop: Stop) -> &'static str {
    match stop {
        Stop::Finished => "finished",
        Stop::TimeReached => "time-reached",
        Stop::Stalled => "stalled",
        Stop::Deadlocked => "deadlocked",
        Stop::Horizon => "beyond-horizon",
        Stop::Overloaded(_) => "overloaded",
        Stop::Interrupted => "stopped",
    }
}

impl Simulation {
    fn session(&self) -> PyResult<Arc<Session>> {
        let session = self.session.lock().unwrap_or_else(PoisonError::into_inner);
        session.clone().ok_or_else(closed)
    }

    /// Runs the simulation to `until`, and returns the reason why it has returned.
    fn run_engine(
        py: Python<'_>,
        session: &Session,
        engine: &mut Engine,
        until: Time,
    ) -> PyResult<Stop> {
        let stop = &session.stop;
        let mut listener = Listener::new(stop);
        let simulation = &mut engine.simulation;
        let ran = py.detach(|| simulation.run_with_callback(until, &mut listener));
        let ran = listener.error.map_or(Ok(ran), Err);
        engine.keep_completions();
        Self::after(session, ran)
    }

    /// Returns the result of a run, or the exception if one has ended it.
    fn after<R>(session: &Session, ran: PyResult<R>) -> PyResult<R> {
        if let Some(error) = session.failure.as_ref().and_then(|failure| failure.take()) {
            return Err(error);
        }
        match session.calls().error.take() {
            Some(error) => Err(error),
            None => ran,
        }
    }

    /// Runs to the next event before `until`.
    fn next_event(&self, py: Python<'_>, until: Time) -> PyResult<Result<Event, &'static str>> {
        let session = self.session()?;
        let mut engine = session.runnable()?;
        if session.calls().callbacks.all().next().is_some() {
            let text = "the simulation has callbacks, which hear of events: run it by run_until()";
            return Err(PyRuntimeError::new_err(text));
        }
        let simulation = &mut engine.simulation;
        simulation.detach();
        let mut listener = Listener::new(&session.stop);
        let next = py.detach(|| simulation.run_until_next_with_callback(until, &mut listener));
        let ran = match (next, listener.error) {
            (Next::Event(event), None) => {
                return Ok(Ok(Event::new(py, &event, &session.tags)));
            }
            (_, Some(error)) => Err(error),
            (Next::Stopped(stop), None) => Ok(stop),
        };
        engine.keep_completions();
        Ok(Err(stop_name(Self::after(&session, ran)?)))
    }

    /// Sends a message with this tag.
    fn send_message(
        py: Python<'_>,
        session: &Session,
        message: Message,
        at: Option<Time>,
        tag: Option<Py<PyAny>>,
    ) -> PyResult<()> {
        let token = session.tags.add(tag);
        let message = message.labeled(0, token);
        let sent = session.caller().and_then(|caller| match caller {
            Caller::Callback(mut calls, now) => {
                let at = at.unwrap_or(now);
                let checked = session.rules.check(&message, at, now);
                checked.map_err(|error| raise(py, error, &[]))?;
                calls.requests.push(Request::Send(at, message));
                Ok(())
            }
            Caller::Outside(mut engine) => {
                let simulation = &mut engine.simulation;
                let at = at.unwrap_or_else(|| simulation.now());
                let sent = simulation.send_at(at, &message);
                sent.map_err(|error| raise(py, error, &[]))
            }
        });
        if sent.is_err() {
            session.tags.remove(token);
        }
        sent
    }
}

#[pymethods]
impl Simulation {
    #[new]
    fn new(
        py: Python<'_>,
        given: &Given,
        threads: Option<usize>,
        capture: Option<PathBuf>,
    ) -> PyResult<Self> {
        let stop = Interrupt::default();
        let loaded = given.load(py, Traffic::OfProgram, &stop)?;
        let threads = loaded.threads(threads, 1)?;
        let scenario = &loaded.scenario;
        if capture.is_some() && scenario.capture().is_none() {
            let text = "capture: the scenario has no [capture] table, which says what is captured";
            return Err(PyValueError::new_err(text));
        }
        let built = py.detach(|| match &capture {
            Some(path) => fabricsim::Simulation::capturing(scenario, threads, path),
            None => fabricsim::Simulation::new(scenario, threads),
        });
        let simulation = built.map_err(|error| raise(py, error, &loaded.sources))?;
        let session = Session::new(py, simulation, stop, loaded.failure);
        Ok(Self {
            session: Mutex::new(Some(Arc::new(session))),
            notes: loaded.notes,
        })
    }

    /// Notes on the scenario for the user.
    #[getter]
    fn notes(&self) -> Vec<String> {
        self.notes.clone()
    }

    /// Sends `size` bytes from `src` to `dst`.
    #[pyo3(signature = (src, dst, size, *, at=None, tag=None, flow_class=0, priority=3, port=100))]
    #[expect(
        clippy::too_many_arguments,
        reason = "they are keywords of a method of Python"
    )]
    fn send(
        &self,
        py: Python<'_>,
        src: &Bound<'_, PyAny>,
        dst: &Bound<'_, PyAny>,
        size: &Bound<'_, PyAny>,
        at: Option<&Bound<'_, PyAny>>,
        tag: Option<Py<PyAny>>,
        flow_class: u16,
        priority: u8,
        port: u16,
    ) -> PyResult<()> {
        let session = self.session()?;
        let (src, dst) = (session.host("src", src)?, session.host("dst", dst)?);
        if !(1..=7).contains(&priority) {
            let text = format!("priority: {priority}, and messages have 1 to 7");
            return Err(PyValueError::new_err(text));
        }
        let message = Message {
            class: ClassId(flow_class),
            priority: Priority::new(priority),
            dst_port: port,
            ..Message::new(src, dst, self::size("size", size)?)
        };
        let at = at.map(|at| time("at", at)).transpose()?;
        Self::send_message(py, &session, message, at, tag)
    }

    /// Sets the timer `tag` to `at`, or moves it there if it is already set.
    fn set_timer(
        &self,
        py: Python<'_>,
        at: &Bound<'_, PyAny>,
        tag: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let session = self.session()?;
        let at = time("at", at)?;
        let fail = |error| raise(py, error, &[]);
        let check = |now| session.rules.check_timer(at, now).map_err(fail);
        match session.caller()? {
            Caller::Callback(_, now) => check(now)?,
            Caller::Outside(engine) => check(engine.simulation.now())?,
        }
        let number = session.tags.timer(tag)?;
        match session.caller()? {
            Caller::Callback(mut calls, _) => {
                calls.requests.push(Request::SetTimer(at, number));
                Ok(())
            }
            Caller::Outside(mut engine) => engine.simulation.set_timer(at, number).map_err(fail),
        }
    }

    /// Cancels the timer `tag`. Returns True if it was set.
    fn cancel_timer(&self, py: Python<'_>, tag: &Bound<'_, PyAny>) -> PyResult<bool> {
        let session = self.session()?;
        let Some(number) = session.tags.number(tag)? else {
            return Ok(false);
        };
        match session.caller()? {
            Caller::Callback(mut calls, _) => calls.requests.push(Request::CancelTimer(number)),
            Caller::Outside(mut engine) => {
                engine.simulation.cancel_timer(number);
            }
        }
        session.tags.take_timer(py, number);
        Ok(true)
    }

    /// Sets the function that receives events of a kind; None unsets it.
    fn set_callback(&self, kind: &str, callback: Option<Py<PyAny>>) -> PyResult<()> {
        let session = self.session()?;
        let before = {
            // The callbacks of a run in progress cannot change.
            let _engine = session.engine()?;
            let mut calls = session.calls();
            let place = match kind {
                crate::event::DELIVERED => &mut calls.callbacks.delivered,
                crate::event::ACKNOWLEDGED => &mut calls.callbacks.acknowledged,
                crate::event::UNREACHABLE => &mut calls.callbacks.unreachable,
                crate::event::TIMER => &mut calls.callbacks.timer,
                _ => {
                    let text = format!("kind: there are no events {kind:?}");
                    return Err(PyValueError::new_err(text));
                }
            };
            std::mem::replace(place, callback)
        };
        // Dropped without the lock: the destructor may call the simulation.
        drop(before);
        Ok(())
    }

    /// Ends the events "acknowledged" from now on.
    fn ignore_acknowledgements(&self) -> PyResult<()> {
        let session = self.session()?;
        session.engine()?.simulation.ignore_acknowledgements();
        session.tags.end_at_delivery();
        Ok(())
    }

    /// Runs all events before `until`, and calls the callbacks.
    #[pyo3(signature = (until=None))]
    fn run_until(
        &self,
        py: Python<'_>,
        until: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<&'static str> {
        let until = time_or_end("until", until)?;
        let session = self.session()?;
        let mut engine = session.runnable()?;
        let is_called = session.calls().callbacks.all().next().is_some();
        if is_called {
            engine.simulation.attach(EventCaller::new(&session));
        } else {
            engine.simulation.detach();
        }
        Self::run_engine(py, &session, &mut engine, until).map(stop_name)
    }

    /// Runs to the next event before `until`, or returns None if there is none.
    #[pyo3(signature = (until=None))]
    fn run_until_next(
        &self,
        py: Python<'_>,
        until: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Option<Event>> {
        let until = time_or_end("until", until)?;
        Ok(self.next_event(py, until)?.ok())
    }

    /// Ends the run after the event of the callback in progress.
    fn stop(&self) -> PyResult<()> {
        match self.session()?.caller()? {
            Caller::Callback(mut calls, _) => {
                calls.requests.push(Request::Stop);
                Ok(())
            }
            Caller::Outside(_) => Err(PyRuntimeError::new_err("no callback is under way")),
        }
    }

    /// Ends the capture and writes its file. Returns the number of frames in the file, or None if
    /// nothing is captured.
    fn finish_capture(&self, py: Python<'_>) -> PyResult<Option<u64>> {
        let session = self.session()?;
        let mut engine = session.engine()?;
        Self::write_capture(py, &session, &mut engine)
    }

    /// Writes the capture, if there is one, and closes the simulation, which frees its memory.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        let taken = {
            let mut place = self.session.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(session) = &*place {
                drop(session.engine()?);
            }
            place.take()
        };
        let written = match &taken {
            Some(session) => session
                .engine()
                .and_then(|mut engine| Self::write_capture(py, session, &mut engine)),
            None => Ok(None),
        };
        py.detach(|| drop(taken));
        written.map(|_| ())
    }

    /// True if the simulation is closed.
    #[getter]
    fn closed(&self) -> bool {
        self.session().is_err()
    }

    fn __enter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(&self, py: Python<'_>, _exception: &Bound<'_, PyAny>) -> PyResult<()> {
        self.close(py)
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        let Ok(session) = self.session.try_lock() else {
            return Ok(());
        };
        let calls = session.as_ref().and_then(|session| session.try_calls());
        for callback in calls.iter().flat_map(|calls| calls.callbacks.all()) {
            visit.call(callback)?;
        }
        (session.as_ref()).map_or(Ok(()), |session| session.tags.traverse(&visit))
    }

    fn __clear__(&self) {
        let session = self.session.try_lock().ok();
        let taken = session.and_then(|mut session| session.take());
        drop(taken);
    }
}
