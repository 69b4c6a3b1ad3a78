//! One open simulation.

use std::ffi::c_void;
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread::{self, ThreadId};

use facade::Simulation;
use facade::driver::{Message, MessageRules};
use facade::id::NodeId;
use facade::prelude::{FctRecord, Time};

use crate::error::Failure;
use crate::types::FabricsimCallback;

/// A simulation and what belongs to it.
pub(crate) struct Session {
    /// The nodes of the hosts, in order.
    pub(crate) hosts: Vec<NodeId>,
    pub(crate) names: Vec<String>,
    pub(crate) rules: MessageRules,
    simulation: Mutex<Engine>,
    pub(crate) calls: Mutex<Calls>,
}

/// The simulation, and the flows that have ended.
pub(crate) struct Engine {
    pub(crate) simulation: Simulation,
    pub(crate) records: Vec<FctRecord>,
    /// Whether flows that end from now on are forgotten.
    pub(crate) forgets: bool,
}

impl Engine {
    /// Keeps the results of the flows that have ended, unless they are to be forgotten.
    pub(crate) fn keep_completions(&mut self) {
        let ended = self.simulation.take_completions();
        if !self.forgets {
            let simulation = &self.simulation;
            self.records
                .extend(ended.iter().map(|ended| simulation.record(ended)));
        }
    }
}

/// What the program is called with, and what it asks for meanwhile.
#[derive(Default)]
pub(crate) struct Calls {
    pub(crate) callback: Callback,
    /// The callback that is under way.
    pub(crate) current: Option<Current>,
    pub(crate) requests: Vec<Request>,
    /// A callback has panicked, and the program has not been told.
    pub(crate) panicked: bool,
}

/// A callback that is under way.
pub(crate) struct Current {
    pub(crate) thread: ThreadId,
    pub(crate) now: Time,
}

/// What a callback asks for.
pub(crate) enum Request {
    Send(Time, Message),
    SetTimer(Time, u64),
    CancelTimer(u64),
    Stop,
}

/// The function that is called with events, and its pointer.
#[derive(Clone, Copy, Default)]
pub(crate) struct Callback {
    pub(crate) function: FabricsimCallback,
    pub(crate) user: User,
    /// The kinds of events that it is called with.
    pub(crate) kinds: u32,
}

/// A pointer of the program's own, which the library only hands back.
#[derive(Clone, Copy)]
pub(crate) struct User(pub(crate) *mut c_void);

impl Default for User {
    fn default() -> Self {
        Self(std::ptr::null_mut())
    }
}

// SAFETY: the library never looks behind the pointer. Callbacks are called on the thread that runs
// the simulation, and the header says that the pointer is used there.
unsafe impl Send for User {}

/// Where a function has been called from.
pub(crate) enum Caller<'a> {
    /// From a callback, at this time.
    Callback(MutexGuard<'a, Calls>, Time),
    /// From elsewhere.
    Outside(MutexGuard<'a, Engine>),
}

impl Session {
    pub(crate) fn new(simulation: Simulation) -> Self {
        let topology = simulation.routes().topology();
        let hosts = topology.hosts().to_vec();
        let names = hosts.iter().map(|&host| topology.name(host).to_owned());
        let names = names.collect();
        Self {
            hosts,
            names,
            rules: simulation.message_rules(),
            simulation: Mutex::new(Engine {
                simulation,
                records: Vec::new(),
                forgets: false,
            }),
            calls: Mutex::default(),
        }
    }

    /// Returns the simulation, unless it is at work.
    pub(crate) fn engine(&self) -> Result<MutexGuard<'_, Engine>, Failure> {
        match self.simulation.try_lock() {
            Ok(engine) => Ok(engine),
            Err(TryLockError::WouldBlock) => Err(Failure::busy()),
            Err(TryLockError::Poisoned(_)) => Err(Failure::internal()),
        }
    }

    pub(crate) fn calls(&self) -> MutexGuard<'_, Calls> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns where this thread calls from.
    pub(crate) fn caller(&self) -> Result<Caller<'_>, Failure> {
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
}
