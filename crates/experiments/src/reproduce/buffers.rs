//! "Buffer sizing with HPCC": floods of queries and the queries of a storage system, over TCP and
//! RDMA, judged by the figures that the paper states.

mod parameters;
mod picture;
mod published;
mod run;
mod scoring;
mod statements;
mod tables;

use fabricsim_plot::figure::Figure;
use fabricsim_scenario::text::error::Error;
use serde::Serialize;

use super::claim::Claim;
use super::measured::Measured;

pub use parameters::ParameterRow;
pub use run::{QueueFigures, RunFigures, SizeRow, VictimFigures};
pub use scoring::{Row, Verdict};

/// The experiments of section 2.2 and 2.3, by their names in the preset.
const FLOODING: &str = "flooding";
const STORAGE: &str = "storage";

/// The schemes, by their names in the preset.
const NEWRENO: &str = "NewReno";
const TCP_HPCC: &str = "HPCC-TCP";
const DCQCN: &str = "DCQCN";
const RDMA_HPCC: &str = "HPCC-RDMA";
const SCHEMES: [&str; 4] = [NEWRENO, TCP_HPCC, DCQCN, RDMA_HPCC];

/// Results of the preset `buffer-sizing`.
#[derive(Clone, Debug, Serialize)]
pub struct BufferSizing {
    /// What was measured beside what was published, row by row.
    pub rows: Vec<Row>,
    /// What the paper leaves open, and what other values do.
    pub parameters: Vec<ParameterRow>,
    /// Figures of every run that has results.
    pub runs: Vec<RunFigures>,
}

impl BufferSizing {
    /// The figures of `scheme` in `experiment`.
    fn run(&self, experiment: &str, scheme: &str) -> Option<&RunFigures> {
        find(&self.runs, experiment, scheme)
    }

    /// The figures to draw, each with a short name for its file.
    pub(super) fn figures(&self) -> Vec<(String, Figure)> {
        picture::figures(self)
    }

    /// Rows with `verdict`.
    #[must_use]
    pub fn count(&self, verdict: Verdict) -> usize {
        let same = |row: &&Row| row.verdict == verdict;
        self.rows.iter().filter(same).count()
    }
}

fn find<'r>(runs: &'r [RunFigures], experiment: &str, scheme: &str) -> Option<&'r RunFigures> {
    let mut runs = runs.iter();
    runs.find(|run| run.experiment == experiment && run.scheme == scheme)
}

/// Reads all runs and judges them.
pub(super) fn judge(measured: &mut Measured<'_>) -> Result<(BufferSizing, Vec<Claim>), Error> {
    let runs = run::read(measured)?;
    let results = BufferSizing {
        rows: scoring::rows(&runs),
        parameters: parameters::rows(&runs),
        runs,
    };
    let claims = statements::of(&results);
    Ok((results, claims))
}

#[cfg(test)]
mod testing {
    use super::*;

    /// Runs of all schemes in both experiments, with the published figures where there are some.
    pub(super) fn as_published() -> Vec<RunFigures> {
        let flooding = |scheme: &str, qps: f64, p99_us: f64, queue: [f64; 2]| RunFigures {
            victim: Some(VictimFigures {
                queries: 1000,
                qps,
                outstanding: 16,
                mean_us: 16.0 / qps * 1e6,
                p50_us: 50.0,
                p95_us: 80.0,
                p99_us,
                p999_us: 2.0 * p99_us,
                above_ms: 0.01,
            }),
            queue: QueueFigures::of(queue[0], queue[0], queue[1]),
            ..RunFigures::empty(FLOODING, scheme)
        };
        let storage = |scheme: &str, p50: f64, p99: f64, queue: [f64; 2]| RunFigures {
            sizes: vec![SizeRow {
                upto_bytes: 4_000,
                queries: 500,
                p50,
                p99,
            }],
            short: Some(SizeRow {
                upto_bytes: 32_000,
                queries: 900,
                p50,
                p99,
            }),
            queue: QueueFigures::of(queue[0], queue[0], queue[1]),
            ..RunFigures::empty(STORAGE, scheme)
        };
        vec![
            flooding(NEWRENO, 30e3, 5_900.0, [229e3, 262e3]),
            flooding(TCP_HPCC, 210e3, 80.0, [29e3, 38e3]),
            flooding(DCQCN, 140e3, 200.0, [140e3, 150e3]),
            flooding(RDMA_HPCC, 210e3, 90.0, [0.0, 1e3]),
            storage(NEWRENO, 2.0, 100.0, [20e3, 247e3]),
            storage(TCP_HPCC, 2.1, 4.3, [18e3, 65e3]),
            storage(DCQCN, 11.9, 41.6, [100e3, 519e3]),
            storage(RDMA_HPCC, 1.9, 7.8, [2.2e3, 74e3]),
        ]
    }
}
