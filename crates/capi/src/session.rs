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

/// A simulation, its hosts, and the state of its callback.
pub(crate) struct Session {
    /// The node of each host, in ascending order.
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
    /// If `true`, flows that end from now on are not kept.
    pub(crate) forgets: bool,
}

impl Engine {
    /// Moves the flows that have ended since the last call to `records`, unless `forgets` is set.
    pub(crate) fn keep_completions(&mut self) {
        let ended = self.simulation.take_completions();
        if !self.forgets {
            let simulation = &self.simulation;
            self.records
                .extend(ended.iter().map(|ended| simulation.record(ended)));
        }
    }
}

/// The program's callback, and the requests of the call in progress.
#[derive(Default)]
pub(crate) struct Calls {
    pub(crate) callback: Callback,
    /// The callback in progress.
    pub(crate) current: Option<Current>,
    pub(crate) requests: Vec<Request>,
    /// A callback has panicked, and no function has returned the error yet.
    pub(crate) panicked: bool,
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

/// The function that receives events, and the program's pointer for it.
#[derive(Clone, Copy, Default)]
pub(crate) struct Callback {
    pub(crate) function: FabricsimCallback,
    pub(crate) user: User,
    /// The kinds of events that it receives.
    pub(crate) kinds: u32,
}

/// A pointer of the program, which the library only passes back.
#[derive(Clone, Copy)]
pub(crate) struct User(pub(crate) *mut c_void);

impl Default for User {
    fn default() -> Self {
        Self(std::ptr::null_mut())
    }
}

// SAFETY: the library never dereferences the pointer. It calls callbacks on the thread that runs
// the simulation, and the header says that they use the pointer there.
unsafe impl Send for User {}

/// The context of a call into the library.
pub(crate) enum Caller<'a> {
    /// A callback makes the call, at this time.
    Callback(MutexGuard<'a, Calls>, Time),
    /// The call is not from a callback.
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

    /// Returns the simulation, or an error while it runs.
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

    /// Returns the context of a call from this thread.
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
