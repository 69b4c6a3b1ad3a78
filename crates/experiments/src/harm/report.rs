//! Results of a harm test: a row for each round-trip time and competitor, with the mean over seeds.

use fabricsim_base::units::Duration;
use fabricsim_report::{Confidence, ReplicaMean};

use super::cell::{CellResult, ConnectionUse};
use super::metrics::{Sample, harm_less_is_better};
use super::settings::{CCAFCT, DRAWN, HarmSettings};
use fabricsim_workload::WorkloadFlow;

/// Properties of the flows of a test.
#[derive(Clone, Debug, PartialEq)]
pub struct WorkloadFacts {
    /// Number of flows.
    pub flows: usize,
    /// Time during which flows arrive.
    pub duration: Duration,
    /// The mean gap between flows: of the distribution, or in the file.
    pub mean_arrival: Duration,
    /// 5th percentile of flow lengths in bytes: of the distribution, or in the file.
    pub len_p5: f64,
    /// Mean flow length in bytes: of the distribution, or in the file.
    pub len_mean: f64,
    /// 95th percentile of flow lengths in bytes: of the distribution, or in the file.
    pub len_p95: f64,
}

impl WorkloadFacts {
    fn new(settings: &HarmSettings, flows: &[WorkloadFlow]) -> Self {
        let distribution = settings.flow_distribution();
        if settings.workload == DRAWN || settings.workload == CCAFCT {
            return Self {
                flows: flows.len(),
                duration: settings.duration(),
                mean_arrival: distribution.mean_arrival,
                len_p5: distribution.len_p5.as_f64(),
                len_mean: distribution.mean_length(),
                len_p95: distribution.len_p95.as_f64(),
            };
        }
        let last = flows.last().map_or(Duration::ZERO, |flow| flow.start);
        let lengths: Vec<f64> = flows.iter().map(|flow| flow.size.as_f64()).collect();
        let len_mean = lengths.iter().sum::<f64>() / lengths.len() as f64;
        let lengths = Sample::new(lengths).expect("a file has a flow");
        Self {
            flows: flows.len(),
            duration: settings.duration.unwrap_or(last),
            mean_arrival: Duration::from_ps(last.as_ps() / (flows.len() as u64 - 1).max(1)),
            len_p5: lengths.quantile(0.05),
            len_mean,
            len_p95: lengths.quantile(0.95),
        }
    }

    /// Returns the load that the flows offer, in bit/s.
    #[must_use]
    pub fn offered_bps(&self) -> f64 {
        let gap = self.mean_arrival.as_secs_f64();
        if gap > 0.0 {
            self.len_mean * 8.0 / gap
        } else {
            0.0
        }
    }
}

/// Completeness of a cell.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Status {
    /// All flows have finished.
    Complete,
    /// Some flows have not finished in time; statistics cover the finished ones.
    Partial,
}

/// Results of a cell with one seed.
#[derive(Clone, Debug, PartialEq)]
pub struct Replication {
    /// The seed.
    pub seed: u64,
    /// Results of the cell.
    pub cell: CellResult,
    /// The geometric mean and the percentiles of completion times in milliseconds; empty if no flow
    /// has finished.
    pub statistics: Vec<f64>,
    /// The harm to each of them; empty for the workload alone.
    pub harm: Vec<f64>,
}

impl Replication {
    /// Returns the number of flows on a reused connection.
    #[must_use]
    pub fn reused(&self) -> usize {
        let flows = self.cell.flows.iter();
        flows
            .filter(|flow| flow.connection == ConnectionUse::Reused)
            .count()
    }

    /// Returns the number of finished flows.
    #[must_use]
    pub fn complete(&self) -> usize {
        let flows = self.cell.flows.iter();
        flows.filter(|flow| flow.fct.is_some()).count()
    }
}

/// A row of the table.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The round-trip time without transmission.
    pub rtt: Duration,
    /// The algorithm of the competitor; `None` if the workload is alone.
    pub competitor: Option<String>,
    /// Results of each seed.
    pub replications: Vec<Replication>,
    /// The geometric mean and the percentiles of completion times in milliseconds, each as the mean
    /// over seeds with its interval.
    pub statistics: Vec<ReplicaMean>,
    /// The harm to each of them.
    pub harm: Vec<ReplicaMean>,
}

impl Row {
    /// Returns `true` if all flows of all seeds have finished.
    #[must_use]
    pub fn status(&self) -> Status {
        if self.replications.iter().all(|one| one.cell.is_complete()) {
            Status::Complete
        } else {
            Status::Partial
        }
    }

    /// Returns the mean of `value` over the seeds that have one.
    #[must_use]
    pub fn mean(&self, value: impl Fn(&Replication) -> Option<f64>) -> Option<ReplicaMean> {
        let values: Vec<f64> = self.replications.iter().filter_map(value).collect();
        ReplicaMean::new(&values, Confidence::P95)
    }

    fn is_of(&self, rtt: Duration, competitor: Option<&str>) -> bool {
        self.rtt == rtt && self.competitor.as_deref() == competitor
    }
}

/// Results of a harm test.
#[derive(Clone, Debug, PartialEq)]
pub struct HarmReport {
    /// Settings of the test.
    pub settings: HarmSettings,
    /// Properties of the flows.
    pub workload: WorkloadFacts,
    /// Rows by round-trip time, each group beginning with the workload alone.
    pub rows: Vec<Row>,
}

impl HarmReport {
    /// Returns the report of `cells`, which are in the order of seeds, round-trip times and
    /// competitors.
    pub(super) fn new(
        settings: &HarmSettings,
        flows: &[WorkloadFlow],
        seeds: &[u64],
        cells: Vec<CellResult>,
    ) -> Self {
        let per_seed = cells.len() / seeds.len();
        let per_rtt = per_seed / settings.rtt.len();
        let mut rows: Vec<Row> = Vec::with_capacity(per_seed);
        for (index, cell) in cells.into_iter().enumerate() {
            let (seed, place) = (seeds[index / per_seed], index % per_seed);
            let statistics = statistics(settings, &cell);
            let solo = rows.get(place - place % per_rtt);
            let solo = solo.and_then(|solo| solo.replications.get(index / per_seed));
            let harm = match solo {
                Some(solo) if place % per_rtt > 0 => statistics
                    .iter()
                    .zip(&solo.statistics)
                    .map(|(&workload, &solo)| harm_less_is_better(workload, solo))
                    .collect(),
                _ => Vec::new(),
            };
            if rows.len() == place {
                rows.push(Row {
                    rtt: cell.rtt,
                    competitor: cell.competitor.clone(),
                    replications: Vec::with_capacity(seeds.len()),
                    statistics: Vec::new(),
                    harm: Vec::new(),
                });
            }
            rows[place].replications.push(Replication {
                seed,
                cell,
                statistics,
                harm,
            });
        }
        let count = 1 + settings.percentiles.len();
        for row in &mut rows {
            let places = 0..count;
            let of = |row: &Row, values: fn(&Replication) -> &Vec<f64>| {
                let means = places.clone();
                means
                    .filter_map(|place| row.mean(|one| values(one).get(place).copied()))
                    .collect()
            };
            row.statistics = of(row, |one| &one.statistics);
            row.harm = of(row, |one| &one.harm);
        }
        Self {
            settings: settings.clone(),
            workload: WorkloadFacts::new(settings, flows),
            rows,
        }
    }

    /// Returns the row of `competitor`, or of the workload alone.
    #[must_use]
    pub fn row(&self, rtt: Duration, competitor: Option<&str>) -> Option<&Row> {
        self.rows.iter().find(|row| row.is_of(rtt, competitor))
    }

    /// Returns `true` if all flows of all cells have finished.
    #[must_use]
    pub fn status(&self) -> Status {
        let mut rows = self.rows.iter();
        if rows.all(|row| row.status() == Status::Complete) {
            Status::Complete
        } else {
            Status::Partial
        }
    }

    /// Returns the names of the statistics: `GeoMean`, `Median`, `P95`.
    #[must_use]
    pub fn statistic_names(&self) -> Vec<String> {
        let name = |p: &f64| {
            if p.to_bits() == 50f64.to_bits() {
                "Median".to_owned()
            } else {
                format!("P{p}")
            }
        };
        let percentiles = self.settings.percentiles.iter().map(name);
        std::iter::once("GeoMean".to_owned())
            .chain(percentiles)
            .collect()
    }
}

/// Returns the geometric mean and the percentiles of a cell's completion times in milliseconds.
fn statistics(settings: &HarmSettings, cell: &CellResult) -> Vec<f64> {
    let Some(sample) = Sample::new(cell.completion_times()) else {
        return Vec::new();
    };
    let percentiles = settings.percentiles.iter();
    let percentiles = percentiles.map(|p| sample.quantile(p / 100.0));
    std::iter::once(sample.geometric_mean())
        .chain(percentiles)
        .collect()
}
