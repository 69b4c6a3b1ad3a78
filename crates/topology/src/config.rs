//! The list of topologies a scenario can name, with their keys.

use std::path::{Path, PathBuf};

use fabricsim_core::input::{ConfigError, Keys};
use serde::{Deserialize, Serialize};

use crate::builder::{
    ChainConfig, DumbbellConfig, FatTreeConfig, IspConfig, LeafSpineConfig, StarConfig,
};
use crate::graph::Topology;
use crate::graphml::GraphmlConfig;

/// A topology as a scenario describes it: one variant for each name in [`KINDS`], in that order.
#[derive(Clone, Debug, PartialEq)]
pub enum TopologyConfig {
    /// `fat-tree`
    FatTree(FatTreeConfig),
    /// `leaf-spine`
    LeafSpine(LeafSpineConfig),
    /// `dumbbell`
    Dumbbell(DumbbellConfig),
    /// `star`
    Star(StarConfig),
    /// `chain`
    Chain(ChainConfig),
    /// `isp`
    Isp(IspConfig),
    /// `graphml`
    Graphml(GraphmlConfig),
    /// `file`
    File(FileConfig),
}

/// A topology that is listed in a file.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct FileConfig {
    /// The file, relative to the scenario, in the format of [`parse_hpcc`](crate::parse_hpcc).
    pub path: PathBuf,
}

impl TopologyConfig {
    /// The name of the kind, as in [`KINDS`].
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::FatTree(_) => "fat-tree",
            Self::LeafSpine(_) => "leaf-spine",
            Self::Dumbbell(_) => "dumbbell",
            Self::Star(_) => "star",
            Self::Chain(_) => "chain",
            Self::Isp(_) => "isp",
            Self::Graphml(_) => "graphml",
            Self::File(_) => "file",
        }
    }

    /// The file that the topology is read from, relative to the scenario.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        match self {
            Self::Graphml(GraphmlConfig { path, .. }) | Self::File(FileConfig { path }) => {
                Some(path)
            }
            _ => None,
        }
    }

    /// Builds the topology; `None` for a file, which the caller reads and gives to
    /// [`parse_hpcc`](crate::parse_hpcc) or [`GraphmlConfig::read`].
    ///
    /// # Errors
    /// Settings that the builder refuses, by key.
    pub fn build(&self) -> Option<Result<Topology, ConfigError>> {
        match self {
            Self::FatTree(config) => Some(config.build()),
            Self::LeafSpine(config) => Some(config.build()),
            Self::Dumbbell(config) => Some(config.build()),
            Self::Star(config) => Some(config.build()),
            Self::Chain(config) => Some(config.build()),
            Self::Isp(config) => Some(config.build()),
            Self::Graphml(_) | Self::File(_) => None,
        }
    }
}

/// A kind of topology: its name, one line about it, and its keys.
pub type KindDoc = (&'static str, &'static str, Keys);

/// Every kind of topology, for parsing, lists and help.
pub const KINDS: &[KindDoc] = &[
    (
        "fat-tree",
        "three layers of switches in pods: the classic k-ary fat-tree, or a published fabric",
        &[
            (
                "k",
                "ports of a switch, even; makes k^3/4 hosts (default 8)",
            ),
            ("host_rate", "rate of host links (default \"100Gbps\")"),
            (
                "fabric_rate",
                "rate of links between switches (default \"400Gbps\")",
            ),
            (
                "link_delay",
                "one-way delay of every link (default \"1us\")",
            ),
            (
                "preset",
                "\"hpcc-fat320\", which fixes all the other keys (default: none)",
            ),
        ],
    ),
    (
        "leaf-spine",
        "two layers of switches, every leaf linked to every spine",
        &[
            ("hosts_per_leaf", "hosts under each leaf (default 16)"),
            ("leaves", "leaf switches (default 4)"),
            ("spines", "spine switches (default 4)"),
            ("host_rate", "rate of host links (default \"100Gbps\")"),
            (
                "fabric_rate",
                "rate of links between switches (default \"400Gbps\")",
            ),
            (
                "oversubscription",
                "ratio of a leaf's host rate to its uplink rate, instead of `fabric_rate` (default: none)",
            ),
            (
                "link_delay",
                "one-way delay of links between switches (default \"1us\")",
            ),
            (
                "host_delay",
                "one-way delay of host links (default: `link_delay`)",
            ),
        ],
    ),
    (
        "dumbbell",
        "two switches with hosts on both sides of one link",
        &[
            ("hosts_per_side", "hosts on each side (default 2)"),
            ("host_rate", "rate of host links (default \"100Gbps\")"),
            (
                "bottleneck_rate",
                "rate of the link between the switches (default \"100Gbps\")",
            ),
            (
                "host_delay",
                "one-way delay of host links (default \"1us\")",
            ),
            (
                "bottleneck_delay",
                "one-way delay of the link between the switches (default \"1us\")",
            ),
        ],
    ),
    ("star", "hosts around one switch", StarConfig::MEANINGS),
    (
        "chain",
        "switches in a row with hosts at each",
        &[
            ("switches", "switches in the row (default 3)"),
            ("hosts_per_switch", "hosts at each switch (default 2)"),
            ("rate", "rate of every link (default \"100Gbps\")"),
            ("delay", "one-way delay of every link (default \"1us\")"),
        ],
    ),
    (
        "isp",
        "a random network of a service provider: long, sparse, chains for the most part",
        &[
            ("switches", "switches in all (default 158)"),
            (
                "longest_path",
                "switches on the longest shortest path, both ends counted (default 36)",
            ),
            (
                "seed",
                "which of the networks with these numbers (default 1)",
            ),
            ("hosts_per_switch", "hosts at each switch (default 1)"),
            ("rate", "rate of every link (default \"100Gbps\")"),
            ("delay", "one-way delay of every link (default \"1ms\")"),
        ],
    ),
    (
        "graphml",
        "a graph of switches from a GraphML file, as the Internet Topology Zoo has them",
        &[
            ("path", "the file, relative to the scenario (required)"),
            ("rate", "rate of every link (default \"100Gbps\")"),
            (
                "delay",
                "one-way delay of every link, or \"geographic\": 5us for each km between Latitude and Longitude of its ends (default \"1ms\")",
            ),
            ("hosts_per_switch", "hosts at each switch (default 1)"),
        ],
    ),
    (
        "file",
        "a list of links in the format of the HPCC simulator's topology.txt",
        &[("path", "the file, relative to the scenario (required)")],
    ),
];

#[cfg(test)]
mod tests {
    use serde::de::value::{Error, MapDeserializer};
    use serde::de::{Deserializer, Error as _, Visitor};

    use super::*;

    /// Writes down the keys that a struct asks for, and gives it none.
    struct Asked<'a>(&'a mut Vec<&'static str>);

    impl<'de> Deserializer<'de> for Asked<'_> {
        type Error = Error;

        fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Error> {
            Err(Error::custom("not a struct"))
        }

        fn deserialize_struct<V: Visitor<'de>>(
            self,
            _: &'static str,
            fields: &'static [&'static str],
            visitor: V,
        ) -> Result<V::Value, Error> {
            self.0.extend(fields);
            visitor.visit_map(MapDeserializer::new(std::iter::empty::<(&str, &str)>()))
        }

        serde::forward_to_deserialize_any! {
            bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 char str string bytes byte_buf option unit
            unit_struct newtype_struct seq tuple tuple_struct map enum identifier ignored_any
        }
    }

    fn asked<T: for<'de> Deserialize<'de>>() -> (Vec<&'static str>, Option<T>) {
        let mut keys = Vec::new();
        let value = T::deserialize(Asked(&mut keys)).ok();
        (keys, value)
    }

    #[test]
    fn the_list_names_every_key_of_every_kind() {
        let (fat_tree, a) = asked::<FatTreeConfig>();
        let (leaf_spine, b) = asked::<LeafSpineConfig>();
        let (dumbbell, c) = asked::<DumbbellConfig>();
        let (star, d) = asked::<StarConfig>();
        let (chain, e) = asked::<ChainConfig>();
        let (isp, f) = asked::<IspConfig>();
        let (graphml, no_graph) = asked::<GraphmlConfig>();
        let (file, missing) = asked::<FileConfig>();
        let keys = [
            fat_tree, leaf_spine, dumbbell, star, chain, isp, graphml, file,
        ];
        assert_eq!(missing, None, "a file has no default path");
        assert_eq!(no_graph, None, "a file has no default path");
        let kinds = [
            TopologyConfig::FatTree(a.unwrap()),
            TopologyConfig::LeafSpine(b.unwrap()),
            TopologyConfig::Dumbbell(c.unwrap()),
            TopologyConfig::Star(d.unwrap()),
            TopologyConfig::Chain(e.unwrap()),
            TopologyConfig::Isp(f.unwrap()),
            TopologyConfig::Graphml(GraphmlConfig::new("network.graphml")),
            TopologyConfig::File(FileConfig {
                path: "topology.txt".into(),
            }),
        ];
        assert_eq!(KINDS.len(), kinds.len());
        for ((name, _, documented), (kind, keys)) in KINDS.iter().zip(kinds.iter().zip(keys)) {
            assert_eq!(*name, kind.name());
            let documented: Vec<_> = documented.iter().map(|(key, _)| *key).collect();
            assert_eq!(documented, keys, "{name}");
        }
    }

    #[test]
    fn every_kind_builds_with_its_defaults() {
        let defaults = [
            TopologyConfig::FatTree(FatTreeConfig::default()),
            TopologyConfig::LeafSpine(LeafSpineConfig::default()),
            TopologyConfig::Dumbbell(DumbbellConfig::default()),
            TopologyConfig::Star(StarConfig::default()),
            TopologyConfig::Chain(ChainConfig::default()),
            TopologyConfig::Isp(IspConfig::default()),
        ];
        for config in defaults {
            assert!(config.build().unwrap().is_ok(), "{}", config.name());
        }
    }

    #[test]
    fn quantities_have_units_and_unknown_keys_are_refused() {
        let read = |key, value| {
            StarConfig::deserialize(MapDeserializer::<_, Error>::new([(key, value)].into_iter()))
        };
        assert_eq!(read("delay", "500ns").unwrap().delay.as_ps(), 500_000);
        assert!(
            read("delay", "500")
                .unwrap_err()
                .to_string()
                .contains("has no unit")
        );
        assert!(
            read("speed", "1us")
                .unwrap_err()
                .to_string()
                .contains("unknown field `speed`")
        );
    }
}
