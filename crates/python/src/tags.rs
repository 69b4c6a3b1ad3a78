//! The tags of messages and timers, which are objects of the program.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use fabricsim::driver::EventKind;
use pyo3::PyTraverseError;
use pyo3::gc::PyVisit;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The tags of messages in progress and of timers that are set. The simulation refers to tags by
/// numbers; 0 is a message without a tag.
///
/// No code of Python runs while the lock is held: the thread that holds the interpreter may be
/// waiting for the lock.
pub(crate) struct Tags {
    known: Mutex<Known>,
    /// The numbers of timers, by their tags.
    numbers: Py<PyDict>,
}

#[derive(Default)]
struct Known {
    last: u64,
    messages: HashMap<u64, Py<PyAny>>,
    timers: HashMap<u64, Py<PyAny>>,
    /// If `true`, acknowledgements are not events, so a message is over when it is delivered.
    ends_at_delivery: bool,
}

impl Tags {
    pub(crate) fn new(py: Python<'_>) -> Self {
        Self {
            known: Mutex::default(),
            numbers: PyDict::new(py).unbind(),
        }
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// From now on, a message is over when it is delivered.
    pub(crate) fn end_at_delivery(&self) {
        self.known().ends_at_delivery = true;
    }

    /// Stores the tag of a message. Returns the number of the message.
    pub(crate) fn add(&self, tag: Option<Py<PyAny>>) -> u64 {
        let Some(tag) = tag else {
            return 0;
        };
        let mut known = self.known();
        known.last += 1;
        let number = known.last;
        known.messages.insert(number, tag);
        number
    }

    /// Removes a message. Returns its tag.
    pub(crate) fn remove(&self, number: u64) -> Option<Py<PyAny>> {
        self.known().messages.remove(&number)
    }

    /// Returns the number of the timer with this tag, which may be set already.
    ///
    /// # Errors
    /// Fails if the tag is not hashable.
    pub(crate) fn timer(&self, tag: &Bound<'_, PyAny>) -> PyResult<u64> {
        if let Some(number) = self.number(tag)? {
            return Ok(number);
        }
        let number = {
            let mut known = self.known();
            known.last += 1;
            known.last
        };
        self.numbers.bind(tag.py()).set_item(tag, number)?;
        self.known().timers.insert(number, tag.clone().unbind());
        Ok(number)
    }

    /// Returns the number of the timer with this tag if it is set.
    ///
    /// # Errors
    /// Fails if the tag is not hashable.
    pub(crate) fn number(&self, tag: &Bound<'_, PyAny>) -> PyResult<Option<u64>> {
        let number = self.numbers.bind(tag.py()).get_item(tag)?;
        number.map(|number| number.extract()).transpose()
    }

    /// Removes a timer that has fired or is canceled. Returns its tag.
    pub(crate) fn take_timer(&self, py: Python<'_>, number: u64) -> Option<Py<PyAny>> {
        let tag = self.known().timers.remove(&number)?;
        // If the hash of the tag has changed since, the entry remains, which does no harm.
        let _ = self.numbers.bind(py).del_item(&tag);
        Some(tag)
    }

    /// Returns the tag of the message or timer of an event. Removes the tag with the last event of
    /// its message or timer.
    pub(crate) fn of(&self, py: Python<'_>, kind: &EventKind) -> Option<Py<PyAny>> {
        match kind {
            EventKind::Delivered(message) => {
                let mut known = self.known();
                if known.ends_at_delivery {
                    return known.messages.remove(&message.token);
                }
                let tag = known.messages.get(&message.token);
                tag.map(|tag| tag.clone_ref(py))
            }
            EventKind::Acknowledged(message) | EventKind::Unreachable(message) => {
                self.remove(message.token)
            }
            EventKind::Timer(number) => self.take_timer(py, *number),
        }
    }

    /// Handles an event that no callback receives: removes its tag if it is the last one.
    pub(crate) fn pass(&self, kind: &EventKind) {
        let is_over = !matches!(kind, EventKind::Delivered(_)) || self.known().ends_at_delivery;
        if is_over {
            Python::attach(|py| drop(self.of(py, kind)));
        }
    }

    /// Shows all tags to the garbage collector.
    pub(crate) fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.numbers)?;
        let Ok(known) = self.known.try_lock() else {
            return Ok(());
        };
        let mut tags = known.messages.values().chain(known.timers.values());
        tags.try_for_each(|tag| visit.call(tag))
    }
}
