//! Random small scenarios of all kinds.

use std::fmt::Write as _;

use fabricsim_base::rng::mix;

/// A source of choices.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn roll(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.0) % below
    }

    pub(crate) fn one_in(&mut self, many: u64) -> bool {
        self.roll(many) == 0
    }

    pub(crate) fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[usize::try_from(self.roll(from.len() as u64)).expect("a small number")]
    }
}

/// Networks, each with two links and a switch that may fail. A `host_delay` follows.
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
    r#"kind = "hpcc""#,
    r#"kind = "hpcc-pint""#,
    r#"kind = "dcqcn""#,
    r#"kind = "timely""#,
    r#"kind = "dctcp""#,
    r#"kind = "swift""#,
    r#"kind = "powertcp""#,
    r#"kind = "theta-powertcp""#,
    r#"kind = "nscc""#,
    r#"kind = "rccc""#,
    r#"kind = "none""#,
];

const TCP: [&str; 6] = [
    r#"kind = "cubic""#,
    r#"kind = "newreno""#,
    r#"kind = "tcp-dctcp""#,
    r#"kind = "bbr""#,
    r#"kind = "prague""#,
    r#"kind = "tcp-hpcc""#,
];

const SWITCHES: [&str; 4] = [
    "",
    r#"buffer = "900KB"
        alpha = 0.06"#,
    r#"pfc = false
        buffer = "300KB""#,
    r#"pfc = false
        buffer = "1MB"
        trim_above = "40KB""#,
];

const POLICIES: [&str; 6] = [
    "ecmp",
    "random",
    "round-robin",
    "power-of-two",
    "shortest-queue",
    "reps",
];

const WORKLOADS: [&str; 9] = [
    r#"kind = "poisson"
        sizes = "websearch"
        load = 0.8
        duration = "150us""#,
    r#"kind = "incast"
        fan_in = 7
        size = "150KB"
        period = "30us"
        duration = "60us""#,
    r#"kind = "permutation"
        size = "400KB""#,
    r#"kind = "all-to-all"
        size = "50KB""#,
    r#"kind = "rpc"
        query = "40KB"
        queries = 20"#,
    r#"kind = "collective"
        operation = "all-reduce"
        algorithm = "ring"
        size = "400KB""#,
    r#"kind = "collective"
        operation = "all-reduce"
        algorithm = "nccl"
        ranks = 8
        local_size = 2
        channels = 3
        size = "300KB""#,
    r#"kind = "serving"
        model = "llama-3-8b"
        rate = 100000
        count = 12
        tokens = "exponential"
        input_tokens = 3
        output_tokens = 3
        hosts = ["0..7"]
        front_end = 7
        routing = "least-outstanding"
        prefill_instances = 3
        chunk_tokens = 2
        timing = "linear"
        step_time = "3us""#,
    r#"kind = "serving"
        model = "mixtral-8x7b"
        rate = 200000
        count = 3
        input_tokens = 1
        output_tokens = 2
        tp = 2
        ep = 4
        timing = "linear"
        step_time = "1us""#,
];

const EVENTS: [&str; 4] = [
    r#"kind = "link-down""#,
    r#"kind = "link-rate"
        rate = "40Gbps""#,
    r#"kind = "link-loss"
        loss = 0.02"#,
    r#"kind = "link-down""#,
];

/// Incidents between 5 and 45 us, and mostly their repair at 60 us.
fn incidents(dice: &mut Dice, links: [[u32; 2]; 2], switch: u32) -> String {
    let mut text = String::new();
    for link in links {
        let (at, kind) = (5 + dice.roll(40), dice.pick(&EVENTS));
        writeln!(
            text,
            r#"
            [[event]]
            {kind}
            link = {link:?}
            at = "{at}us""#
        )
        .expect("text takes any length");
        if dice.one_in(4) {
            continue;
        }
        writeln!(
            text,
            r#"
                [[event]]
                kind = "link-up"
                link = {link:?}
                at = "60us"
                [[event]]
                kind = "link-loss"
                loss = 0
                link = {link:?}
                at = "60us""#
        )
        .expect("text takes any length");
    }
    if dice.one_in(2) {
        let at = 5 + dice.roll(40);
        writeln!(
            text,
            r#"
                [[event]]
                kind = "switch-down"
                switch = {switch}
                at = "{at}us"
                [[event]]
                kind = "switch-up"
                switch = {switch}
                at = "60us""#
        )
        .expect("text takes any length");
    }
    text
}

/// Returns the text of the scenario of `seed`.
pub(crate) fn scenario(seed: u64) -> String {
    let mut dice = Dice(mix(seed));
    let (network, links, switch) = NETWORKS[usize::try_from(dice.roll(4)).expect("a small number")];
    // A third of the scenarios runs TCP, since it uses other queues than RDMA.
    let tcp = dice.one_in(3);
    let cc = if tcp {
        dice.pick(&TCP)
    } else {
        dice.pick(&RDMA)
    };
    let delay = dice.pick(&["100ns", "1us", "3us"]);
    let mut text = format!(
        r#"seed = {seed}
        [topology]
        {network} = "{delay}"
        [cc]
        {cc}
    "#
    );
    // Only the first settings of switches fit TCP and credit.
    let switches = if tcp || cc.contains("rccc") {
        &SWITCHES[..2]
    } else {
        &SWITCHES[..]
    };
    writeln!(text, "[switch]\n{}", dice.pick(switches)).expect("text takes any length");
    if tcp {
        text.push_str(
            r#"
            [tcp]
            profile = "datacenter"
        "#,
        );
    } else {
        text.push_str(
            r#"
            [rdma]
            rto_min = "100us"
        "#,
        );
        writeln!(
            text,
            r#"
            [routing]
            policy = "{}""#,
            dice.pick(&POLICIES)
        )
        .expect("text takes any length");
    }
    for _ in 0..1 + dice.roll(2) {
        writeln!(text, "[[workload]]\n{}", dice.pick(&WORKLOADS)).expect("text takes any length");
    }
    if dice.one_in(3) {
        text.push_str(&incidents(&mut dice, links, switch));
    }
    // Observation adds records that ranks must merge.
    if dice.one_in(3) {
        text.push_str(
            r#"
                [observe]
                interval = "9us"
                queues = true
                links = true
                flows = true
                queue_distribution = true
                hop_delays = true
            "#,
        );
    }
    if dice.one_in(2) {
        text.push_str("[output]\npauses = true\n");
    }
    // A short limit ends a run that cannot make progress.
    text.push_str(
        r#"
        [run]
        stall_after = "3ms"
        stop_at = "30ms"
    "#,
    );
    text
}
