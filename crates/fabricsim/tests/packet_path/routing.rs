//! Routing policies over networks with several equal paths.

use crate::support;
use fabricsim::{Scenario, Simulation};
use fabricsim_base::units::{Bytes, Duration, Time};
use fabricsim_core::network::Stop;
use fabricsim_topology::routing_policies;

/// One flow from each host of a non-blocking fat-tree to another.
fn permutation(k: u32, size: &str, policy: &str, more: &str) -> Scenario {
    let text = format!(
        r#"
            [topology]
            kind = "fat-tree"
            k = {k}
            host_rate = "100Gbps"
            fabric_rate = "100Gbps"
            [[workload]]
            kind = "permutation"
            size = "{size}"
            [routing]
            policy = {policy}
            {more}
        "#
    );
    support::scenario(&text)
}

/// Line rate with a window of two bandwidth-delay products. It covers the queues that spraying
/// leaves, which a window of exactly one product does not.
const LINE_RATE: &str = r#"
    [cc]
    kind = "none"
    window_bdp = 2"#;

/// Runs a scenario to its end.
fn finished(scenario: &Scenario, threads: usize) -> Simulation {
    let mut simulation = Simulation::new(scenario, threads).unwrap();
    let stop = simulation.run_until(Time::ZERO + Duration::from_ms(1_000));
    let policy = scenario.routing_policy();
    assert_eq!(
        stop,
        Stop::Finished,
        "{policy:?}: {:?}",
        simulation.unfinished()
    );
    simulation
}

/// Returns the median and the 95th percentile of the slowdowns of a scenario without
/// retransmissions.
fn slowdowns(scenario: &Scenario) -> [f64; 2] {
    let mut simulation = finished(scenario, 2);
    let done = simulation.take_completions();
    let again: Bytes = done.iter().map(|flow| flow.retransmitted).sum();
    assert_eq!(again, Bytes::ZERO, "{:?}", scenario.routing_policy());
    assert_eq!(simulation.endpoint_counters().timeouts, 0);
    let mut slowdowns: Vec<f64> = (done.iter())
        .map(|flow| simulation.record(flow).slowdown())
        .collect();
    slowdowns.sort_by(f64::total_cmp);
    [slowdowns.len() / 2, slowdowns.len() * 19 / 20].map(|place| slowdowns[place])
}

/// Collisions of ECMP cost half of the throughput; spraying and adaptive routing cost almost
/// nothing. The shortest queue of a switch says nothing about later queues, so flows that follow it
/// spread less evenly over these than flows that draw. Flowlets, which draw again and again, are in
/// between for slow flows; their median equals ECMP's.
fn policies_have_their_order(k: u32) {
    let of = |policy: &str| {
        let [median, p95] = slowdowns(&permutation(k, "1MB", policy, LINE_RATE));
        println!("k = {k}, {policy}: slowdown {median:.3}, p95 {p95:.3}");
        [median, p95]
    };
    let ecmp = of(r#""ecmp""#);
    let flowlets = of(r#"{ kind = "flowlet", gap = "1us" }"#);
    assert!(ecmp[0] > 1.9, "{ecmp:?}");
    for policy in ["random", "round-robin", "power-of-two", "shortest-queue"] {
        let sprayed = of(&format!(r#""{policy}""#));
        let most = if policy == "shortest-queue" {
            1.2
        } else {
            1.15
        };
        assert!(sprayed[0] < most, "{policy}: {sprayed:?}");
        assert!(sprayed[1] < flowlets[1] && flowlets[1] < 0.85 * ecmp[1]);
    }
}

#[test]
fn spraying_is_near_the_ideal_where_ecmp_collides() {
    policies_have_their_order(8);
}

#[test]
#[ignore = "1,024 hosts with seven policies take a minute"]
fn spraying_is_near_the_ideal_among_1024_hosts() {
    policies_have_their_order(16);
}

/// HPCC compares the telemetry of one path with earlier telemetry of the same path. Its target of
/// 95% and its headers cost 14% even without collisions.
#[test]
fn hpcc_under_spraying_follows_each_path() {
    let cc = r#"
        [cc]
        kind = "hpcc""#;
    let [ecmp, _] = slowdowns(&permutation(8, "1MB", r#""ecmp""#, cc));
    for policy in [r#""random""#, r#""round-robin""#, r#""power-of-two""#] {
        let [sprayed, _] = slowdowns(&permutation(8, "1MB", policy, cc));
        assert!(sprayed < 1.25 && ecmp > 1.9, "{policy}: {sprayed}, {ecmp}");
    }
}

#[test]
fn every_policy_gives_the_same_results_on_any_number_of_threads() {
    for policy in routing_policies() {
        // Only RDMA senders support entropy.
        let all = ["hpcc", "dcqcn", "cubic"];
        for cc in &all[..if policy.entropy().is_some() { 2 } else { 3 }] {
            let more = format!(
                r#"
                [cc]
                kind = "{cc}""#
            );
            let name = format!(r#""{}""#, policy.name());
            let scenario = permutation(4, "100KB", &name, &more);
            let one = finished(&scenario, 1).take_completions();
            assert_eq!(one.len(), 16);
            for threads in [2, 3, 8] {
                let more = finished(&scenario, threads).take_completions();
                assert_eq!(more, one, "{name}, {cc}, {threads} threads");
            }
        }
    }
}

#[test]
fn what_links_lose_is_sent_again_under_every_policy() {
    for policy in routing_policies() {
        let more = r#"
            [cc]
            kind = "dcqcn"
            [rdma]
            rto_min = "200us"
            [[event]]
            kind = "link-loss"
            at = "0s"
            link = [16, 24]
            loss = 0.02"#;
        let name = format!(r#""{}""#, policy.name());
        let simulation = finished(&permutation(4, "200KB", &name, more), 2);
        let ends = simulation.endpoint_counters();
        let sent = Bytes::new(16 * 200_000);
        assert_eq!(ends.delivered, sent, "{name}");
        assert_eq!(ends.sent, sent + ends.retransmitted, "{name}");
        let lost = simulation.counters().lost_payload;
        assert!(ends.retransmitted >= lost, "{name}");
    }
}

#[test]
fn a_receiver_in_any_order_is_the_default_where_packets_overtake_one_another() {
    let recovery = |policy: &str, more: &str| {
        let scenario = permutation(
            4,
            "100KB",
            policy,
            &format!(
                r#"
                [cc]
                kind = "hpcc"
                {more}"#
            ),
        );
        scenario.resolved()["rdma"]["recovery"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    assert_eq!(recovery(r#""ecmp""#, ""), "go-back-n");
    assert_eq!(recovery(r#""random""#, ""), "any-order");
    assert_eq!(recovery(r#"{ kind = "flowlet" }"#, ""), "any-order");
    let own = r#"
        [rdma]
        recovery = "selective""#;
    assert_eq!(recovery(r#""random""#, own), "selective");
    assert_eq!(
        recovery(
            r#""ecmp""#,
            r#"
            [rdma]
            recovery = "any-order""#
        ),
        "any-order"
    );
}

/// A fabric of four leaves with four uplinks each, in which every host sends 2 MB to another. With
/// an `event` it has a slow link, or a link that has failed before switches know of it.
fn four_leaves(policy: &str, event: &str) -> Scenario {
    let text = format!(
        r#"
            [topology]
            kind = "leaf-spine"
            leaves = 4
            hosts_per_leaf = 8
            spines = 4
            host_rate = "100Gbps"
            fabric_rate = "200Gbps"
            [[workload]]
            kind = "permutation"
            size = "2MB"
            [cc]
            kind = "none"
            window_bdp = 2
            [switch]
            ecn = {{ kmin = "30KB", kmax = "120KB", pmax = 1.0 }}
            [rdma]
            rto_min = "100us"
            [routing]
            policy = "{policy}"
            convergence = "1s"
            {event}"#
    );
    support::scenario(&text)
}

/// Returns the median slowdown, the largest slowdown and the retransmitted bytes.
fn spread(scenario: &Scenario) -> (f64, f64, Bytes) {
    let mut simulation = finished(scenario, 2);
    let done = simulation.take_completions();
    let again: Bytes = done.iter().map(|flow| flow.retransmitted).sum();
    let mut slowdowns: Vec<f64> = (done.iter())
        .map(|flow| simulation.record(flow).slowdown())
        .collect();
    slowdowns.sort_by(f64::total_cmp);
    (
        slowdowns[slowdowns.len() / 2],
        slowdowns[slowdowns.len() - 1],
        again,
    )
}

/// Senders that recycle entropy avoid a slow or failed path at either end of it; spraying sends
/// every fourth packet of a leaf into it.
#[test]
fn recycled_entropies_avoid_a_link_that_is_slow_or_has_failed() {
    let of = |policy: &str, event: &str| {
        let (median, most, again) = spread(&four_leaves(policy, event));
        println!("{policy}, {event:?}: median {median:.3}, most {most:.3}, {again} retransmitted");
        (most, again)
    };
    let slow = r#"
        [[event]]
        kind = "link-rate"
        at = "0s"
        link = ["leaf0", "spine0"]
        rate = "50Gbps"
    "#;
    let failed = r#"
        [[event]]
        kind = "link-down"
        at = "20us"
        link = ["leaf0", "spine0"]
    "#;
    for policy in ["random", "round-robin", "reps"] {
        assert!(of(policy, "").0 < 1.5, "{policy}");
    }
    let (slow_random, _) = of("random", slow);
    of("round-robin", slow);
    let (slow_reps, _) = of("reps", slow);
    assert!(slow_reps < 0.7 * slow_random, "{slow_reps}, {slow_random}");
    let (failed_random, random_again) = of("random", failed);
    of("round-robin", failed);
    let (failed_reps, reps_again) = of("reps", failed);
    assert!(
        failed_reps < 0.7 * failed_random,
        "{failed_reps}, {failed_random}"
    );
    assert!(
        reps_again.get() * 2 < random_again.get(),
        "{reps_again}, {random_again}"
    );
}
