//! Scenarios and sweeps as the package passes them.

use std::path::PathBuf;
use std::sync::Arc;

use fabricsim::simulation::Interrupt;
use fabricsim::{Error, Scenario};
use fabricsim_scenario::kinds::Registry;
use fabricsim_scenario::text::file_kind::FileKind;
use fabricsim_scenario::text::input_file::read_text;
use fabricsim_scenario::text::overrides;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyType};

use crate::control::{Failure, PythonClass, register, with_classes};
use crate::error::{Source, raise};

/// A scenario or a sweep: its text or its file, and the values that accompany it.
#[pyclass(frozen, module = "fabricsim._native")]
pub(crate) struct Given {
    /// The name of the text in messages, or the path of the file.
    name: String,
    /// `None` if the scenario is a file.
    text: Option<String>,
    /// The folder that relative paths of a text start from; a file uses its own folder.
    folder: PathBuf,
    is_made: bool,
    set: Vec<String>,
    /// Congestion controls in Python, indexed by their handles.
    controls: Vec<(Py<PyType>, Py<PyDict>)>,
}

#[pymethods]
impl Given {
    #[new]
    fn new(
        name: String,
        text: Option<String>,
        folder: PathBuf,
        is_made: bool,
        set: Vec<String>,
        controls: Vec<(Py<PyType>, Py<PyDict>)>,
    ) -> Self {
        Self {
            name,
            text,
            folder,
            is_made,
            set,
            controls,
        }
    }
}

/// The source of a run's traffic. A scenario needs a workload only if its workloads are the source.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Traffic {
    OfWorkloads,
    OfProgram,
}

/// A scenario that has been read.
pub(crate) struct Loaded {
    pub(crate) scenario: Scenario,
    /// The texts that errors may refer to.
    pub(crate) sources: Vec<Source>,
    /// Receives the exception of a congestion control in Python; `None` if the scenario has none.
    pub(crate) failure: Option<Arc<Failure>>,
    /// Notes on the scenario for the user.
    pub(crate) notes: Vec<String>,
    /// Additional notes that apply only if all traffic is the scenario's own.
    pub(crate) notes_on_traffic: Vec<String>,
}

impl Loaded {
    /// Returns the number of threads to run on: `asked`, or `most` by default, and 1 with a
    /// congestion control in Python.
    ///
    /// # Errors
    /// Fails if `asked` is 0, or more than 1 with a congestion control in Python.
    pub(crate) fn threads(&self, asked: Option<usize>, most: usize) -> PyResult<usize> {
        match (asked, &self.failure) {
            (Some(0), _) => Err(PyValueError::new_err("threads: there is 1 at least")),
            (Some(2..), Some(_)) => Err(PyValueError::new_err(
                "threads: congestion controls in Python run on 1 thread, so that results are always \
                 the same",
            )),
            (_, Some(_)) => Ok(1),
            (asked, None) => Ok(asked.unwrap_or(most)),
        }
    }
}

impl Given {
    /// Reads the text.
    ///
    /// # Errors
    /// Fails if its file cannot be read.
    fn read(&self, kind: FileKind) -> Result<(String, PathBuf), Error> {
        match &self.text {
            Some(text) => Ok((text.clone(), self.folder.clone())),
            None => {
                let path = PathBuf::from(&self.name);
                let folder = path.parent().map(ToOwned::to_owned).unwrap_or_default();
                Ok((read_text(kind, &path)?, folder))
            }
        }
    }

    /// Returns the texts that errors may refer to: the original, and the text changed by `set` if
    /// any.
    fn sources(&self, text: String) -> Vec<Source> {
        let changed = match self.set.is_empty() {
            true => None,
            false => overrides::apply(&self.name, &text, &self.set).ok(),
        };
        let changed = changed.map(|text| Source {
            name: format!("{} (with --set)", self.name),
            text,
            is_made: self.is_made,
        });
        let first = Source {
            name: self.name.clone(),
            text,
            is_made: self.is_made,
        };
        changed.into_iter().chain([first]).collect()
    }

    /// Reads the scenario. `stop` ends its runs if a congestion control in Python fails.
    ///
    /// # Errors
    /// Returns all errors in the scenario, as one exception.
    pub(crate) fn load(
        &self,
        py: Python<'_>,
        traffic: Traffic,
        stop: &Interrupt,
    ) -> PyResult<Loaded> {
        let fail = |error| raise(py, error, &[]);
        let (text, folder) = self.read(FileKind::SCENARIO).map_err(fail)?;
        let sources = self.sources(text);
        let text = &sources[sources.len() - 1].text;
        let mut registry = Registry::default();
        register(&mut registry.congestion_controls);
        if traffic == Traffic::OfProgram {
            registry = registry.with_optional_workloads();
        }
        let failure = (!self.controls.is_empty()).then(|| Arc::new(Failure::new(stop)));
        let classes = failure.iter().flat_map(|failure| {
            let one = |(class, settings): &(Py<PyType>, Py<PyDict>)| {
                let (class, settings) = (class.clone_ref(py), settings.clone_ref(py));
                Arc::new(PythonClass::new(class, settings, failure))
            };
            self.controls.iter().map(one)
        });
        let read = || -> Result<Scenario, Error> {
            let name = &self.name;
            let scenario = Scenario::from_text_with(name, text, &folder, &self.set, &registry)?;
            scenario.refuse_unused_nics()?;
            Ok(scenario)
        };
        let scenario = with_classes(classes.collect(), || py.detach(read));
        let scenario = scenario.map_err(|error| raise(py, error, &sources))?;
        let unused = scenario.unused_classes().into_iter().map(|class| {
            format!("class {class} has its own algorithm, but no flow belongs to that class")
        });
        Ok(Loaded {
            notes: scenario.without_effect(),
            notes_on_traffic: match scenario.workloads() {
                [] => Vec::new(),
                _ => unused.collect(),
            },
            scenario,
            sources,
            failure,
        })
    }

    /// Returns the text of a sweep, the folder that its relative paths start from, and the changes
    /// to its base.
    ///
    /// # Errors
    /// Fails if its file cannot be read.
    pub(crate) fn sweep(&self) -> Result<(Source, PathBuf, &[String]), Error> {
        let (text, folder) = self.read(FileKind::SWEEP)?;
        let (name, is_made) = (self.name.clone(), self.is_made);
        let source = Source {
            name,
            text,
            is_made,
        };
        Ok((source, folder, &self.set))
    }
}
