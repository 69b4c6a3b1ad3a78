//! Random small scenarios of all kinds.

use std::fmt::Write as _;

use fabricsim_base::rng::mix;

/// A source of choices.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.0) % below
    }

    fn one_in(&mut self, many: u64) -> bool {
        self.roll(many) == 0
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[usize::try_from(self.roll(from.len() as u64)).expect("a small number")]
    }
}

/// Networks, each with two links that may fail, and a switch that may. A `host_delay` follows.
const NETWORKS: [(&str, [[u32; 2]; 2], u32); 4] = [
    (
        "kind = \"leaf-spine\"\nleaves = 3\nspines = 2\nhosts_per_leaf = 3\nhost_delay",
        [[9, 12], [10, 13]],
        13,
    ),
    ("kind = \"star\"\nhosts = 8\ndelay", [[0, 8], [3, 8]], 8),
    (
        "kind = \"dumbbell\"\nhosts_per_side = 4\nhost_delay",
        [[8, 9], [0, 8]],
        9,
    ),
    (
        "kind = \"torus\"\ndims = [3, 3]\nhosts_per_switch = 1\nhost_delay",
        [[9, 10], [11, 14]],
        13,
    ),
];

const RDMA: [&str; 11] = [
    "kind = \"hpcc\"",
    "kind = \"hpcc-pint\"",
    "kind = \"dcqcn\"",
    "kind = \"timely\"",
    "kind = \"dctcp\"",
    "kind = \"swift\"",
    "kind = \"powertcp\"",
    "kind = \"theta-powertcp\"",
    "kind = \"nscc\"",
    "kind = \"rccc\"",
    "kind = \"none\"",
];

const TCP: [&str; 6] = [
    "kind = \"cubic\"",
    "kind = \"newreno\"",
    "kind = \"tcp-dctcp\"",
    "kind = \"bbr\"",
    "kind = \"prague\"",
    "kind = \"tcp-hpcc\"",
];

const SWITCHES: [&str; 4] = [
    "",
    "buffer = \"900KB\"\nalpha = 0.06",
    "pfc = false\nbuffer = \"300KB\"",
    "pfc = false\nbuffer = \"1MB\"\ntrim_above = \"40KB\"",
];

const POLICIES: [&str; 6] = [
    "ecmp",
    "random",
    "round-robin",
    "power-of-two",
    "shortest-queue",
    "reps",
];

const WORKLOADS: [&str; 6] = [
    "kind = \"poisson\"\nsizes = \"websearch\"\nload = 0.8\nduration = \"150us\"",
    "kind = \"incast\"\nfan_in = 7\nsize = \"150KB\"\nperiod = \"30us\"\nduration = \"60us\"",
    "kind = \"permutation\"\nsize = \"400KB\"",
    "kind = \"all-to-all\"\nsize = \"50KB\"",
    "kind = \"rpc\"\nquery = \"40KB\"\nqueries = 20",
    "kind = \"collective\"\noperation = \"all-reduce\"\nalgorithm = \"ring\"\nsize = \"400KB\"",
];

const EVENTS: [&str; 4] = [
    "kind = \"link-down\"",
    "kind = \"link-rate\"\nrate = \"40Gbps\"",
    "kind = \"link-loss\"\nloss = 0.02",
    "kind = \"link-down\"",
];

/// Incidents from 5 to 45 us on, and mostly their repair at 60.
fn incidents(dice: &mut Dice, links: [[u32; 2]; 2], switch: u32) -> String {
    let mut text = String::new();
    for link in links {
        let (at, kind) = (5 + dice.roll(40), dice.pick(&EVENTS));
        writeln!(text, "[[event]]\n{kind}\nlink = {link:?}\nat = \"{at}us\"")
            .expect("text takes any length");
        if dice.one_in(4) {
            continue;
        }
        writeln!(
            text,
            "[[event]]\nkind = \"link-up\"\nlink = {link:?}\nat = \"60us\"\n\
             [[event]]\nkind = \"link-loss\"\nloss = 0\nlink = {link:?}\nat = \"60us\""
        )
        .expect("text takes any length");
    }
    if dice.one_in(2) {
        let at = 5 + dice.roll(40);
        writeln!(
            text,
            "[[event]]\nkind = \"switch-down\"\nswitch = {switch}\nat = \"{at}us\"\n\
             [[event]]\nkind = \"switch-up\"\nswitch = {switch}\nat = \"60us\""
        )
        .expect("text takes any length");
    }
    text
}

/// The scenario of `seed`, as text.
pub(crate) fn scenario(seed: u64) -> String {
    let mut dice = Dice(mix(seed));
    let (network, links, switch) = NETWORKS[usize::try_from(dice.roll(4)).expect("a small number")];
    let tcp = dice.one_in(3);
    let cc = if tcp {
        dice.pick(&TCP)
    } else {
        dice.pick(&RDMA)
    };
    let delay = dice.pick(&["100ns", "1us", "3us"]);
    let mut text = format!("seed = {seed}\n[topology]\n{network} = \"{delay}\"\n[cc]\n{cc}\n");
    let switches = if tcp || cc.contains("rccc") {
        &SWITCHES[..2]
    } else {
        &SWITCHES[..]
    };
    writeln!(text, "[switch]\n{}", dice.pick(switches)).expect("text takes any length");
    if tcp {
        text.push_str("[tcp]\nprofile = \"datacenter\"\n");
    } else {
        text.push_str("[rdma]\nrto_min = \"100us\"\n");
        writeln!(text, "[routing]\npolicy = \"{}\"", dice.pick(&POLICIES))
            .expect("text takes any length");
    }
    for _ in 0..1 + dice.roll(2) {
        writeln!(text, "[[workload]]\n{}", dice.pick(&WORKLOADS)).expect("text takes any length");
    }
    if dice.one_in(3) {
        text.push_str(&incidents(&mut dice, links, switch));
    }
    if dice.one_in(3) {
        text.push_str(
            "[observe]\ninterval = \"9us\"\nqueues = true\nlinks = true\nflows = true\n\
             queue_distribution = true\nhop_delays = true\n",
        );
    }
    if dice.one_in(2) {
        text.push_str("[output]\npauses = true\n");
    }
    // What cannot end is seen soon.
    text.push_str("[run]\nstall_after = \"3ms\"\nstop_at = \"30ms\"\n");
    text
}
