//! Commands that run as several processes of an MPI job.
//!
//! A command that supports ranks takes three steps. [`join`] connects the processes as ranks of one
//! job. [`agree`] ends each local step that may fail, such as reading the scenario: all ranks
//! continue, or all end with the same exit code and one message. [`conclude`] ends the command; if
//! a rank fails without the knowledge of the others, it aborts them. A panic does the same.
//!
//! All other commands refuse to run as several processes, and only the first process says so.

use std::process::ExitCode;
use std::sync::Arc;
use std::thread::sleep;
use std::time::Duration;

use fabricsim::Error;
use fabricsim_base::ranks::Ranks;
use fabricsim_mpi::{Launch, MpiRanks, StartError};

use crate::console::{note, refuse};
use crate::exit;
use crate::first_process::leave_it_to_the_first;

/// The number of processes that a command supports.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Processes {
    /// One: with several, each would do the whole work.
    One,
    /// Several, which share one job.
    Several,
}

/// Delay between the reports of ranks that fail at the same time. The first report ends the other
/// ranks.
const STAGGER: Duration = Duration::from_millis(100);

/// Joins the ranks of the job if an MPI launcher has started several processes.
///
/// # Errors
/// If there are several processes but the command supports one, or if this build has no MPI. The
/// first process has reported the error; the result is the exit code.
pub(crate) fn join(processes: Processes) -> Result<Option<Arc<MpiRanks>>, ExitCode> {
    let Some(launch) = Launch::detect() else {
        return Ok(None);
    };
    let started = match processes {
        Processes::Several => fabricsim_mpi::start().map_err(|error| cannot_start(&error)),
        Processes::One => Err(for_one_process(launch)),
    };
    started.map_err(|error| {
        leave_it_to_the_first(exit::of(&error).into());
        refuse(error)
    })
}

fn cannot_start(error: &StartError) -> Error {
    Error::Unsupported {
        scenario: "fabricsim".to_owned(),
        message: error.to_string(),
        help: error.help().to_owned(),
    }
}

fn for_one_process(launch: Launch) -> Error {
    let several = match launch.count() {
        Some(count) => format!("an MPI launcher has started {count}"),
        None => "an MPI launcher may have started several".to_owned(),
    };
    Error::Unsupported {
        scenario: "fabricsim".to_owned(),
        message: format!("this command works in one process, and {several}"),
        help: "start it without the launcher. Independent tasks of `srun` need `srun --mpi=none`; \
               docs/clusters.md shows how to divide sweeps"
            .to_owned(),
    }
}

/// Waits until all ranks have finished a step that may fail, and returns this rank's result.
///
/// # Errors
/// If any rank has failed. The result is the exit code, the same on all ranks. The first failed
/// rank has reported the error, once for all ranks that failed alike.
pub(crate) fn agree<T>(own: Result<T, Error>, ranks: Option<&MpiRanks>) -> Result<T, ExitCode> {
    let Some(ranks) = ranks else {
        return own.map_err(refuse);
    };
    let failure = own.as_ref().err();
    let failure = failure.map(|error| (exit::of(error), error.to_string()));
    let failure = failure.as_ref().map(|(code, text)| (*code, &**text));
    match (fabricsim_mpi::agree(ranks, failure), own) {
        (Ok(()), Ok(own)) => Ok(own),
        (Ok(()), Err(error)) => Err(refuse(error)),
        (Err(failure), own) => {
            if let (true, Err(error)) = (failure.speaker() == ranks.rank(), own) {
                let _ = refuse(error);
                if !failure.is_alike {
                    note!("{}", failed(ranks));
                }
            }
            Err(ExitCode::from(failure.code))
        }
    }
}

/// Ends a command with its result, on all ranks if there are several.
pub(crate) fn conclude(result: Result<ExitCode, Error>, ranks: Option<Arc<MpiRanks>>) -> ExitCode {
    let Some(ranks) = ranks else {
        return result.unwrap_or_else(refuse);
    };
    match result {
        Ok(code) => {
            // A launcher may kill all ranks as soon as one exits, so all finish their part first.
            ranks.gather(&[]);
            code
        }
        Err(error) => {
            // If ranks fail alike, the first one aborts the other ranks before they print.
            let before = u32::try_from(ranks.rank()).unwrap_or(u32::MAX).min(20);
            sleep(STAGGER * before);
            let code = exit::of(&error);
            let _ = refuse(error);
            note!("{}", failed(&ranks));
            ranks.abort(code)
        }
    }
}

/// Returns the line that names the failed rank and its machine.
fn failed(ranks: &MpiRanks) -> String {
    format!(
        "rank {} of {} on {} has failed, which ends all ranks",
        ranks.rank(),
        ranks.count(),
        ranks.machine()
    )
}
