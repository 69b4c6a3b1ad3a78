//! The topologies that a scenario can select, with their keys.

use std::path::{Path, PathBuf};

use fabricsim_base::input::{ConfigError, InputError, Keys};
use fabricsim_base::settings;

use crate::builder::{
    ChainConfig, ClosConfig, DragonflyConfig, DragonflyPlusConfig, DumbbellConfig, FatTreeConfig,
    IspConfig, LeafSpineConfig, MeshConfig, RailConfig, StarConfig, TestbedConfig, TorusConfig,
};
use crate::graph::Topology;
use crate::graphml::GraphmlConfig;
use crate::hpcc_file::{parse_hpcc, parse_hpcc_links};
use crate::source::{TopologyKind, TopologySource};

/// A kind of topology: its name, a one-line description and its keys.
pub type KindDoc = (&'static str, &'static str, Keys);

/// Visitor of topology kinds, which receives each by its type.
pub trait TopologyVisitor {
    /// Visits the kind `K`.
    fn visit<K: TopologyKind>(&mut self);
}

/// Generates the list of kinds from their names and one-line descriptions.
macro_rules! kinds {
    ($($kind:ident: $name:literal, $about:literal;)*) => {
        $(impl TopologyKind for $kind {
            const NAME: &'static str = $name;
            const ABOUT: &'static str = $about;
            const KEYS: Keys = Self::KEYS;
        })*

        /// Every kind of topology, for lists and help.
        pub const KINDS: &[KindDoc] = &[$(($name, $about, $kind::KEYS)),*];

        /// Calls `visitor` with every kind of topology, in the order of [`KINDS`].
        pub fn visit_kinds(visitor: &mut impl TopologyVisitor) {
            $(visitor.visit::<$kind>();)*
        }
    };
}

kinds! {
    FatTreeConfig: "fat-tree",
        "three layers of switches in pods: the classic k-ary fat-tree, or a published fabric";
    LeafSpineConfig: "leaf-spine", "two layers of switches, every leaf linked to every spine";
    ClosConfig: "clos",
        "tiers of switches in pods, with rates, uplinks and oversubscription of each tier";
    RailConfig: "rail",
        "servers of GPUs with a switch inside, and a leaf switch for each GPU number (rail)";
    DragonflyConfig: "dragonfly",
        "groups of fully linked routers, and links between all groups (ISCA 2008)";
    DragonflyPlusConfig: "dragonfly-plus",
        "groups of leaves and spines, and links between the spines of all groups (HiPINEB 2017)";
    TorusConfig: "torus",
        "a grid of switches of any number of dimensions, closed (torus) or open (mesh)";
    MeshConfig: "mesh",
        "hosts linked to each other without switches: a ring, a cube, a grid, a DGX-1";
    TestbedConfig: "testbed",
        "two pods with two cores, and servers with two NICs: a published study of buffers";
    DumbbellConfig: "dumbbell", "two switches with hosts on both sides of one link";
    StarConfig: "star", "hosts around one switch";
    ChainConfig: "chain", "switches in a row with hosts at each";
    IspConfig: "isp",
        "a random network of a service provider: long, sparse, chains for the most part";
    GraphmlConfig: "graphml",
        "a graph of switches from a GraphML or GML file, as the Internet Topology Zoo has them";
    FileConfig: "file",
        "a list of links in the format of the HPCC simulator's topology.txt, or SimAI's";
}

/// Implements the source of topologies that are built from their keys alone.
macro_rules! built {
    ($($kind:ident,)*) => {
        $(impl TopologySource for $kind {
            fn build(&self) -> Option<Result<Topology, ConfigError>> {
                Some(Self::build(self))
            }
        })*
    };
}

built! {
    FatTreeConfig,
    LeafSpineConfig,
    ClosConfig,
    RailConfig,
    DragonflyConfig,
    DragonflyPlusConfig,
    TorusConfig,
    MeshConfig,
    TestbedConfig,
    DumbbellConfig,
    StarConfig,
    ChainConfig,
    IspConfig,
}

settings! {
    /// A topology read from a file with a list of links.
    pub struct FileConfig {
        /// The file, relative to the scenario.
        ///
        /// In the format of [`parse_hpcc`](crate::parse_hpcc).
        pub path: PathBuf = required,
        /// Ignore text after the links, as the HPCC simulator does.
        pub ignore_rest: bool = false,
        /// Share of lost packets on links with a loss of 0 in the file.
        #[range(from 0.0, to 1.0)]
        #[refused(
            "a loss of {value} is not a probability",
            "give the share of packets that a link loses, from 0 to 1, such as 0.001"
        )]
        pub loss: f64 = 0.0,
    }
}

impl TopologySource for GraphmlConfig {
    fn build(&self) -> Option<Result<Topology, ConfigError>> {
        self.check().err().map(Err)
    }

    fn path(&self) -> Option<&Path> {
        Some(&self.path)
    }

    fn read(&self, text: &str) -> Result<Topology, InputError> {
        Self::read(self, text)
    }
}

impl TopologySource for FileConfig {
    fn build(&self) -> Option<Result<Topology, ConfigError>> {
        self.validate_ranges().err().map(Err)
    }

    fn path(&self) -> Option<&Path> {
        Some(&self.path)
    }

    fn read(&self, text: &str) -> Result<Topology, InputError> {
        let topology = match self.ignore_rest {
            true => parse_hpcc_links(text),
            false => parse_hpcc(text),
        };
        Ok(topology?.with_default_loss(self.loss))
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;
    use serde::de::value::{Error, MapDeserializer};
    use serde::de::{Deserializer, Error as _, Visitor};

    use super::*;
    use crate::source::BoxedTopology;

    fn boxed(config: impl TopologyKind) -> BoxedTopology {
        Box::new(config)
    }

    /// Records the keys that a struct requests, and provides none.
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
        let (clos, no_tiers) = asked::<ClosConfig>();
        let (rail, r) = asked::<RailConfig>();
        let (dragonfly, g) = asked::<DragonflyConfig>();
        let (plus, p) = asked::<DragonflyPlusConfig>();
        let (torus, o) = asked::<TorusConfig>();
        let (mesh, m) = asked::<MeshConfig>();
        let (testbed, t) = asked::<TestbedConfig>();
        let (dumbbell, c) = asked::<DumbbellConfig>();
        let (star, d) = asked::<StarConfig>();
        let (chain, e) = asked::<ChainConfig>();
        let (isp, f) = asked::<IspConfig>();
        let (graphml, no_graph) = asked::<GraphmlConfig>();
        let (file, missing) = asked::<FileConfig>();
        let keys = [
            fat_tree, leaf_spine, clos, rail, dragonfly, plus, torus, mesh, testbed, dumbbell,
            star, chain, isp, graphml, file,
        ];
        assert_eq!(missing, None, "a file has no default path");
        assert_eq!(no_tiers, None, "a Clos fabric has no default tiers");
        assert_eq!(no_graph, None, "a file has no default path");
        let kinds = [
            boxed(a.unwrap()),
            boxed(b.unwrap()),
            boxed(ClosConfig::new(Vec::new())),
            boxed(r.unwrap()),
            boxed(g.unwrap()),
            boxed(p.unwrap()),
            boxed(o.unwrap()),
            boxed(m.unwrap()),
            boxed(t.unwrap()),
            boxed(c.unwrap()),
            boxed(d.unwrap()),
            boxed(e.unwrap()),
            boxed(f.unwrap()),
            boxed(GraphmlConfig::new("network.graphml")),
            boxed(FileConfig::with_required("topology.txt".into())),
        ];
        assert_eq!(KINDS.len(), kinds.len());
        for ((name, _, documented), (kind, keys)) in KINDS.iter().zip(kinds.iter().zip(keys)) {
            assert_eq!(*name, kind.kind());
            let documented: Vec<_> = documented.iter().map(|key| key.name).collect();
            assert_eq!(documented, keys, "{name}");
        }
    }

    #[test]
    fn every_kind_builds_with_its_defaults() {
        let defaults = [
            boxed(FatTreeConfig::default()),
            boxed(LeafSpineConfig::default()),
            boxed(RailConfig::default()),
            boxed(DragonflyConfig::default()),
            boxed(DragonflyPlusConfig::default()),
            boxed(TorusConfig::default()),
            boxed(MeshConfig::default()),
            boxed(TestbedConfig::default()),
            boxed(DumbbellConfig::default()),
            boxed(StarConfig::default()),
            boxed(ChainConfig::default()),
            boxed(IspConfig::default()),
        ];
        for config in defaults {
            assert!(config.build().unwrap().is_ok(), "{}", config.kind());
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
