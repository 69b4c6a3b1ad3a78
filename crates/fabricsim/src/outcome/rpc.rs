//! Results of remote procedure calls: `rpc.csv` and the totals in `summary.json`.

mod query_rate;

use std::io::{BufWriter, Write};

use fabricsim_base::id::ClassId;
use fabricsim_report::{Checksum, Percentile, RpcRecord, RpcStatistics, write_rpc};
use fabricsim_scenario::scenario::Scenario;
use fabricsim_scenario::text::error::Error;
use fabricsim_topology::Routes;
use fabricsim_workload::RpcClient;
use serde::{Deserialize, Serialize};

use self::query_rate::QueryRate;

use super::ending_of;
use super::summed::Summed;
use crate::network::ideal_rpc::IdealQct;
use crate::output::ResultFolder;
use crate::simulation::Simulation;
use crate::summary::status::Status;

pub(super) const RPC: &str = "rpc.csv";

/// The queries of one workload.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct RpcSummary {
    /// The flow class of the workload.
    pub class: u16,
    /// Queries that have received their response.
    pub queries: u64,
    /// Queries that wait for their responses.
    pub unfinished: u64,
    /// Completed queries per second, over the time in which queries were sent. If the number of
    /// queries is limited, from the first query to the last response.
    pub qps: Option<f64>,
    /// Mean query completion time. All following values are absent if no query was completed.
    pub qct_mean_ns: Option<f64>,
    /// Median query completion time.
    pub qct_p50_ns: Option<f64>,
    /// 95th percentile of the query completion time.
    pub qct_p95_ns: Option<f64>,
    /// 99th percentile of the query completion time.
    pub qct_p99_ns: Option<f64>,
    /// 99.9th percentile of the query completion time.
    pub qct_p999_ns: Option<f64>,
    /// Mean slowdown.
    pub slowdown_mean: Option<f64>,
    /// Median slowdown.
    pub slowdown_p50: Option<f64>,
    /// 95th percentile of the slowdown.
    pub slowdown_p95: Option<f64>,
    /// 99th percentile of the slowdown.
    pub slowdown_p99: Option<f64>,
    /// 99.9th percentile of the slowdown.
    pub slowdown_p999: Option<f64>,
}

/// Progress of the clients of one workload.
#[derive(Clone, Copy, Debug)]
struct Clients {
    class: ClassId,
    waiting: u64,
    rate: QueryRate,
}

impl Clients {
    fn summary(&self, records: &[RpcRecord]) -> RpcSummary {
        let own = || records.iter().filter(|record| record.class == self.class);
        let qct = RpcStatistics::of(own().map(|one| one.qct().as_ps() as f64 / 1e3).collect());
        let slowdown = RpcStatistics::of(own().map(RpcRecord::slowdown).collect());
        let count = own().count();
        let of_enough = |percentile: Percentile, statistics: Option<RpcStatistics>| {
            statistics.filter(|_| percentile.is_known_of(count))
        };
        RpcSummary {
            class: self.class.0,
            queries: count as u64,
            unfinished: self.waiting,
            qps: self.rate.of(own().map(|record| record.completion)),
            qct_mean_ns: qct.map(|all| all.mean),
            qct_p50_ns: of_enough(Percentile::P50, qct).map(|all| all.p50),
            qct_p95_ns: of_enough(Percentile::P95, qct).map(|all| all.p95),
            qct_p99_ns: of_enough(Percentile::P99, qct).map(|all| all.p99),
            qct_p999_ns: of_enough(Percentile::P999, qct).map(|all| all.p999),
            slowdown_mean: slowdown.map(|all| all.mean),
            slowdown_p50: of_enough(Percentile::P50, slowdown).map(|all| all.p50),
            slowdown_p95: of_enough(Percentile::P95, slowdown).map(|all| all.p95),
            slowdown_p99: of_enough(Percentile::P99, slowdown).map(|all| all.p99),
            slowdown_p999: of_enough(Percentile::P999, slowdown).map(|all| all.p999),
        }
    }
}

/// Writes `rpc.csv` of a run that began with `routes`, if there are clients. Returns the totals, by
/// class. Adds the rows to `checksum`.
pub(super) fn write_rpc_results(
    scenario: &Scenario,
    simulation: &Simulation,
    routes: Routes,
    checksum: &mut Checksum,
    (folder, status): (&mut ResultFolder, Status),
) -> Result<Vec<RpcSummary>, Error> {
    let mut ideal = IdealQct::new(scenario, routes, simulation.network_info());
    let mut classes: Vec<Clients> = Vec::new();
    let mut records = Vec::new();
    for (client, application) in simulation.applications::<RpcClient>() {
        let class = application.class();
        let waiting = application.waiting() as u64;
        let rate = QueryRate {
            first: application.first_issue(),
            span: application.span(),
        };
        // Clients of one workload share a row of the summary.
        match classes.iter_mut().find(|own| own.class == class) {
            None => classes.push(Clients {
                class,
                waiting,
                rate,
            }),
            Some(own) => {
                own.waiting += waiting;
                own.rate = own.rate.and(rate);
            }
        }
        records.extend(application.done().iter().map(|query| RpcRecord {
            query: query.query,
            class: query.class,
            client,
            server: query.server,
            connection: query.connection,
            size: query.size,
            response: query.response,
            issue: query.issue,
            completion: query.completion,
            ideal: ideal.of(query),
        }));
    }
    if classes.is_empty() {
        return Ok(Vec::new());
    }
    // Sorted by completion like `fct.csv`, because applications are in the order of hosts.
    records.sort_unstable_by_key(|record| (record.completion, record.query));
    folder.write(ending_of(status).name(RPC), |file| {
        let mut summed = Summed {
            out: BufWriter::new(file),
            checksum,
        };
        write_rpc(&mut summed, &records)?;
        summed.flush()
    })?;
    classes.sort_unstable_by_key(|own| own.class);
    // A run that ended early has not sent queries for the whole span.
    if status != Status::Finished {
        for own in &mut classes {
            own.rate = own.rate.until(simulation.ended());
        }
    }
    Ok(classes.iter().map(|own| own.summary(&records)).collect())
}
