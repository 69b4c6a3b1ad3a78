//! What concerns all processes that an MPI launcher has started is said by the first of them.

use std::thread::sleep;
use std::time::Duration;

use fabricsim_mpi::Launch;

/// How long the others wait. Launchers end all processes as soon as one has failed; without the wait,
/// the first one might not come to say anything.
const HEAD_START: Duration = Duration::from_secs(1);

/// Ends this process with `code` after a while, without a word, when it is one of several and not
/// the first.
pub(crate) fn leave_it_to_the_first(code: i32) {
    if Launch::detect().is_some_and(|launch| !launch.is_first()) {
        sleep(HEAD_START);
        std::process::exit(code);
    }
}
