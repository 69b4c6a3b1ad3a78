//! A simulation for the results of its queries, without a folder of results.

use fabricsim::outcome::Monitor;
use fabricsim::simulation::{Expectation, Simulation};
use fabricsim_base::flow::Completion;
use fabricsim_base::units::Time;
use fabricsim_core::network::{Progress, RunCallback, Stop};
use fabricsim_pint::query::QueryConfig;
use fabricsim_report::FctRecord;
use fabricsim_scenario::Scenario;
use fabricsim_scenario::schema::queries::QuerySettings;
use fabricsim_scenario::text::error::Error;

/// A finished simulation.
pub(super) struct Driven {
    pub(super) simulation: Simulation,
    pub(super) records: Vec<FctRecord>,
}

/// A run that did not finish.
#[derive(Clone, Debug)]
pub struct Unfinished {
    /// The scenario.
    pub scenario: String,
    /// The reason why the run stopped.
    pub stop: Stop,
    /// Unfinished flows.
    pub flows: usize,
}

/// Runs `scenario` to its end on `threads` threads.
pub(super) fn drive(
    scenario: &Scenario,
    threads: usize,
    monitor: &mut dyn Monitor,
) -> Result<Result<Driven, Unfinished>, Error> {
    let mut simulation = Simulation::new(scenario, threads)?;
    refuse_what_takes_too_much(scenario, &simulation)?;
    let mut callback = Watched {
        monitor,
        expected: simulation.expected(),
        completions: Vec::new(),
    };
    let until = scenario
        .run()
        .stop_at
        .map_or(Time::MAX, |after| Time::ZERO + after);
    let stop = simulation.run_with_callback(until, &mut callback);
    let completions = callback.completions;
    Ok(match stop {
        Stop::Finished | Stop::TimeReached => Ok(Driven {
            records: completions
                .iter()
                .map(|completion| simulation.record(completion))
                .collect(),
            simulation,
        }),
        _ => Err(Unfinished {
            scenario: scenario.name().to_owned(),
            stop,
            flows: simulation.unfinished().len(),
        }),
    })
}

/// Refuses to keep more values of hops than fit in memory. There is one for every packet at every
/// switch.
fn refuse_what_takes_too_much(scenario: &Scenario, simulation: &Simulation) -> Result<(), Error> {
    let is_judged = |settings: &QuerySettings| {
        settings.pint.truth && settings.queries.iter().any(QueryConfig::is_judged)
    };
    if !scenario.queries().is_some_and(is_judged) {
        return Ok(());
    }
    let Expectation { flows, bytes } = simulation.expected();
    let packets = flows.max(bytes / scenario.transport().mtu.as_f64());
    let hops = f64::from(simulation.network_info().path_stats.switches.max(1));
    let needed = hops * (packets * BYTES_OF_VALUE + flows * BYTES_OF_HOP) + flows * BYTES_OF_FLOW;
    if needed <= MOST_BYTES {
        return Ok(());
    }
    Err(Error::Unsupported {
        scenario: scenario.name().to_owned(),
        message: format!(
            "the values of about {packets:.0} packets of {flows:.0} flows at {hops:.0} hops need about \
             {:.0} GB of memory, and the limit is {:.0} GB",
            needed / 1e9,
            MOST_BYTES / 1e9
        ),
        help: "give shorter traffic, a lower load, or larger flows".to_owned(),
    })
}

/// Bytes for a value of a packet at a hop, in a list that grows by doubling.
const BYTES_OF_VALUE: f64 = 4.0;
/// Bytes for the list of a flow at a hop, without its values.
const BYTES_OF_HOP: f64 = 120.0;
/// Bytes for a completed flow.
const BYTES_OF_FLOW: f64 = 150.0;
/// Memory limit for all of them, in bytes.
const MOST_BYTES: f64 = 16e9;

/// Reports progress and keeps completions.
struct Watched<'a> {
    monitor: &'a mut dyn Monitor,
    expected: Expectation,
    completions: Vec<Completion>,
}

impl RunCallback for Watched<'_> {
    fn proceed(&mut self, progress: &Progress) -> bool {
        self.monitor.progress(progress, self.expected)
    }

    fn completed(&mut self, completions: &mut Vec<Completion>) {
        self.completions.append(completions);
    }
}
