use fabricsim_base::id::ClassId;
use fabricsim_base::rng::{Purpose, Stream};

use super::*;
use crate::context::testing::context;
use crate::offered::{FlowCost, Traffic};
use crate::workload::Workload;

fn config() -> RpcConfig {
    RpcConfig::new("4KB", Duration::from_ms(1))
}

#[test]
fn errors_name_their_key() {
    let key = |change: fn(&mut RpcConfig)| {
        let mut config = config();
        change(&mut config);
        let refused = config.applications(&context(4, 1), ClassId(0));
        assert_eq!(
            refused.as_ref().err().map(|error| error.key),
            config.expected(&context(4, 1)).err().map(|error| error.key)
        );
        refused.err().map(|error| error.key).unwrap_or_default()
    };
    // Each line makes one error in a valid configuration.
    assert_eq!(key(|c| c.connections = 0), "connections");
    assert_eq!(key(|c| c.outstanding = 0), "outstanding");
    assert_eq!(key(|c| c.connections = 1_000_000), "connections");
    assert_eq!(key(|c| c.outstanding = 1_000_000), "outstanding");
    assert_eq!(key(|c| c.duration = None), "duration");
    assert_eq!(key(|c| c.duration = Some(Duration::ZERO)), "duration");
    assert_eq!(key(|c| c.queries = Some(0)), "queries");
    assert_eq!(key(|c| c.load = Some(0.5)), "load");
    assert_eq!(key(|c| c.rate = Some(5.0)), "rate");
    assert_eq!(key(|c| c.mode = RpcMode::Poisson), "load");
    let poisson = |c: &mut RpcConfig| (c.mode, c.load) = (RpcMode::Poisson, Some(0.5));
    assert_eq!(
        key(|c| (c.mode, c.load, c.rate) = (RpcMode::Poisson, Some(0.5), Some(9.0))),
        "load"
    );
    assert_eq!(
        key(|c| (c.mode, c.rate) = (RpcMode::Poisson, Some(0.0))),
        "rate"
    );
    assert_eq!(
        key(|c| {
            (c.mode, c.load) = (RpcMode::Poisson, Some(0.5));
            c.think = Duration::from_us(1);
        }),
        "think"
    );
    assert_eq!(
        key(|c| {
            (c.mode, c.load) = (RpcMode::Poisson, Some(0.5));
            c.outstanding = 2;
        }),
        "outstanding"
    );
    assert_eq!(key(|c| c.reuse = RpcReuse::Idle), "reuse");
    assert_eq!(
        key(|c| {
            (c.mode, c.load) = (RpcMode::Poisson, Some(0.5));
            (c.reuse, c.connections) = (RpcReuse::Never, 2);
        }),
        "connections"
    );
    assert_eq!(key(|c| c.response = Bytes::ZERO), "response");
    assert_eq!(key(|c| c.priority = 0), "priority");
    assert_eq!(key(|c| c.query = "no-such-file.txt".into()), "query");
    assert_eq!(
        key(|c| c.clients = Some(vec!["2..9".parse().expect("a range")])),
        "clients"
    );
    assert_eq!(
        key(|c| c.servers = Some(vec!["1".parse().expect("a range")])),
        "servers"
    );
    // An open loop with all defaults is valid.
    let mut fine = config();
    poisson(&mut fine);
    assert_eq!(
        fine.applications(&context(4, 1), ClassId(0))
            .map(|all| all.len()),
        Ok(8)
    );
}

#[test]
fn more_queries_than_can_be_numbered_are_refused() {
    let mut config = config();
    config.queries = Some(u64::MAX);
    config.duration = None;
    let error = config.expected(&context(4, 1)).expect_err("too many");
    assert_eq!(error.key, "queries");
    config.queries = None;
    config.duration = Some(Duration::from_ms(1_000_000));
    assert!(
        config.expected(&context(4, 1)).is_ok(),
        "a closed loop takes its time"
    );
    (config.mode, config.rate) = (RpcMode::Poisson, Some(1e12));
    let error = config.expected(&context(4, 1)).expect_err("too many");
    assert_eq!(error.key, "duration");
}

#[test]
fn an_atom_takes_all_that_lies_below_the_first_size() {
    let mut config = config();
    config.query = "alistorage".into();
    let share_of_4000 = |config: &RpcConfig| {
        let sizes = config.sizes().expect("built in");
        let mut stream = Stream::new(1, 0, Purpose::Arrivals);
        let drawn = (0..100_000).map(|_| sizes.sample(stream.uniform()).get());
        drawn.filter(|&size| size == 4_000).count()
    };
    assert!(share_of_4000(&config) < 100);
    config.size_steps = SizeSteps::Atom;
    let share = share_of_4000(&config);
    assert!((22_500..23_400).contains(&share), "{share}");
    let fixed = SizeCdf::fixed(Bytes::new(9));
    assert_eq!(fixed.with_atom(), fixed);
}

#[test]
fn an_open_loop_offers_queries_one_way_and_responses_the_other() {
    let mut config = config();
    assert_eq!(
        config.offered(&context(4, 1), &|_| FlowCost::default()),
        Ok(None)
    );
    (config.mode, config.rate) = (RpcMode::Poisson, Some(1e6));
    config.servers = Some(vec!["0..2".parse().expect("a range")]);
    let cost = |size: Bytes| FlowCost {
        forth: size.as_f64(),
        back: 1.0,
    };
    let offered = config
        .offered(&context(4, 1), &cost)
        .expect("fine")
        .expect("a rate");
    let Traffic::Product { sent, taken, cost } = offered.traffic else {
        panic!("every pair of hosts");
    };
    assert_eq!(sent, [1e6, 1e6, 5e5, 5e5]);
    assert_eq!(taken, [1.0, 1.0, 0.0, 0.0]);
    assert!((cost.forth - 4_001.0).abs() < 1e-6 && (cost.back - 65.0).abs() < 1e-6);
}

#[test]
fn what_is_expected_follows_from_load_rate_or_count() {
    let expected = |change: fn(&mut RpcConfig)| {
        let mut config = config();
        change(&mut config);
        config.expected(&context(4, 1)).expect("fine")
    };
    let counted = expected(|c| (c.duration, c.queries) = (None, Some(10)));
    assert!((counted.flows - 80.0).abs() < 1e-9 && (counted.bytes - 40.0 * 4_064.0).abs() < 1e-6);
    let brief = expected(|c| c.duration = Some(Duration::from_ns(1)));
    assert!((brief.flows - 8.0).abs() < 1e-9, "one query of each client");
    let rated = expected(|c| (c.mode, c.rate) = (RpcMode::Poisson, Some(1e6)));
    assert!((rated.flows - 8_000.0).abs() < 1e-6);
    // Four hosts of 100 Gbps can send 50 MB in 1 ms, and half of it at half load.
    let loaded = expected(|c| (c.mode, c.load) = (RpcMode::Poisson, Some(0.5)));
    assert!((loaded.flows - 2.0 * 25e6 / 4_000.0).abs() < 1e-6);
}
