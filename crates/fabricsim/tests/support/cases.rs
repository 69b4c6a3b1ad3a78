//! Scenarios of every kind of state: transports, algorithms, queues, routing policies, failures,
//! applications, telemetry and observers.

use std::path::PathBuf;

use fabricsim::Scenario;

/// A leaf-spine with two planes, and a star.
const LEAF_SPINE: &str =
    "[topology]\nkind = \"leaf-spine\"\nleaves = 3\nspines = 2\nhosts_per_leaf = 4\n";
const STAR: &str = "[topology]\nkind = \"star\"\nhosts = 9\n";

/// Arrivals of 200 us, and an incast among them.
const TRAFFIC: &str = "[[workload]]\nkind = \"poisson\"\nsizes = \"websearch\"\nload = 0.6\n\
    duration = \"200us\"\n[[workload]]\nkind = \"incast\"\nfan_in = 6\nsize = \"60KB\"\n\
    period = \"70us\"\nduration = \"200us\"\n";

/// Failures and repairs while that goes on.
const FAILURES: &str = "[[event]]\nkind = \"link-down\"\nlink = [12, 15]\nat = \"40us\"\n\
    [[event]]\nkind = \"link-rate\"\nlink = [13, 16]\nrate = \"25Gbps\"\nat = \"50us\"\n\
    [[event]]\nkind = \"link-loss\"\nlink = [14, 15]\nloss = 0.02\nat = \"60us\"\n\
    [[event]]\nkind = \"switch-down\"\nswitch = 16\nat = \"90us\"\n\
    [[event]]\nkind = \"switch-up\"\nswitch = 16\nat = \"130us\"\n\
    [[event]]\nkind = \"link-up\"\nlink = [12, 15]\nat = \"150us\"\n\
    [[event]]\nkind = \"link-loss\"\nlink = [14, 15]\nloss = 0.0\nat = \"170us\"\n\
    [[event]]\nkind = \"link-up\"\nlink = [13, 16]\nat = \"180us\"\n";

/// A scenario: its name and its text.
#[derive(Clone)]
pub(crate) struct Case {
    pub(crate) name: &'static str,
    text: String,
}

impl Case {
    pub(crate) fn scenario(&self) -> Scenario {
        let base = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples/scenarios");
        let read = Scenario::from_text(self.name, &self.text, &base, &[]);
        read.unwrap_or_else(|error| panic!("{}: {error}", self.name))
    }
}

/// An algorithm of RDMA over the leaf-spine, with more tables.
fn rdma(name: &'static str, cc: &str, more: &str) -> Case {
    let text = format!("{more}\n{LEAF_SPINE}[cc]\n{cc}\n{TRAFFIC}");
    Case { name, text }
}

/// An algorithm of TCP over the star, with a discipline for its queue.
fn tcp(name: &'static str, cc: &str, discipline: &str) -> Case {
    let text = format!(
        "{STAR}[cc]\n{cc}\n[tcp]\nprofile = \"datacenter\"\n[[queue]]\npriorities = [1]\n\
         discipline = {{ {discipline} }}\n\
         [[workload]]\nkind = \"poisson\"\nsizes = \"websearch\"\nload = 0.7\nduration = \"2ms\"\n\
         [[workload]]\nkind = \"incast\"\nfan_in = 6\nsize = \"60KB\"\nat = \"100us\"\n"
    );
    Case { name, text }
}

/// An example, changed.
fn example(name: &'static str, more: &str) -> Case {
    let base = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples/scenarios");
    let text = std::fs::read_to_string(base.join(name)).unwrap();
    let text = format!("{text}\n{more}");
    Case { name, text }
}

pub(crate) fn cases() -> Vec<Case> {
    [plain_cases(), special_cases(), tcp_cases(), examples()].concat()
}

/// Algorithms of RDMA in an ordinary network.
fn plain_cases() -> Vec<Case> {
    vec![
        rdma("hpcc", "kind = \"hpcc\"", "[output]\npauses = true"),
        rdma("dcqcn", "kind = \"dcqcn\"", "[output]\npauses = true"),
        rdma(
            "dcqcn of the paper",
            "kind = \"dcqcn\"\nparameters = \"paper\"",
            "",
        ),
        rdma(
            "timely",
            "kind = \"timely\"",
            "[rdma]\nrecovery = \"selective\"\nrto_min = \"100us\"",
        ),
        rdma("dctcp", "kind = \"dctcp\"", ""),
        rdma("swift", "kind = \"swift\"", FAILURES),
        rdma("powertcp", "kind = \"powertcp\"", FAILURES),
        rdma("theta-powertcp", "kind = \"theta-powertcp\"", ""),
        rdma(
            "hpcc-pint",
            "kind = \"hpcc-pint\"\ndigest_fraction = 0.5",
            FAILURES,
        ),
        rdma("csig", "kind = \"csig\"", FAILURES),
    ]
}

/// RDMA with failures, losses, other routes, and observed.
fn special_cases() -> Vec<Case> {
    vec![
        rdma(
            "failures",
            "kind = \"hpcc\"",
            &format!("[rdma]\nrto_min = \"100us\"\n{FAILURES}"),
        ),
        rdma("reference", "kind = \"hpcc\"", "profile = \"ns3-hpcc\""),
        rdma(
            "reference dcqcn",
            "kind = \"dcqcn\"",
            "profile = \"ns3-hpcc\"\n[output]\nfct_txt = true",
        ),
        rdma(
            "lossy",
            "kind = \"none\"",
            "[switch]\npfc = false\nbuffer = \"200KB\"\n[rdma]\nrto_min = \"100us\"",
        ),
        rdma(
            "flowlets",
            "kind = \"dctcp\"",
            "[routing]\npolicy = { kind = \"flowlet\", gap = \"5us\" }",
        ),
        rdma(
            "two choices",
            "kind = \"swift\"",
            "[routing]\npolicy = \"power-of-two\"",
        ),
        rdma(
            "round robin",
            "kind = \"none\"",
            "[routing]\npolicy = \"round-robin\"",
        ),
        rdma(
            "spray and trim",
            "kind = \"nscc\"",
            "[routing]\npolicy = \"reps\"\n[switch]\npfc = false\ntrim_above = \"40KB\"",
        ),
        rdma(
            "credit",
            "kind = \"rccc\"",
            "[routing]\npolicy = \"random\"\n[switch]\npfc = false\ntrim_above = \"40KB\"",
        ),
        rdma(
            "observe",
            "kind = \"hpcc\"",
            "[observe]\ninterval = \"7us\"\nqueues = true\nlinks = true\nflows = true\n\
             queue_distribution = true\nhop_delays = true",
        ),
    ]
}

fn tcp_cases() -> Vec<Case> {
    vec![
        tcp("cubic", "kind = \"cubic\"", "kind = \"codel\""),
        tcp("bbr", "kind = \"bbr\"", "kind = \"tail-drop\", limit = 40"),
        tcp(
            "prague",
            "kind = \"prague\"\nclassic_fallback = \"on\"",
            "kind = \"dualpi2\"",
        ),
        tcp("newreno", "kind = \"newreno\"", "kind = \"fq-codel\""),
        tcp("tcp-dctcp", "kind = \"tcp-dctcp\"", "kind = \"red\""),
    ]
}

fn examples() -> Vec<Case> {
    vec![
        example("all-reduce.toml", ""),
        example("rpc-flood.toml", ""),
        example("tcp-and-rdma.toml", ""),
        example("tcp-hpcc.toml", ""),
        example("testbed-queries.toml", ""),
        example("pint-combined.toml", ""),
        example("mixed-algorithms.toml", ""),
        example("rail.toml", ""),
        example("link-flap.toml", ""),
        example("lossy-no-pfc.toml", ""),
        example("ns3-profile.toml", ""),
    ]
}
