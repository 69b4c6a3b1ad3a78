//! A trace of data-parallel training: computation, and collectives that no computation waits for.

use std::fmt::Write as _;

use super::bound::{Chain, Members, least_us};
use super::extent::{Extent, SERVER};

/// A trace as a table of computations, each with the collective that begins after it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Overlapped {
    /// The table.
    pub(super) table: &'static str,
}

impl Overlapped {
    /// Returns the rows: time of the computation, the collective, and its bytes.
    fn rows(self, extent: Extent) -> impl Iterator<Item = (u64, &'static str, u64)> {
        self.table.lines().skip(1).map(move |line| {
            let words: Vec<&str> = line.split(',').collect();
            let number = |at: usize| -> u64 {
                let number: u64 = words[at].parse().expect("the project's table has numbers");
                number / extent.divisor()
            };
            match words[1] {
                "" => (number(0), "", 0),
                name => (number(0), name, number(2).max(1)),
            }
        })
    }

    /// Returns the workload as a list of operations.
    pub(super) fn workload(self, extent: Extent) -> String {
        let mut text = "rank,id,op,bytes,duration_ns,after\n".to_owned();
        for rank in 0..extent.gpus() {
            let mut after = String::new();
            for (number, (ns, collective, bytes)) in self.rows(extent).enumerate() {
                let computation = format!("computation{number}");
                let _ = writeln!(text, "{rank},{computation},calc,,{ns},{after}");
                if !collective.is_empty() {
                    let _ = writeln!(
                        text,
                        "{rank},{collective}{number},{collective},{bytes},,{computation}"
                    );
                }
                after = computation;
            }
        }
        text
    }

    /// Returns the operations of a rank with computing times multiplied by `slow`.
    pub(super) fn chain(self, extent: Extent, slow: f64) -> Chain {
        let members = Members {
            ranks: extent.gpus(),
            in_server: SERVER,
        };
        let mut chain = Chain::new(slow);
        for (ns, collective, bytes) in self.rows(extent) {
            chain.compute(ns);
            chain.beside(least_us(collective, bytes, members));
        }
        chain
    }
}
