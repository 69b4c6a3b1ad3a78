//! Bus bandwidths that users and developers of NCCL measured with NCCL-tests, against simulations.
//!
//! `nccl_tests.csv` has the figures: all-reduces with the protocol Simple on hosts at one switch, or
//! on servers whose GPUs have an interface each. Issue 29 is about 4 servers with one interface,
//! which a ring crosses once for each server. In issue 1368, pairs of GPUs share 400 Gbps. Issues
//! 29, 812 and 1368 state no size for the figure, or a range, and 812 no number of nodes; large
//! sizes hardly depend on it. Rings and trees stay on their rails.

use crate::collectives::row::run;

const FIGURES: &str = include_str!("nccl_tests.csv");

/// One row of the file.
struct Figure {
    nodes: u64,
    local: u64,
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
            nodes: whole(1),
            local: whole(2),
            gbps: whole(3),
            algorithm: cells[4].to_owned(),
            size: whole(5),
            measured: cells[6].parse().unwrap(),
        }
    };
    FIGURES.lines().skip(1).map(row).collect()
}

impl Figure {
    /// Simulates it, and returns GB/s.
    fn simulated(&self) -> f64 {
        let Self {
            nodes,
            local,
            gbps,
            algorithm,
            size,
            ..
        } = self;
        let topology = if *local == 1 {
            format!("kind = \"star\"\nhosts = {nodes}\nrate = \"{gbps}Gbps\"\ndelay = \"1us\"")
        } else {
            format!(
                "kind = \"rail\"\nservers = {nodes}\nservers_per_unit = {nodes}\n\
                 gpus_per_server = {local}\nserver_rate = \"2400Gbps\"\n\
                 nic_rate = \"{gbps}Gbps\"\nfabric_rate = \"{gbps}Gbps\"\nspines = 8\n\
                 links_per_spine = 1"
            )
        };
        let text = format!(
            r#"
                [topology]
                {topology}
                [rdma]
                mtu = "4096B"
                [cc]
                kind = "none"
                [[workload]]
                kind = "collective"
                operation = "all-reduce"
                algorithm = "nccl"
                local_size = {local}
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
        let rate = (self.local * self.gbps) as f64 / 8.0;
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
    let small = |figure: &Figure| figure.local == 1 && figure.size < 1 << 26;
    let small: Vec<Figure> = figures().into_iter().filter(small).collect();
    assert_eq!(small.len(), 5);
    small.iter().for_each(Figure::expect);
}

#[test]
#[ignore = "simulates all-reduces of 256 MiB of up to 40 GPUs"]
fn no_measurement_passes_the_limit_of_the_network() {
    figures().iter().for_each(Figure::expect);
}
