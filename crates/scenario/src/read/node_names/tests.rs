//! In every key that names nodes, names and numbers must have the same meaning.

use crate::scenario::Scenario;
use crate::text::error::Error;

/// A leaf-spine of 8 hosts, leaves 8 to 11 and spines 12 and 13.
const FABRIC: &str = "[topology]\nkind = \"leaf-spine\"\nhosts_per_leaf = 2\nspines = 2\n\
    [cc]\nkind = \"hpcc\"\n";

const INCAST: &str = "[[workload]]\nkind = \"incast\"\nfan_in = 2\nsize = \"1KB\"\nat = \"0s\"\n";

fn scenario(tables: &str) -> Result<Scenario, String> {
    let text = format!("{FABRIC}{tables}");
    Scenario::from_toml(&text).map_err(|error| match error {
        Error::Input(found) => format!("{found}: {}", found.help()),
        other => other.to_string(),
    })
}

/// Reads two scenarios, with names and with numbers, and checks that they are equal.
fn same(names: &str, numbers: &str) {
    let [names, numbers] = [names, numbers].map(|tables| {
        let scenario = scenario(tables).expect(tables);
        serde_json::to_string(&scenario.resolved()).expect("settings are plain tables")
    });
    assert_eq!(names, numbers);
}

#[test]
fn names_stand_for_numbers_in_every_table() {
    same(
        &format!("{INCAST}receiver = \"host5\""),
        &format!("{INCAST}receiver = 5"),
    );
    let poisson =
        "[[workload]]\nkind = \"poisson\"\nsizes = \"1KB\"\nload = 0.1\nduration = \"1us\"\n";
    same(
        &format!("{poisson}sources = [\"host0\", \"4..6\", \"host7\"]\ndestinations = [\"host*\"]"),
        &format!("{poisson}sources = [\"0..1\", \"4..6\", \"7\"]\ndestinations = [\"0..8\"]"),
    );
    same(
        &format!("{INCAST}receiver = \"5\""),
        &format!("{INCAST}receiver = 5"),
    );
    same(
        &format!("{poisson}sources = [0, \"host5\", 7]\ndestinations = [\"1\", 2]"),
        &format!("{poisson}sources = [\"0\", \"5\", \"7\"]\ndestinations = [1, 2]"),
    );
    let event = |kind: &str, nodes: &str| {
        format!("{INCAST}[[event]]\nat = \"1us\"\nkind = \"{kind}\"\n{nodes}\n")
    };
    same(
        &event("link-down", "link = [\"leaf0\", \"spine1\"]"),
        &event("link-down", "link = [8, 13]"),
    );
    same(
        &event("link-rate", "rate = \"1Gbps\"\nlink = [\"leaf3\", 12]"),
        &event("link-rate", "rate = \"1Gbps\"\nlink = [11, 12]"),
    );
    same(
        &event("switch-down", "switch = \"spine0\""),
        &event("switch-down", "switch = 12"),
    );
    let observe = |nodes: &str, group: &str| {
        format!(
            "{INCAST}[observe]\nqueues = true\nqueue_distribution = true\nnodes = [{nodes}]\n\
             queue_groups = [{{ name = \"x\", nodes = [{group}] }}]\n"
        )
    };
    same(
        &observe("\"leaf*\", \"spine1\"", "\"leaf2\""),
        &observe("\"8..12\", 13", "10"),
    );
    let ports = |ports: &str| format!("{INCAST}[observe]\nqueues = true\nports = [{ports}]\n");
    same(&ports("0, \"2\""), &ports("\"0..1\", 2"));
}

#[test]
fn names_that_no_node_has_are_refused_with_the_nearest() {
    let refused = |tables: &str| scenario(tables).expect_err("no such node");
    let text = refused(&format!("{INCAST}receiver = \"hots5\""));
    assert!(
        text.contains("key `receiver`: no node has the name `hots5`"),
        "{text}"
    );
    assert!(text.contains("did you mean `host5`"), "{text}");
    let text = refused(&format!("{INCAST}receiver = \"host*\""));
    assert!(text.contains("`host*` matches several nodes"), "{text}");
    let text = refused(&format!(
        "{INCAST}[[event]]\nat = \"1us\"\nkind = \"link-down\"\nlink = [\"leaf0\", \"nothing\"]"
    ));
    assert!(text.contains("no node has the name `nothing`"), "{text}");
    assert!(text.contains("from `host0` to `spine1`"), "{text}");
    let text = refused(&format!(
        "{INCAST}[observe]\nqueues = true\nnodes = [\"tor*\"]"
    ));
    assert!(text.contains("no node has a name like `tor*`"), "{text}");
}

#[test]
fn other_values_are_refused_with_every_way_to_write_a_node() {
    let refused = |key: &str| {
        let poisson =
            "[[workload]]\nkind = \"poisson\"\nsizes = \"1KB\"\nload = 0.1\nduration = \"1us\"\n";
        scenario(&format!("{poisson}sources = [{key}]")).expect_err("no node")
    };
    for value in ["-1", "0.5", "true", "[0]"] {
        let text = refused(value);
        assert!(
            text.contains(&format!("`{value}` is not the number or name")),
            "{text}"
        );
        assert!(text.contains("such as 17, \"tor3\" or \"0..16\""), "{text}");
    }
    assert!(refused("4294967296").contains("is not a range of hosts"));
    assert!(refused("8").contains("is not a host"));
}

#[test]
fn a_host_is_still_wanted_where_hosts_are() {
    let text = scenario(&format!("{INCAST}receiver = \"leaf0\"")).expect_err("a switch");
    assert!(text.contains("leaf0 (node 8) is not a host"), "{text}");
}

#[test]
fn networks_that_cannot_be_built_are_refused_as_without_names() {
    let text = |receiver: &str| {
        format!(
            "[topology]\nkind = \"star\"\nhosts = 1\n[cc]\nkind = \"hpcc\"\n{INCAST}receiver = {receiver}"
        )
    };
    let refused = ["\"host0\"", "0"].map(|receiver| {
        let error = Scenario::from_toml(&text(receiver)).expect_err("one host");
        let error = error.to_string();
        error.lines().next().map(str::to_owned)
    });
    assert_eq!(refused[0], refused[1]);
}
