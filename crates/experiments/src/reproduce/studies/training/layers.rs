//! Models as tables of layers, and the workload of SimAI that follows from such a table.

use std::fmt::Write as _;

use super::bound::{Chain, Members, least_us};
use super::extent::{Extent, SERVER};

/// Time after each collective that an operation waits for (the last column of the source).
const AFTER_NS: u64 = 100;
/// Least bytes of a forward collective, as in SimAI.
const LEAST_FORWARD: u64 = 4096;

/// A model of layers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layers {
    /// The table.
    pub(super) table: &'static str,
    /// Ranks of tensor parallelism.
    pub(super) tensor: u32,
    /// Number of experts.
    pub(super) experts: u32,
    /// Blocks of the whole model, or of its stage.
    pub(super) blocks: u64,
    /// Micro-batches of an iteration of the source. One of them runs.
    pub(super) micro_batches: u64,
    /// Blocks that run with [`Extent::Quick`] and [`Extent::Usual`].
    pub(super) usual: u64,
}

/// A computation and the collective after it: its name in the source, and its size.
#[derive(Clone, Copy, Debug)]
struct Step<'t> {
    ns: u64,
    collective: &'t str,
    bytes: u64,
}

/// A layer with its steps: forward, input gradients, weight gradients.
#[derive(Clone, Copy, Debug)]
struct Layer<'t> {
    name: &'t str,
    steps: [Step<'t>; 3],
}

impl Layers {
    /// Returns the number of blocks that run.
    pub(super) const fn blocks_of(&self, extent: Extent) -> u64 {
        match extent {
            Extent::Quick | Extent::Usual => self.usual,
            Extent::Full => self.blocks,
        }
    }

    /// Returns the layers that run, in their order. Rows of gradients have the share of the blocks
    /// and micro-batches that run.
    fn layers(&self, extent: Extent) -> Vec<Layer<'static>> {
        let blocks = self.blocks_of(extent);
        let rows: Vec<(&str, Layer<'_>)> = self.table.lines().skip(1).map(row).collect();
        let scaled = |part: &str, layer: &Layer<'static>| {
            let (times, over) = match part {
                "gradients" => (blocks, self.blocks * self.micro_batches),
                _ => (1, 1),
            };
            let scale = |value: u64| value * times / over / extent.divisor();
            let steps = layer.steps.map(|step| Step {
                ns: scale(step.ns),
                bytes: scale(step.bytes).max(u64::from(step.bytes > 0)),
                ..step
            });
            Layer { steps, ..*layer }
        };
        let all = |of: &[(&'static str, Layer<'static>)]| -> Vec<Layer<'static>> {
            of.iter().map(|(part, layer)| scaled(part, layer)).collect()
        };
        let is_block = |row: &(&str, Layer<'_>)| row.0 == "block";
        let first = rows.iter().position(is_block).unwrap_or(0);
        let end = rows.iter().rposition(is_block).map_or(0, |last| last + 1);
        let mut layers = all(&rows[..first]);
        for _ in 0..blocks {
            layers.extend(all(&rows[first..end]));
        }
        layers.extend(all(&rows[end..]));
        layers
    }

    /// Returns the workload in SimAI's format.
    pub(super) fn workload(&self, extent: Extent) -> String {
        let layers = self.layers(extent);
        let mut text = format!(
            "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: {} ep: {} checkpoints: 0 \
             checkpoint_initiates: 0\n{}\n",
            self.tensor,
            self.experts,
            layers.len()
        );
        for layer in layers {
            let _ = write!(text, "{} -1", layer.name);
            for step in layer.steps {
                let _ = write!(text, " {} {} {}", step.ns, step.collective, step.bytes);
            }
            let _ = writeln!(text, " {AFTER_NS}");
        }
        text
    }

    /// Returns the operations of a rank with computing times multiplied by `slow`: forward through
    /// all layers, then backward.
    pub(super) fn chain(&self, extent: Extent, slow: f64) -> Chain {
        let layers = self.layers(extent);
        let mut chain = Chain::new(slow);
        let blocking = |chain: &mut Chain, step: &Step<'_>, least: u64, tensor: bool| {
            chain.compute(step.ns);
            if step.bytes == 0 || step.collective == "NONE" {
                return;
            }
            let us = self.least_us(
                step.collective,
                step.bytes.max(least),
                extent.gpus(),
                tensor,
            );
            chain.wait(us);
            chain.compute(AFTER_NS);
        };
        for layer in &layers {
            blocking(&mut chain, &layer.steps[0], LEAST_FORWARD, true);
        }
        for layer in layers.iter().rev() {
            blocking(&mut chain, &layer.steps[1], 0, true);
            let weight = &layer.steps[2];
            chain.compute(weight.ns);
            let us = self.least_us(weight.collective, weight.bytes, extent.gpus(), false);
            chain.beside(us);
        }
        chain
    }

    /// Returns the least time of a collective. One without a suffix is among the ranks of tensor
    /// parallelism if `tensor`, or of data parallelism.
    fn least_us(&self, collective: &str, bytes: u64, gpus: u32, tensor: bool) -> f64 {
        let (name, suffix) = collective.split_once('_').unwrap_or((collective, ""));
        let operation = match name {
            "ALLREDUCE" => "all-reduce",
            "ALLGATHER" => "all-gather",
            "REDUCESCATTER" => "reduce-scatter",
            "ALLTOALL" => "all-to-all",
            _ => return 0.0,
        };
        let copies = gpus / self.tensor;
        // Members of these groups are `tensor` ranks apart, or `tensor` times the experts.
        let apart = |ranks: u32, distance: u32| Members {
            ranks,
            in_server: ranks.min((SERVER / distance).max(1)),
        };
        let members = match suffix {
            "EP" => apart(self.experts, self.tensor),
            "DP_EP" => apart(copies / self.experts, self.tensor * self.experts),
            _ if tensor => apart(self.tensor, 1),
            _ => apart(copies, self.tensor),
        };
        least_us(operation, bytes, members)
    }
}

fn row(line: &'static str) -> (&'static str, Layer<'static>) {
    let words: Vec<&str> = line.split(',').collect();
    let number = |at: usize| words[at].parse().expect("the project's table has numbers");
    let step = |at: usize| Step {
        ns: number(at),
        collective: words[at + 1],
        bytes: number(at + 2),
    };
    let layer = Layer {
        name: words[0],
        steps: [step(2), step(5), step(8)],
    };
    (words[1], layer)
}

#[cfg(test)]
mod tests {
    use super::super::model::MODELS;
    use super::super::model::Source;
    use super::*;

    fn layers(name: &str) -> Layers {
        let mut models = MODELS.iter();
        let model = models.find(|model| model.name == name).expect("a model");
        match model.source {
            Source::Layers(layers) => layers,
            Source::Overlapped(_) => panic!("{name} has layers"),
        }
    }

    /// The file of AICB has 92 layers, of which the first is left out here. All 40 blocks compute
    /// three times 752 + 750 us, the gradients 14,565 + 13,391 us, and 100 ns follow each of the 80
    /// collectives of blocks forward and backward and of 12 others. 31 computations take 1 ns.
    #[test]
    fn the_whole_model_has_the_layers_of_its_source() {
        let gpt = layers("gpt-13b");
        let text = gpt.workload(Extent::Full);
        let mut lines = text.lines().skip(1);
        assert_eq!(lines.next(), Some("91"));
        assert_eq!(
            lines.next(),
            Some(
                "grad_norm -1 14565000 ALLGATHER 3248619520 13391000 NONE 0 1 REDUCESCATTER \
                 6497239040 100"
            )
        );
        let computed = gpt.chain(Extent::Full, 1.0).computed_us();
        let blocks = 40.0 * 3.0 * (752.0 + 750.0);
        let expected = blocks + 14_565.0 + 13_391.0 + 172.0 * 0.1 + 0.031;
        assert!((computed - expected).abs() < 1e-6, "{computed} us");
    }

    /// Two of 40 blocks have a twentieth of the gradients.
    #[test]
    fn gradients_have_the_share_of_the_blocks() {
        let text = layers("gpt-13b").workload(Extent::Usual);
        assert!(text.contains(" REDUCESCATTER 324861952 "), "{text}");
        let moe = layers("moe").workload(Extent::Usual);
        let experts = 38_654_705_664_u64 / (8 * 24);
        assert!(
            moe.contains(&format!(" REDUCESCATTER_DP_EP {experts} ")),
            "{moe}"
        );
    }

    /// An all-to-all of 16 experts, four in a server: 12/16 of 100,663,296 bytes at 200 Gbps.
    #[test]
    fn experts_are_in_several_servers() {
        let moe = layers("moe");
        let us = moe.least_us("ALLTOALL_EP", 100_663_296, 64, true);
        assert!((us - 3_019.898_88).abs() < 1e-6, "{us}");
        let inside = moe.least_us("ALLREDUCE", 300_000, 64, true);
        assert!((inside - 1.0).abs() < 1e-9, "{inside}");
    }
}
