//! Shapes of models: presets of public models, and the bytes and operations that follow from a
//! shape.

use fabricsim_base::choices;

choices! {
    /// A model with public weights.
    #[derive(Default)]
    pub enum ServedModel {
        /// Llama 3 8B.
        #[default]
        Llama3Of8B = "llama-3-8b" ("32 layers, 8 KV heads"),
        /// Llama 3 70B.
        Llama3Of70B = "llama-3-70b" ("80 layers, 8 KV heads"),
        /// Mixtral 8x7B.
        Mixtral8x7B = "mixtral-8x7b" ("32 layers, 8 experts, 2 of them for each token"),
    }
}

/// The shape of a model: the numbers of its `config.json`.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Shape {
    pub(super) layers: u64,
    /// Elements of a token's activation.
    pub(super) hidden: u64,
    pub(super) heads: u64,
    pub(super) kv_heads: u64,
    pub(super) head_dim: u64,
    /// Width of the feed-forward network, or of one expert.
    pub(super) ffn: u64,
    pub(super) vocabulary: u64,
    /// Experts of a layer; 1 if it has none.
    pub(super) experts: u64,
    /// Experts that a token passes.
    pub(super) top_k: u64,
    /// Bytes of an element of weights, activations and the KV cache.
    pub(super) element: u64,
}

impl ServedModel {
    /// Returns the shape in bfloat16, from the model's `config.json` on Hugging Face:
    /// `meta-llama/Meta-Llama-3-8B`, `meta-llama/Meta-Llama-3-70B`, `mistralai/Mixtral-8x7B-v0.1`.
    pub(super) const fn shape(self) -> Shape {
        let small = Shape {
            layers: 32,
            hidden: 4_096,
            heads: 32,
            kv_heads: 8,
            head_dim: 128,
            ffn: 14_336,
            vocabulary: 128_256,
            experts: 1,
            top_k: 1,
            element: 2,
        };
        match self {
            Self::Llama3Of8B => small,
            Self::Llama3Of70B => Shape {
                layers: 80,
                hidden: 8_192,
                heads: 64,
                ffn: 28_672,
                ..small
            },
            Self::Mixtral8x7B => Shape {
                vocabulary: 32_000,
                experts: 8,
                top_k: 2,
                ..small
            },
        }
    }
}

impl Shape {
    /// Returns the parameters of the attention of a layer.
    fn attention(&self) -> u64 {
        2 * self.hidden * self.head_dim * (self.heads + self.kv_heads)
    }

    /// Returns the parameters of a feed-forward network, or of one expert: three matrices.
    const fn expert(&self) -> u64 {
        3 * self.hidden * self.ffn
    }

    /// Returns the parameters that a token passes in all layers.
    pub(super) fn active(&self) -> f64 {
        (self.layers * (self.attention() + self.top_k * self.expert())) as f64
    }

    /// Returns the bytes of weights that a step of `tokens` reads: of the experts, the expected
    /// number that some token has chosen, if each token chooses evenly.
    pub(super) fn read_weights(&self, tokens: f64) -> f64 {
        let experts = self.experts as f64;
        let missed = 1.0 - self.top_k as f64 / experts;
        let chosen = if self.experts == 1 {
            1.0
        } else {
            experts * (1.0 - libm::pow(missed, tokens))
        };
        let layer = self.attention() as f64 + chosen * self.expert() as f64;
        let head = (self.vocabulary * self.hidden) as f64;
        (self.layers as f64 * layer + head) * self.element as f64
    }

    /// Returns the bytes of a token in the KV cache of all layers: keys and values.
    pub(super) const fn kv_bytes(&self) -> u64 {
        2 * self.layers * self.kv_heads * self.head_dim * self.element
    }

    /// Returns the bytes of the activation of a token.
    pub(super) const fn activation(&self) -> u64 {
        self.hidden * self.element
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns all parameters, without those of norms and of the choice of experts.
    fn parameters(shape: &Shape) -> u64 {
        let layer = shape.attention() + shape.experts * shape.expert();
        shape.layers * layer + 2 * shape.vocabulary * shape.hidden
    }

    /// The numbers of parameters that the models' cards state.
    #[test]
    fn presets_have_their_published_sizes() {
        for (model, billions) in [
            (ServedModel::Llama3Of8B, 8.03),
            (ServedModel::Llama3Of70B, 70.55),
            (ServedModel::Mixtral8x7B, 46.70),
        ] {
            let own = parameters(&model.shape()) as f64 / 1e9;
            assert!((own - billions).abs() < 0.01, "{model:?}: {own}");
        }
        // 80 layers with 8 heads of 128 keys and values of 2 bytes.
        assert_eq!(ServedModel::Llama3Of70B.shape().kv_bytes(), 327_680);
    }

    #[test]
    fn a_token_reads_the_weights_of_its_experts_and_many_tokens_all() {
        let shape = ServedModel::Mixtral8x7B.shape();
        let head = (shape.vocabulary * shape.hidden * shape.element) as f64;
        let one = shape.read_weights(1.0);
        assert!((one - head - 2.0 * shape.active()).abs() < 1.0, "{one}");
        let all = 2.0 * parameters(&shape) as f64 - head;
        assert!((shape.read_weights(1e4) / all - 1.0).abs() < 1e-9);
    }
}
