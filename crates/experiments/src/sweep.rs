//! Sweeps: one scenario with many settings, run in parallel, resumable, and divided among machines.
//!
//! A sweep is a TOML text with a base scenario and axes. Each axis sets a key of the scenario, or
//! several keys together, to one value after another. Every combination is a [`Point`] with its own
//! scenario. [`run`] runs the points that have no results yet, each into its own folder, and writes
//! the tables `points.csv` and `points_cost.csv`.
//!
//! ```
//! use fabricsim_experiments::sweep::{self, Sweep, SweepOptions};
//!
//! let text = r#"
//! [scenario.topology]
//! kind = "star"
//! hosts = 5
//! [[scenario.workload]]
//! kind = "incast"
//! fan_in = 4
//! size = "10KB"
//! at = "0s"
//! [[axis]]
//! key = "workload.0.fan_in"
//! values = [2, 4]
//! [[axis]]
//! name = "scheme"
//! [[axis.variant]]
//! name = "HPCC"
//! set = { cc = { kind = "hpcc" } }
//! [[axis.variant]]
//! name = "DCTCP"
//! set = { cc = { kind = "dctcp" } }
//! "#;
//! let sweep = Sweep::from_text("incasts.toml", text, ".".as_ref(), &[])?;
//! let names: Vec<&str> = sweep.points().iter().map(|point| point.name()).collect();
//! assert_eq!(
//!     names,
//!     [
//!         "fan_in=2,scheme=HPCC",
//!         "fan_in=2,scheme=DCTCP",
//!         "fan_in=4,scheme=HPCC",
//!         "fan_in=4,scheme=DCTCP"
//!     ]
//! );
//!
//! # let folder = tempfile::tempdir().unwrap();
//! # let folder = folder.path();
//! let outcome = sweep::run(&sweep, folder, &SweepOptions::default(), &mut ())?;
//! assert!(outcome.is_complete());
//! let table = std::fs::read_to_string(folder.join("points.csv")).unwrap();
//! assert_eq!(table.lines().count(), 1 + 4);
//!
//! // What is done is not run again.
//! let again = sweep::run(&sweep, folder, &SweepOptions::default(), &mut ())?;
//! assert!(again.points.iter().all(|point| point.results().is_some()));
//! assert_eq!(again.count_run(), 0);
//! # Ok::<(), fabricsim::Error>(())
//! ```
//!
//! The file is described in `docs/sweeps.md`, with the columns of the tables.

mod axis;
mod base;
mod condition;
mod definition;
mod flow_columns;
mod job_columns;
mod keys;
mod monitor;
mod only;
mod point;
mod query_columns;
mod record;
mod rpc_columns;
mod run;
mod serving_columns;
mod setting;
mod shard;
mod table;
mod warm;
mod workers;

use std::path::Path;
use std::sync::Arc;

use fabricsim_base::input::InputError;
use toml::de::DeValue;

use base::{Base, FoundBase, find_base};
use definition::{Definition, Surroundings};
use fabricsim_scenario::kinds::Registry;
use fabricsim_scenario::schema::name::is_plain;
use fabricsim_scenario::text::document::Document;
use fabricsim_scenario::text::error::Error;
use fabricsim_scenario::text::file_kind::FileKind;
use fabricsim_scenario::text::input_file::read_text;
use keys::FROM;

pub use axis::{AXIS_KEYS, NumberSteps, VARIANT_KEYS};
pub use keys::{OVERRIDE_KEYS, SWEEP_KEYS, sweep_schema};
pub use monitor::{Ended, PointOutcome, SweepMonitor, SweepOptions, SweepProgress};
pub use point::Point;
pub use record::{PointResults, PointState};
pub use run::{SweepOutcome, run};
pub use shard::Shard;
pub use table::{COST_COLUMNS, POINT_COLUMNS, POINTS_COST_CSV, POINTS_CSV, write_tables};
pub use warm::WarmStart;

/// A sweep with valid scenarios at all its points.
#[derive(Clone, Debug)]
pub struct Sweep {
    name: String,
    axes: Vec<String>,
    points: Vec<Point>,
    warm_start: Option<Arc<WarmStart>>,
}

/// Input of a sweep other than its text.
#[derive(Clone, Debug, Default)]
pub struct SweepInput {
    /// Changes to the base scenario, `key=value` with dotted keys, made before any axis.
    pub overrides: Vec<String>,
    /// A base scenario that replaces the one in the text. Its paths are relative to the sweep's
    /// folder.
    pub base: Option<BaseScenario>,
    /// Algorithms in addition to the built-in ones.
    pub custom: Registry,
}

/// The text of a base scenario.
#[derive(Clone, Debug)]
pub struct BaseScenario {
    /// Name of the scenario in messages.
    pub source: String,
    /// TOML.
    pub text: String,
}

impl Sweep {
    /// Reads the sweep file at `path`; `overrides` change its base scenario before any axis.
    ///
    /// # Errors
    /// If a file cannot be read, or at the first error in the sweep or in the scenario of a point.
    pub fn from_file(path: &Path, overrides: &[String]) -> Result<Self, Error> {
        let input = SweepInput {
            overrides: overrides.to_vec(),
            ..SweepInput::default()
        };
        Self::from_file_with(path, &input)
    }

    /// Like [`from_file`](Self::from_file), with all other inputs.
    ///
    /// # Errors
    /// If a file cannot be read, or at the first error in one of them.
    pub fn from_file_with(path: &Path, input: &SweepInput) -> Result<Self, Error> {
        let text = read_text(FileKind::SWEEP, path)?;
        let folder = path.parent().unwrap_or_else(|| Path::new("."));
        Self::from_text_with(&path.display().to_string(), &text, folder, input)
    }

    /// Reads a sweep from `text`, called `source` in messages. The path of its base scenario is
    /// relative to `folder`; `overrides` change the base scenario before any axis.
    ///
    /// # Errors
    /// The first diagnostic, with its place and a suggested fix.
    pub fn from_text(
        source: &str,
        text: &str,
        folder: &Path,
        overrides: &[String],
    ) -> Result<Self, Error> {
        let input = SweepInput {
            overrides: overrides.to_vec(),
            ..SweepInput::default()
        };
        Self::from_text_with(source, text, folder, &input)
    }

    /// Like [`from_text`](Self::from_text), with all other inputs.
    ///
    /// # Errors
    /// The first diagnostic, with its place and a suggested fix.
    pub fn from_text_with(
        source: &str,
        text: &str,
        folder: &Path,
        input: &SweepInput,
    ) -> Result<Self, Error> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let FoundBase { base, warm_start } = find_base(source, text, folder, input)?;
        let surroundings = |folder| Surroundings {
            folder,
            registry: &input.custom,
            warm_start: warm_start.map(Arc::new),
        };
        match base {
            Base::Apart {
                source: base,
                text: base_text,
                folder,
            } => {
                // Places in the sweep follow the places in the base scenario.
                let both = [base_text.as_str(), text].concat();
                let start = base_text.len();
                let document = Document::of_two(&base, &both, start, source);
                let scenario = Document::new(&base, &both[..start]).parse()?;
                let moved = [" ".repeat(start).as_str(), text].concat();
                let mut root = Document::new(source, &moved).parse()?;
                root.remove("scenario");
                root.remove(FROM);
                let definition = Definition::read(&document, root)?;
                definition.sweep(&document, source, scenario, surroundings(&folder))
            }
            Base::Within { source, text } => {
                let document = Document::new(&source, &text);
                let mut root = document.parse()?;
                let Some(DeValue::Table(scenario)) =
                    root.remove("scenario").map(toml::Spanned::into_inner)
                else {
                    unreachable!("the base is within the sweep when it is a table");
                };
                let definition = Definition::read(&document, root)?;
                definition.sweep(&document, &source, scenario, surroundings(folder))
            }
        }
    }

    /// Returns the name of the sweep, which is also the name of its results.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the names of the axes, in the order of the text.
    #[must_use]
    pub fn axes(&self) -> &[String] {
        &self.axes
    }

    /// Returns the checkpoint from which all points continue, if there is one.
    #[must_use]
    pub fn warm_start(&self) -> Option<&WarmStart> {
        self.warm_start.as_deref()
    }

    /// Returns the points; the last axis changes fastest.
    #[must_use]
    pub fn points(&self) -> &[Point] {
        &self.points
    }
}

/// Returns the name of the sweep: the written one, or the name of its file.
fn name_of(written: Option<&str>, source: &str) -> Result<String, InputError> {
    match written {
        Some(name) if is_plain(name) => Ok(name.to_owned()),
        Some(_) => Err(InputError::new(
            0..0,
            "a name is up to 200 letters, digits, dots, dashes and underscores in quotes, and begins \
             with none of `.` and `-`",
            "write it like \"loads\"",
        )),
        None => Ok(Path::new(source)
            .file_stem()
            .map_or_else(|| "sweep".into(), |stem| stem.to_string_lossy())
            .into_owned()),
    }
}
