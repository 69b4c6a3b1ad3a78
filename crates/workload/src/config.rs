//! The list of workloads.

use fabricsim_base::input::Keys;

use crate::workload::WorkloadKind;
use crate::{
    AllToAllConfig, CollectiveConfig, DownloadConfig, FetchConfig, GraphConfig, IncastConfig,
    ListConfig, PermutationConfig, PoissonConfig, RpcConfig, ServingConfig,
};

/// A kind of workload: its name in a scenario, a one-line description, and its keys with their
/// meaning, unit and default.
pub type KindDoc = (&'static str, &'static str, Keys);

/// Visitor of the kinds of workloads by their types.
pub trait WorkloadVisitor {
    /// Visits the kind `K`.
    fn visit<K: WorkloadKind>(&mut self);
}

/// Builds the list of kinds from the name and description of each.
macro_rules! kinds {
    ($($kind:ident: $name:literal, $about:literal;)*) => {
        $(impl WorkloadKind for $kind {
            const NAME: &'static str = $name;
            const ABOUT: &'static str = $about;
            const KEYS: Keys = Self::KEYS;
        })*

        /// All kinds of workloads, for lists and help.
        pub const KINDS: &[KindDoc] = &[$(($name, $about, $kind::KEYS)),*];

        /// Passes each kind of workload to `visitor`, in the order of [`KINDS`].
        pub fn visit_kinds(visitor: &mut impl WorkloadVisitor) {
            $(visitor.visit::<$kind>();)*
        }
    };
}

kinds! {
    PoissonConfig: "poisson", "flows at random times between random hosts, sizes from a CDF";
    IncastConfig: "incast", "many hosts that send to one at the same moment";
    PermutationConfig: "permutation", "every host sends to one other and receives from one";
    AllToAllConfig: "all-to-all", "every host sends to every other";
    RpcConfig: "rpc", "clients that send queries on connections to servers, which respond";
    CollectiveConfig: "collective",
        "all-reduce and other collectives: groups of ranks with dependent messages";
    GraphConfig: "graph",
        "messages, computations and collectives of a file, with dependencies";
    ServingConfig: "serving",
        "requests to instances of a language model: steps, collectives, transfers of KV caches";
    ListConfig: "list", "the flows of a file";
    FetchConfig: "fetch", "requests of a host over TCP, which another host serves";
    DownloadConfig: "download", "downloads over TCP that never end";
}

#[cfg(test)]
mod tests {
    use fabricsim_base::id::{ClassId, NodeId};
    use fabricsim_base::input::Key;
    use fabricsim_base::units::{Bytes, Duration};

    use super::*;
    use crate::context::testing::context;
    use crate::workload::{BoxedWorkload, FileContent, FileState, boxed};
    use crate::{CollectiveOperation, FlowTimes, ServedModel};

    fn one_of_each() -> Vec<BoxedWorkload> {
        vec![
            boxed(PoissonConfig::new("websearch", 0.5, Duration::from_ms(1))),
            boxed(IncastConfig::once(3, Bytes::new(1_000))),
            boxed(PermutationConfig::new(Bytes::new(1_000))),
            boxed(AllToAllConfig::new(Bytes::new(1_000))),
            boxed(RpcConfig::new("4KB", Duration::from_ms(1))),
            boxed(CollectiveConfig::new(
                CollectiveOperation::AllReduce,
                Bytes::new(1_000),
            )),
            boxed(GraphConfig::new("graph.csv")),
            boxed(ServingConfig {
                tp: 2,
                ..ServingConfig::new(ServedModel::Llama3Of8B, 10.0)
            }),
            boxed(ListConfig::new("flow.txt")),
            boxed(FetchConfig::new(NodeId(0), NodeId(1))),
            boxed(DownloadConfig::new(NodeId(0), NodeId(1))),
        ]
    }

    #[test]
    fn the_table_lists_every_key_of_every_kind() {
        for (config, (kind, _, keys)) in one_of_each().iter().zip(KINDS) {
            assert_eq!(config.kind(), *kind);
            let mut fields: Vec<String> = (config.value().as_object())
                .map(|keys| keys.keys().cloned().collect())
                .expect("a table");
            let mut listed: Vec<&str> = Key::names(keys);
            fields.sort_unstable();
            listed.sort_unstable();
            assert_eq!(fields, listed, "{kind}");
        }
    }

    #[test]
    fn configurations_survive_a_round_trip_and_refuse_unknown_keys() {
        let poisson = PoissonConfig::new("hadoop", 0.5, Duration::from_ms(1));
        let text = serde_json::to_string(&poisson).unwrap();
        assert_eq!(
            serde_json::from_str::<PoissonConfig>(&text).unwrap(),
            poisson
        );
        let short = r#"{"sizes": "hadoop", "load": 0.5, "duration": "1ms"}"#;
        assert_eq!(
            serde_json::from_str::<PoissonConfig>(short).unwrap(),
            poisson
        );
        let misspelled = short.replace("load", "laod");
        let error = serde_json::from_str::<PoissonConfig>(&misspelled)
            .unwrap_err()
            .to_string();
        assert!(error.contains("laod"), "{error}");
        assert!(
            serde_json::from_str::<PoissonConfig>(r#"{"sizes": "hadoop", "load": 0.5}"#).is_err()
        );
    }

    #[test]
    fn only_files_have_to_be_loaded() {
        let context = context(8, 1);
        for mut config in one_of_each() {
            let missing = |config: &BoxedWorkload| {
                config.file().map(|file| file.state) == Some(FileState::Missing)
            };
            assert_eq!(missing(&config), matches!(config.kind(), "list" | "graph"));
            let text = match config.kind() {
                "graph" => "rank,id,op,peer,bytes\n0,a,send,1,8\n1,a,recv,0,\n",
                _ => "1\n0 1 3 100 1000 2.0\n",
            };
            config
                .load(text, &context, FlowTimes::Exact)
                .unwrap_or_default();
            assert!(!missing(&config));
            assert!(config.expected(&context).unwrap().flows > 0.0);
            let first = config.build(&context, ClassId(0)).unwrap().next_start();
            let applications = config.applications(&context, ClassId(0)).unwrap();
            assert_eq!(first.is_some(), applications.is_empty());
        }
        let file = boxed(PoissonConfig::new("cdf.txt", 0.5, Duration::from_ms(1)));
        let named = file.file().unwrap();
        assert_eq!((named.key, named.path), ("sizes", "cdf.txt"));
        assert_eq!(
            (named.content, named.state),
            (FileContent::Sizes, FileState::Missing)
        );
    }
}
