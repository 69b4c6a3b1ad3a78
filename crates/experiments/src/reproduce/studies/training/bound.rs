//! The least time of an iteration: what a rank computes, and the bytes of its collectives.

/// Rates of a GPU's links in bytes per microsecond: NVLink within the server, and the NIC.
const NVLINK: f64 = 2_400e9 / 8.0 / 1e6;
const NIC: f64 = 200e9 / 8.0 / 1e6;

/// The ranks of a collective.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Members {
    /// Their number.
    pub(super) ranks: u32,
    /// The members in one server.
    pub(super) in_server: u32,
}

/// Returns the least time of a collective of `size` bytes in microseconds: payload alone, over the
/// link of a member that carries most of it.
///
/// A ring sends (n-1)/n of the buffer over each link from one member to the next, an all-reduce
/// twice. An all-to-all sends 1/n of the data to each other member.
pub(super) fn least_us(operation: &str, size: u64, members: Members) -> f64 {
    let (n, local) = (f64::from(members.ranks), f64::from(members.in_server));
    if members.ranks < 2 {
        return 0.0;
    }
    let size = size as f64;
    let (inside, outside) = match operation {
        "all-to-all" => ((local - 1.0) / n * size, (n - local) / n * size),
        "all-reduce" | "all-gather" | "reduce-scatter" => {
            let factor = if operation == "all-reduce" { 2.0 } else { 1.0 };
            let bytes = factor * (n - 1.0) / n * size;
            if members.ranks == members.in_server {
                (bytes, 0.0)
            } else {
                (0.0, bytes)
            }
        }
        _ => (0.0, 0.0),
    };
    (inside / NVLINK).max(outside / NIC)
}

/// The operations of a rank, one after the other.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Chain {
    /// Factor of computing times.
    slow: f64,
    /// Earliest end of all operations that the next one waits for, in microseconds.
    at_us: f64,
    /// Earliest end of all operations.
    end_us: f64,
    /// Time of all computations.
    computed_us: f64,
}

impl Chain {
    /// Begins a chain with computing times multiplied by `slow`.
    pub(super) fn new(slow: f64) -> Self {
        Self {
            slow,
            ..Self::default()
        }
    }

    /// Adds a computation.
    pub(super) fn compute(&mut self, ns: u64) {
        let us = ns as f64 / 1e3 * self.slow;
        self.computed_us += us;
        self.wait(us);
    }

    /// Adds an operation of at least `us` that the next one waits for.
    pub(super) fn wait(&mut self, us: f64) {
        self.at_us += us;
        self.end_us = self.end_us.max(self.at_us);
    }

    /// Adds an operation of at least `us` that no other one waits for.
    pub(super) fn beside(&mut self, us: f64) {
        self.end_us = self.end_us.max(self.at_us + us);
    }

    /// Returns the least time of an iteration in microseconds.
    pub(super) const fn bound_us(&self) -> f64 {
        self.end_us
    }

    /// Returns the computing time of a rank in microseconds.
    pub(super) const fn computed_us(&self) -> f64 {
        self.computed_us
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 300 KB within a server: 2 * 7/8 of it at 300,000 bytes per microsecond. 100 KB among 8
    /// ranks, 2 in each server: 6/8 of it leave the server at 25,000 bytes per microsecond.
    #[test]
    fn collectives_take_the_time_of_their_bytes() {
        let server = Members {
            ranks: 8,
            in_server: 8,
        };
        let pairs = Members {
            ranks: 8,
            in_server: 2,
        };
        let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-9, "{a} {b}");
        near(least_us("all-reduce", 300_000, server), 1.75);
        near(least_us("all-to-all", 100_000, pairs), 3.0);
        near(least_us("all-gather", 100_000, pairs), 3.5);
        near(least_us("broadcast", 100_000, pairs), 0.0);
    }

    #[test]
    fn a_collective_that_nothing_waits_for_counts_at_the_end_alone() {
        let mut chain = Chain::new(2.0);
        chain.compute(1_000);
        chain.beside(10.0);
        chain.wait(3.0);
        chain.compute(500);
        assert_eq!((chain.bound_us(), chain.computed_us()), (12.0, 3.0));
    }
}
