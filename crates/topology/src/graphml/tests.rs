use fabricsim_base::flow::FlowKey;
use fabricsim_base::id::NodeId;
use fabricsim_base::units::Duration;
use roxmltree::TextPos;

use super::*;
use crate::{EcmpHash, NextHopOrder, Routes};

/// A file like the Topology Zoo's: six nodes, with 0 to 4 in a chain and 5 outside of it, one link
/// twice, and one node linked with itself.
const MINI: &str = r#"<?xml version="1.0" encoding="utf-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key attr.name="Latitude" attr.type="double" for="node" id="d1" />
  <key attr.name="label" attr.type="string" for="node" id="d2" />
  <key attr.name="Longitude" attr.type="double" for="node" id="d3" />
  <graph edgedefault="undirected">
    <data key="d0">a network</data>
    <node id="0"><data key="d1">0</data><data key="d2">a</data><data key="d3">0</data></node>
    <node id="1"><data key="d1">1</data><data key="d3">0</data></node>
    <node id="2"><data key="d1">2</data><data key="d3">0</data></node>
    <node id="3"><data key="d1">2.001</data><data key="d3">0</data></node>
    <node id="4"><data key="d1">4</data><data key="d3">0</data></node>
    <node id="5"><data key="d1">0</data><data key="d3">1</data></node>
    <edge source="0" target="1"/>
    <edge source="2" target="1"/>
    <edge source="2" target="3"/>
    <edge source="3" target="3"/>
    <edge source="3" target="2"/>
    <edge source="3" target="4"/>
    <edge source="5" target="1"/>
    <edge source="5" target="0"/>
  </graph>
</graphml>
"#;

fn config() -> GraphmlConfig {
    GraphmlConfig::new("mini.graphml")
}

#[test]
fn switches_are_called_by_their_labels_where_these_differ() {
    let labeled = |number: u32, label: &str| {
        let bare = format!("<node id=\"{number}\">");
        (
            bare.clone(),
            format!("{bare}<data key=\"d2\">{label}</data>"),
        )
    };
    let mut text = MINI.to_owned();
    for (number, label) in [
        (1, "New York"),
        (2, "Rome"),
        (3, " Rome "),
        (4, "?"),
        (5, "host0"),
    ] {
        let (bare, with_label) = labeled(number, label);
        text = text.replace(&bare, &with_label);
    }
    let topology = config().read(&text).unwrap();
    let names: Vec<&str> = topology
        .switches()
        .map(|node| topology.name(node))
        .collect();
    let wanted = ["a", "New_York", "switch2", "switch3", "switch4", "switch5"];
    assert_eq!(names, wanted);
    assert_eq!(topology.name(NodeId(5)), "host5");
}

#[test]
fn nodes_are_switches_and_edges_are_links() {
    let config = GraphmlConfig {
        hosts_per_switch: 2,
        ..config()
    };
    let topology = config.read(MINI).unwrap();
    assert_eq!((topology.hosts().len(), topology.len()), (12, 18));
    let links = topology.switch_links().map(|(a, b)| (a.0 - 12, b.0 - 12));
    let wanted = [(0, 1), (2, 1), (2, 3), (3, 4), (5, 1), (5, 0)];
    assert_eq!(links.collect::<Vec<_>>(), wanted);
    let path = topology.longest_switch_path();
    let path: Vec<u32> = path.iter().map(|node| node.0 - 12).collect();
    assert_eq!(path, [0, 1, 2, 3, 4]);
    let routes = Routes::compute(&topology, NextHopOrder::AscendingNode, EcmpHash::Seeded(1));
    let key = FlowKey {
        src: NodeId(0),
        dst: NodeId(9),
        src_port: 1,
        dst_port: 2,
    };
    assert_eq!(routes.trace(&key).len(), 7);
}

#[test]
fn delays_follow_from_the_map() {
    let config = GraphmlConfig {
        delay: LinkDelay::Geographic,
        ..config()
    };
    let topology = config.read(MINI).unwrap();
    let delay = |a: u32, b: u32| {
        let mut links = topology.links().iter();
        let link = links
            .find(|link| (link.a.0, link.b.0) == (a, b))
            .expect("a link");
        link.delay.as_secs_f64() * 1e6
    };
    let degree = 6_371.009 * std::f64::consts::PI / 180.0 * 5.0;
    assert!((delay(6, 7) - degree).abs() < 1e-3, "{}", delay(6, 7));
    assert!((delay(9, 10) - 1.999 * degree).abs() < 1e-3);
    assert!((delay(8, 9) - 5.0).abs() < 1e-9, "one km at least");
    assert!((delay(0, 6) - 5.0).abs() < 1e-9, "a host's link");
}

/// Returns the error for `text`: its line, the text at which it points, and its message.
fn refused(config: &GraphmlConfig, text: &str) -> (usize, String, String) {
    let error = config.read(text).unwrap_err();
    let place = text[error.span.clone()].to_owned();
    assert!(!error.help.is_empty());
    (error.line_column(text).0, place, error.message)
}

#[test]
fn errors_are_shown_where_they_are() {
    // Each case breaks one part of a valid file.
    for (old, new, line, place, says) in [
        ("<graphml ", "graphml ", 2, "", "not XML"),
        (
            "</node>\n    <node id=\"1\">",
            "\n    <node id=\"1\">",
            22,
            "",
            "not XML",
        ),
        (
            "graphml",
            "gexf",
            2,
            "<gexf xmlns=\"http://gexf.graphdrawing.org/xmlns\">",
            "another kind: <gexf>",
        ),
        ("node id=\"1\"", "node", 9, "<node>", "no `id`"),
        (
            "node id=\"4\"",
            "node id=\"2\"",
            12,
            "<node id=\"2\">",
            "another node `2`",
        ),
        (
            "<edge source=\"3\" target=\"4\"/>",
            "<edge source=\"3\"/>",
            19,
            "<edge source=\"3\"/>",
            "no `target`",
        ),
        (
            "target=\"4\"",
            "target=\"9\"",
            19,
            "<edge source=\"3\" target=\"9\"/>",
            "no node `9`",
        ),
        (
            "<edge source=\"3\" target=\"4\"/>",
            "<hyperedge/>",
            19,
            "<hyperedge/>",
            "join two nodes",
        ),
        (
            "<edge source=\"3\" target=\"4\"/>",
            "",
            12,
            "<node id=\"4\">",
            "in 2 parts without links between them, of 5, 1 nodes",
        ),
        (
            "<edge source=\"2\" target=\"1\"/>",
            "",
            10,
            "<node id=\"2\">",
            "of 3, 3 nodes",
        ),
    ] {
        let text = MINI.replace(old, new);
        assert_ne!(text, MINI, "{old}");
        let (found_line, found_place, message) = refused(&config(), &text);
        assert!(message.contains(says), "{old}: {message}");
        assert_eq!(found_line, line, "{old}: {message}");
        if !place.is_empty() {
            assert_eq!(found_place, place, "{old}");
        }
    }
}

#[test]
fn graphs_without_links_are_refused() {
    let graph = |inside: &str| format!("<graphml><graph>\n{inside}\n</graph></graphml>");
    let message = |inside: &str| refused(&config(), &graph(inside)).2;
    assert_eq!(refused(&config(), "<graphml/>").2, "there is no <graph>");
    assert_eq!(message(""), "the graph has no <node>");
    let two = "<node id='a'/><node id='b'/>";
    assert_eq!(message(two), "the graph has no <edge>");
    let edge = "<edge source='a' target='a'/>";
    let loops = format!("{two}{edge}{edge}");
    assert_eq!(
        message(&loops),
        "the graph has no <edge> but for 2 from a node to itself"
    );
    assert_eq!(message("<node id='a'/>"), "1 is too few", "of hosts");
    let two_hosts = GraphmlConfig {
        hosts_per_switch: 2,
        ..config()
    };
    let lone = two_hosts.read(&graph("<node id='a'/>")).unwrap();
    assert_eq!(lone.len(), 3);
}

#[test]
fn places_are_needed_for_geographic_delays_alone() {
    let map = GraphmlConfig {
        delay: LinkDelay::Geographic,
        ..config()
    };
    for (old, new, line, says) in [
        (
            "attr.name=\"Longitude\"",
            "attr.name=\"Lon\"",
            6,
            "nodes have no `Longitude`",
        ),
        (
            "<data key=\"d1\">4</data>",
            "",
            12,
            "this node has no Latitude",
        ),
        (
            "<data key=\"d1\">4</data>",
            "<data key=\"d1\">94</data>",
            12,
            "`94` is no Latitude",
        ),
        (
            "<data key=\"d1\">4</data>",
            "<data key=\"d1\">nan</data>",
            12,
            "`nan` is no Latitude",
        ),
        (
            "<data key=\"d1\">4</data>",
            "<data key=\"d1\"/>",
            12,
            "`` is no Latitude",
        ),
    ] {
        let text = MINI.replace(old, new);
        assert!(config().read(&text).is_ok());
        let (found_line, _, message) = refused(&map, &text);
        assert_eq!(
            (found_line, message.contains(says)),
            (line, true),
            "{message}"
        );
    }
}

#[test]
fn settings_are_checked_before_the_file() {
    let key = |config: GraphmlConfig| config.check().map_err(|error| error.key).err();
    assert_eq!(key(config()), None);
    let none = GraphmlConfig {
        hosts_per_switch: 0,
        ..config()
    };
    assert_eq!(key(none), Some("hosts_per_switch"));
    let still = GraphmlConfig {
        delay: LinkDelay::Fixed(Duration::ZERO),
        ..config()
    };
    assert_eq!(key(still), Some("delay"));
}

#[test]
fn places_in_a_text_are_found() {
    let text = "ab\näbc\n";
    let at = |row, col| offset(text, TextPos::new(row, col));
    assert_eq!([at(1, 1), at(2, 1), at(2, 3), at(9, 9)], [0, 3, 6, 8]);
}

/// The sizes of two networks of the Internet Topology Zoo (Knight et al., JSAC 2011). Their files
/// are not part of this project: the variable `TOPOLOGY_ZOO` has the path of their folder.
#[test]
#[ignore = "needs Kdl.graphml and UsCarrier.graphml in the folder TOPOLOGY_ZOO"]
fn networks_of_the_topology_zoo_have_their_sizes() {
    let Some(folder) = std::env::var_os("TOPOLOGY_ZOO") else {
        println!("there is no TOPOLOGY_ZOO: nothing was read");
        return;
    };
    for (name, switches, links, longest) in [("Kdl", 754, 895, 59), ("UsCarrier", 158, 189, 36)] {
        let path = PathBuf::from(&folder).join(name).with_extension("graphml");
        let text = std::fs::read_to_string(&path).expect("a readable file");
        let topology = GraphmlConfig::new(path).read(&text).unwrap();
        assert_eq!(topology.switches().count(), switches);
        assert_eq!(topology.switch_links().count(), links);
        assert_eq!(topology.longest_switch_path().len(), longest);
    }
}
