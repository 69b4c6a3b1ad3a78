//! Random scenarios of every algorithm, queue rule, routing policy and application: whatever has
//! state is saved and restored in the middle of a run.

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

/// Networks, each with a link and a switch to which things happen. A delay follows.
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
    "kind = \"poisson\"\nsizes = \"websearch\"\nload = 0.6\nduration = \"100us\"",
    "kind = \"incast\"\nfan_in = 5\nsize = \"100KB\"\nperiod = \"30us\"\nduration = \"60us\"",
    "kind = \"permutation\"\nsize = \"200KB\"",
    "kind = \"all-to-all\"\nsize = \"30KB\"",
    "kind = \"rpc\"\nquery = \"40KB\"\nqueries = 15",
    "kind = \"collective\"\noperation = \"all-reduce\"\nalgorithm = \"ring\"\nsize = \"300KB\"",
    "kind = \"collective\"\noperation = \"all-to-all\"\nsize = \"200KB\"",
];

/// Workloads of TCP alone.
const OVER_TCP: &[&str] = &[
    "kind = \"fetch\"\nclient = 0\nserver = 5\nduration = \"200us\"\nmean_arrival = \"20us\"",
    "kind = \"permutation\"\nsize = \"300KB\"\n[[workload]]\nkind = \"download\"\nclient = 1\n\
     server = 6\nflows = 2",
];

const SWITCHES: &[&str] = &[
    "",
    "buffer = \"900KB\"\nalpha = 0.06",
    "pfc = false\nbuffer = \"300KB\"",
    "pfc = false\nbuffer = \"1MB\"\ntrim_above = \"40KB\"",
];

const QUERIES: &str = "[[query]]\nname = \"paths\"\nvalue = \"switch-id\"\nbits = 4\n\
    [[query]]\nname = \"latency\"\nvalue = \"hop-latency\"\nbits = 4\n[pint]\nbits = 8\n";

/// A failure, a slower link, lost packets or a switch that is down, and the repair.
fn incident(dice: &mut Dice, link: &str, switch: u32) -> String {
    let at = 5 + dice.roll(40);
    let link = format!("link = {link}");
    let kind = dice.pick(&["link-down", "link-rate", "link-loss", "switch-down"]);
    let (there, back) = match kind {
        "link-down" => (link.clone(), format!("\"link-up\"\n{link}")),
        "link-rate" => (
            format!("{link}\nrate = \"40Gbps\""),
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
        "[[event]]\nkind = \"{kind}\"\n{there}\nat = \"{at}us\"\n\
         [[event]]\nkind = {back}\nat = \"60us\"\n"
    )
}

/// A scenario of the algorithm whose `[cc]` table is `cc`, as text.
fn scenario(cc: &str, transport: Transport, dice: &mut Dice) -> String {
    let kinds = Registry::default();
    let policies: Vec<&str> = kinds.routing_policies().map(|kind| kind.name()).collect();
    let disciplines: Vec<&str> = kinds.disciplines().map(|(name, ..)| name).collect();
    let (network, link, switch) = NETWORKS[dice.roll(NETWORKS.len())];
    let delay = dice.pick(&["100ns", "1us", "3us"]);
    let mut text = format!("seed = {}\n", dice.roll(1_000));
    let tcp = transport == Transport::Tcp;
    if !tcp && dice.one_in(5) {
        text += "profile = \"ns3-hpcc\"\n";
    }
    text += &format!("[topology]\n{network} = \"{delay}\"\n[cc]\n{cc}\n");
    text += &format!("[routing]\npolicy = \"{}\"\n", dice.pick(&policies));
    if tcp {
        let profile = dice.pick(&["datacenter", "linux-wan"]);
        let discipline = dice.pick(&disciplines);
        text += &format!(
            "[tcp]\nprofile = \"{profile}\"\n[[queue]]\npriorities = [1]\n\
             discipline = {{ kind = \"{discipline}\" }}\n"
        );
    } else {
        let recovery = dice.pick(&["", "", "recovery = \"selective\"\n"]);
        text += &format!("[rdma]\nrto_min = \"100us\"\n{recovery}");
        text += &format!("[switch]\n{}\n", dice.pick(SWITCHES));
    }
    for _ in 0..=dice.roll(2) {
        let of_tcp = tcp && dice.one_in(3);
        let among = if of_tcp { OVER_TCP } else { WORKLOADS };
        text += &format!("[[workload]]\n{}\n", dice.pick(among));
    }
    if dice.one_in(3) {
        text += &incident(dice, link, switch);
    }
    if dice.one_in(3) {
        text += "[observe]\ninterval = \"9us\"\nqueues = true\nlinks = true\nflows = true\n\
                 queue_distribution = true\nhop_delays = true\n";
    }
    if !tcp && dice.one_in(5) {
        text += QUERIES;
    }
    if dice.one_in(2) {
        text += "[output]\npauses = true\n";
    }
    text + "[run]\nstop_at = \"3ms\"\n"
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
