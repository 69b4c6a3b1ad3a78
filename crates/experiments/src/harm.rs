//! Harm to flow completion times: the extra time that the flows of a workload need if another
//! congestion-control algorithm shares their bottleneck.
//!
//! The module simulates the procedure of the tool ccafct (heistp/ccafct). For each round-trip time
//! the workload runs alone, then against each competitor: a long download that starts
//! `slow_start_delay` earlier. Every run has the same requests, so that their sizes do not blur the
//! harm.
//!
//! ```
//! use std::path::Path;
//!
//! use fabricsim_base::units::Duration;
//! use fabricsim_experiments::harm::{HarmSettings, HarmTest};
//!
//! let mut settings = HarmSettings::default();
//! settings.make_quick();
//! settings.cca = vec!["prague".to_owned()];
//! settings.rtt = vec![Duration::from_ms(10)];
//! let report = HarmTest::new(settings, Path::new("."))?.run(1, &|_| {})?;
//! let [solo, prague] = &report.rows[..] else { unreachable!("two cells") };
//! // The geometric means of 25 completion times in milliseconds.
//! assert!(prague.statistics[0].mean > solo.statistics[0].mean);
//! assert!((0.0..1.0).contains(&prague.harm[0].mean));
//! # Ok::<(), fabricsim::Error>(())
//! ```
//!
//! Each run is a [scenario](fabricsim_scenario::Scenario): a client and a server with a switch
//! between them (`star`), requests (`fetch`) and long downloads (`download`). Both of the switch's
//! ports are bottlenecks of the same rate, each with a discipline of its own.

mod algorithms;
mod cell;
mod figure;
mod files;
mod log;
mod metrics;
mod qdisc_setting;
mod report;
mod sample;
mod settings;
mod text;
mod units;

use std::path::Path;
use std::sync::Arc;

use fabricsim_base::units::Duration;
use fabricsim_engine::{Crew, Threads};
use rayon::prelude::*;

pub use algorithms::TcpAlgorithms;
pub use cell::{CellResult, ConnectionUse, FlowResult};
pub use fabricsim_transport::tcp::{Feedback, Reuse};
pub use fabricsim_workload::{FlowDistribution, WorkloadFlow, ccafct_flows, read_workload};
pub use figure::{Beside, harm_figure};
pub use log::BottleneckResult;
pub use metrics::{Sample, harm_less_is_better, harm_more_is_better};
pub use qdisc_setting::QdiscSetting;
pub use report::{HarmReport, Replication, Row, Status, WorkloadFacts};
pub use sample::{SampleCell, published_sample};
pub use settings::{CCAFCT, DRAWN, HarmSettings};

use cell::CellPlan;
use fabricsim::output::Origin;
use fabricsim_scenario::text::document::{Document, Section};
use fabricsim_scenario::text::error::Error;
use fabricsim_scenario::text::file_kind::FileKind;
use fabricsim_scenario::text::input_file::read_text;

impl HarmSettings {
    /// Reads settings from a TOML file.
    ///
    /// # Errors
    /// The first diagnostic, with its place and a suggested fix.
    pub fn from_file(path: &Path) -> Result<Self, Error> {
        let text = read_text(FileKind::HARM, path)?;
        Self::from_text(&path.display().to_string(), &text)
    }

    /// Reads settings from `text`, called `name` in messages.
    ///
    /// # Errors
    /// The first diagnostic, with its place and a suggested fix.
    pub fn from_text(name: &str, text: &str) -> Result<Self, Error> {
        let document = Document::new(name, text);
        let mut table = document.parse()?;
        let cc = TcpAlgorithms::read(&document, &mut table)?;
        let section = Section {
            title: "the harm test".to_owned(),
            span: 0..text.len(),
            table,
        };
        let mut settings: Self = document.settings(&section, Self::KEYS)?;
        settings.cc = cc;
        settings
            .validate()
            .map_err(|error| document.refuse(&section, error))?;
        Ok(settings)
    }
}

/// The requests of a test.
#[derive(Clone, Debug)]
enum Requests {
    /// This number of requests, drawn for each seed.
    Drawn(usize),
    /// Fixed requests, the same for all seeds.
    Fixed(Arc<[WorkloadFlow]>),
}

/// A test that is ready to run.
#[derive(Clone, Debug)]
pub struct HarmTest {
    settings: HarmSettings,
    requests: Requests,
    limit: Duration,
}

impl HarmTest {
    /// Returns a test with `settings`. The path of a workload's file is relative to `folder`.
    ///
    /// # Errors
    /// If a test cannot have these settings, or a workload's file cannot be read or has errors.
    pub fn new(settings: HarmSettings, folder: &Path) -> Result<Self, Error> {
        settings.validate().map_err(|error| Error::Unsupported {
            scenario: "the harm test".to_owned(),
            message: format!("`{}`: {}", error.key, error.message),
            help: error.help,
        })?;
        let count = usize::try_from(settings.flow_count()).unwrap_or(usize::MAX);
        let (requests, duration) = match settings.workload.as_str() {
            DRAWN => (Requests::Drawn(count), settings.duration()),
            CCAFCT => (
                Requests::Fixed(ccafct_flows(count).into()),
                settings.duration(),
            ),
            path => {
                let flows = flows_of_file(&folder.join(path), settings.duration)?;
                let last = flows.last().map_or(Duration::ZERO, |flow| flow.start);
                (
                    Requests::Fixed(flows.into()),
                    settings.duration.unwrap_or(last),
                )
            }
        };
        Ok(Self {
            limit: duration + settings.timeout,
            settings,
            requests,
        })
    }

    /// Returns the identity of the results: everything on which they depend.
    #[must_use]
    pub fn origin(&self) -> Origin {
        let requests = format!("{:?}", self.requests).into_bytes();
        Origin::new(serde_json::json!(self.settings), &[requests])
    }

    /// Returns the number of cells that [`Self::run`] runs.
    #[must_use]
    pub fn cells(&self) -> usize {
        usize::from(self.settings.repeats) * self.settings.rtt.len() * (1 + self.settings.cca.len())
    }

    /// Runs all cells on `threads` threads. The results do not depend on that number. Calls `done`
    /// with each finished cell, on the thread that ran it.
    ///
    /// # Errors
    /// If the system does not provide the threads, or a cell cannot be simulated.
    pub fn run(
        &self,
        threads: usize,
        done: &(dyn Fn(&CellResult) + Sync),
    ) -> Result<HarmReport, Error> {
        let seeds: Vec<u64> = (0..u64::from(self.settings.repeats))
            .map(|repeat| self.settings.seed.wrapping_add(repeat))
            .collect();
        let workloads: Vec<Arc<[WorkloadFlow]>> = seeds
            .iter()
            .map(|&seed| match &self.requests {
                Requests::Drawn(count) => {
                    let drawn = self.settings.flow_distribution().draw(*count, seed);
                    drawn.into()
                }
                Requests::Fixed(flows) => Arc::clone(flows),
            })
            .collect();
        let mut plans = Vec::with_capacity(self.cells());
        for (flows, &seed) in workloads.iter().zip(&seeds) {
            for &rtt in &self.settings.rtt {
                let names = self.settings.cca.iter().map(|name| Some(name.as_str()));
                plans.extend([None].into_iter().chain(names).map(|competitor| CellPlan {
                    settings: &self.settings,
                    rtt,
                    competitor,
                    flows,
                    limit: self.limit,
                    seed,
                }));
            }
        }
        let run = |plan: &CellPlan<'_>| {
            let cell = plan.run()?;
            done(&cell);
            Ok(cell)
        };
        let threads = Threads::start(threads).map_err(Error::threads)?;
        let cells: Result<Vec<CellResult>, Error> = threads.run(|crew| match crew {
            Crew::Alone => plans.iter().map(run).collect(),
            Crew::Pool => plans.par_iter().map(run).collect(),
        });
        Ok(HarmReport::new(
            &self.settings,
            &workloads[0],
            &seeds,
            cells?,
        ))
    }
}

/// Reads the flows of the file at `path`, without flows that start at `duration` or later if it is
/// given.
fn flows_of_file(path: &Path, duration: Option<Duration>) -> Result<Vec<WorkloadFlow>, Error> {
    let text = read_text(FileKind::WORKLOAD, path)?;
    let name = path.display().to_string();
    let mut flows = read_workload(&text).map_err(|error| Error::input(&name, &text, error))?;
    flows.retain(|flow| duration.is_none_or(|duration| flow.start < duration));
    if flows.is_empty() {
        return Err(Error::Unsupported {
            scenario: name,
            message: "no flow starts within `duration`".to_owned(),
            help: "give a longer one, or none".to_owned(),
        });
    }
    Ok(flows)
}
