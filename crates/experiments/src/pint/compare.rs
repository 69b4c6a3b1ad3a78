//! Effect on query results if queries share the bits of packets.

use fabricsim::outcome::Monitor;
use fabricsim_pint::query::{Aggregation, QueryConfig, QueryResults, Statistic};
use fabricsim_report::FctRecord;
use fabricsim_scenario::Scenario;
use fabricsim_scenario::schema::queries::{BudgetSettings, QuerySettings};
use fabricsim_scenario::text::error::Error;

use super::drive::{Unfinished, drive};

/// A figure of a query, alone in packets and together with other queries.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// The name of the query.
    pub query: String,
    /// Name of the figure.
    pub figure: &'static str,
    /// Its value if the query is in every packet.
    pub alone: f64,
    /// Its value in the unchanged scenario.
    pub together: f64,
}

/// Results of a run.
struct Run {
    results: QueryResults,
    records: Vec<FctRecord>,
    packets: u64,
    /// The query that the algorithm reads.
    cc: Option<usize>,
}

/// Creates the monitor of a run and passes it to the given function.
pub type MonitorEach<'a> = dyn FnMut(&mut dyn FnMut(&mut dyn Monitor)) + 'a;

/// Runs `scenario` unchanged, and then once for each query with that query in every packet. Each
/// run uses `threads` and a monitor from `monitor`.
///
/// # Errors
/// If the scenario has no queries, or cannot be simulated.
pub fn compare(
    scenario: &Scenario,
    threads: usize,
    monitor: &mut MonitorEach<'_>,
) -> Result<Result<Vec<Comparison>, Unfinished>, Error> {
    let Some(settings) = scenario.queries() else {
        return Err(Error::Unsupported {
            scenario: scenario.name().to_owned(),
            message: "the scenario has no queries to compare".to_owned(),
            help: "add [[query]] tables".to_owned(),
        });
    };
    let mut run = |scenario: &Scenario| {
        let mut ran = None;
        monitor(&mut |monitor| ran = Some(Run::of(scenario, threads, monitor)));
        ran.expect("the monitor is handed over once")
    };
    let together = match run(scenario)? {
        Ok(run) => run,
        Err(unfinished) => return Ok(Err(unfinished)),
    };
    let cc = together.cc;
    let mut rows = Vec::new();
    for (index, query) in settings.queries.iter().enumerate() {
        let (with, place) = alone(settings, index, cc);
        let alone = match run(&scenario.with_queries(with)?)? {
            Ok(run) => run,
            Err(unfinished) => return Ok(Err(unfinished)),
        };
        let figures = if cc == Some(index) {
            of_controller(&alone, &together)
        } else {
            match query.aggregation() {
                Aggregation::Static => of_paths((&alone, place), (&together, index)),
                Aggregation::Dynamic => of_hops((&alone, place), (&together, index)),
                Aggregation::Max | Aggregation::Min | Aggregation::Sum => {
                    of_packets((&alone, place), (&together, index))
                }
            }
        };
        rows.extend(
            figures
                .into_iter()
                .map(|(figure, alone, together)| Comparison {
                    query: query.name.clone().unwrap_or_default(),
                    figure,
                    alone,
                    together,
                }),
        );
    }
    Ok(Ok(rows))
}

impl Run {
    fn of(
        scenario: &Scenario,
        threads: usize,
        monitor: &mut dyn Monitor,
    ) -> Result<Result<Self, Unfinished>, Error> {
        let driven = drive(scenario, threads, monitor)?;
        Ok(driven.map(|driven| Self {
            results: driven.simulation.query_results(),
            cc: driven.simulation.queries().and_then(|queries| queries.cc()),
            packets: driven.simulation.endpoint_counters().packets,
            records: driven.records,
        }))
    }
}

/// Returns the settings with query `index` in every packet, together with the algorithm's query,
/// and the index of the query in them.
fn alone(settings: &QuerySettings, index: usize, cc: Option<usize>) -> (QuerySettings, usize) {
    let kept: Vec<usize> = (0..settings.queries.len())
        .filter(|&other| other == index || cc == Some(other))
        .collect();
    let place = kept.iter().position(|&other| other == index);
    let queries = kept.iter().map(|&other| {
        let mut query = settings.queries[other].clone();
        query.frequency = 1.0;
        query
    });
    let queries: Vec<QueryConfig> = queries.collect();
    let needed = queries.iter().map(|query| query.demand().bits).sum();
    let with = QuerySettings {
        pint: BudgetSettings {
            bits: settings.pint.bits.max(needed),
            ..settings.pint.clone()
        },
        queries,
    };
    (with, place.expect("the query itself is kept"))
}

type Figures = Vec<(&'static str, f64, f64)>;

/// Returns the mean; NaN if there are no values.
fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

/// Returns the packets until the first decoding of each path, for flows that both runs decoded.
fn of_paths(alone: (&Run, usize), together: (&Run, usize)) -> Figures {
    let packets = |(run, index): (&Run, usize)| {
        let parts = run.results.paths.iter();
        let parts = parts.filter(move |result| result.query == index && result.part.number == 1);
        parts
            .filter_map(|result| Some((result.flow, result.part.decoded_after? as f64)))
            .collect::<Vec<_>>()
    };
    let (before, after) = (packets(alone), packets(together));
    let in_both = |those: &[(_, f64)], others: &[(_, f64)]| -> Vec<f64> {
        let known = |flow| {
            others
                .binary_search_by_key(flow, |(other, _)| *other)
                .is_ok()
        };
        those
            .iter()
            .filter(|(flow, _)| known(flow))
            .map(|(_, packets)| *packets)
            .collect()
    };
    let (first, second) = (in_both(&before, &after), in_both(&after, &before));
    vec![
        (
            "packets to decode a path, mean",
            mean(&first),
            mean(&second),
        ),
        ("paths decoded", before.len() as f64, after.len() as f64),
        ("paths wrong", wrong(alone), wrong(together)),
    ]
}

fn wrong((run, index): (&Run, usize)) -> f64 {
    let own = run
        .results
        .paths
        .iter()
        .filter(|result| result.query == index);
    own.filter(|result| result.part.correct == Some(false))
        .count() as f64
}

/// Least number of digests of a hop for its quantile errors to count.
const ENOUGH_DIGESTS: u64 = 50;

fn of_hops(alone: (&Run, usize), together: (&Run, usize)) -> Figures {
    let errors = |(run, index): (&Run, usize), share: f64| {
        let own = run.results.hops.iter().filter(|result| {
            result.query == index
                && result.digests >= ENOUGH_DIGESTS
                && result.statistic == Statistic::Quantile(share)
        });
        let errors = own.filter_map(|result| {
            let truth = result.truth.filter(|&truth| truth >= 1.0)?;
            Some((result.estimate?.value / truth - 1.0).abs() * 100.0)
        });
        median(errors.collect())
    };
    let packets_for_a_digest = |(run, index): (&Run, usize)| {
        let own = run
            .results
            .hops
            .iter()
            .filter(|result| result.query == index);
        let mut hops: Vec<_> = own
            .map(|result| (result.flow, result.hop, result.digests))
            .collect();
        // A row for each statistic, and one number of digests.
        hops.dedup();
        run.packets as f64 / hops.iter().map(|(.., digests)| digests).sum::<u64>() as f64
    };
    vec![
        (
            "median |error| of the median, %",
            errors(alone, 0.5),
            errors(together, 0.5),
        ),
        (
            "median |error| of the p99, %",
            errors(alone, 0.99),
            errors(together, 0.99),
        ),
        (
            "packets for each digest",
            packets_for_a_digest(alone),
            packets_for_a_digest(together),
        ),
    ]
}

fn of_packets(alone: (&Run, usize), together: (&Run, usize)) -> Figures {
    let digests = |(run, index): (&Run, usize)| {
        let own = run
            .results
            .packets
            .iter()
            .filter(|result| result.query == index);
        let mut flows: Vec<_> = own.map(|result| (result.flow, result.digests)).collect();
        flows.dedup();
        run.packets as f64 / flows.iter().map(|(_, digests)| digests).sum::<u64>() as f64
    };
    vec![("packets for each digest", digests(alone), digests(together))]
}

/// Returns slowdowns under the algorithm that reads the query.
fn of_controller(alone: &Run, together: &Run) -> Figures {
    let slowdown = |run: &Run, sizes: std::ops::Range<u64>, share: f64| {
        let own = run
            .records
            .iter()
            .filter(|record| sizes.contains(&record.size.get()));
        let mut slowdowns: Vec<f64> = own.map(FctRecord::slowdown).collect();
        slowdowns.sort_unstable_by(f64::total_cmp);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a share of a length"
        )]
        let place = (slowdowns.len() as f64 * share) as usize;
        slowdowns.get(place).copied().unwrap_or(f64::NAN)
    };
    let both = |what, sizes: std::ops::Range<u64>, share| {
        let before = slowdown(alone, sizes.clone(), share);
        (what, before, slowdown(together, sizes, share))
    };
    vec![
        both("slowdown below 10 KB, p95", 0..10_000, 0.95),
        both("slowdown below 30 KB, p95", 0..30_000, 0.95),
        both("slowdown above 1 MB, p50", 1_000_001..u64::MAX, 0.5),
        both("slowdown above 1 MB, p95", 1_000_001..u64::MAX, 0.95),
    ]
}
