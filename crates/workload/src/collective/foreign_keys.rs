//! Keys that have no effect on a collective with its operation and algorithm.

use fabricsim_base::input::ConfigError;

use super::{CollectiveAlgorithm, CollectiveConfig, CollectiveOperation};
use crate::check;

impl CollectiveConfig {
    /// Returns keys of algorithms, each with `true` if the collective has another algorithm, and
    /// with help.
    fn foreign_to_algorithm(&self) -> [(&'static str, bool, &'static str); 6] {
        let is_in_network = self.algorithm.is_some_and(|own| own.is_in_network());
        let has_nodes = self.is_divided()
            || matches!(
                self.algorithm,
                Some(CollectiveAlgorithm::Hierarchical | CollectiveAlgorithm::Pxn)
            );
        [
            (
                "local_size",
                self.local_size.is_some() && !has_nodes,
                "it is a key of the algorithms \"hierarchical\", \"pxn\" and \"nccl\"",
            ),
            (
                "chunks",
                self.chunks > 1 && self.is_divided(),
                "give `chunk_size`, because NCCL divides the buffer",
            ),
            (
                "chunk_size",
                self.chunk_size.is_some() && !self.is_divided(),
                "it is a key of the algorithm \"nccl\"; else give a `protocol`, or `chunks`",
            ),
            (
                "tuner",
                self.tuner.is_some() && self.algorithm != Some(CollectiveAlgorithm::Nccl),
                "it is a key of the algorithm \"nccl\"",
            ),
            (
                "segment",
                self.segment.is_some() && !is_in_network,
                "it is a key of the algorithms \"sharp\" and \"nvls\"",
            ),
            (
                "chunks",
                self.chunks > 1 && is_in_network,
                "switches divide the buffer by `segment`",
            ),
        ]
    }

    /// Rejects keys of another operation or algorithm, because they would have no effect.
    pub(super) fn refuse_foreign_keys(&self) -> Result<(), ConfigError> {
        let is_v = self.operation == CollectiveOperation::AllToAllV;
        let is_pipeline = self.operation == CollectiveOperation::Pipeline;
        let of_algorithm = self.foreign_to_algorithm();
        let of_operation = [
            (
                "root",
                self.root > 0 && self.operation != CollectiveOperation::Broadcast,
                "it is a key of \"broadcast\"",
            ),
            (
                "skew",
                self.skew > 0.0 && !is_v,
                "it is a key of \"all-to-all-v\"",
            ),
            (
                "weights",
                self.weights.is_some() && !is_v,
                "it is a key of \"all-to-all-v\"",
            ),
            (
                "weights",
                self.weights.is_some() && self.skew > 0.0,
                "give `skew` or `weights`",
            ),
            (
                "forward",
                self.forward.is_some() && !is_pipeline,
                "it is a key of \"pipeline\"",
            ),
            (
                "backward",
                self.backward.is_some() && !is_pipeline,
                "it is a key of \"pipeline\"",
            ),
            (
                "overlap",
                self.overlap.is_some() && !is_pipeline,
                "it is a key of \"pipeline\", because the ranks of other collectives compute \
                 only when no message is under way",
            ),
            (
                "channels",
                self.channels.is_some_and(|channels| channels > 1) && is_pipeline,
                "a pipeline has one channel",
            ),
        ];
        for (key, is_foreign, help) in of_algorithm.into_iter().chain(of_operation) {
            if is_foreign {
                let message = format!("`{key}` conflicts with the other keys here");
                return Err(ConfigError::new(key, message, help));
            }
        }
        // `span` reports `forward` for both lists: a time that is too long has the same fix in
        // either.
        for time in self.forward.iter().chain(&self.backward).flatten() {
            check::span("forward", *time)?;
        }
        Ok(())
    }
}
