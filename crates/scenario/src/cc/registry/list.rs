//! The list of algorithms.

use fabricsim_core::plugin::{CcConfig, ControllerFactory, TelemetryView};
use fabricsim_hpcc::{HpccConfig, PowerTcpConfig, TcpHpccConfig, ThetaPowerTcpConfig};
use fabricsim_pint::PintConfig;
use fabricsim_transport::cc::{
    BbrConfig, CsigConfig, CubicConfig, DcqcnConfig, DctcpConfig, NewRenoConfig, NoneConfig,
    NsccConfig, PragueConfig, RcccConfig, SwiftConfig, TcpDctcpConfig, TimelyConfig,
};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::entry::CcEntry;

/// Every algorithm of the workspace: first RDMA, then TCP.
pub const CONGESTION_CONTROLS: &[CcEntry] = &[
    CcEntry::compiled::<HpccConfig>("hpcc", "HPCC on in-band telemetry (SIGCOMM 2019)"),
    CcEntry::compiled::<PintConfig>(
        "hpcc-pint",
        "HPCC on the probabilistic digest of PINT (SIGCOMM 2020)",
    ),
    CcEntry::compiled::<PowerTcpConfig>(
        "powertcp",
        "PowerTCP: the power of the busiest link, on in-band telemetry (NSDI 2022)",
    ),
    CcEntry::new::<ThetaPowerTcpConfig>(
        "theta-powertcp",
        "theta-PowerTCP: the power of the path, by round-trip times (NSDI 2022)",
    ),
    CcEntry::new::<DcqcnConfig>(
        "dcqcn",
        "DCQCN: marks and timers, as NIC vendors build it or as its paper has it (SIGCOMM 2015)",
    ),
    CcEntry::new::<TimelyConfig>(
        "timely",
        "TIMELY: the gradient of the round-trip time (SIGCOMM 2015)",
    ),
    CcEntry::new::<DctcpConfig>(
        "dctcp",
        "DCTCP in hardware: the share of marked packets (SIGCOMM 2010)",
    ),
    CcEntry::new::<SwiftConfig>(
        "swift",
        "Swift: a target round-trip time, scaled by hops and flows (SIGCOMM 2020)",
    ),
    CcEntry::new::<NsccConfig>(
        "nscc",
        "NSCC: marks and the queueing delay together (Ultra Ethernet 1.0, as in htsim)",
    ),
    CcEntry::new::<RcccConfig>(
        "rccc",
        "RCCC: credit that receivers grant (Ultra Ethernet 1.0, as in htsim)",
    ),
    CcEntry::new::<CsigConfig>(
        "csig",
        "CSIG: the least available bandwidth of the path, in a tag of four bytes (draft, 2024)",
    ),
    CcEntry::new::<NoneConfig>(
        "none",
        "line rate for ever, with a fixed window: no congestion control",
    ),
    CcEntry::new::<CubicConfig>("cubic", "CUBIC with HyStart (RFC 9438)"),
    CcEntry::new::<NewRenoConfig>("newreno", "NewReno (RFC 5681, RFC 6582)"),
    CcEntry::new::<TcpDctcpConfig>(
        "tcp-dctcp",
        "DCTCP: the share of marked segments (RFC 8257)",
    ),
    CcEntry::new::<TcpHpccConfig>(
        "tcp-hpcc",
        "HPCC in software: one probe with in-band telemetry per round trip (BS 2019)",
    ),
    CcEntry::new::<PragueConfig>(
        "prague",
        "Prague: scalable, for low latency, low loss and scalable throughput (L4S)",
    ),
    CcEntry::new::<BbrConfig>(
        "bbr",
        "BBR, version 1: a model of the path's bandwidth and round-trip time (2017)",
    ),
];

/// The algorithms that a scenario can select: the workspace's, and algorithms that a program
/// registers.
///
/// ```
/// use fabricsim_core::plugin::*;
/// use fabricsim_base::units::{Bytes, Rate};
/// use fabricsim_scenario::cc::registry::CcRegistry;
/// use fabricsim_scenario::Scenario;
///
/// /// The `[cc]` table: no keys.
/// #[derive(Clone, Debug, Default, serde::Deserialize, serde::Serialize)]
/// #[serde(deny_unknown_fields)]
/// struct HalfRate {}
///
/// impl CcConfig for HalfRate {
///     const KEYS: fabricsim_base::input::Keys = &[];
/// }
///
/// impl<H> ControllerFactory<H> for HalfRate {
///     type Controller = Half;
///     fn build(&self, start: &FlowStart<'_>) -> Half {
///         Half(Rate::from_bps_f64(start.line_rate.as_bps_f64() / 2.0))
///     }
/// }
///
/// #[derive(Debug)]
/// struct Half(Rate);
///
/// impl<H> CongestionControl<H> for Half {
///     fn on_ack(&mut self, _: &Ack<'_, H>) {}
///     fn window(&self) -> Option<Bytes> { None }
///     fn pacing_rate(&self) -> Option<Rate> { Some(self.0) }
/// }
///
/// let mut registry = CcRegistry::default();
/// registry.register::<HalfRate>("half-rate", "half of the line rate, whatever happens");
/// let text = r#"
/// [topology]
/// kind = "star"
/// hosts = 2
/// [[workload]]
/// kind = "permutation"
/// size = "1MB"
/// [cc]
/// kind = "half-rate"
/// "#;
/// let scenario = Scenario::from_toml_with(text, &registry)?;
/// assert_eq!(scenario.cc().name(), "half-rate");
/// # Ok::<(), fabricsim_scenario::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct CcRegistry {
    entries: Vec<CcEntry>,
}

impl Default for CcRegistry {
    fn default() -> Self {
        Self {
            entries: CONGESTION_CONTROLS.to_vec(),
        }
    }
}

impl CcRegistry {
    /// Adds an algorithm with the name `name` and the table `C`. It reads the telemetry that
    /// [`CcConfig::TELEMETRY`] requires, as a [`TelemetryView`].
    ///
    /// # Panics
    /// Panics if there is an algorithm with the same name.
    pub fn register<C>(&mut self, name: &'static str, about: &'static str)
    where
        C: CcConfig + ControllerFactory<TelemetryView> + DeserializeOwned + Serialize + 'static,
        C::Controller: 'static,
    {
        assert!(
            self.entry(name).is_none(),
            "there is an algorithm called `{name}` already"
        );
        self.entries.push(CcEntry::registered::<C>(name, about));
    }

    /// Returns the algorithms in the order of registration, starting with the workspace's.
    #[must_use]
    pub fn entries(&self) -> &[CcEntry] {
        &self.entries
    }

    /// Returns the algorithm called `name`.
    pub(crate) fn entry(&self, name: &str) -> Option<&CcEntry> {
        self.entries.iter().find(|entry| entry.name == name)
    }
}
