//! "Buffer sizing with HPCC": floods of queries and the queries of a storage system, over TCP and
//! RDMA, judged by the figures in the paper.

mod parameters;
mod picture;
mod published;
mod run;
mod scoring;
mod statements;
mod tables;
mod verdict;

use fabricsim_plot::figure::Figure;
use fabricsim_scenario::text::error::Error;
use serde::Serialize;

use super::claim::Claim;
use super::measured::Measured;

pub use parameters::ParameterRow;
pub use run::{QueueFigures, RunFigures, SizeRow, VictimFigures};
pub use scoring::Row;
pub use verdict::Verdict;

/// The experiments of section 2.2 and 2.3, by their names in the preset.
const FLOODING: &str = "flooding";
const STORAGE: &str = "storage";
/// Variants of the storage benchmark with other values of open parameters: payload at 80%, eight
/// connections between two NICs, TCP queries as separate flows, and persistent queue pairs.
const PAYLOAD: &str = "payload";
const SHARED: &str = "shared-8";
const OWN_FLOWS: &str = "own-flows";
const KEPT: &str = "kept";

/// The schemes, by their names in the preset.
const NEWRENO: &str = "NewReno";
const TCP_HPCC: &str = "HPCC-TCP";
const DCQCN: &str = "DCQCN";
const RDMA_HPCC: &str = "HPCC-RDMA";
const SCHEMES: [&str; 4] = [NEWRENO, TCP_HPCC, DCQCN, RDMA_HPCC];

/// Results of the preset `buffer-sizing`.
#[derive(Clone, Debug, Serialize)]
pub struct BufferSizing {
    /// Measured and published values, row by row.
    pub rows: Vec<Row>,
    /// Parameters that the paper leaves open, and the effect of other values.
    pub parameters: Vec<ParameterRow>,
    /// Figures of every run that has results.
    pub runs: Vec<RunFigures>,
}

impl BufferSizing {
    /// Returns the figures of `scheme` in `experiment`.
    fn run(&self, experiment: &str, scheme: &str) -> Option<&RunFigures> {
        find(&self.runs, experiment, scheme)
    }

    /// Returns the figures to draw, each with a short name for its file.
    pub(super) fn figures(&self) -> Vec<(String, Figure)> {
        picture::figures(self)
    }

    /// Returns the number of rows with `verdict`.
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

    /// Returns runs of all schemes in both experiments, with the published figures if there are
    /// any.
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
            storage(NEWRENO, 2.0, 100.0, [20e3, 247.0 * 1024.0]),
            storage(TCP_HPCC, 2.1, 4.3, [18e3, 65e3]),
            storage(DCQCN, 11.9, 41.6, [100e3, 519e3]),
            storage(RDMA_HPCC, 1.9, 7.8, [2.2e3, 74e3]),
        ]
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use fabricsim_base::units::Duration;

    use super::super::{Preset, Scorecard};
    use super::*;
    use crate::sweep::{self, Sweep, SweepOptions};

    const PRESET: &str = "buffer-sizing";

    fn judged(preset: &Preset, sweep: &Sweep, traffic: Duration) -> Scorecard {
        let folder = tempfile::tempdir().expect("a folder");
        let options = SweepOptions::default();
        let outcome = sweep::run(sweep, folder.path(), &options, &mut ()).expect("runs");
        assert!(outcome.is_complete());
        preset
            .judge(sweep, folder.path(), traffic)
            .expect("results")
    }

    /// Both experiments for 5 ms, without variants.
    #[test]
    fn short_runs_obey_littles_formula_and_fill_the_card() {
        let traffic = Duration::from_ms(5);
        let preset = Preset::named(PRESET).expect("a preset");
        let all = preset.sweep(traffic, &[]).expect("a good sweep");
        let axis = |place: usize, kept: &[&str]| {
            let experiment = |value: &str| value.split('.').next().unwrap_or_default().to_owned();
            let values = all.points().iter().map(|point| &point.values()[place]);
            let mut others: Vec<String> = values
                .filter(|value| !kept.contains(&experiment(value).as_str()))
                .map(|value| format!("\"{value}\""))
                .collect();
            others.sort_unstable();
            others.dedup();
            others.join(", ")
        };
        let text = format!(
            "{}\n[[exclude]]\nexperiment = [{}]\n[[exclude]]\nscheme = [{}]\n[[exclude]]\nseed = [3]\n",
            preset.text(),
            axis(0, &[FLOODING, STORAGE]),
            axis(1, &SCHEMES)
        );
        let changes = [
            "workload.0.duration=5ms",
            "workload.1.duration=5ms",
            "observe.from=1ms",
            "observe.until=4500us",
        ]
        .map(str::to_owned);
        let sweep = Sweep::from_text(PRESET, &text, Path::new("."), &changes).expect("a sweep");
        assert_eq!(sweep.points().len(), 2 * 2 * SCHEMES.len());
        let card = judged(preset, &sweep, traffic);
        let buffers = card.buffers.expect("results");
        assert_eq!(buffers.count(Verdict::Missing), 0, "{buffers}");
        assert_eq!(buffers.rows.len(), published::rows().len());
        // DCQCN and TCP are not steady after one millisecond.
        let run = buffers.run(FLOODING, RDMA_HPCC).expect("a run");
        let little = run.victim.as_ref().expect("a victim").little();
        assert!((little - 1.0).abs() < 0.01, "{little}");
    }

    /// The whole preset, as `fabricsim reproduce buffer-sizing` runs it.
    #[test]
    #[ignore = "takes minutes"]
    fn buffer_sizing_is_reproduced() {
        let preset = Preset::named(PRESET).expect("a preset");
        let sweep = preset.sweep(preset.usual(), &[]).expect("a good sweep");
        let card = judged(preset, &sweep, preset.usual());
        let buffers = card.buffers.expect("results");
        println!("{buffers}");
        for row in &buffers.rows {
            let known = KNOWN_OUTSIDE.contains(&row.id);
            let is_good = matches!(row.verdict, Verdict::Inside | Verdict::Reported);
            assert!(known || is_good, "{row:?}");
        }
    }

    /// Rows outside their bands, or opposite to the paper; docs/reproduce.md explains them.
    const KNOWN_OUTSIDE: [&str; 4] = ["A2", "A5a", "B4", "B5"];
}
