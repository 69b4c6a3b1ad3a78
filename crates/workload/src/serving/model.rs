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
        /// DeepSeek V3.
        DeepSeekV3 = "deepseek-v3" ("61 layers, 256 experts, 8 of them for each token"),
    }
}

/// The attention of a model.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Attention {
    /// Grouped-query attention: groups of heads share keys and values.
    Grouped { kv_heads: u64, head_dim: u64 },
    /// Multi-head latent attention (DeepSeek-V2, 2024, section 2.1): the cache has one compressed
    /// vector for all heads, and one key with the position.
    Latent {
        /// Elements of a compressed query.
        query: u64,
        /// Elements of the compressed keys and values.
        latent: u64,
        /// Elements of a head's key without and with the position, and of its value.
        key: u64,
        rotary: u64,
        value: u64,
    },
}

/// The shape of a model: the numbers of its `config.json`.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Shape {
    pub(super) layers: u64,
    /// Elements of a token's activation.
    pub(super) hidden: u64,
    pub(super) heads: u64,
    pub(super) attention: Attention,
    /// Width of the feed-forward network, or of one expert.
    pub(super) ffn: u64,
    pub(super) vocabulary: u64,
    /// First layers, which have no experts in a model with experts.
    pub(super) dense: u64,
    /// Width of the feed-forward network of these layers.
    pub(super) dense_ffn: u64,
    /// Experts of a layer; 1 if it has none.
    pub(super) experts: u64,
    /// Further experts, which all tokens pass.
    pub(super) shared: u64,
    /// Experts that a token chooses.
    pub(super) top_k: u64,
    /// Bytes of an element of the weights of layers.
    pub(super) weight: u64,
    /// Bytes of an element of activations, the KV cache and the output matrix.
    pub(super) element: u64,
}

impl ServedModel {
    /// Returns the shape, from the model's `config.json` on Hugging Face:
    /// `meta-llama/Meta-Llama-3-8B`, `meta-llama/Meta-Llama-3-70B`, `mistralai/Mixtral-8x7B-v0.1`,
    /// `deepseek-ai/DeepSeek-V3`. Elements are in bfloat16, except the weights of `DeepSeek` V3,
    /// which are published in 8 bits.
    pub(super) const fn shape(self) -> Shape {
        let small = Shape {
            layers: 32,
            hidden: 4_096,
            heads: 32,
            attention: Attention::Grouped {
                kv_heads: 8,
                head_dim: 128,
            },
            ffn: 14_336,
            vocabulary: 128_256,
            dense: 0,
            dense_ffn: 0,
            experts: 1,
            shared: 0,
            top_k: 1,
            weight: 2,
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
            Self::DeepSeekV3 => Shape {
                layers: 61,
                hidden: 7_168,
                heads: 128,
                attention: Attention::Latent {
                    query: 1_536,
                    latent: 512,
                    key: 128,
                    rotary: 64,
                    value: 128,
                },
                ffn: 2_048,
                vocabulary: 129_280,
                dense: 3,
                dense_ffn: 18_432,
                experts: 256,
                shared: 1,
                top_k: 8,
                weight: 1,
                element: 2,
            },
        }
    }
}

impl Shape {
    /// Returns the parameters of the attention of a layer.
    const fn attention(&self) -> u64 {
        match self.attention {
            Attention::Grouped { kv_heads, head_dim } => {
                2 * self.hidden * head_dim * (self.heads + kv_heads)
            }
            Attention::Latent {
                query,
                latent,
                key,
                rotary,
                value,
            } => {
                let queries = query * (self.hidden + self.heads * (key + rotary));
                let compressed = self.hidden * (latent + rotary);
                let expanded = latent * self.heads * (key + value);
                queries + compressed + expanded + self.heads * value * self.hidden
            }
        }
    }

    /// Returns the operations for each pair of a query and a key in all layers: two for each element
    /// of the key and of the value, at each head.
    pub(super) const fn pair_operations(&self) -> u64 {
        let elements = match self.attention {
            Attention::Grouped { head_dim, .. } => 2 * head_dim,
            Attention::Latent {
                key, rotary, value, ..
            } => key + rotary + value,
        };
        2 * self.layers * self.heads * elements
    }

    /// Returns the heads that the ranks of a tensor divide among themselves.
    pub(super) const fn divided_heads(&self) -> u64 {
        match self.attention {
            Attention::Grouped { kv_heads, .. } => kv_heads,
            Attention::Latent { .. } => self.heads,
        }
    }

    /// Returns the parameters of a feed-forward network, or of one expert: three matrices.
    const fn expert(&self) -> u64 {
        3 * self.hidden * self.ffn
    }

    /// Returns the parameters of all layers that every token passes: attention, feed-forward
    /// networks without experts, and shared experts.
    const fn common(&self) -> u64 {
        self.layers * self.attention()
            + self.dense * 3 * self.hidden * self.dense_ffn
            + (self.layers - self.dense) * self.shared * self.expert()
    }

    /// Returns the parameters that a token passes in all layers.
    pub(super) fn active(&self) -> f64 {
        (self.common() + (self.layers - self.dense) * self.top_k * self.expert()) as f64
    }

    /// Returns the bytes of weights that a rank reads for a step of `tokens`. The `tp` ranks of a
    /// tensor divide the weights that all tokens pass, and all `width` ranks of a stage the experts.
    /// Of these, tokens choose an expected number, if each token chooses evenly.
    pub(super) fn read_weights(&self, tokens: f64, (tp, width): (u64, u64)) -> f64 {
        let experts = self.experts as f64;
        let missed = 1.0 - self.top_k as f64 / experts;
        let chosen = if self.experts == 1 {
            1.0
        } else {
            experts * (1.0 - libm::pow(missed, tokens))
        };
        let head = (self.vocabulary * self.hidden * self.element) as f64;
        let common = (self.common() * self.weight) as f64;
        let expert = ((self.layers - self.dense) * self.expert() * self.weight) as f64;
        (common + head) / tp as f64 + chosen * expert / width as f64
    }

    /// Returns the bytes of a token in the KV cache of all layers.
    pub(super) const fn kv_bytes(&self) -> u64 {
        let elements = match self.attention {
            Attention::Grouped { kv_heads, head_dim } => 2 * kv_heads * head_dim,
            Attention::Latent { latent, rotary, .. } => latent + rotary,
        };
        self.layers * elements * self.element
    }

    /// Returns the parts into which `tp` ranks divide the cache of a layer. All of them need the
    /// whole latent vector.
    pub(super) const fn kv_parts(&self, tp: u64) -> u64 {
        match self.attention {
            Attention::Grouped { .. } => tp,
            Attention::Latent { .. } => 1,
        }
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
        let experts = (shape.layers - shape.dense) * shape.experts * shape.expert();
        shape.common() + experts + 2 * shape.vocabulary * shape.hidden
    }

    /// The numbers of parameters that the models' cards state.
    #[test]
    fn presets_have_their_published_sizes() {
        for (model, billions) in [
            (ServedModel::Llama3Of8B, 8.03),
            (ServedModel::Llama3Of70B, 70.55),
            (ServedModel::Mixtral8x7B, 46.70),
            (ServedModel::DeepSeekV3, 671.0),
        ] {
            let own = parameters(&model.shape()) as f64 / 1e9;
            assert!((own / billions - 1.0).abs() < 1e-3, "{model:?}: {own}");
        }
        // "37B activated for each token", the output matrix included.
        let shape = ServedModel::DeepSeekV3.shape();
        let active = shape.active() + (shape.vocabulary * shape.hidden) as f64;
        assert!((active / 37e9 - 1.0).abs() < 0.03, "{active}");
        // 80 layers with 8 heads of 128 keys and values of 2 bytes.
        assert_eq!(ServedModel::Llama3Of70B.shape().kv_bytes(), 327_680);
        // 61 layers with 512 + 64 elements of 2 bytes.
        assert_eq!(shape.kv_bytes(), 70_272);
    }

    #[test]
    fn a_token_reads_the_weights_of_its_experts_and_many_tokens_all() {
        let shape = ServedModel::Mixtral8x7B.shape();
        let head = (shape.vocabulary * shape.hidden * shape.element) as f64;
        let one = shape.read_weights(1.0, (1, 1));
        assert!((one - head - 2.0 * shape.active()).abs() < 1.0, "{one}");
        let all = 2.0 * parameters(&shape) as f64 - head;
        assert!((shape.read_weights(1e4, (1, 1)) / all - 1.0).abs() < 1e-9);
        // Four ranks with a tensor of two: half of the attention, a quarter of the experts.
        let experts = (shape.layers * shape.experts * shape.expert() * 2) as f64;
        let part = (all - experts) / 2.0 + experts / 4.0;
        assert!((shape.read_weights(1e4, (2, 4)) / part - 1.0).abs() < 1e-9);
    }
}
