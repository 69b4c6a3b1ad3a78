//! Divides packets between overwriting and xor.

use fabricsim_base::input::ConfigError;

/// Minimum path length for a second layer: the smallest integer above e^e.
const SECOND_LAYER_FROM: u8 = 16;

/// Share of the packets that use the Baseline scheme, in which a hop overwrites the digest, and the
/// probabilities for hops to xor their values into the remaining packets (PINT, section 4.2,
/// Algorithm 1).
///
/// The remaining packets are spread evenly over the xor layers.
#[derive(Clone, Debug, PartialEq)]
pub struct Layers {
    /// Probability that a packet is in layer 0, the Baseline: tau, 0 to 1.
    pub baseline_share: f64,
    /// Probability (above 0, up to 1) that a hop acts on a packet of layer 1, 2, ...: p_l.
    pub xor: Vec<f64>,
}

impl Layers {
    /// Returns the Baseline scheme alone: reservoir sampling over the hops.
    #[must_use]
    pub const fn baseline() -> Self {
        Self {
            baseline_share: 1.0,
            xor: Vec::new(),
        }
    }

    /// Returns the parameters of the published implementation on Mininet, for paths of about ten
    /// hops: tau = 1/2, p = 1/10.
    #[must_use]
    pub fn mininet() -> Self {
        Self {
            baseline_share: 0.5,
            xor: vec![0.1],
        }
    }

    /// Returns the hybrid of section 4.2 and Figure 5 for paths of about `hops` (d, at least 3):
    /// tau = 3/4, p = ln ln d / ln d.
    ///
    /// # Errors
    /// Returns an error if d is below 3, because then there is no such p.
    pub fn interleaved(hops: u8) -> Result<Self, ConfigError> {
        if hops < 3 {
            return Err(ConfigError::new(
                "hops",
                format!(
                    "the interleaved scheme has no probability, ln ln d / ln d, for paths of d = {hops} \
                     switches"
                ),
                "give a path length of at least 3",
            ));
        }
        let log = libm::log(f64::from(hops));
        Ok(Self {
            baseline_share: 0.75,
            xor: vec![libm::log(log) / log],
        })
    }

    /// Returns the multi-layer scheme of Algorithm 1 for paths of about `hops` (d, at least 1): p_1
    /// = e/d and, from d = 16 on, p_2 = e^e/d, each limited to 1.
    ///
    /// Differs from the paper: tau is 1/2, as in the published implementation; Algorithm 1 has log
    /// log* d / (1 + log log* d), which is 0.4 to 0.7 for realistic paths. Each p_l has one more
    /// power of e than in the paper, because the paper's p_1 = 1/d is no faster than the Baseline
    /// alone.
    ///
    /// # Errors
    /// Returns an error if d is 0.
    pub fn multilayer(hops: u8) -> Result<Self, ConfigError> {
        if hops == 0 {
            return Err(ConfigError::new(
                "hops",
                "a path of no switches needs no tracing",
                "give a path length of at least 1",
            ));
        }
        let mut power = 1.0;
        let count = if hops < SECOND_LAYER_FROM { 1 } else { 2 };
        let xor = (0..count)
            .map(|_| {
                power = libm::exp(power);
                (power / f64::from(hops)).min(1.0)
            })
            .collect();
        Ok(Self {
            baseline_share: 0.5,
            xor,
        })
    }

    /// Returns the layer of a packet with the layer hash `uniform`, in [0, 1): `None` for the
    /// Baseline, otherwise an index into `xor`.
    #[inline]
    pub(super) fn of(&self, uniform: f64) -> Option<usize> {
        if uniform < self.baseline_share {
            return None;
        }
        let above = (uniform - self.baseline_share) / (1.0 - self.baseline_share);
        // Below the number of layers, which is small. The product may round up to it.
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let layer = (self.xor.len() as f64 * above) as usize;
        Some(layer.min(self.xor.len() - 1))
    }

    pub(super) fn validate(&self) -> Result<(), ConfigError> {
        if !(0.0..=1.0).contains(&self.baseline_share) {
            return Err(ConfigError::new(
                "baseline_share",
                format!("a share of {} is not between 0 and 1", self.baseline_share),
                "give the share of the packets that hops overwrite, such as 0.5",
            ));
        }
        if self.baseline_share < 1.0 && self.xor.is_empty() {
            return Err(ConfigError::new(
                "xor",
                format!(
                    "there is no layer for the {} of the packets that hops do not overwrite",
                    1.0 - self.baseline_share
                ),
                "give a probability for each layer, such as [0.1], or set `baseline_share` to 1",
            ));
        }
        for &chance in &self.xor {
            if !(chance > 0.0 && chance <= 1.0) {
                return Err(ConfigError::new(
                    "xor",
                    format!("a probability of {chance} is not above 0 and up to 1"),
                    "give the probability that a hop acts, such as 0.1",
                ));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(found: &[f64], wanted: &[f64]) -> bool {
        found.len() == wanted.len() && found.iter().zip(wanted).all(|(a, b)| (a - b).abs() < 5e-4)
    }

    #[test]
    fn the_presets_are_those_of_the_paper() {
        let interleaved = Layers::interleaved(25).unwrap();
        assert!(near(&interleaved.xor, &[0.3632]), "{interleaved:?}");
        assert!(near(&[interleaved.baseline_share], &[0.75]));
        for (hops, wanted) in [
            (1, &[1.0][..]),
            (5, &[0.5437]),
            (15, &[0.1812]),
            (16, &[0.1699, 0.9471]),
            (25, &[0.1087, 0.6062]),
            (59, &[0.0461, 0.2568]),
        ] {
            let layers = Layers::multilayer(hops).unwrap();
            assert!(near(&layers.xor, wanted), "{hops}: {layers:?}");
            assert!(near(&[layers.baseline_share], &[0.5]));
        }
        for layers in [Layers::baseline(), Layers::mininet(), interleaved] {
            assert_eq!(layers.validate(), Ok(()));
        }
    }

    #[test]
    fn packets_are_spread_over_the_layers() {
        let layers = Layers::multilayer(25).unwrap();
        let found = [0.0, 0.4999, 0.5, 0.7499, 0.75, 0.999_999].map(|u| layers.of(u));
        assert_eq!(found, [None, None, Some(0), Some(0), Some(1), Some(1)]);
        assert_eq!(layers.of(1.0 - f64::EPSILON / 2.0), Some(1));
        assert_eq!(Layers::baseline().of(1.0 - f64::EPSILON / 2.0), None);
    }

    #[test]
    fn what_makes_no_scheme_is_refused() {
        let key = |layers: Layers| layers.validate().unwrap_err().key;
        let layers = |baseline_share, xor: &[f64]| Layers {
            baseline_share,
            xor: xor.to_vec(),
        };
        assert_eq!(key(layers(1.1, &[0.1])), "baseline_share");
        assert_eq!(key(layers(-0.1, &[0.1])), "baseline_share");
        assert_eq!(key(layers(f64::NAN, &[0.1])), "baseline_share");
        assert_eq!(key(layers(0.9, &[])), "xor");
        assert_eq!(key(layers(0.9, &[0.1, 0.0])), "xor");
        assert_eq!(key(layers(0.9, &[1.1])), "xor");
        assert_eq!(key(layers(0.9, &[f64::NAN])), "xor");
        assert_eq!(Layers::interleaved(2).unwrap_err().key, "hops");
        assert_eq!(Layers::multilayer(0).unwrap_err().key, "hops");
    }
}
