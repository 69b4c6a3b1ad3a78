//! Bus bandwidths that users of NCCL measured with NCCL-tests, against simulations.
//!
//! `nccl_tests.csv` has the figures: all-reduces with the protocol Simple on hosts at one switch.
//! Issue 29 is about 4 servers with one interface, which a ring crosses once for each server; it
//! states no size, and large sizes hardly depend on it. Figures of servers with an interface for each
//! GPU are left out: their rings leave and enter a server by the same rail, and those here do not.

use crate::collectives::row::run;

const FIGURES: &str = include_str!("nccl_tests.csv");

/// One row of the file.
struct Figure {
    hosts: u64,
    gbps: u64,
    algorithm: String,
    size: u64,
    /// Measured GB/s.
    measured: f64,
}

fn figures() -> Vec<Figure> {
    let row = |line: &str| {
        let cells: Vec<&str> = line.split(',').collect();
        let whole = |at: usize| cells[at].parse().unwrap();
        Figure {
            hosts: whole(1),
            gbps: whole(2),
            algorithm: cells[3].to_owned(),
            size: whole(4),
            measured: cells[5].parse().unwrap(),
        }
    };
    FIGURES.lines().skip(1).map(row).collect()
}

impl Figure {
    /// Simulates it, and returns GB/s.
    fn simulated(&self) -> f64 {
        let Self {
            hosts,
            gbps,
            algorithm,
            size,
            ..
        } = self;
        let text = format!(
            r#"
                [topology]
                kind = "star"
                hosts = {hosts}
                rate = "{gbps}Gbps"
                delay = "1us"
                [rdma]
                mtu = "4096B"
                [cc]
                kind = "none"
                [[workload]]
                kind = "collective"
                operation = "all-reduce"
                algorithm = "nccl"
                tuner = [{{ algorithm = "{algorithm}", protocol = "simple" }}]
                size = "{size}B"
            "#
        );
        let (summary, _, _) = run(&text, 1);
        summary.jobs[0].busbw_gbps.unwrap() / 8.0
    }

    /// The simulation has no time of kernels, copies and proxies: it is the limit of the network,
    /// which no measurement passes, and which is below the rate of the interfaces.
    fn expect(&self) {
        let simulated = self.simulated();
        let rate = self.gbps as f64 / 8.0;
        let Self {
            algorithm,
            size,
            measured,
            ..
        } = self;
        println!("{algorithm} {size}: measured {measured}, simulated {simulated:.2} of {rate}");
        assert!(
            *measured <= simulated * 1.01 && simulated < rate,
            "{simulated}"
        );
    }
}

#[test]
fn no_measurement_on_one_switch_passes_the_limit_of_the_network() {
    let small = |figure: &Figure| figure.size < 1 << 26;
    let small: Vec<Figure> = figures().into_iter().filter(small).collect();
    assert_eq!(small.len(), 5);
    small.iter().for_each(Figure::expect);
}

#[test]
#[ignore = "simulates an all-reduce of 256 MiB"]
fn no_measurement_passes_the_limit_of_the_network() {
    figures().iter().for_each(Figure::expect);
}
