//! Settings of HPCC-PINT.

use fabricsim_base::input::{ConfigError, Keys};
use fabricsim_base::settings;
use fabricsim_base::units::Rate;
use fabricsim_core::plugin::quirks::{SwitchArithmetic, ValueCode};
use fabricsim_core::plugin::{CcConfig, CcContext, Quirks, TelemetryId, default_min_rate};
use fabricsim_hpcc::RateRule;

use crate::arithmetic::{Arithmetic, TableShape};
use crate::digest::DIGEST;
use crate::log_code::{LogCode, Rounding};

settings! {
    /// The `[cc]` table of `kind = "hpcc-pint"`.
    pub struct PintConfig {
        /// Target utilization of the busiest link.
        ///
        /// It is η in the HPCC paper.
        #[range(above 0.0, to 1.0)]
        #[refused(
            "a target utilization of {value} is not between 0 and 1",
            "give the share of the link that may be used, such as 0.95"
        )]
        pub eta: f64 = 0.95,
        /// Additive increases in a row before a multiplicative change.
        ///
        /// This is maxStage in the HPCC paper. After it, the rate follows the utilization again.
        pub max_stage: u32 = 0,
        /// Added at each change.
        #[note("(default \"50Mbps\" for each 100 Gbps of NIC rate)")]
        pub additive_increase: Option<Rate> = none,
        /// Lowest rate.
        #[note("(default \"1Gbps\", at most a hundredth of the NIC rate); flows that do not fit a link at that rate queue up")]
        pub min_rate: Option<Rate> = none,
        /// Limit the bytes in flight to a bandwidth-delay product.
        pub window: bool = true,
        /// Keep that window as it is when the rate changes.
        pub fixed_window: bool = false,
        /// Factor from one code of the digest to the next.
        ///
        /// This is (1 + ε)^2 in the paper. Below 1.0002, codes do not fit in 16 bits. Above 16, a
        /// code would tell little more than busy or idle.
        #[range(from 1.0002, to 16.0)]
        #[refused(
            "a base of {value} is not between 1.0002 and 16",
            "give a number a little above 1, such as 1.05: (1 + error)^2"
        )]
        #[note("(default 1.05, profile 1.01)")]
        pub log_base: Option<f64> = none,
        /// Bits of the digest.
        #[range(from 1, to 16)]
        #[refused(
            "a digest of {value} bits is not of 1 to 16",
            "leave it out: it follows from `log_base`"
        )]
        #[note("(default: enough for a utilization of 512, 8 for 1.05)")]
        pub digest_bits: Option<u32> = none,
        /// Share of the data packets that carry a digest, 1/65536 to 1.
        ///
        /// This is p in the paper.
        pub digest_fraction: f64 = 1.0,
        /// Mean that the rounding to codes keeps.
        pub rounding: Option<Rounding> = none,
        /// Arithmetic of the switches.
        pub arithmetic: Option<Arithmetic> = none,
        /// Leading bits of a number that decide its logarithm.
        #[range(from 4, to 20)]
        #[refused("{value} bits are not between 4 and 20", "leave it out for the default")]
        #[note("(default 12)")]
        pub log_table_bits: Option<u32> = none,
        /// The table of powers has 2^this entries.
        #[range(from 4, to 20)]
        #[refused("{value} bits are not between 4 and 20", "leave it out for the default")]
        #[note("(default 12)")]
        pub exp_table_bits: Option<u32> = none,
        /// Switches keep utilizations in units of 2^-this.
        #[range(from 8, to 24)]
        #[refused("{value} bits are not between 8 and 24", "leave it out for the default")]
        #[note("(default 20)")]
        pub utilization_bits: Option<u32> = none,
    }
}

/// The published simulator compares the fraction with a 16-bit number.
const LEAST_FRACTION: f64 = 1.0 / 65_536.0;

impl CcConfig for PintConfig {
    const KEYS: Keys = Self::KEYS;

    const TELEMETRY: Option<TelemetryId> = Some(DIGEST);

    fn validate(&self) -> Result<(), ConfigError> {
        self.validate_ranges()?;
        self.validate_window()?;
        self.validate_digest()?;
        self.validate_tables()
    }

    /// Sets all absent values that follow from the network and the profile.
    fn resolved(&self, network: &CcContext) -> Self {
        let quirks = &network.quirks;
        let shape = self.table_shape(quirks);
        Self {
            log_base: Some(self.base(quirks)),
            digest_bits: Some(self.bits(quirks)),
            rounding: Some(self.rounding(quirks)),
            arithmetic: Some(shape.map_or(Arithmetic::Exact, |_| Arithmetic::Tables)),
            log_table_bits: shape.map(|shape| shape.log_bits),
            exp_table_bits: shape.and_then(|shape| shape.exp_bits),
            utilization_bits: shape.map(|shape| shape.utilization_bits),
            additive_increase: Some(self.additive_increase(network.nic_rate, quirks)),
            min_rate: Some(self.min_rate(network.nic_rate, quirks)),
            ..self.clone()
        }
    }

    fn telemetry_bytes(&self, network: &CcContext) -> u16 {
        match network.quirks.value_code {
            ValueCode::Byte => self.code(&network.quirks).wire_bytes(),
            // The published header always has two bytes, even for a shorter code.
            ValueCode::TwoBytes => 2,
        }
    }

    fn lowest_rate(&self) -> Option<Rate> {
        self.min_rate
    }
}

impl PintConfig {
    fn validate_window(&self) -> Result<(), ConfigError> {
        match (self.window, self.fixed_window) {
            (false, true) => Err(ConfigError::new(
                "fixed_window",
                "there is no window that could stay as it is",
                "leave `window` or `fixed_window` out",
            )),
            _ => Ok(()),
        }
    }

    fn validate_digest(&self) -> Result<(), ConfigError> {
        let bits = self.bits(&Quirks::EXACT);
        let base = self.base(&Quirks::EXACT);
        let largest = self.code(&Quirks::EXACT).largest();
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
        for (key, bits) in [
            ("log_table_bits", self.log_table_bits),
            ("exp_table_bits", self.exp_table_bits),
            ("utilization_bits", self.utilization_bits),
        ] {
            if bits.is_some() && self.arithmetic == Some(Arithmetic::Exact) {
                return Err(ConfigError::new(
                    key,
                    "exact arithmetic has no tables",
                    "leave it out, or set `arithmetic = \"tables\"`",
                ));
            }
        }
        Ok(())
    }

    /// Returns the additive increase of a flow from a NIC of `nic_rate`.
    pub(crate) fn additive_increase(&self, nic_rate: Rate, quirks: &Quirks) -> Rate {
        let increase = || RateRule::default_increase(nic_rate, quirks);
        self.additive_increase.unwrap_or_else(increase)
    }

    /// Returns the lowest rate of a flow from a NIC of `nic_rate`.
    pub(crate) fn min_rate(&self, nic_rate: Rate, quirks: &Quirks) -> Rate {
        let floor = || default_min_rate(nic_rate, quirks);
        self.min_rate.unwrap_or_else(floor)
    }

    fn base(&self, quirks: &Quirks) -> f64 {
        self.log_base.unwrap_or(match quirks.value_code {
            ValueCode::Byte => 1.05,
            ValueCode::TwoBytes => 1.01,
        })
    }

    fn bits(&self, quirks: &Quirks) -> u32 {
        self.digest_bits
            .unwrap_or_else(|| LogCode::bits_for(self.base(quirks)))
    }

    fn rounding(&self, quirks: &Quirks) -> Rounding {
        self.rounding.unwrap_or(match quirks.value_code {
            ValueCode::Byte => Rounding::Log,
            ValueCode::TwoBytes => Rounding::Value,
        })
    }

    /// Returns the code of the digest.
    #[must_use]
    pub fn log_code(&self, quirks: &Quirks) -> LogCode {
        self.code(quirks)
    }

    pub(crate) fn code(&self, quirks: &Quirks) -> LogCode {
        LogCode::new(self.base(quirks), self.bits(quirks), self.rounding(quirks))
    }

    /// Returns `true` if `self` and `other` configure switches identically.
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

    /// Returns the shape of the switches' tables, or `None` if switches compute exactly.
    pub(crate) fn table_shape(&self, quirks: &Quirks) -> Option<TableShape> {
        let sized = self.log_table_bits.is_some()
            || self.exp_table_bits.is_some()
            || self.utilization_bits.is_some();
        let arithmetic = self.arithmetic.unwrap_or(match quirks.switch_arithmetic {
            SwitchArithmetic::Exact if !sized => Arithmetic::Exact,
            SwitchArithmetic::Exact | SwitchArithmetic::Tables => Arithmetic::Tables,
        });
        let default = TableShape::of(quirks.switch_arithmetic);
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
