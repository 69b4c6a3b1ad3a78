//! All workloads under one name, and the table of their keys.

use fabricsim_core::flow::FlowSource;
use fabricsim_core::id::ClassId;
use fabricsim_core::input::{ConfigError, InputError, Keys};

use crate::application::{AppWorkload, HostApplications, NoFlows};
use crate::context::{Expected, WorkloadContext};
use crate::list::FlowTimes;
use crate::{
    AllToAllConfig, IncastConfig, ListConfig, PermutationConfig, PoissonConfig, all_to_all, incast,
    list, poisson,
};

/// Every kind of workload: its name in a scenario, what it is in one line, and its keys with their
/// meaning, unit and default.
pub const KINDS: &[(&str, &str, Keys)] = &[
    (
        "poisson",
        "flows at random times between random hosts, sizes from a CDF",
        poisson::KEYS,
    ),
    (
        "incast",
        "many hosts that send to one at the same moment",
        incast::KEYS,
    ),
    (
        "permutation",
        "every host sends to one other and receives from one",
        PermutationConfig::MEANINGS,
    ),
    (
        "all-to-all",
        "every host sends to every other",
        all_to_all::KEYS,
    ),
    ("list", "the flows of a file", list::KEYS),
];

/// The configuration of one workload of any kind.
#[derive(Clone, Debug, PartialEq)]
pub enum WorkloadConfig {
    /// Every host sends to every other.
    AllToAll(AllToAllConfig),
    /// Applications at hosts.
    Application(AppWorkload),
    /// Many hosts send to one at the same moment.
    Incast(IncastConfig),
    /// The flows of a file.
    List(ListConfig),
    /// Every host sends to one other and receives from one.
    Permutation(PermutationConfig),
    /// Flows at random times between random hosts.
    Poisson(PoissonConfig),
}

impl WorkloadConfig {
    /// Reads `text`, the content of the file that [`WorkloadConfig::file`] names. `times` says how a
    /// `flow.txt`'s starts are read. Workloads without files ignore it.
    ///
    /// # Errors
    /// At the place in `text` that is at fault.
    pub fn load(
        &mut self,
        text: &str,
        context: &WorkloadContext,
        times: FlowTimes,
    ) -> Result<(), InputError> {
        match self {
            Self::List(config) => config.load(text, &context.hosts, times),
            Self::Poisson(config) => config.sizes.load(text),
            Self::AllToAll(_) | Self::Application(_) | Self::Incast(_) | Self::Permutation(_) => {
                Ok(())
            }
        }
    }

    /// The name of the kind, as in [`KINDS`].
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::AllToAll(_) => "all-to-all",
            Self::Application(config) => config.factory().kind(),
            Self::Incast(_) => "incast",
            Self::List(_) => "list",
            Self::Permutation(_) => "permutation",
            Self::Poisson(_) => "poisson",
        }
    }

    /// The key and the path of a file that has to be [loaded](WorkloadConfig::load) before the
    /// workload can be built, or `None` when nothing is missing.
    #[must_use]
    pub fn file(&self) -> Option<(&'static str, &str)> {
        match self {
            Self::List(config) if config.list().is_none() => Some(("path", &config.path)),
            Self::Poisson(config) => config.sizes.file().map(|path| ("sizes", path)),
            Self::AllToAll(_)
            | Self::Application(_)
            | Self::Incast(_)
            | Self::List(_)
            | Self::Permutation(_) => None,
        }
    }

    /// The source of flows; they get `class`, unless a list says otherwise.
    ///
    /// # Errors
    /// The key that has an impossible value, or whose file has not been loaded.
    pub fn build(
        &self,
        context: &WorkloadContext,
        class: ClassId,
    ) -> Result<Box<dyn FlowSource>, ConfigError> {
        match self {
            Self::AllToAll(config) => config.build(context, class),
            Self::Application(_) => Ok(Box::new(NoFlows)),
            Self::Incast(config) => config.build(context, class),
            Self::List(config) => config.build(context, class),
            Self::Permutation(config) => config.build(context, class),
            Self::Poisson(config) => config.build(context, class),
        }
    }

    /// The applications that start flows of the workload, each with its host; none for a kind that has a
    /// source.
    ///
    /// # Errors
    /// As [`WorkloadConfig::build`].
    pub fn applications(
        &self,
        context: &WorkloadContext,
        class: ClassId,
    ) -> Result<HostApplications, ConfigError> {
        match self {
            Self::Application(config) => config.factory().applications(context, class),
            Self::AllToAll(_)
            | Self::Incast(_)
            | Self::List(_)
            | Self::Permutation(_)
            | Self::Poisson(_) => Ok(Vec::new()),
        }
    }

    /// How many flows and bytes to expect; exact for workloads that are not random in number.
    ///
    /// # Errors
    /// As [`WorkloadConfig::build`].
    pub fn expected(&self, context: &WorkloadContext) -> Result<Expected, ConfigError> {
        match self {
            Self::AllToAll(config) => config.expected(context),
            Self::Application(config) => config.factory().expected(context),
            Self::Incast(config) => config.expected(context),
            Self::List(config) => config.expected(context),
            Self::Permutation(config) => config.expected(context),
            Self::Poisson(config) => config.expected(context),
        }
    }
}

#[cfg(test)]
mod tests {
    use fabricsim_core::units::{Bytes, Duration};
    use serde::Serialize;

    use super::*;
    use crate::context::testing::context;

    fn one_of_each() -> Vec<WorkloadConfig> {
        vec![
            WorkloadConfig::Poisson(PoissonConfig::new("websearch", 0.5, Duration::from_ms(1))),
            WorkloadConfig::Incast(IncastConfig::once(3, Bytes::new(1_000))),
            WorkloadConfig::Permutation(PermutationConfig::new(Bytes::new(1_000))),
            WorkloadConfig::AllToAll(AllToAllConfig::new(Bytes::new(1_000))),
            WorkloadConfig::List(ListConfig::new("flow.txt")),
        ]
    }

    fn fields(config: &impl Serialize) -> Vec<String> {
        let value = serde_json::to_value(config).unwrap();
        value
            .as_object()
            .expect("a table")
            .keys()
            .cloned()
            .collect()
    }

    #[test]
    fn the_table_lists_every_key_of_every_kind() {
        for (config, (kind, _, keys)) in one_of_each().iter().zip(KINDS) {
            assert_eq!(config.kind(), *kind);
            let mut fields = match config {
                WorkloadConfig::AllToAll(config) => fields(config),
                WorkloadConfig::Application(config) => fields(&config.factory().value()),
                WorkloadConfig::Incast(config) => fields(config),
                WorkloadConfig::List(config) => fields(config),
                WorkloadConfig::Permutation(config) => fields(config),
                WorkloadConfig::Poisson(config) => fields(config),
            };
            let mut listed: Vec<&str> = keys.iter().map(|(key, _)| *key).collect();
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
            assert_eq!(config.file().is_some(), config.kind() == "list");
            config
                .load("1\n0 1 3 100 1000 2.0\n", &context, FlowTimes::Exact)
                .unwrap_or_default();
            assert_eq!(config.file(), None);
            assert!(config.expected(&context).unwrap().flows > 0.0);
            assert!(
                config
                    .build(&context, ClassId(0))
                    .unwrap()
                    .next_start()
                    .is_some()
            );
        }
        let file =
            WorkloadConfig::Poisson(PoissonConfig::new("cdf.txt", 0.5, Duration::from_ms(1)));
        assert_eq!(file.file(), Some(("sizes", "cdf.txt")));
    }
}
