//! Devices with public numbers.

use fabricsim_base::choices;

choices! {
    /// A device with public numbers.
    #[derive(Default)]
    pub enum Accelerator {
        /// NVIDIA A100 SXM with 80 GB.
        A100 = "a100" ("312 TFLOP/s, 2039 GB/s"),
        /// NVIDIA H100 SXM.
        #[default]
        H100 = "h100" ("989 TFLOP/s, 3350 GB/s"),
        /// NVIDIA H200 SXM.
        H200 = "h200" ("989 TFLOP/s, 4800 GB/s"),
        /// NVIDIA B200 in an HGX B200.
        B200 = "b200" ("2250 TFLOP/s, 7700 GB/s"),
        /// AMD Instinct MI300X.
        Mi300x = "mi300x" ("1307.4 TFLOP/s, 5300 GB/s"),
    }
}

choices! {
    /// The form of the numbers that a device multiplies and adds.
    #[derive(Default)]
    pub enum Precision {
        /// 32 bits, without units for matrices on NVIDIA's devices.
        Fp32 = "fp32",
        /// 32 bits of which matrix units multiply 19.
        Tf32 = "tf32",
        /// 16 bits, as bfloat16.
        #[default]
        Bf16 = "bf16",
        /// 16 bits, as IEEE 754.
        Fp16 = "fp16",
        /// 8 bits.
        Fp8 = "fp8",
    }
}

/// Peak rates of a device, in 10^12 operations per second, and of its memory in 10^9 bytes per
/// second.
struct Sheet {
    fp32: f64,
    tf32: f64,
    /// Of both forms of 16 bits.
    half: f64,
    fp8: Option<f64>,
    memory: f64,
}

impl Accelerator {
    /// Returns the rates without sparsity. A sheet that states them with sparsity alone states
    /// twice as much.
    ///
    /// Sources: NVIDIA A100 Tensor Core GPU Data Sheet (80 GB SXM); NVIDIA H100 Tensor Core GPU
    /// Datasheet (SXM); NVIDIA H200 Tensor Core GPU Datasheet (SXM); NVIDIA Blackwell Datasheet (HGX
    /// B200, for each GPU); AMD Instinct MI300X Accelerator Data Sheet, which states matrix rates.
    const fn sheet(self) -> Sheet {
        let hopper = Sheet {
            fp32: 67.0,
            tf32: 494.5,
            half: 989.0,
            fp8: Some(1979.0),
            memory: 3350.0,
        };
        match self {
            Self::A100 => Sheet {
                fp32: 19.5,
                tf32: 156.0,
                half: 312.0,
                fp8: None,
                memory: 2039.0,
            },
            Self::H100 => hopper,
            Self::H200 => Sheet {
                memory: 4800.0,
                ..hopper
            },
            Self::B200 => Sheet {
                fp32: 75.0,
                tf32: 1100.0,
                half: 2250.0,
                fp8: Some(4500.0),
                memory: 7700.0,
            },
            Self::Mi300x => Sheet {
                fp32: 163.4,
                tf32: 653.7,
                half: 1307.4,
                fp8: Some(2614.9),
                memory: 5300.0,
            },
        }
    }

    /// Returns the peak rate without sparsity in operations per second, or `None` if the device
    /// has no units for `precision`.
    #[must_use]
    pub const fn operations_per_s(self, precision: Precision) -> Option<f64> {
        let sheet = self.sheet();
        let tera = match precision {
            Precision::Fp32 => sheet.fp32,
            Precision::Tf32 => sheet.tf32,
            Precision::Bf16 | Precision::Fp16 => sheet.half,
            Precision::Fp8 => match sheet.fp8 {
                Some(rate) => rate,
                None => return None,
            },
        };
        Some(tera * 1e12)
    }

    /// Returns the rate of the memory in bytes per second.
    #[must_use]
    pub const fn memory_bytes_per_s(self) -> f64 {
        self.sheet().memory * 1e9
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers of the descriptions, which are in bfloat16.
    #[test]
    fn rates_are_those_of_the_data_sheets() {
        for (device, tera, giga) in [
            (Accelerator::A100, 312e12, 2.039e12),
            (Accelerator::H100, 989e12, 3.35e12),
            (Accelerator::H200, 989e12, 4.8e12),
            (Accelerator::B200, 2250e12, 7.7e12),
            (Accelerator::Mi300x, 1307.4e12, 5.3e12),
        ] {
            let rate = device.operations_per_s(Precision::Bf16).unwrap();
            assert_eq!(rate.to_bits(), f64::to_bits(tera), "{device:?}");
            assert_eq!(device.memory_bytes_per_s().to_bits(), f64::to_bits(giga));
        }
        assert_eq!(Accelerator::A100.operations_per_s(Precision::Fp8), None);
        // A matrix of 19 bits takes twice the time of one of 16 bits.
        let tf32 = Accelerator::H100.operations_per_s(Precision::Tf32);
        assert_eq!(tf32, Some(494.5e12));
    }
}
