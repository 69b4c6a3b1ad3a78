//! The workloads of the study.

use super::bound::Chain;
use super::extent::Extent;
use super::layers::Layers;
use super::overlapped::Overlapped;

/// A workload of the study.
#[derive(Clone, Copy, Debug)]
pub(super) struct Model {
    /// Its name in the results.
    pub(super) name: &'static str,
    /// The end of the name of its file.
    suffix: &'static str,
    /// Its operations.
    pub(super) source: Source,
}

/// The operations of a workload.
#[derive(Clone, Copy, Debug)]
pub(super) enum Source {
    Layers(Layers),
    Overlapped(Overlapped),
}

/// All workloads. `data/training/README.md` has their sources.
pub(super) const MODELS: [Model; 3] = [
    Model {
        name: "gpt-13b",
        suffix: "txt",
        source: Source::Layers(Layers {
            table: include_str!("../../../../data/training/gpt-13b.csv"),
            tensor: 8,
            experts: 1,
            blocks: 40,
            micro_batches: 1,
            usual: 2,
        }),
    },
    Model {
        name: "moe",
        suffix: "txt",
        source: Source::Layers(Layers {
            table: include_str!("../../../../data/training/moe.csv"),
            tensor: 2,
            experts: 16,
            blocks: 8,
            micro_batches: 24,
            usual: 1,
        }),
    },
    Model {
        name: "resnet-50",
        suffix: "csv",
        source: Source::Overlapped(Overlapped {
            table: include_str!("../../../../data/training/resnet-50.csv"),
        }),
    },
];

impl Model {
    /// Returns the name of the file of the workload, in the folder of the results.
    pub(super) fn file(&self, extent: Extent) -> String {
        format!("{}-{}.{}", self.name, extent.name(), self.suffix)
    }

    /// Returns the content of that file.
    pub(super) fn workload(&self, extent: Extent) -> String {
        match &self.source {
            Source::Layers(layers) => layers.workload(extent),
            Source::Overlapped(trace) => trace.workload(extent),
        }
    }

    /// Returns the operations of a rank with computing times multiplied by `slow`.
    pub(super) fn chain(&self, extent: Extent, slow: f64) -> Chain {
        match &self.source {
            Source::Layers(layers) => layers.chain(extent, slow),
            Source::Overlapped(trace) => trace.chain(extent, slow),
        }
    }

    /// Describes how much of the workload runs.
    pub(super) fn part(&self, extent: Extent) -> String {
        match &self.source {
            Source::Layers(own) => format!(
                "{}: {} of {} blocks, 1 of {} micro-batches",
                self.name,
                own.blocks_of(extent),
                own.blocks,
                own.micro_batches
            ),
            Source::Overlapped(_) => format!("{}: the whole iteration", self.name),
        }
    }
}
