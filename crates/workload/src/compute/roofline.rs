//! The roofline: computing times from operations and bytes.
//!
//! Source: Williams, Waterman and Patterson, CACM 2009. ASTRA-sim has the same rule
//! (`get_perf` of `system/Roofline.cc`, `issue_comp` of `workload/Workload.cc`), with whole
//! nanoseconds, rounded down.

use fabricsim_base::input::ConfigError;
use fabricsim_base::settings;
use fabricsim_base::units::Duration;

use super::accelerator::{Accelerator, Precision};
use crate::check;

settings! {
    /// The device that computes operations with FLOPs and bytes.
    pub struct RooflineKeys {
        /// Device of each host.
        #[note("(default: none, with `peak_tflops` and `memory_gb_per_s`)")]
        pub device: Option<Accelerator> = null,
        /// Form of the numbers, which decides the device's peak rate.
        #[note("(default \"bf16\")")]
        pub precision: Option<Precision> = null,
        /// Peak rate in 10^12 operations per second, instead of the device's.
        #[range(above 0.0, to 1e9)]
        #[refused("{value} TFLOP/s are outside the range above 0 up to 1e9", "write for example 989")]
        #[note("(default: the device's)")]
        pub peak_tflops: Option<f64> = null,
        /// Rate of the memory in 10^9 bytes per second, instead of the device's.
        #[range(above 0.0, to 1e9)]
        #[refused("{value} GB/s are outside the range above 0 up to 1e9", "write for example 3350")]
        #[note("(default: the device's)")]
        pub memory_gb_per_s: Option<f64> = null,
        /// Share of the peak rate that is reached.
        #[range(above 0.0, to 1.0)]
        #[refused("a share of {value} is outside the range above 0 up to 1", "write for example 0.5")]
        pub compute_efficiency: f64 = 1.0,
        /// Share of the rate of the memory that is reached.
        #[range(above 0.0, to 1.0)]
        #[refused("a share of {value} is outside the range above 0 up to 1", "write for example 0.8")]
        pub memory_efficiency: f64 = 1.0,
        /// Time of each operation in addition, such as the launch of a kernel.
        pub launch: Duration = "0s",
    }
}

impl RooflineKeys {
    /// Returns the roofline of `device` at its peak rates.
    #[must_use]
    pub fn of(device: Accelerator) -> Self {
        Self {
            device: Some(device),
            ..Self::default()
        }
    }

    /// Returns the reached rates.
    ///
    /// # Errors
    /// Fails if a value is out of its range, if a rate is missing, or if a key has no effect. The
    /// error names the key `roofline`.
    pub(crate) fn rates(&self) -> Result<Rates, ConfigError> {
        let refuse = |message: String, help: &str| {
            Err(ConfigError::new("roofline", message, help.to_owned()))
        };
        let of_roofline = |error: ConfigError| {
            let message = format!("`{}`: {}", error.key, error.message);
            ConfigError::new("roofline", message, error.help)
        };
        self.validate_ranges().map_err(of_roofline)?;
        check::span("launch", self.launch).map_err(of_roofline)?;
        let (device, peak, memory) = (self.device, self.peak_tflops, self.memory_gb_per_s);
        if self.precision.is_some() && (device.is_none() || peak.is_some()) {
            return refuse(
                "`precision` has no effect without the peak rate of a device".to_owned(),
                "leave it out, or name a `device` and leave `peak_tflops` out",
            );
        }
        let precision = self.precision.unwrap_or_default();
        let (operations, memory) = match (device, peak, memory) {
            (Some(_), Some(_), Some(_)) => {
                return refuse(
                    "`device` has no effect beside both rates".to_owned(),
                    "leave it out, or one of `peak_tflops` and `memory_gb_per_s`",
                );
            }
            (None, Some(peak), Some(memory)) => (peak * 1e12, memory * 1e9),
            (None, ..) => {
                return refuse(
                    "there is no device and not both rates".to_owned(),
                    "name a `device`, such as \"h100\", or give `peak_tflops` and \
                     `memory_gb_per_s`",
                );
            }
            (Some(device), peak, memory) => {
                let of_device = device.operations_per_s(precision);
                let Some(peak) = peak.map(|peak| peak * 1e12).or(of_device) else {
                    return refuse(
                        "the device has no units for this `precision`".to_owned(),
                        "write for example \"bf16\"",
                    );
                };
                let memory =
                    memory.map_or_else(|| device.memory_bytes_per_s(), |memory| memory * 1e9);
                (peak, memory)
            }
        };
        Ok(Rates {
            operations: operations * self.compute_efficiency,
            memory: memory * self.memory_efficiency,
            launch: self.launch,
        })
    }
}

/// The rates that a device reaches.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rates {
    /// Operations per second.
    pub(crate) operations: f64,
    /// Bytes per second.
    pub(crate) memory: f64,
    /// Time of each operation in addition.
    pub(crate) launch: Duration,
}

impl Rates {
    /// Rates at which nothing takes time.
    pub(crate) const UNLIMITED: Self = Self {
        operations: f64::INFINITY,
        memory: f64::INFINITY,
        launch: Duration::ZERO,
    };

    /// Returns the seconds of the longer one: `flops` operations, or `bytes` of the memory.
    pub(crate) fn seconds(&self, flops: f64, bytes: f64) -> f64 {
        (flops / self.operations).max(bytes / self.memory)
    }

    /// Returns the time of an operation: [`Self::seconds`] in whole nanoseconds, rounded down, and
    /// the launch.
    pub(crate) fn time(&self, flops: u64, bytes: u64) -> Duration {
        let work = Duration::from_secs_f64(self.seconds(flops as f64, bytes as f64));
        Duration::from_ns(work.as_ns()).saturating_add(self.launch)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 1 TFLOP/s and 100 GB/s meet at 10 operations for each byte.
    #[test]
    fn the_slower_one_of_operations_and_memory_decides() {
        let keys = RooflineKeys {
            peak_tflops: Some(1.0),
            memory_gb_per_s: Some(100.0),
            launch: Duration::from_ps(1_500),
            ..RooflineKeys::default()
        };
        let rates = keys.rates().unwrap();
        for (flops, bytes, ps) in [
            (3_000_000, 200_000, 3_001_500),
            (2_000_000, 200_000, 2_001_500),
            (1_000_000, 200_000, 2_001_500),
            (0, 200_000, 2_001_500),
            (1_000_000, 0, 1_001_500),
            // 1.9 ns are 1.
            (1_900, 0, 2_500),
            (0, 0, 1_500),
        ] {
            assert_eq!(rates.time(flops, bytes).as_ps(), ps, "{flops} {bytes}");
        }
        let half = RooflineKeys {
            compute_efficiency: 0.5,
            memory_efficiency: 0.25,
            launch: Duration::ZERO,
            ..keys
        };
        let half = half.rates().unwrap();
        assert_eq!(half.time(3_000_000, 0).as_ns(), 6_000);
        assert_eq!(half.time(3_000_000, 200_000).as_ns(), 8_000);
    }

    /// ASTRA-sim, with the same peak and bandwidth: 1e9 operations with 366,211 bytes run at the
    /// lesser rate of 3350e9 * 1e9 / 366,211 and 989e12 operations per second, in 1,011.122.. ns;
    /// 1e6 with 2e6 bytes at 3350e9 / 2, in 597.014.. ns. It drops the fractions.
    #[test]
    fn a_device_has_the_times_of_its_data_sheet() {
        let rates = RooflineKeys::of(Accelerator::H100).rates().unwrap();
        assert_eq!(rates.time(1_000_000_000, 366_211).as_ns(), 1_011);
        assert_eq!(rates.time(1_000_000, 2_000_000).as_ns(), 597);
        let fp8 = RooflineKeys {
            precision: Some(Precision::Fp8),
            ..RooflineKeys::of(Accelerator::H100)
        };
        assert_eq!(fp8.rates().unwrap().time(1_979_000_000, 0).as_ns(), 1_000);
        let faster = RooflineKeys {
            memory_gb_per_s: Some(6_700.0),
            ..RooflineKeys::of(Accelerator::H100)
        };
        assert_eq!(faster.rates().unwrap().time(0, 6_700_000).as_ns(), 1_000);
    }

    #[test]
    fn keys_without_effect_and_missing_rates_are_refused() {
        let refused = |keys: RooflineKeys| {
            let error = keys.rates().unwrap_err();
            assert_eq!(error.key, "roofline");
            assert!(!error.help.is_empty());
            error.message
        };
        let h100 = RooflineKeys::of(Accelerator::H100);
        let with = |change: fn(&mut RooflineKeys)| {
            let mut keys = h100.clone();
            change(&mut keys);
            refused(keys)
        };
        assert!(refused(RooflineKeys::default()).contains("no device"));
        assert!(with(|k| k.compute_efficiency = 0.0).contains("a share of 0"));
        assert!(with(|k| k.peak_tflops = Some(-1.0)).contains("TFLOP/s"));
        assert!(with(|k| k.launch = Duration::MAX).contains("`launch`"));
        assert!(
            with(|k| {
                k.peak_tflops = Some(1.0);
                k.memory_gb_per_s = Some(1.0);
            })
            .contains("`device` has no effect")
        );
        let both = |k: &mut RooflineKeys| {
            k.peak_tflops = Some(1.0);
            k.precision = Some(Precision::Fp16);
        };
        assert!(with(both).contains("`precision`"));
        assert!(
            with(|k| {
                k.device = Some(Accelerator::A100);
                k.precision = Some(Precision::Fp8);
            })
            .contains("no units for this `precision`")
        );
    }
}
