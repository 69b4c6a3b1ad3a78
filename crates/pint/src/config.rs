//! What a user can set of HPCC-PINT.

use fabricsim_core::input::ConfigError;
use fabricsim_core::plugin::{
    CcConfig, CcContext, ControllerFactory, Fidelity, FlowStart, RequiredTelemetry,
    default_min_rate,
};
use fabricsim_core::units::Rate;
use fabricsim_hpcc::RateRule;
use serde::{Deserialize, Serialize};

use crate::arithmetic::{Arithmetic, TableShape};
use crate::controller::HpccPint;
use crate::digest::PintHeader;
use crate::log_code::{LogCode, Rounding};

/// The `[cc]` table of `kind = "hpcc-pint"`.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct PintConfig {
    /// Target utilization of the busiest link (η in the HPCC paper).
    pub eta: f64,
    /// Additive increases in a row before the rate follows the utilization again (maxStage).
    pub max_stage: u32,
    /// Additive increase; absent means 50 Mbps for each 100 Gbps of NIC rate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub additive_increase: Option<Rate>,
    /// The lowest rate; absent means 1 Gbps, or a hundredth of the NIC rate where that is less.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_rate: Option<Rate>,
    /// From one code to the next the utilization grows by this factor: (1 + ε)^2 in the paper; absent
    /// means 1.05, under `profile = "ns3-hpcc"` its script's 1.01.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log_base: Option<f64>,
    /// Bits of a code; absent means as many as utilizations up to 512 need.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub digest_bits: Option<u32>,
    /// The share of the data packets that carry a digest (p in the paper).
    pub digest_fraction: f64,
    /// Which mean the rounding to codes keeps; absent means that of the code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rounding: Option<Rounding>,
    /// How switches compute; absent means exactly, or by tables where their sizes are set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arithmetic: Option<Arithmetic>,
    /// Bits of a number that decide its logarithm.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log_table_bits: Option<u32>,
    /// The table of powers has 2^this entries.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exp_table_bits: Option<u32>,
    /// Switches keep utilizations in units of 2^-this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub utilization_bits: Option<u32>,
}

impl Default for PintConfig {
    fn default() -> Self {
        Self {
            eta: 0.95,
            max_stage: 0,
            additive_increase: None,
            min_rate: None,
            log_base: None,
            digest_bits: None,
            digest_fraction: 1.0,
            rounding: None,
            arithmetic: None,
            log_table_bits: None,
            exp_table_bits: None,
            utilization_bits: None,
        }
    }
}

/// The least base of codes that fit 16 bits.
const LEAST_BASE: f64 = 1.0002;
/// Above it a code would tell little more than whether a link is busy.
const LARGEST_BASE: f64 = 16.0;
/// The published simulator compares with a number of 16 bits.
const LEAST_FRACTION: f64 = 1.0 / 65_536.0;

impl CcConfig for PintConfig {
    const KEYS: &'static [(&'static str, &'static str)] = &[
        (
            "eta",
            "target utilization of the busiest link, 0 to 1 (default 0.95)",
        ),
        (
            "max_stage",
            "additive increases in a row before a multiplicative change (default 0)",
        ),
        (
            "additive_increase",
            "added at each change (default \"50Mbps\" for each 100 Gbps of NIC rate)",
        ),
        (
            "min_rate",
            "lowest rate (default \"1Gbps\", at most a hundredth of the NIC rate); flows that do not fit a link at that rate queue up",
        ),
        (
            "log_base",
            "factor from one code of the digest to the next, 1.0002 to 16 (default 1.05, profile 1.01)",
        ),
        (
            "digest_bits",
            "bits of the digest, 1 to 16 (default what a utilization of 512 needs: 8 for 1.05)",
        ),
        (
            "digest_fraction",
            "share of the data packets that carry a digest, 1/65536 to 1 (default 1)",
        ),
        (
            "rounding",
            "\"log\" keeps the mean code (default, the paper), \"value\" the mean value (the \
             published code)",
        ),
        (
            "arithmetic",
            "of switches: \"exact\" (default) or \"tables\" (the default where a size of them is set)",
        ),
        (
            "log_table_bits",
            "leading bits of a number that decide its logarithm, 4 to 20 (default 12)",
        ),
        (
            "exp_table_bits",
            "the table of powers has 2^this entries, 4 to 20 (default 12)",
        ),
        (
            "utilization_bits",
            "switches keep utilizations in units of 2^-this, 8 to 24 (default 20)",
        ),
    ];

    const TELEMETRY: RequiredTelemetry = RequiredTelemetry::Digest;

    fn validate(&self) -> Result<(), ConfigError> {
        let refuse = |key, message: String, help: &str| Err(ConfigError::new(key, message, help));
        if !(self.eta > 0.0 && self.eta <= 1.0) {
            return refuse(
                "eta",
                format!(
                    "a target utilization of {} is not between 0 and 1",
                    self.eta
                ),
                "give the share of the link that may be used, such as 0.95",
            );
        }
        let base = self.base(Fidelity::Exact);
        if !(LEAST_BASE..=LARGEST_BASE).contains(&base) {
            return refuse(
                "log_base",
                format!("a base of {base} is not between {LEAST_BASE} and {LARGEST_BASE}"),
                "give a number a little above 1, such as 1.05: (1 + error)^2",
            );
        }
        self.validate_digest()?;
        self.validate_tables()
    }

    /// Fills in everything that follows from the network and the profile.
    fn resolved(&self, network: &CcContext) -> Self {
        let fidelity = network.fidelity;
        let shape = self.table_shape(fidelity);
        Self {
            log_base: Some(self.base(fidelity)),
            digest_bits: Some(self.bits(fidelity)),
            rounding: Some(self.rounding(fidelity)),
            arithmetic: Some(shape.map_or(Arithmetic::Exact, |_| Arithmetic::Tables)),
            log_table_bits: shape.map(|shape| shape.log_bits),
            exp_table_bits: shape.and_then(|shape| shape.exp_bits),
            utilization_bits: shape.map(|shape| shape.utilization_bits),
            additive_increase: Some(self.additive_increase(network.nic_rate, fidelity)),
            min_rate: Some(self.min_rate(network.nic_rate, fidelity)),
            ..self.clone()
        }
    }

    fn telemetry_bytes(&self, network: &CcContext) -> u16 {
        match network.fidelity {
            Fidelity::Exact => self.code(network.fidelity).wire_bytes(),
            // Whatever the code needs, the published header counts two.
            Fidelity::Published => 2,
        }
    }

    fn lowest_rate(&self) -> Option<Rate> {
        self.min_rate
    }
}

impl<H: PintHeader> ControllerFactory<H> for PintConfig {
    type Controller = HpccPint;

    fn build(&self, start: &FlowStart<'_>) -> HpccPint {
        HpccPint::new(self, start)
    }
}

impl PintConfig {
    fn validate_digest(&self) -> Result<(), ConfigError> {
        let bits = self.bits(Fidelity::Exact);
        let base = self.base(Fidelity::Exact);
        if !(1..=16).contains(&bits) {
            return Err(ConfigError::new(
                "digest_bits",
                format!("a digest of {bits} bits is not of 1 to 16"),
                "leave it out: it follows from `log_base`",
            ));
        }
        let largest = self.code(Fidelity::Exact).largest();
        if largest <= 1.0 {
            return Err(ConfigError::new(
                "digest_bits",
                format!(
                    "codes of {bits} bits to base {base} end at a utilization of {largest:.3}, and a \
                     link is overloaded above 1"
                ),
                format!(
                    "give {} bits, leave it out, or raise `log_base`",
                    LogCode::bits_for(base)
                ),
            ));
        }
        if !(LEAST_FRACTION..=1.0).contains(&self.digest_fraction) {
            return Err(ConfigError::new(
                "digest_fraction",
                format!(
                    "a share of {} is not between 1/65536 and 1",
                    self.digest_fraction
                ),
                "give the share of the packets that carry a digest, such as 0.0625 for one in 16",
            ));
        }
        Ok(())
    }

    fn validate_tables(&self) -> Result<(), ConfigError> {
        for (key, bits, range) in [
            ("log_table_bits", self.log_table_bits, 4..=20),
            ("exp_table_bits", self.exp_table_bits, 4..=20),
            ("utilization_bits", self.utilization_bits, 8..=24),
        ] {
            let Some(bits) = bits else { continue };
            if !range.contains(&bits) {
                return Err(ConfigError::new(
                    key,
                    format!(
                        "{bits} bits are not between {} and {}",
                        range.start(),
                        range.end()
                    ),
                    "leave it out for the default",
                ));
            }
            if self.arithmetic == Some(Arithmetic::Exact) {
                return Err(ConfigError::new(
                    key,
                    "exact arithmetic has no tables",
                    "leave it out, or set `arithmetic = \"tables\"`",
                ));
            }
        }
        Ok(())
    }

    /// The additive increase of a flow whose NIC has `nic_rate`.
    pub(crate) fn additive_increase(&self, nic_rate: Rate, fidelity: Fidelity) -> Rate {
        let increase = || RateRule::default_increase(nic_rate, fidelity);
        self.additive_increase.unwrap_or_else(increase)
    }

    /// The lowest rate of a flow whose NIC has `nic_rate`.
    pub(crate) fn min_rate(&self, nic_rate: Rate, fidelity: Fidelity) -> Rate {
        let floor = || default_min_rate(nic_rate, fidelity);
        self.min_rate.unwrap_or_else(floor)
    }

    fn base(&self, fidelity: Fidelity) -> f64 {
        self.log_base.unwrap_or(match fidelity {
            Fidelity::Exact => 1.05,
            Fidelity::Published => 1.01,
        })
    }

    fn bits(&self, fidelity: Fidelity) -> u32 {
        self.digest_bits
            .unwrap_or_else(|| LogCode::bits_for(self.base(fidelity)))
    }

    fn rounding(&self, fidelity: Fidelity) -> Rounding {
        self.rounding.unwrap_or(match fidelity {
            Fidelity::Exact => Rounding::Log,
            Fidelity::Published => Rounding::Value,
        })
    }

    /// The code of the digest.
    #[must_use]
    pub fn log_code(&self, fidelity: Fidelity) -> LogCode {
        self.code(fidelity)
    }

    pub(crate) fn code(&self, fidelity: Fidelity) -> LogCode {
        LogCode::new(
            self.base(fidelity),
            self.bits(fidelity),
            self.rounding(fidelity),
        )
    }

    /// Whether switches do the same for `self` and `other`.
    #[must_use]
    pub fn same_at_switches(&self, other: &Self) -> bool {
        let at_switches = |config: &Self| Self {
            eta: 1.0,
            max_stage: 0,
            additive_increase: None,
            min_rate: None,
            digest_fraction: 1.0,
            ..config.clone()
        };
        at_switches(self) == at_switches(other)
    }

    /// The tables of switches, or `None` where those compute exactly.
    pub(crate) fn table_shape(&self, fidelity: Fidelity) -> Option<TableShape> {
        let sized = self.log_table_bits.is_some()
            || self.exp_table_bits.is_some()
            || self.utilization_bits.is_some();
        let arithmetic = self.arithmetic.unwrap_or(match fidelity {
            Fidelity::Exact if !sized => Arithmetic::Exact,
            Fidelity::Exact | Fidelity::Published => Arithmetic::Tables,
        });
        let default = TableShape::of(fidelity);
        (arithmetic == Arithmetic::Tables).then(|| TableShape {
            log_bits: self.log_table_bits.unwrap_or(default.log_bits),
            exp_bits: self.exp_table_bits.or(default.exp_bits),
            utilization_bits: self.utilization_bits.unwrap_or(default.utilization_bits),
            ..default
        })
    }
}

#[cfg(test)]
mod tests;
