//! One open simulation.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread::{self, ThreadId};

use fabricsim::Simulation;
use fabricsim::driver::{EventKind, Message, MessageRules};
use fabricsim::id::NodeId;
use fabricsim::prelude::{FctRecord, Time};
use fabricsim::simulation::Interrupt;
use pyo3::exceptions::{PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyString};

use crate::control::Failure;
use crate::tags::Tags;

/// A simulation, its hosts and tags, and the state of its callbacks.
pub(crate) struct Session {
    /// The node of each host, in ascending order.
    pub(crate) hosts: Vec<NodeId>,
    /// The names of the hosts, in the same order.
    pub(crate) names: Vec<String>,
    by_name: HashMap<String, NodeId>,
    pub(crate) rules: MessageRules,
    /// Ends a run immediately; raised if a congestion control fails.
    pub(crate) stop: Interrupt,
    pub(crate) failure: Option<Arc<Failure>>,
    engine: Mutex<Engine>,
    calls: Mutex<Calls>,
    pub(crate) tags: Tags,
}

/// The simulation, and the flows that have ended.
pub(crate) struct Engine {
    pub(crate) simulation: Simulation,
    pub(crate) records: Vec<FctRecord>,
    /// The number of `records` that `take_flows` has returned.
    pub(crate) taken: usize,
}

impl Engine {
    /// Moves the flows that have ended since the last call to `records`.
    pub(crate) fn keep_completions(&mut self) {
        for completion in self.simulation.take_completions() {
            self.records.push(self.simulation.record(&completion));
        }
    }
}

/// The program's callbacks, and the requests of the call in progress.
#[derive(Default)]
pub(crate) struct Calls {
    pub(crate) callbacks: Callbacks,
    /// The callback in progress.
    pub(crate) current: Option<Current>,
    pub(crate) requests: Vec<Request>,
    /// The exception of a callback, which has ended the run.
    pub(crate) error: Option<PyErr>,
}

/// The functions that receive events, one for each kind.
#[derive(Default)]
pub(crate) struct Callbacks {
    pub(crate) delivered: Option<Py<PyAny>>,
    pub(crate) acknowledged: Option<Py<PyAny>>,
    pub(crate) unreachable: Option<Py<PyAny>>,
    pub(crate) timer: Option<Py<PyAny>>,
}

impl Callbacks {
    pub(crate) fn all(&self) -> impl Iterator<Item = &Py<PyAny>> {
        [
            &self.delivered,
            &self.acknowledged,
            &self.unreachable,
            &self.timer,
        ]
        .into_iter()
        .flatten()
    }

    /// Returns the function that receives events like `kind`.
    pub(crate) fn of(&self, kind: &EventKind) -> Option<&Py<PyAny>> {
        match kind {
            EventKind::Delivered(_) => self.delivered.as_ref(),
            EventKind::Acknowledged(_) => self.acknowledged.as_ref(),
            EventKind::Unreachable(_) => self.unreachable.as_ref(),
            EventKind::Timer(_) => self.timer.as_ref(),
        }
    }
}

/// A callback in progress.
pub(crate) struct Current {
    pub(crate) thread: ThreadId,
    pub(crate) now: Time,
}

/// A request of a callback, carried out after it has returned.
pub(crate) enum Request {
    Send(Time, Message),
    SetTimer(Time, u64),
    CancelTimer(u64),
    Stop,
}

/// The context of a call of a method.
pub(crate) enum Caller<'a> {
    /// A callback makes the call, at this time.
    Callback(MutexGuard<'a, Calls>, Time),
    /// The call is not from a callback.
    Outside(MutexGuard<'a, Engine>),
}

/// Returns the exception of a method that cannot be called during a run.
fn busy() -> PyErr {
    PyRuntimeError::new_err(
        "the simulation is running: a callback can send, set timers, ask for the time and stop the \
         run; all else waits until the run has come back",
    )
}

impl Session {
    pub(crate) fn new(
        py: Python<'_>,
        simulation: Simulation,
        stop: Interrupt,
        failure: Option<Arc<Failure>>,
    ) -> Self {
        let topology = simulation.routes().topology();
        let hosts = topology.hosts().to_vec();
        let names = hosts.iter().map(|&host| topology.name(host).to_owned());
        let names: Vec<String> = names.collect();
        let by_name = names.iter().cloned().zip(hosts.iter().copied());
        Self {
            by_name: by_name.collect(),
            hosts,
            names,
            rules: simulation.message_rules(),
            stop,
            failure,
            engine: Mutex::new(Engine {
                simulation,
                records: Vec::new(),
                taken: 0,
            }),
            calls: Mutex::default(),
            tags: Tags::new(py),
        }
    }

    /// Returns the simulation, or an exception while it runs.
    pub(crate) fn engine(&self) -> PyResult<MutexGuard<'_, Engine>> {
        match self.engine.try_lock() {
            Ok(engine) => Ok(engine),
            Err(TryLockError::WouldBlock) => Err(busy()),
            Err(TryLockError::Poisoned(_)) => Err(PyRuntimeError::new_err(
                "fabricsim has failed inside; close the simulation and report the message",
            )),
        }
    }

    /// Returns the simulation, or an exception while it runs or if a congestion control has ended
    /// the run.
    pub(crate) fn runnable(&self) -> PyResult<MutexGuard<'_, Engine>> {
        let engine = self.engine()?;
        match self.stop.is_raised() {
            false => Ok(engine),
            true => Err(PyRuntimeError::new_err(
                "a congestion control has ended the run by an exception, and it cannot go on",
            )),
        }
    }

    pub(crate) fn calls(&self) -> MutexGuard<'_, Calls> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the callbacks, unless another thread is using them.
    pub(crate) fn try_calls(&self) -> Option<MutexGuard<'_, Calls>> {
        self.calls.try_lock().ok()
    }

    /// Returns the context of a call from this thread.
    pub(crate) fn caller(&self) -> PyResult<Caller<'_>> {
        let calls = self.calls();
        if let Some(current) = &calls.current
            && current.thread == thread::current().id()
        {
            let now = current.now;
            return Ok(Caller::Callback(calls, now));
        }
        drop(calls);
        Ok(Caller::Outside(self.engine()?))
    }

    /// Returns the host with the name or the number `given`.
    pub(crate) fn host(&self, name: &str, given: &Bound<'_, PyAny>) -> PyResult<NodeId> {
        if let Ok(text) = given.cast::<PyString>() {
            let text = text.to_cow()?;
            let found = self.by_name.get(&*text).copied();
            return found.ok_or_else(|| {
                let text = format!("{name}: no host is called {text:?}; {}", self.known());
                PyValueError::new_err(text)
            });
        }
        let number = match given.is_instance_of::<PyBool>() {
            true => None,
            false => given.call_method0("__index__").ok(),
        };
        let Some(number) = number else {
            let kind = given.get_type().name()?;
            let text = format!("{name}: the number or the name of a host is wanted, not {kind}");
            return Err(PyTypeError::new_err(text));
        };
        let node = number.extract::<u32>().ok().map(NodeId);
        let found = node.filter(|node| self.hosts.binary_search(node).is_ok());
        found.ok_or_else(|| {
            let text = format!("{name}: no host has this number; {}", self.known());
            PyValueError::new_err(text)
        })
    }

    /// Describes the hosts of the network, for messages.
    fn known(&self) -> String {
        match (self.names.first(), self.names.last()) {
            (Some(first), Some(last)) => {
                format!("there are {} hosts, {first} to {last}", self.hosts.len())
            }
            _ => "there are no hosts".to_owned(),
        }
    }
}
