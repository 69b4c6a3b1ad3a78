//! Congestion controls that are written in Python.
//!
//! A scenario names one as `kind = "python"` (or `"python-int"`, with telemetry), and `handle` is
//! its index in the list of classes that accompanies the scenario's text. The other keys describe
//! the class, so that the settings of two runs can be compared.

use std::cell::RefCell;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use fabricsim::cc::{
    Ack, Bytes, CcConfig, CcRegistry, ConfigError, Congestion, CongestionControl,
    ControllerFactory, FlowStart, INT, IntView, Key, Keys, MarkingThresholds, Rate, TelemetryId,
    TelemetryView, Time, ValueKind,
};
use fabricsim::simulation::Interrupt;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyType};
use serde::{Deserialize, Serialize};

use crate::ack;

/// The first exception of a congestion control. It ends the run.
pub(crate) struct Failure {
    error: Mutex<Option<PyErr>>,
    stop: Interrupt,
}

impl Failure {
    pub(crate) fn new(stop: &Interrupt) -> Self {
        Self {
            error: Mutex::new(None),
            stop: stop.clone(),
        }
    }

    fn put(&self, error: PyErr) {
        let mut first = self.error.lock().unwrap_or_else(PoisonError::into_inner);
        first.get_or_insert(error);
        self.stop.raise();
    }

    /// Returns the exception if one has ended the run.
    pub(crate) fn take(&self) -> Option<PyErr> {
        let mut error = self.error.lock().unwrap_or_else(PoisonError::into_inner);
        error.take()
    }
}

/// A class of controllers, and the settings that each controller receives.
pub(crate) struct PythonClass {
    class: Py<PyType>,
    settings: Py<PyDict>,
    failure: Arc<Failure>,
}

impl PythonClass {
    pub(crate) fn new(class: Py<PyType>, settings: Py<PyDict>, failure: &Arc<Failure>) -> Self {
        Self {
            class,
            settings,
            failure: Arc::clone(failure),
        }
    }
}

impl fmt::Debug for PythonClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PythonClass").finish_non_exhaustive()
    }
}

thread_local! {
    /// The classes of the scenario that this thread is reading, indexed by their handles.
    static CLASSES: RefCell<Vec<Arc<PythonClass>>> = const { RefCell::new(Vec::new()) };
}

/// Calls `read`, which reads a scenario, with these classes as its congestion controls.
pub(crate) fn with_classes<R>(classes: Vec<Arc<PythonClass>>, read: impl FnOnce() -> R) -> R {
    let before = CLASSES.replace(classes);
    let result = read();
    CLASSES.set(before);
    result
}

/// Registers the kinds of congestion controls that scenarios can write in Python.
pub(crate) fn register(registry: &mut CcRegistry) {
    let about = "an algorithm written in Python";
    registry.register::<PythonConfig<false>>("python", about);
    registry.register::<PythonConfig<true>>("python-int", about);
}

/// The `[cc]` table; `HOPS` is `true` if acknowledgements carry telemetry.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(from = "Written")]
struct PythonConfig<const HOPS: bool> {
    class: String,
    source: String,
    settings: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    marking: Option<(u64, u64, f64)>,
    #[serde(skip)]
    own: Option<Arc<PythonClass>>,
}

/// The table as the scenario's text contains it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    #[serde(default)]
    class: String,
    #[serde(default)]
    source: String,
    #[serde(default)]
    settings: String,
    handle: Option<usize>,
    marking: Option<(u64, u64, f64)>,
}

impl<const HOPS: bool> From<Written> for PythonConfig<HOPS> {
    fn from(written: Written) -> Self {
        let own = CLASSES.with_borrow(|classes| classes.get(written.handle?).cloned());
        Self {
            class: written.class,
            source: written.source,
            settings: written.settings,
            marking: written.marking,
            own,
        }
    }
}

impl<const HOPS: bool> CcConfig for PythonConfig<HOPS> {
    const KEYS: Keys = &[
        Key::new("class", "name of the class", ValueKind::Text),
        Key::new("source", "checksum of its source text", ValueKind::Text),
        Key::new(
            "settings",
            "what its controllers are made with",
            ValueKind::Text,
        ),
        Key::new(
            "handle",
            "place among the classes of the program",
            ValueKind::Integer,
        ),
        Key::new(
            "marking",
            "kmin and kmax in bytes, and pmax",
            ValueKind::List(&ValueKind::Number),
        ),
    ];

    const TELEMETRY: Option<TelemetryId> = match HOPS {
        true => Some(INT),
        false => None,
    };

    fn validate(&self) -> Result<(), ConfigError> {
        if self.own.is_none() {
            let help = "hand the class over in a dict: {\"cc\": {\"kind\": MyAlgorithm}}";
            let message = "an algorithm in Python is a class, which a text cannot name";
            return Err(ConfigError::new("class", message, help));
        }
        match self.marking {
            Some((kmin, kmax, pmax)) if kmin > kmax || !(0.0..=1.0).contains(&pmax) => {
                let message = format!("({kmin}, {kmax}, {pmax}) are no thresholds of marks");
                let help = "give kmin and kmax in bytes, kmin first, and pmax from 0 to 1";
                Err(ConfigError::new("marking", message, help))
            }
            _ => Ok(()),
        }
    }

    fn marking(&self, _rate: Rate) -> Option<MarkingThresholds> {
        self.marking.map(|(kmin, kmax, pmax)| MarkingThresholds {
            kmin: Bytes::new(kmin),
            kmax: Bytes::new(kmax),
            pmax,
        })
    }
}

impl<const HOPS: bool> ControllerFactory<TelemetryView> for PythonConfig<HOPS> {
    type Controller = PythonController;

    fn build(&self, start: &FlowStart<'_>) -> PythonController {
        let class = self.own.clone();
        let class = class.expect("a configuration without a class was refused");
        let mut controller = PythonController {
            object: None,
            class,
            window: Some(start.bdp),
            rate: Some(start.line_rate),
            deadline: Time::MAX,
            before: IntView::default(),
        };
        controller.call(start.now, |py, controller| {
            let class = controller.class.class.bind(py);
            let settings = controller.class.settings.bind(py);
            let object = class.call((ack::FlowStart::new(start),), Some(settings))?;
            controller.object = Some(object.unbind());
            Ok(())
        });
        controller
    }
}

/// The controller of one flow: an object of Python, and its latest decisions. Reading them from the
/// object for every packet would be too slow.
struct PythonController {
    object: Option<Py<PyAny>>,
    class: Arc<PythonClass>,
    window: Option<Bytes>,
    rate: Option<Rate>,
    deadline: Time,
    /// The telemetry of the last acknowledgement.
    before: IntView,
}

impl fmt::Debug for PythonController {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PythonController")
            .field("window", &self.window)
            .field("rate", &self.rate)
            .finish_non_exhaustive()
    }
}

impl PythonController {
    /// Calls `act` and then reads the object's decisions. An exception ends the run.
    fn call(&mut self, now: Time, act: impl FnOnce(Python<'_>, &mut Self) -> PyResult<()>) {
        Python::attach(|py| {
            let called = act(py, self).and_then(|()| self.decide(py, now));
            if let Err(error) = called {
                self.class.failure.put(error);
                // A failed object is not called again.
                self.object = None;
            }
        });
    }

    /// Passes `event`, which happens at `now`, to a method of the object.
    fn tell(&mut self, now: Time, method: &str, event: impl for<'py> IntoPyObject<'py>) {
        if self.object.is_none() {
            return;
        }
        self.call(now, |py, controller| {
            let Some(object) = &controller.object else {
                return Ok(());
            };
            object.bind(py).call_method1(method, (event,)).map(drop)
        });
    }

    /// Reads `window`, `rate` and `timer` of the object.
    fn decide(&mut self, py: Python<'_>, now: Time) -> PyResult<()> {
        let Some(object) = &self.object else {
            return Ok(());
        };
        let object = object.bind(py);
        let window: Option<f64> = number(object, "window")?;
        self.window = match window {
            None => None,
            Some(bytes) if bytes >= 1.0 => Some(Bytes::new(whole(bytes))),
            Some(bytes) => return Err(refuse("window", bytes, "1 byte or more")),
        };
        let rate: Option<f64> = number(object, "rate")?;
        self.rate = match rate {
            None => None,
            Some(bps) if bps >= 1.0 => Some(Rate::from_bps_f64(bps)),
            Some(bps) => return Err(refuse("rate", bps, "1 bit per second or more")),
        };
        let timer: Option<f64> = number(object, "timer")?;
        self.deadline = match timer {
            None => Time::MAX,
            // A timer that is due now stays set: it fires after the other events of this instant.
            Some(ps) if ps >= 0.0 && Time::from_ps(whole(ps)) == self.deadline => self.deadline,
            Some(ps) if ps > now.as_ps() as f64 => Time::from_ps(whole(ps)),
            Some(ps) => {
                let wanted = format!("a time in picoseconds that is later than now, {now}");
                return Err(refuse("timer", ps, &wanted));
            }
        };
        Ok(())
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "`as` saturates, and what is negative has been refused"
)]
fn whole(value: f64) -> u64 {
    value as u64
}

fn number(object: &Bound<'_, PyAny>, name: &str) -> PyResult<Option<f64>> {
    let value = object.getattr(name)?;
    if value.is_none() {
        return Ok(None);
    }
    let number: f64 = value.extract().map_err(|_| {
        let class = object.get_type().to_string();
        PyTypeError::new_err(format!(
            "{class}: `{name}` is {value}, and a number or None"
        ))
    })?;
    match number.is_finite() {
        true => Ok(Some(number)),
        false => Err(refuse(name, number, "a finite number")),
    }
}

fn refuse(name: &str, value: f64, wanted: &str) -> PyErr {
    PyValueError::new_err(format!("`{name}` is {value}, and has to be {wanted}"))
}

impl CongestionControl<TelemetryView> for PythonController {
    fn on_ack(&mut self, ack: &Ack<'_, TelemetryView>) {
        self.tell(ack.now, "on_ack", ack::Ack::new(ack, &self.before));
        if let Some(seen) = ack.telemetry.of::<IntView>()
            && !seen.hops.is_empty()
        {
            self.before.clone_from(seen);
        }
    }

    fn on_congestion(&mut self, congestion: &Congestion) {
        let told = ack::Congestion::new(congestion);
        self.tell(congestion.now, "on_congestion", told);
    }

    fn window(&self) -> Option<Bytes> {
        self.window
    }

    fn pacing_rate(&self) -> Option<Rate> {
        self.rate
    }

    fn deadline(&self) -> Time {
        self.deadline
    }

    fn on_timer(&mut self, now: Time) {
        self.deadline = Time::MAX;
        self.call(now, |py, controller| {
            let Some(object) = &controller.object else {
                return Ok(());
            };
            let object = object.bind(py);
            object.setattr("timer", py.None())?;
            object.call_method1("on_timer", (now.as_ps(),)).map(drop)
        });
    }
}
