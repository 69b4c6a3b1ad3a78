//! A command that an MPI launcher has started several times: one job of all, or refused once.
//!
//! A command that works over ranks takes three steps. [`join`] makes the processes ranks of one job.
//! [`agree`] ends each step that every rank takes by itself and that may fail, such as reading the
//! scenario: all go on, or all end with the same exit code and one message. [`conclude`] ends the
//! command; a rank that fails where the others do not know of it ends them, too. Panics do so by
//! themselves.

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

/// What a command is when several processes of it have been started.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Processes {
    /// An error: each of them would do the whole work.
    One,
    /// One job of all.
    Several,
}

/// Steps in which ranks that fail at the same time speak, of which the first ends the others.
const STAGGER: Duration = Duration::from_millis(100);

/// Joins the ranks of a job, where an MPI launcher has started several processes.
///
/// # Errors
/// When there are several processes and the command is for one, or when this build has no MPI. The
/// first process has said so; the exit code is returned.
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
        help: "start it without the launcher. Tasks of `srun` that have nothing to do with one \
               another want `srun --mpi=none`; docs/clusters.md says how sweeps are divided"
            .to_owned(),
    }
}

/// Waits until all ranks have taken a step that may fail, and returns what this one has got.
///
/// # Errors
/// When any rank has failed, this one or another: the exit code, which is the same at all. The first
/// rank that failed has reported its error, once for all that failed alike.
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

/// Ends a command with its result, at all ranks when there are several.
pub(crate) fn conclude(result: Result<ExitCode, Error>, ranks: Option<Arc<MpiRanks>>) -> ExitCode {
    let Some(ranks) = ranks else {
        return result.unwrap_or_else(refuse);
    };
    match result {
        Ok(code) => {
            // A launcher may end the others for the exit code of one: all have done their part first.
            ranks.gather(&[]);
            code
        }
        Err(error) => {
            // Of ranks that fail alike, the first one ends the others before they speak.
            let before = u32::try_from(ranks.rank()).unwrap_or(u32::MAX).min(20);
            sleep(STAGGER * before);
            let code = exit::of(&error);
            let _ = refuse(error);
            note!("{}", failed(&ranks));
            ranks.abort(code)
        }
    }
}

/// The line that says where something has failed.
fn failed(ranks: &MpiRanks) -> String {
    format!(
        "rank {} of {} on {} has failed, which ends all",
        ranks.rank(),
        ranks.count(),
        ranks.machine()
    )
}
