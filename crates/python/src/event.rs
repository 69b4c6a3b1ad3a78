//! Events of a simulation that a program drives.

use fabricsim::driver::{Event as Told, EventKind, Message};
use pyo3::prelude::*;

use crate::tags::Tags;

/// The names of the kinds of events.
pub(crate) const DELIVERED: &str = "delivered";
pub(crate) const ACKNOWLEDGED: &str = "acknowledged";
pub(crate) const UNREACHABLE: &str = "unreachable";
pub(crate) const TIMER: &str = "timer";

/// An event of a message or a timer, at an exact time.
#[pyclass(frozen, get_all, module = "fabricsim")]
pub(crate) struct Event {
    /// "delivered", "acknowledged", "unreachable" or "timer".
    kind: &'static str,
    /// The exact time, in picoseconds.
    time: u64,
    /// The tag of the message or of the timer.
    tag: Option<Py<PyAny>>,
    /// The sending host; None for a timer.
    src: Option<u32>,
    /// The receiving host; None for a timer.
    dst: Option<u32>,
    /// Payload of the message, in bytes; None for a timer.
    size: Option<u64>,
    /// The flow class of the message; None for a timer.
    flow_class: Option<u16>,
    /// The priority of its packets; None for a timer.
    priority: Option<u8>,
    /// Its destination port; None for a timer.
    port: Option<u16>,
}

/// Returns the name of the kind of an event, and its message.
pub(crate) const fn parts(kind: &EventKind) -> (&'static str, Option<&Message>) {
    match kind {
        EventKind::Delivered(message) => (DELIVERED, Some(message)),
        EventKind::Acknowledged(message) => (ACKNOWLEDGED, Some(message)),
        EventKind::Unreachable(message) => (UNREACHABLE, Some(message)),
        EventKind::Timer(_) => (TIMER, None),
    }
}

impl Event {
    /// Converts the event `event`. Its tag is in `tags`.
    pub(crate) fn new(py: Python<'_>, event: &Told, tags: &Tags) -> Self {
        let (kind, message) = parts(&event.kind);
        Self {
            kind,
            time: event.at.as_ps(),
            tag: tags.of(py, &event.kind),
            src: message.map(|message| message.src.0),
            dst: message.map(|message| message.dst.0),
            size: message.map(|message| message.size.get()),
            flow_class: message.map(|message| message.class.0),
            priority: message.map(|message| message.priority.get()),
            port: message.map(|message| message.dst_port),
        }
    }
}

#[pymethods]
impl Event {
    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let Self { kind, time, .. } = self;
        let tag = match &self.tag {
            None => String::new(),
            Some(tag) => format!(", tag {}", tag.bind(py).repr()?),
        };
        Ok(match (self.src, self.dst, self.size) {
            (Some(src), Some(dst), Some(size)) => {
                format!(
                    "<fabricsim.Event: {kind} at {time} ps, {size} bytes from {src} to {dst}{tag}>"
                )
            }
            _ => format!("<fabricsim.Event: {kind} at {time} ps{tag}>"),
        })
    }
}
