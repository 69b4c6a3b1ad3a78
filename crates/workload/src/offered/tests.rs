//! Compares expected rates with drawn flows.

use fabricsim_base::id::NodeId;

use super::*;
use crate::context::testing::context;
use crate::workload::{BoxedWorkload, boxed};
use crate::{
    AllToAllConfig, FlowTimes, IncastConfig, ListConfig, PermutationConfig, PoissonConfig,
};

/// Returns the cost of a flow of `size` in packets of 1,000 bytes with 50 bytes of headers, each
/// acknowledged by 60 bytes.
fn cost(size: Bytes) -> FlowCost {
    let packets = size.get().div_ceil(1_000) as f64;
    FlowCost {
        forth: size.as_f64() + 50.0 * packets,
        back: 60.0 * packets,
    }
}

/// Returns the bytes per second from each host to each other host, in both directions of a flow.
fn matrix(offered: &Offered, hosts: usize) -> Vec<Vec<FlowCost>> {
    let mut matrix = vec![vec![FlowCost::default(); hosts]; hosts];
    match &offered.traffic {
        Traffic::Pairs(pairs) => {
            for &(from, to, sum) in pairs {
                matrix[from][to] = sum;
            }
        }
        Traffic::Product { sent, taken, cost } => {
            for (from, row) in matrix.iter_mut().enumerate() {
                for (to, cell) in row.iter_mut().enumerate().filter(|(to, _)| *to != from) {
                    let flows = sent[from] * taken[to];
                    cell.forth = flows * cost.forth;
                    cell.back = flows * cost.back;
                }
            }
        }
    }
    matrix
}

/// Returns the bytes per second that the workload actually sends between each pair of hosts, over
/// its whole length, as the mean of many seeds.
fn drawn(config: &BoxedWorkload, hosts: u32, seeds: u64, seconds: f64) -> Vec<Vec<f64>> {
    let mut sums = vec![vec![0.0; hosts as usize]; hosts as usize];
    for seed in 0..seeds {
        let mut source = config
            .build(&context(hosts, seed), fabricsim_base::id::ClassId(0))
            .unwrap();
        while let Some(flow) = source.next_flow() {
            sums[flow.src.index()][flow.dst.index()] +=
                cost(flow.size).forth / seconds / seeds as f64;
        }
    }
    sums
}

#[test]
fn every_kind_offers_what_it_sends() {
    let ms = Duration::from_ms;
    let mut poisson = PoissonConfig::new("20KB", 0.3, ms(2));
    poisson.sources = Some(vec!["0..3".parse().unwrap()]);
    poisson.destinations = Some(vec!["2..5".parse().unwrap()]);
    let mut incast = IncastConfig::once(3, Bytes::new(4_500));
    (incast.at, incast.period, incast.duration) = (None, Some(Duration::from_us(50)), Some(ms(2)));
    let mut fixed = incast.clone();
    fixed.receiver = Some(NodeId(4));
    let random = IncastConfig::poisson(3, Bytes::new(4_500), 0.2, ms(2));
    let mut rounds = PermutationConfig::new(Bytes::new(1_500));
    (rounds.count, rounds.gap) = (20, Duration::from_us(100));
    let mut shuffle = AllToAllConfig::new(Bytes::new(999));
    shuffle.stagger = Duration::from_us(500);
    for config in [
        boxed(poisson),
        boxed(incast),
        boxed(fixed),
        boxed(random),
        boxed(rounds),
        boxed(shuffle),
    ] {
        let offered = config.offered(&context(5, 1), &cost).unwrap().unwrap();
        let seconds = offered.until.since(offered.from).as_secs_f64();
        let expected = matrix(&offered, 5);
        let seen = drawn(&config, 5, 400, seconds);
        let total: f64 = seen.iter().flatten().sum();
        for (expected, seen) in expected.iter().flatten().zip(seen.iter().flatten()) {
            // Counts of 400 runs are accurate to about 3%.
            let near = (expected.forth - seen).abs() <= 0.06 * seen + 1e-6 * total;
            assert!(
                near,
                "{}: {} expected, {seen} drawn",
                config.kind(),
                expected.forth
            );
        }
    }
}

#[test]
fn sizes_are_counted_in_whole_packets() {
    let config = boxed(PoissonConfig::new("10B", 0.5, Duration::from_ms(1)));
    let offered = config.offered(&context(2, 1), &cost).unwrap().unwrap();
    let sum = matrix(&offered, 2)[0][1];
    // 6.25 GB/s of payload in flows of 10 bytes, each with 50 bytes of headers.
    assert!((sum.forth / (6.25e9 * 6.0) - 1.0).abs() < 1e-9, "{sum:?}");
    assert!((sum.back / (6.25e9 * 6.0) - 1.0).abs() < 1e-9, "{sum:?}");
}

#[test]
fn lists_offer_what_they_hold_and_bursts_nothing() {
    let context = context(3, 1);
    let load = |text: &str| {
        let mut list = boxed(ListConfig::new("flows.csv"));
        list.load(text, &context, FlowTimes::Exact).unwrap();
        list.offered(&context, &cost).unwrap()
    };
    let offered =
        load("src,dst,size_bytes,start_ns\n0,1,1000,0\n0,1,3000,1000000\n2,0,2000,2000000\n");
    let matrix = matrix(&offered.unwrap(), 3);
    // Three flows at intervals of 1 ms last three milliseconds.
    assert!((matrix[0][1].forth - 4_200.0 / 3e-3).abs() < 1e-3);
    assert!((matrix[0][1].back - 240.0 / 3e-3).abs() < 1e-3);
    assert!((matrix[2][0].forth - 2_100.0 / 3e-3).abs() < 1e-3);
    assert_eq!(
        load("src,dst,size_bytes,start_ns\n0,1,1000,5\n2,1,1000,5\n"),
        None
    );
    let none = |config: BoxedWorkload| config.offered(&context, &cost).unwrap().is_none();
    assert!(none(boxed(IncastConfig::once(2, Bytes::new(9)))));
    assert!(none(boxed(PermutationConfig::new(Bytes::new(9)))));
    assert!(none(boxed(AllToAllConfig::new(Bytes::new(9)))));
}
