//! ECN thresholds by port and priority.

use fabricsim_base::input::ConfigError;
use fabricsim_base::settings;
use fabricsim_base::units::{Bytes, Rate};
use fabricsim_qdisc::EcnConfig;

settings! {
    /// ECN thresholds for some ports and priorities.
    pub struct EcnRule {
        /// Ports of this rate.
        ///
        /// With this key, thresholds apply as given. Without it, they apply at NIC rate, and in
        /// proportion at other rates.
        #[note("(default: all)")]
        pub rate: Option<Rate> = none,
        /// This priority.
        #[range(from 1, to 7)]
        #[note("(default: all)")]
        pub priority: Option<u8> = none,
        /// Bytes up to which nothing is marked.
        pub kmin: Bytes = required,
        /// Bytes above which everything is marked.
        pub kmax: Bytes = required,
        /// Probability of a mark at `kmax`.
        #[range(from 0.0, to 1.0)]
        pub pmax: f64 = required,
    }
}

impl EcnRule {
    pub(crate) fn thresholds(&self) -> EcnConfig {
        EcnConfig {
            kmin: self.kmin,
            kmax: self.kmax,
            pmax: self.pmax,
        }
    }
}

pub(crate) fn check_thresholds(key: &'static str, ecn: &EcnConfig) -> Result<(), ConfigError> {
    if ecn.kmin > ecn.kmax {
        return Err(ConfigError::new(
            key,
            format!("kmin ({}) is above kmax ({})", ecn.kmin, ecn.kmax),
            "give kmin no larger than kmax",
        ));
    }
    if !(0.0..=1.0).contains(&ecn.pmax) {
        return Err(ConfigError::new(
            key,
            format!("a marking probability of {} is impossible", ecn.pmax),
            "give pmax from 0 to 1",
        ));
    }
    Ok(())
}

/// Scales thresholds at NIC rate to a port of `rate`.
pub(crate) fn in_proportion(ecn: &EcnConfig, rate: Rate, nic_rate: Rate) -> EcnConfig {
    let scale = |bytes: Bytes| {
        let wide =
            u128::from(bytes.get()) * u128::from(rate.as_bps()) / u128::from(nic_rate.as_bps());
        Bytes::new(u64::try_from(wide).unwrap_or(u64::MAX))
    };
    EcnConfig {
        kmin: scale(ecn.kmin),
        kmax: scale(ecn.kmax),
        pmax: ecn.pmax,
    }
}
