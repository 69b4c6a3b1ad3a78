//! Random scenarios of every algorithm, queue rule, routing policy and application: all state is
//! saved and restored in the middle of a run.

use std::path::Path;

use fabricsim::Scenario;
use fabricsim_base::rng::mix;
use fabricsim_scenario::cc::registry::Transport;
use fabricsim_scenario::kinds::Registry;

use crate::algorithms::cc_tables;
use crate::checkpoints::state::check;

/// A source of choices.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, below: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        usize::try_from(mix(self.0) % below as u64).unwrap()
    }

    fn one_in(&mut self, many: usize) -> bool {
        self.roll(many) == 0
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.roll(from.len())]
    }
}

/// Networks, each with a link and a switch that events may affect. A delay follows.
const NETWORKS: [(&str, &str, u32); 4] = [
    (
        "kind = \"leaf-spine\"\nleaves = 3\nspines = 2\nhosts_per_leaf = 3\nhost_delay",
        "[9, 12]",
        13,
    ),
    ("kind = \"star\"\nhosts = 8\ndelay", "[0, 8]", 8),
    (
        "kind = \"dumbbell\"\nhosts_per_side = 4\nhost_delay",
        "[8, 9]",
        9,
    ),
    (
        "kind = \"torus\"\ndims = [3, 3]\nhosts_per_switch = 1\nhost_delay",
        "[9, 10]",
        13,
    ),
];

const WORKLOADS: &[&str] = &[
    r#"kind = "poisson"
        sizes = "websearch"
        load = 0.6
        duration = "100us""#,
    r#"kind = "incast"
        fan_in = 5
        size = "100KB"
        period = "30us"
        duration = "60us""#,
    r#"kind = "permutation"
        size = "200KB""#,
    r#"kind = "all-to-all"
        size = "30KB""#,
    r#"kind = "rpc"
        query = "40KB"
        queries = 15"#,
    r#"kind = "collective"
        operation = "all-reduce"
        algorithm = "ring"
        size = "300KB""#,
    r#"kind = "collective"
        operation = "all-to-all"
        size = "200KB""#,
];

/// Workloads of TCP alone.
const OVER_TCP: &[&str] = &[
    r#"kind = "fetch"
        client = 0
        server = 5
        duration = "200us"
        mean_arrival = "20us""#,
    r#"kind = "permutation"
        size = "300KB"
        [[workload]]
        kind = "download"
        client = 1
        server = 6
        flows = 2"#,
];

const SWITCHES: &[&str] = &[
    "",
    r#"buffer = "900KB"
        alpha = 0.06"#,
    r#"pfc = false
        buffer = "300KB""#,
    r#"pfc = false
        buffer = "1MB"
        trim_above = "40KB""#,
];

const QUERIES: &str = r#"
    [[query]]
    name = "paths"
    value = "switch-id"
    bits = 4
    [[query]]
    name = "latency"
    value = "hop-latency"
    bits = 4
    [pint]
    bits = 8
"#;

/// Returns a failure, a slower link, lost packets or a failed switch, and the repair.
fn incident(dice: &mut Dice, link: &str, switch: u32) -> String {
    let at = 5 + dice.roll(40);
    let link = format!("link = {link}");
    let kind = dice.pick(&["link-down", "link-rate", "link-loss", "switch-down"]);
    let (there, back) = match kind {
        "link-down" => (link.clone(), format!("\"link-up\"\n{link}")),
        "link-rate" => (
            format!(
                r#"
                {link}
                rate = "40Gbps""#
            ),
            format!("\"link-rate\"\n{link}\nrate = \"50Gbps\""),
        ),
        "link-loss" => (
            format!("{link}\nloss = 0.02"),
            format!("\"link-loss\"\n{link}\nloss = 0.0"),
        ),
        _ => {
            let switch = format!("switch = {switch}");
            (switch.clone(), format!("\"switch-up\"\n{switch}"))
        }
    };
    format!(
        r#"
            [[event]]
            kind = "{kind}"
            {there}
            at = "{at}us"
            [[event]]
            kind = {back}
            at = "60us"
        "#
    )
}

/// Returns the text of a scenario of the algorithm with the `[cc]` table `cc`.
fn scenario(cc: &str, transport: Transport, dice: &mut Dice) -> String {
    let kinds = Registry::default();
    let policies: Vec<&str> = kinds.routing_policies().map(|kind| kind.name()).collect();
    let disciplines: Vec<&str> = kinds.disciplines().map(|(name, ..)| name).collect();
    let (network, link, switch) = NETWORKS[dice.roll(NETWORKS.len())];
    let delay = dice.pick(&["100ns", "1us", "3us"]);
    let mut text = format!("seed = {}\n", dice.roll(1_000));
    let tcp = transport == Transport::Tcp;
    // The published profile models RDMA only.
    if !tcp && dice.one_in(5) {
        text += "profile = \"ns3-hpcc\"\n";
    }
    text += &format!(
        r#"
        [topology]
        {network} = "{delay}"
        [cc]
        {cc}
    "#
    );
    text += &format!(
        r#"
        [routing]
        policy = "{}"
    "#,
        dice.pick(&policies)
    );
    // Each transport keeps its own state for recovery and queues.
    if tcp {
        let profile = dice.pick(&["datacenter", "linux-wan"]);
        let discipline = dice.pick(&disciplines);
        text += &format!(
            r#"
                [tcp]
                profile = "{profile}"
                [[queue]]
                priorities = [1]
                discipline = {{ kind = "{discipline}" }}
            "#
        );
    } else {
        let recovery = dice.pick(&["", "", "recovery = \"selective\"\n"]);
        text += &format!(
            r#"
            [rdma]
            rto_min = "100us"
            {recovery}"#
        );
        text += &format!("[switch]\n{}\n", dice.pick(SWITCHES));
    }
    // Some workloads exist for TCP only.
    for _ in 0..=dice.roll(2) {
        let of_tcp = tcp && dice.one_in(3);
        let among = if of_tcp { OVER_TCP } else { WORKLOADS };
        text += &format!("[[workload]]\n{}\n", dice.pick(among));
    }
    if dice.one_in(3) {
        text += &incident(dice, link, switch);
    }
    // Series and queries have state in the middle of an interval, too.
    if dice.one_in(3) {
        text += r#"
            [observe]
            interval = "9us"
            queues = true
            links = true
            flows = true
            queue_distribution = true
            hop_delays = true
            delays = true
            operations = true
        "#;
    }
    if !tcp && dice.one_in(5) {
        text += QUERIES;
    }
    if dice.one_in(2) {
        text += "[output]\npauses = true\n";
    }
    text + r#"
        [run]
        stop_at = "3ms"
    "#
}

/// Takes checkpoints of `count` random scenarios of every algorithm.
fn check_every_algorithm(count: u64) {
    let mut refused = 0;
    let mut algorithms = 0;
    for transport in [Transport::Rdma, Transport::Tcp] {
        for cc in cc_tables(transport) {
            algorithms += 1;
            let mut checked = 0;
            for number in 0.. {
                assert!(number < 20 * count, "{cc}: nearly all are refused");
                let mut dice = Dice(mix(algorithms * 1_000_000 + number));
                let text = scenario(&cc, transport, &mut dice);
                let Ok(scenario) = Scenario::from_text("random", &text, Path::new("."), &[]) else {
                    refused += 1;
                    continue;
                };
                check(&text, &scenario, number, 3);
                checked += 1;
                if checked == count {
                    break;
                }
            }
        }
    }
    let all = algorithms * count;
    assert!(refused < all, "{refused} refused, {all} checked");
}

#[test]
fn whatever_has_state_is_restored() {
    check_every_algorithm(2);
}

#[test]
#[ignore = "takes minutes"]
fn whatever_has_state_is_restored_in_many_scenarios() {
    check_every_algorithm(60);
}
