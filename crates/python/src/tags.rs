//! The tags of messages and timers, which are objects of the program.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use fabricsim::driver::EventKind;
use pyo3::PyTraverseError;
use pyo3::gc::PyVisit;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The tags of messages that are under way and of timers that are set. The simulation knows them by
/// numbers; 0 is a message without a tag.
///
/// Nothing of Python is called while the lock is held: whoever has the interpreter may wait for it.
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
    /// Whether nothing is heard of acknowledgements, so that a message is over when it is delivered.
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

    /// A message is over when it is delivered, from now on.
    pub(crate) fn end_at_delivery(&self) {
        self.known().ends_at_delivery = true;
    }

    /// The number of a message with this tag.
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

    /// Forgets a message. Returns its tag.
    pub(crate) fn remove(&self, number: u64) -> Option<Py<PyAny>> {
        self.known().messages.remove(&number)
    }

    /// The number of the timer with this tag, which may be set already.
    ///
    /// # Errors
    /// When the tag is not hashable.
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

    /// The number of the timer with this tag, if it is set.
    ///
    /// # Errors
    /// When the tag is not hashable.
    pub(crate) fn number(&self, tag: &Bound<'_, PyAny>) -> PyResult<Option<u64>> {
        let number = self.numbers.bind(tag.py()).get_item(tag)?;
        number.map(|number| number.extract()).transpose()
    }

    /// Forgets a timer, which has gone off or is canceled. Returns its tag.
    pub(crate) fn take_timer(&self, py: Python<'_>, number: u64) -> Option<Py<PyAny>> {
        let tag = self.known().timers.remove(&number)?;
        // Its hash may have changed since; then the entry stays and does no harm.
        let _ = self.numbers.bind(py).del_item(&tag);
        Some(tag)
    }

    /// The tag of what an event is about, which is forgotten with the last event of it.
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

    /// Notes an event that nobody hears of.
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
