//! Errors in TCP algorithms, `[tcp]` and `[[queue]]`.

use super::Case;

const fn case(
    name: &'static str,
    scenario: &'static str,
    place: &'static str,
    says: &'static [&'static str],
    help: &'static str,
) -> Case {
    Case {
        name,
        files: &[],
        scenario,
        args: &[],
        place,
        says,
        help,
    }
}

/// A valid TCP scenario with `$text` in its `[cc]` table, in line 11.
macro_rules! cubic_and {
    ($text:literal) => {
        concat!(
            "[topology]\nkind = \"star\"\nhosts = 4\n[[workload]]\nkind = \"incast\"\nfan_in = 3\n",
            "size = \"10KB\"\nat = \"0s\"\n[cc]\nkind = \"cubic\"\n",
            $text,
            "\n"
        )
    };
}

/// Four hosts at a switch, a workload from line 4 on, and an algorithm.
macro_rules! fetch {
    ($workload:literal, $cc:literal) => {
        concat!(
            "[topology]\nkind = \"star\"\nhosts = 4\n[[workload]]\n",
            $workload,
            "\n[cc]\nkind = \"",
            $cc,
            "\"\n"
        )
    };
}

pub(super) const CASES: &[Case] = &[
    case(
        "a misspelled key of an algorithm of TCP",
        cubic_and!("hystrat = \"off\""),
        "t.toml:11:1",
        &["[cc] has no key or table `hystrat`"],
        "did you mean `hystart`?",
    ),
    case(
        "a misspelled key that all algorithms of TCP have",
        cubic_and!("enc = \"classic\""),
        "t.toml:11:1",
        &["no key or table `enc`"],
        "did you mean `ecn`?",
    ),
    case(
        "a feedback that there is not",
        cubic_and!("ecn = \"clasic\""),
        "t.toml:11:7",
        &["[cc], key `ecn`", "`clasic` is not a choice"],
        "did you mean `classic`?",
    ),
    case(
        "a switch that is true",
        cubic_and!("hystart = true"),
        "t.toml:11:11",
        &["[cc], key `hystart`"],
        "\"on\" (default) or \"off\"",
    ),
    case(
        "an impossible value of an algorithm of TCP",
        cubic_and!("beta = 1.5"),
        "t.toml:11:8",
        &["[cc], key `beta`", "a share of 1.5"],
        "such as 0.7",
    ),
    case(
        "an opening that there is not",
        cubic_and!("opening = \"closed\""),
        "t.toml:11:11",
        &["`closed` is not a choice"],
        "handshake, open",
    ),
    case(
        "a misspelled key of [tcp]",
        cubic_and!("[tcp]\nmin_rtt = \"2ms\""),
        "t.toml:12:1",
        &["[tcp] has no key `min_rtt`"],
        "did you mean `min_rto`?",
    ),
    case(
        "a profile of TCP that there is not",
        cubic_and!("[tcp]\nprofile = \"linux-lan\""),
        "t.toml:12:11",
        &["`linux-lan` is not a choice"],
        "did you mean `linux-wan`?",
    ),
    case(
        "a timeout of zero",
        cubic_and!("[tcp]\nmin_rto = \"0s\""),
        "t.toml:12:11",
        &["[tcp], key `min_rto`"],
        "such as \"2ms\"",
    ),
    case(
        "a segment that is none",
        cubic_and!("[tcp]\nmss = \"10KB\""),
        "t.toml:12:7",
        &["[tcp], key `mss`"],
        "give 1B to 9000B",
    ),
    case(
        "TCP under the profile",
        concat!(
            "profile = \"ns3-hpcc\"\n",
            "[topology]\nkind = \"star\"\nhosts = 4\n[[workload]]\nkind = \"incast\"\nfan_in = 3\n",
            "size = \"10KB\"\nat = \"0s\"\n[cc]\nkind = \"newreno\"\n"
        ),
        "t.toml:10:1",
        &["the published simulator has no TCP"],
        "leave out `profile`",
    ),
    case(
        "TCP with queries",
        cubic_and!("[[query]]\nvalue = \"switch-id\""),
        "t.toml:9:1",
        &["no room for the digests of [[query]]"],
        "leave out the queries",
    ),
    case(
        "TCP and RDMA in one priority",
        cubic_and!(
            "[[workload]]\nkind = \"permutation\"\nsize = \"1MB\"\npriority = 1\n\
             cc = { kind = \"dcqcn\" }"
        ),
        "t.toml:9:1",
        &["cubic (TCP) and dcqcn (RDMA) share priority 1"],
        "give their workloads different priorities",
    ),
    case(
        "ACKs of RDMA in a priority of TCP",
        cubic_and!(
            "[[workload]]\nkind = \"permutation\"\nsize = \"1MB\"\ncc = { kind = \"dcqcn\" }\n\
             [rdma]\nack_priority = 1"
        ),
        "t.toml:9:1",
        &["key `ack_priority`", "priority 1 is TCP's"],
        "leave the key out",
    ),
    case(
        "a share of the buffer that is none",
        cubic_and!("[switch]\nlossy_alpha = 0"),
        "t.toml:12:15",
        &["[switch], key `lossy_alpha`", "a share of 0"],
        "such as 0.5, 1 or 8",
    ),
    case(
        "queues of TCP that take no packet",
        cubic_and!("[switch]\nlossy_limit = \"0B\""),
        "t.toml:12:15",
        &["[switch], key `lossy_limit`", "takes no packet"],
        "such as \"256KB\"",
    ),
    case(
        "queues of TCP that take no full segment",
        cubic_and!("[switch]\nlossy_limit = \"1000B\""),
        "t.toml:12:15",
        &[
            "[switch], key `lossy_limit`",
            "1KB cannot hold a full TCP segment of",
        ],
        "such as \"256KB\"",
    ),
    case(
        "thresholds for a priority of TCP",
        cubic_and!(
            "[switch]\necn_rules = [{ priority = 1, kmin = \"1KB\", kmax = \"1KB\", pmax = 1.0 }]"
        ),
        "t.toml:12:13",
        &["key `ecn_rules`: priority 1 is TCP's"],
        "[[queue]] with `discipline",
    ),
    case(
        "a queue without a discipline",
        cubic_and!("[[queue]]\npriorities = [1]"),
        "t.toml:11:1",
        &["[[queue]] 0 does not say its discipline"],
        "add `discipline = \"fq_codel\"`",
    ),
    case(
        "a misspelled key of [[queue]]",
        cubic_and!("[[queue]]\ndiscipline = \"codel\"\nprioritys = [1]"),
        "t.toml:13:1",
        &["no key or table `prioritys`"],
        "did you mean `priorities`?",
    ),
    case(
        "a discipline that there is not, in a line",
        cubic_and!("[[queue]]\ndiscipline = \"cobalt\""),
        "t.toml:12:15",
        &[
            "[[queue]] 0, key `discipline`",
            "`cobalt` is not a queue discipline",
        ],
        "fq_codel",
    ),
    case(
        "an option that there is not, in a line",
        cubic_and!("[[queue]]\ndiscipline = \"codel limits 5\""),
        "t.toml:12:21",
        &["`codel` has no option `limits`"],
        "its options are limit",
    ),
    case(
        "a discipline that there is not, as a table",
        cubic_and!("[[queue]]\ndiscipline = { kind = \"fq-code\" }"),
        "t.toml:12:23",
        &["has no kind `fq-code`"],
        "did you mean `fq-codel`?",
    ),
    case(
        "a misspelled key of a discipline",
        cubic_and!("[[queue]]\ndiscipline = { kind = \"codel\", targte = \"1ms\" }"),
        "t.toml:12:32",
        &["has no key `targte`"],
        "did you mean `target`?",
    ),
    case(
        "an impossible value of a discipline",
        cubic_and!("[[queue]]\ndiscipline = { kind = \"tail-drop\", limit = 0 }"),
        "t.toml:12",
        &["key `limit`"],
        "give",
    ),
    case(
        "a queue of a priority that there is not",
        cubic_and!("[[queue]]\ndiscipline = \"codel\"\npriorities = [8]"),
        "t.toml:13:14",
        &["there is no data priority 8"],
        "from 1 to 7",
    ),
    case(
        "a queue of a priority of RDMA",
        cubic_and!(
            "[[workload]]\nkind = \"permutation\"\nsize = \"1MB\"\ncc = { kind = \"dcqcn\" }\n\
             [[queue]]\ndiscipline = \"codel\"\npriorities = [3]"
        ),
        "t.toml:17:14",
        &["priority 3 has no TCP traffic"],
        "the priorities of TCP are 1",
    ),
    case(
        "a queue at ports of a rate that no link has",
        cubic_and!("[[queue]]\ndiscipline = \"codel\"\nrate = \"40Gbps\""),
        "t.toml:13:8",
        &["no link has 40Gbps"],
        "the links have 100Gbps",
    ),
    case(
        "a queue towards nothing",
        cubic_and!("[[queue]]\ndiscipline = \"codel\"\ntowards = \"host\""),
        "t.toml:13:11",
        &["`host` is not a choice"],
        "did you mean `hosts`?",
    ),
    case(
        "a queue where there is no TCP",
        good_and!("[[queue]]\ndiscipline = \"codel\""),
        "t.toml:11:1",
        &["the scenario has no TCP algorithm"],
        "choose a TCP algorithm",
    ),
    case(
        "requests over RDMA",
        fetch!("kind = \"fetch\"\nclient = 0\nserver = 1", "hpcc"),
        "t.toml:4:1",
        &["`fetch` needs TCP connections, and hpcc is an RDMA algorithm"],
        "cc = { kind = \"cubic\" }",
    ),
    case(
        "requests on connections that are open",
        fetch!(
            "kind = \"fetch\"\nclient = 0\nserver = 1\ncc = { kind = \"newreno\", opening = \"open\" }",
            "cubic"
        ),
        "t.toml:4:1",
        &["`fetch` opens its connections by a handshake"],
        "leave `opening` out",
    ),
    case(
        "downloads that nothing ends",
        fetch!("kind = \"download\"\nclient = 0\nserver = 1", "cubic"),
        "t.toml:4:1",
        &["never end"],
        "`stop_at`",
    ),
    case(
        "requests to oneself",
        fetch!("kind = \"fetch\"\nclient = 2\nserver = 2", "cubic"),
        "t.toml:7:10",
        &[
            "[[workload]] 0, key `server`",
            "host2 (node 2) queries itself",
        ],
        "a server that is not the client",
    ),
    case(
        "requests of a file that is not there",
        fetch!(
            "kind = \"fetch\"\nclient = 0\nserver = 1\nrequests = \"drwan\"",
            "cubic"
        ),
        "t.toml:8:12",
        &["cannot read the workload `drwan`"],
        "`drawn`, `ccafct-seed1` or the path of a CSV",
    ),
    case(
        "lengths of requests that are listed",
        fetch!(
            "kind = \"fetch\"\nclient = 0\nserver = 1\nrequests = \"ccafct-seed1\"\nlen_p5 = \"1KB\"",
            "cubic"
        ),
        "t.toml:9:10",
        &["the requests of `ccafct-seed1` are not drawn"],
        "leave `len_p5` out",
    ),
    case(
        "another rate for a link of two",
        concat!(
            "[topology]\nkind = \"star\"\nhosts = 4\ndownlink_rate = \"50Gbps\"\n[cc]\nkind = \"cubic\"\n",
            "[[workload]]\nkind = \"permutation\"\nsize = \"1KB\"\n",
            "[[event]]\nat = \"1us\"\nkind = \"link-rate\"\nlink = [0, 4]\nrate = \"40Gbps\""
        ),
        "t.toml:14:8",
        &["the link of host0 (node 0) and switch0 (node 4) has two rates"],
        "leave the event out",
    ),
];
