//! A panic of one rank ends all.

use std::io::{Write, stderr};
use std::panic::{set_hook, take_hook};
use std::sync::Weak;

use fabricsim_base::ranks::Ranks;

use crate::MpiRanks;

/// The exit code of a program of Rust that has panicked.
const PANICKED: u8 = 101;

/// Makes each panic of this process end all ranks, after it has been reported as before: the others
/// would wait for this rank forever. A panic that somebody catches ends them as well.
pub(crate) fn end_all_on_panic(ranks: Weak<MpiRanks>) {
    let report = take_hook();
    set_hook(Box::new(move |info| {
        report(info);
        if let Some(ranks) = ranks.upgrade() {
            let (rank, count, machine) = (ranks.rank(), ranks.count(), ranks.machine());
            let _ = writeln!(
                stderr(),
                "rank {rank} of {count} on {machine} has panicked, which ends all"
            );
            ranks.abort(PANICKED);
        }
    }));
}
