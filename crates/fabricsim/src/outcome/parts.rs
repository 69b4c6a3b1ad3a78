//! Runs in parts: from a checkpoint, to other checkpoints, and with samples between them.

use std::env;
use std::sync::Arc;

use fabricsim_base::ranks::Ranks;
use fabricsim_base::units::Time;
use fabricsim_core::network::{RunCallback, Stop};
use fabricsim_scenario::scenario::Scenario;
use fabricsim_scenario::schema::run::FastForward;
use fabricsim_scenario::text::error::Error;
use tempfile::TempDir;

use super::checkpoints::{Checkpoints, WantedCheckpoint, resume};
use super::place::ResultPlace;
use super::recorder::Recorder;
use super::{Monitor, Run};
use crate::capture::refuse_capture;
use crate::checkpoint::{Checkpoint, refuse_frames};
use crate::observe::Observation;
use crate::output::{Destination, Existing, ResultFolder, cannot_write};
use crate::ranks::agree;
use crate::simulation::Simulation;
use crate::summary::Summary;

/// The starting point of a run, and the checkpoints that it takes.
#[derive(Clone, Debug, Default)]
pub struct RunParts<'a> {
    /// The ranks that simulate the network together with this one. Each does the same; the first
    /// one writes the results.
    pub ranks: Option<Arc<dyn Ranks>>,
    /// Checkpoint from which the run continues; `None` for a run from the start.
    pub from: Option<&'a Checkpoint>,
    /// Checkpoints to take.
    pub checkpoints: Vec<WantedCheckpoint>,
}

/// Like [`run_to_folder`](super::run_to_folder), from a checkpoint or with checkpoints during the
/// run. The results cover the whole run, including the time before a checkpoint.
///
/// # Errors
/// Fails like [`run_to_folder`](super::run_to_folder). Also fails if `scenario` differs from the
/// checkpoint's scenario in settings that must not change
/// ([`CHANGEABLE`](crate::checkpoint::CHANGEABLE)), or if the state cannot be saved in a
/// checkpoint.
pub fn run_in_parts_to_folder<'a>(
    scenario: &Scenario,
    destination: impl Into<Destination<'a>>,
    threads: usize,
    monitor: &mut dyn Monitor,
    parts: RunParts<'_>,
) -> Result<Summary, Error> {
    let ranks = parts.ranks.clone().filter(|ranks| ranks.count() > 1);
    let elsewhere = match &ranks {
        Some(ranks) if ranks.rank() > 0 => Some(folder_for_nothing()?),
        _ => None,
    };
    let destination = match &elsewhere {
        Some(folder) => Destination::new(folder.path(), Existing::Replace),
        None => destination.into(),
    };
    let place = match parts.from {
        None => ResultPlace::new(scenario, destination, &[]),
        Some(checkpoint) => ResultPlace::of_branch(scenario, destination, checkpoint),
    };
    let place = match &ranks {
        Some(ranks) => agree(&**ranks, place, |place| {
            place.origin().checksum().to_owned()
        })?,
        None => place?,
    };
    let run = Run::on_ranks(scenario, threads, ranks)?.in_parts(parts)?;
    let mut folder = place.open()?;
    let ran = run.run_with_monitor(&mut folder, place.origin(), monitor)?;
    ran.finish(folder)
}

/// Returns a temporary folder for the results of a rank other than the first; they are discarded.
fn folder_for_nothing() -> Result<TempDir, Error> {
    let dir = env::temp_dir();
    tempfile::tempdir_in(&dir).map_err(cannot_write(dir))
}

impl<'s> Run<'s> {
    /// Returns the same run in `parts`.
    ///
    /// # Errors
    /// Fails if a checkpoint is before the one from which the run continues, or if that one is of
    /// another simulation. Also fails if a run over several ranks has checkpoints, a capture, or
    /// periods to skip.
    pub fn in_parts(mut self, parts: RunParts<'s>) -> Result<Self, Error> {
        if self.ranks.is_some() && !parts.checkpoints.is_empty() {
            return Err(Error::Unsupported {
                scenario: "the checkpoint".to_owned(),
                message: "a run over several ranks cannot write checkpoints".to_owned(),
                help: "write it in one process; a run over ranks can continue from it".to_owned(),
            });
        }
        if self.ranks.is_some() && self.scenario.run().fast_forward == FastForward::Exact {
            return Err(Error::Unsupported {
                scenario: "`run.fast_forward`".to_owned(),
                message: "a run over several ranks cannot skip periods: no rank has the state of \
                          the whole network"
                    .to_owned(),
                help: "leave it \"off\", or run the scenario in one process".to_owned(),
            });
        }
        if self.ranks.is_some() && self.scenario.observe().is_some_and(|own| own.delays) {
            return Err(Error::Unsupported {
                scenario: "`observe.delays`".to_owned(),
                message: "a run over several ranks cannot take completion times apart: no rank \
                          sees the whole path of a packet"
                    .to_owned(),
                help: "leave the key out, or run the scenario in one process".to_owned(),
            });
        }
        if self.ranks.is_some() && self.scenario.observe().is_some_and(|own| own.operations) {
            return Err(Error::Unsupported {
                scenario: "`observe.operations`".to_owned(),
                message: "a run over several ranks cannot record operations: each rank has only \
                          those of its own hosts"
                    .to_owned(),
                help: "leave the key out, or run the scenario in one process".to_owned(),
            });
        }
        if self.ranks.is_some() {
            let message = "frames of a run over several ranks cannot be captured";
            refuse_capture(
                self.scenario,
                message,
                "leave the table out, or run it in one process",
            )?;
        }
        if parts.from.is_some() || !parts.checkpoints.is_empty() {
            refuse_frames(self.scenario)?;
        }
        let start = parts.from.map_or(Time::ZERO, Checkpoint::time);
        if let Some(checkpoint) = parts.from {
            self.simulation.resume(checkpoint)?;
        }
        self.from = parts.from;
        let branch = match parts.from {
            Some(checkpoint) => checkpoint.branch(self.scenario)?,
            None => None,
        };
        self.checkpoints = Checkpoints::new(parts.checkpoints, start, branch)?;
        Ok(self)
    }
}

/// Begins the time series of `scenario`, if it has any. If the run continues from a checkpoint,
/// loads the state of the series and of `recorder`.
pub(super) fn begin_observation(
    scenario: &Scenario,
    folder: &ResultFolder,
    from: Option<&Checkpoint>,
    recorder: &mut Recorder<'_>,
) -> Result<Option<Observation>, Error> {
    let settings = scenario.observe();
    let observation =
        settings.map(|settings| Observation::new(settings, scenario.topology(), folder.dir()));
    let mut observation = observation.transpose()?;
    if let Some(checkpoint) = from {
        resume(checkpoint, recorder, observation.as_mut())?;
    }
    Ok(observation)
}

/// Returns `true` if the user of any rank wants the run to end.
fn is_interrupted(recorder: &Recorder<'_>, ranks: Option<&dyn Ranks>) -> bool {
    let own = recorder.interrupt().is_raised();
    let all = ranks.map(|ranks| ranks.gather(&[u8::from(own)]));
    all.map_or(own, |all| all.iter().any(|rank| *rank == [1]))
}

/// Runs `simulation` to `until`, with a sample at each instant of the observation, if there is one,
/// and with each checkpoint.
pub(super) fn run_in_parts(
    simulation: &mut Simulation,
    until: Time,
    recorder: &mut Recorder<'_>,
    ranks: Option<&dyn Ranks>,
    (mut observation, checkpoints): (Option<&mut Observation>, &mut Checkpoints),
    mut run: impl FnMut(&mut Simulation, Time, &mut dyn RunCallback) -> Stop,
) -> Result<Stop, Error> {
    loop {
        let look = observation.as_ref().map_or(Time::MAX, |own| own.next());
        let next = look.min(checkpoints.next()).min(until);
        let stop = run(simulation, next, recorder);
        // If flows have ended just before a sample, the run still advances as far as without the
        // sample.
        let cut = stop == Stop::Finished && simulation.now() == next;
        let goes_on = next < until && (cut || stop == Stop::TimeReached);
        // The engine checks for an interrupt while it has work, but between two samples it may have
        // none.
        let interrupted = goes_on && is_interrupted(recorder, ranks);
        let stop = if interrupted { Stop::Interrupted } else { stop };
        let goes_on = goes_on && !interrupted;
        if let Some(observation) = &mut observation
            && (next == look || !goes_on)
        {
            observation.look(simulation, &recorder.records)?;
        }
        if !goes_on {
            return Ok(stop);
        }
        if next == checkpoints.next() && recorder.failure.is_none() {
            checkpoints.take(simulation, recorder, observation.as_deref_mut())?;
        }
    }
}

#[cfg(test)]
mod tests {
    use fabricsim_base::ranks::LocalRanks;

    use super::*;

    #[test]
    fn ranks_refuse_what_needs_the_whole_network() {
        for (table, words) in [
            ("[run]\nfast_forward = \"exact\"", "cannot skip periods"),
            (
                "[observe]\ndelays = true",
                "cannot take completion times apart",
            ),
            ("[observe]\noperations = true", "cannot record operations"),
        ] {
            let text = format!(
                "[topology]\nkind = \"star\"\nhosts = 4\n[cc]\nkind = \"dcqcn\"\n\
                 [[workload]]\nkind = \"permutation\"\nsize = \"1MB\"\n{table}"
            );
            let scenario = &Scenario::from_toml(&text).expect("a scenario");
            let refused = |rank: LocalRanks| {
                let run = Run::on_ranks(scenario, 1, Some(Arc::new(rank))).expect("a network");
                let parts = run.in_parts(RunParts::default()).map(|_| ());
                parts.expect_err("it needs all nodes").to_string()
            };
            std::thread::scope(|scope| {
                let ranks = LocalRanks::new(2).into_iter();
                let ranks = ranks.map(|rank| scope.spawn(move || refused(rank)));
                for rank in ranks.collect::<Vec<_>>() {
                    let message = rank.join().expect("an error");
                    assert!(message.contains(words), "{message}");
                }
            });
        }
    }
}
