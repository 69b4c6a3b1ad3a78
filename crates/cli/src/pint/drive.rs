//! A simulation that is run for what its queries tell, without a folder of results.

use std::process::ExitCode;
use std::thread::available_parallelism;

use fabricsim::outcome::Monitor;
use fabricsim::report::FctRecord;
use fabricsim::simulation::Expectation;
use fabricsim::{Error, Scenario, Simulation};
use fabricsim_core::flow::Completion;
use fabricsim_core::network::{Progress, Stop, Watch};
use fabricsim_core::units::Time;

use crate::console::tell;
use crate::exit;
use crate::progress::Display;

/// A simulation at its end.
pub(super) struct Driven {
    pub(super) simulation: Simulation,
    pub(super) records: Vec<FctRecord>,
}

/// Runs `scenario` to its end; the exit code where it does not get there, and that has been said.
pub(super) fn drive(
    scenario: &Scenario,
    threads: Option<u16>,
    display: &mut Display,
) -> Result<Result<Driven, ExitCode>, Error> {
    let threads = threads.map_or_else(
        || available_parallelism().map_or(1, std::num::NonZero::get),
        usize::from,
    );
    let mut simulation = Simulation::new(scenario, threads)?;
    let mut watch = Watched {
        display,
        expected: simulation.expected(),
        completions: Vec::new(),
    };
    let until = scenario
        .run
        .stop_at
        .map_or(Time::MAX, |after| Time::ZERO + after);
    let stop = simulation.run_watched(until, &mut watch);
    let completions = watch.completions;
    display.finish();
    let name = &scenario.name;
    Ok(match stop {
        Stop::Finished | Stop::TimeReached => Ok(Driven {
            records: completions
                .iter()
                .map(|completion| simulation.record(completion))
                .collect(),
            simulation,
        }),
        Stop::Interrupted => Err(ExitCode::from(exit::INTERRUPTED)),
        Stop::Stalled | Stop::Deadlocked | Stop::Horizon => {
            tell!(
                "{name}: {} flows do not end; `fabricsim run` on it says which, and why",
                simulation.unfinished().len()
            );
            Err(ExitCode::from(exit::STALLED))
        }
    })
}

/// Shows progress and keeps completions.
struct Watched<'a> {
    display: &'a mut Display,
    expected: Expectation,
    completions: Vec<Completion>,
}

impl Watch for Watched<'_> {
    fn proceed(&mut self, progress: &Progress) -> bool {
        self.display.progress(progress, self.expected)
    }

    fn completed(&mut self, completions: &mut Vec<Completion>) {
        self.completions.append(completions);
    }
}
