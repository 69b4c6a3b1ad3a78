//! Each error that users can make in a link list, and its diagnostic.

use fabricsim_base::units::Rate;

use super::*;

const GOOD: &str = "\
4 1 4
3
0 3 100Gbps 1000ns 0.000000
1 3 40Mb/s 0.001ms 0.01
2 3 25Gbps 3.33us 0
2 3 25Gbps 3.33us 0
";

/// Returns the offending word, the message and the help after replacing `from` by `to` in the good
/// file.
fn diagnostic(from: &str, to: &str) -> (String, String, String) {
    assert!(GOOD.contains(from));
    let text = GOOD.replacen(from, to, 1);
    let error = parse_hpcc(&text).unwrap_err();
    (text[error.span].to_owned(), error.message, error.help)
}

#[test]
fn a_link_list_becomes_a_topology_with_the_files_ids() {
    let topology = parse_hpcc(GOOD).unwrap();
    assert_eq!(topology.hosts(), [NodeId(0), NodeId(1), NodeId(2)]);
    assert_eq!(
        topology.ports(NodeId(2)).len(),
        2,
        "parallel links are kept"
    );
    let link = topology.links()[1];
    assert_eq!(
        (link.rate, link.delay),
        (Rate::from_mbps(40), Duration::from_us(1))
    );
    assert!((link.loss - 0.01).abs() < 1e-12);
    assert_eq!(topology.links()[2].delay, Duration::from_ns(3_330));
}

#[test]
fn switches_may_have_any_ids_and_lines_do_not_matter() {
    let topology = parse_hpcc("3 1 2 0 1 0 1Gbps 1us 0\r\n0 2 1Gbps 1us 0").unwrap();
    assert_eq!(topology.hosts(), [NodeId(1), NodeId(2)]);
}

#[test]
fn a_file_that_ends_too_soon() {
    for (length, what) in [
        (0, "the number of nodes"),
        (5, "switch 1 of 1"),
        (20, "the delay of link 1 of 4"),
        (GOOD.len() - 2, "the loss of link 4 of 4"),
    ] {
        let error = parse_hpcc(&GOOD[..length]).unwrap_err();
        assert_eq!(error.span, length..length);
        assert_eq!(error.message, format!("the file ends before {what}"));
    }
}

#[test]
fn a_file_that_goes_on_too_long() {
    let error = parse_hpcc(&GOOD.replacen("4 1 4", "4 1 3", 1)).unwrap_err();
    let start = GOOD.rfind("2 3").unwrap();
    assert_eq!(error.span, start..start + 1);
    assert_eq!(error.message, "`2` is after the last of the 3 links");
    assert!(error.help.contains("raise the number of links"));
}

#[test]
fn counts_that_cannot_be() {
    let (at, message, _) = diagnostic("4 1 4", "4 4 4");
    assert_eq!(
        (at.as_str(), message.as_str()),
        ("4", "4 switches among 4 nodes leave no host")
    );
    let (at, message, help) = diagnostic("4 1 4", "-4 1 4");
    assert_eq!((at.as_str(), message.as_str()), ("-4", "`-4` is negative"));
    assert_eq!(
        help,
        "begin the file with three counts: nodes, switches, links"
    );
    assert_eq!(
        diagnostic("4 1 4", "four 1 4").1,
        "`four` is not a whole number"
    );
    assert_eq!(diagnostic("4 1 4", "0 1 4").1, "there is no node");
    assert_eq!(
        diagnostic("4 1 4", "99999999999 1 4").1,
        "99999999999 nodes are more than the 16777216 that can be simulated"
    );
    assert_eq!(
        diagnostic("4 1 4", "4 1 99999999999999999999").1,
        "`99999999999999999999` is too large"
    );
    let (at, message, _) = diagnostic("4 1 4", "4 2 0 1 4 H100");
    assert_eq!(
        (at.as_str(), message.as_str()),
        ("2", "3 GPUs are no whole servers of 2")
    );
}

#[test]
fn ids_out_of_range_or_given_twice() {
    let (at, message, help) = diagnostic("1 3 40Mb/s", "1 4 40Mb/s");
    assert_eq!((at.as_str(), message.as_str()), ("4", "there is no node 4"));
    assert_eq!(help, "nodes are numbered 0 to 3");
    assert_eq!(diagnostic("\n3\n", "\n7\n").1, "there is no node 7");
    let (at, message, _) = diagnostic("4 1 4\n3", "4 2 4\n3 3");
    assert_eq!(
        (at.as_str(), message.as_str()),
        ("3", "switch 3 is listed twice")
    );
    let error = parse_hpcc("4 2 4\n3 3\n").unwrap_err();
    assert_eq!(error.span, 8..9, "the second of the two");
}

#[test]
fn a_link_from_a_node_to_itself() {
    let (at, message, _) = diagnostic("1 3 40Mb/s", "1 1 40Mb/s");
    assert_eq!(
        (at.as_str(), message.as_str()),
        ("1", "the link joins node 1 with itself")
    );
}

#[test]
fn rates_and_delays() {
    let (at, message, help) = diagnostic("40Mb/s", "40");
    assert_eq!(at, "40");
    assert_eq!(
        message,
        "`40` is too small: 1Kbps is the least that can be simulated"
    );
    assert_eq!(help, "write it like `100Gbps`");
    assert_eq!(
        diagnostic("40Mb/s", "40MBPS").2,
        "write it like `40Mbps` or `40MBps`"
    );
    assert!(diagnostic("0.001ms", "11").1.contains("too long"));
    assert_eq!(
        diagnostic("40Mb/s", "40GB").1,
        "`40GB` has an unknown unit `GB`"
    );
    assert_eq!(diagnostic("40Mb/s", "-40Mb/s").1, "`-40Mb/s` is negative");
    assert_eq!(diagnostic("40Mb/s", "0Mb/s").1, "`0Mb/s` is zero");
    let (at, message, help) = diagnostic("0.001ms", "0.001m");
    assert_eq!(
        (at.as_str(), message.as_str()),
        ("0.001m", "`0.001m` has an unknown unit `m`")
    );
    assert_eq!(help, "write it like `1us`");
    let (at, message, _) = diagnostic("0.001ms", "0ns");
    assert_eq!(at, "0ns");
    assert!(message.contains("the window engine needs a delay of at least 1ps"));
}

#[test]
fn files_of_ns3_datacenter_are_read() {
    let links = "3\n0 3 25000000000 1us 0\n1 3 25000000000.0 0.000001 0\n2 3 3GBps 1us 0\n";
    let expected = parse_hpcc(&format!(
        "4 1 3\n{}",
        links.replace("3GBps", "24Gbps").replace("0.000001", "1us")
    ))
    .unwrap();
    assert_eq!(expected.links()[1].rate, Rate::from_gbps(25));
    for counts in ["4 1 1 3", "4 1 1 3 25000000000 100000000000.0"] {
        let topology = parse_hpcc(&format!("\n{counts}\n{links}")).expect(counts);
        assert_eq!(topology.links(), expected.links());
        assert_eq!(topology.hosts(), expected.hosts());
    }
    // The published simulator's line continues with the switches.
    for text in ["4 1 3 3", "4 1 3\n3", "4 1\n3 3"] {
        let text = format!("{text}\n{}", &links[2..]);
        assert_eq!(parse_hpcc(&text).unwrap().links(), expected.links());
    }
}

#[test]
fn other_counts_say_what_they_are_taken_for() {
    // Optical switches and their ports, as in ocs-mprdma.
    let text = "7 2 1 4\n0 1\n2\n3 0 0 1 50Gbps 1us 0\n";
    let error = parse_hpcc(text).unwrap_err();
    assert_eq!(&text[error.span.clone()], "1");
    assert!(error.message.contains("number of racks"), "{error}");
    assert!(error.help.contains("optical"), "{error}");
    let error = parse_hpcc("276 20 8 288 7\n256\n").unwrap_err();
    assert_eq!(error.message, "there is no node 288");
    assert!(
        error
            .help
            .contains("the first line has the numbers of nodes")
    );
}

#[test]
fn a_loss_that_is_not_a_probability() {
    for loss in ["1.01", "-0.1", "NaN", "1%"] {
        let (at, message, help) = diagnostic("0.01\n", &format!("{loss}\n"));
        assert_eq!(
            (at.as_str(), message),
            (loss, format!("`{loss}` is not a loss"))
        );
        assert!(help.contains("from 0 to 1"));
    }
}

#[test]
fn hosts_that_cannot_reach_each_other() {
    let text = "4 2 2\n2 3\n0 2 1Gbps 1us 0\n1 3 1Gbps 1us 0\n";
    let error = parse_hpcc(text).unwrap_err();
    assert_eq!(&text[error.span.clone()], &text[10..text.len() - 1]);
    assert_eq!(
        error.message,
        "hosts 0 and 1 cannot reach each other: no chain of links joins them"
    );
}

#[test]
fn a_node_without_links() {
    let error = parse_hpcc("3 1 1\n2\n0 2 1Gbps 1us 0").unwrap_err();
    assert_eq!(
        (error.span, error.message.as_str()),
        (0..1, "node 1 has no link")
    );
    let error = parse_hpcc("3 1 1\n2\n0 1 1Gbps 1us 0").unwrap_err();
    assert_eq!(
        (error.span, error.message.as_str()),
        (6..7, "node 2 has no link")
    );
}

#[test]
fn nodes_may_have_names_after_the_links() {
    let named = parse_hpcc(&format!("{GOOD}names\n3 rack0/tor\n1 storage-a\n")).unwrap();
    let names: Vec<&str> = (0..4).map(|node| named.name(NodeId(node))).collect();
    assert_eq!(names, ["host0", "storage-a", "host2", "rack0/tor"]);
    assert_eq!(named.links(), parse_hpcc(GOOD).unwrap().links());
    let refused = |names: &str| {
        let text = format!("{GOOD}names {names}");
        let error = parse_hpcc(&text).unwrap_err();
        (text[error.span].to_owned(), error.message)
    };
    let wrong = |at: &str, message: &str| (at.to_owned(), message.to_owned());
    assert_eq!(refused("4 a"), wrong("4", "there is no node 4"));
    assert_eq!(
        refused("1"),
        wrong("", "the file ends before the name of node 1")
    );
    assert_eq!(refused("1 17"), wrong("17", "node 1 cannot be called `17`"));
    assert_eq!(refused("1 a 1 b"), wrong("1", "node 1 has a name already"));
    assert_eq!(
        refused("1 a 2 a"),
        wrong("a", "nodes 1 and 2 are both called `a`")
    );
    assert_eq!(
        refused("1 host2"),
        wrong("host2", "nodes 1 and 2 are both called `host2`")
    );
}

/// Two servers of two GPUs with an NVSwitch each, two rails and a spine, with nodes and links in
/// the order of SimAI's generator (GPUs, NVSwitches, leaves, spines).
const SIMAI: &str = "\
9 2 2 3 10 H100
4 5 6 7 8 
0 4 2880Gbps 0.000025ms 0
0 6 400Gbps 0.0005ms 0
1 4 2880Gbps 0.000025ms 0
1 7 400Gbps 0.0005ms 0
2 5 2880Gbps 0.000025ms 0
2 6 400Gbps 0.0005ms 0
3 5 2880Gbps 0.000025ms 0
3 7 400Gbps 0.0005ms 0
6 8 400Gbps 0.0005ms 0
7 8 400Gbps 0.0005ms 0
";

#[test]
fn nvswitches_of_simai_are_inside_of_servers() {
    let topology = parse_hpcc(SIMAI).unwrap();
    assert_eq!(topology.hosts().len(), 4);
    assert_eq!(topology.links().len(), 10);
    let inner: Vec<NodeId> = topology
        .switches()
        .filter(|&it| topology.is_inner(it))
        .collect();
    assert_eq!(inner, [NodeId(4), NodeId(5)]);
    let nics: Vec<Rate> = topology.nics(NodeId(3)).map(|port| port.rate).collect();
    assert_eq!(nics, [Rate::from_gbps(400)]);
    assert_eq!(topology.links()[0].delay, Duration::from_ns(25));
}

#[test]
fn what_is_wrong_in_a_file_of_simai_is_placed() {
    let wrong = |from: &str, to: &str| {
        let text = SIMAI.replacen(from, to, 1);
        assert_ne!(text, SIMAI);
        let error = parse_hpcc(&text).unwrap_err();
        (text[error.span].to_owned(), error.message)
    };
    assert_eq!(wrong("9 2", "9 3").0, "3");
    assert_eq!(wrong("9 2 2", "9 2 x").0, "x");
    assert!(wrong("9 2 2 3", "9 2 2 9").1.contains("leave no host"));
    let (at, message) = wrong("4 5 6 7", "4 6 5 7");
    assert_eq!(at, "6");
    assert!(
        message.contains("NVSwitch 6 follows NVSwitch 4"),
        "{message}"
    );
    assert_eq!(wrong("0 4 2880Gbps", "0 4 288").0, "288");
}

#[test]
fn the_links_of_hosts_without_other_ones_are_their_nics() {
    let text = "3 2 1 0 2 H100\n2\n0 2 2880Gbps 0.000025ms 0\n1 2 2880Gbps 0.000025ms 0\n";
    let server = parse_hpcc(text).unwrap();
    let nics: Vec<Rate> = server.nics(NodeId(1)).map(|port| port.rate).collect();
    assert_eq!(nics, [Rate::from_gbps(2880)]);
    assert!(server.is_inner(NodeId(2)));
}

/// The published simulator's topology.txt ends with links beyond its count, ConWeave's with notes.
#[test]
fn what_follows_the_links_can_be_passed_over() {
    for rest in [
        "0 1 100Gbps 1us 0\n",
        "First line: total node #\n",
        "names\n0 a\n",
    ] {
        let text = format!("{GOOD}\n{rest}");
        let topology = parse_hpcc_links(&text).expect("a network");
        assert_eq!(topology.links(), parse_hpcc(GOOD).unwrap().links());
    }
    assert!(parse_hpcc_links(&GOOD[..20]).is_err());
}
