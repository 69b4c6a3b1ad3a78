//! Only the first process of an MPI job reports an error that all of them have.

use std::thread::sleep;
use std::time::Duration;

use fabricsim_mpi::Launch;

/// Time that the other processes wait before they exit.
///
/// Launchers kill all processes as soon as one has failed, so without this delay the first one
/// might not get to print the error.
const HEAD_START: Duration = Duration::from_secs(1);

/// Ends this process silently with `code` after a delay if it belongs to a job and is not the
/// first.
pub(crate) fn leave_it_to_the_first(code: i32) {
    if Launch::detect().is_some_and(|launch| !launch.is_first()) {
        sleep(HEAD_START);
        std::process::exit(code);
    }
}
