//! A panic of one rank ends all ranks.

use std::io::{Write, stderr};
use std::panic::{set_hook, take_hook};
use std::sync::Weak;

use fabricsim_base::ranks::Ranks;

use crate::MpiRanks;

/// Exit code of a Rust program that panicked.
const PANICKED: u8 = 101;

/// Makes each panic of this process end all ranks, after the usual report, because the other ranks
/// would wait for this one forever. A panic that is caught ends them as well.
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
