//! Items needed to write a congestion-control algorithm: `use fabricsim::cc::*`.
//!
//! A configuration implements [`CcConfig`] and [`ControllerFactory`], its controller
//! [`CongestionControl`], and [`CcRegistry::register`] gives it a name. A controller without
//! telemetry is written for every header (`impl<H> CongestionControl<H>`), one that reads telemetry
//! for [`TelemetryView`], with [`CcConfig::TELEMETRY`] saying which.

pub use fabricsim_base::input::{ConfigError, Key, Keys, ValueKind};
pub use fabricsim_base::units::{Bytes, Duration, Rate, Time};
pub use fabricsim_core::plugin::{
    Ack, ByteCounter, CcConfig, CcContext, Congestion, CongestionControl, ControllerFactory,
    DeliveryRate, EcnUse, Feedback, FlowStart, Growth, IntHop, MarkResponse, MarkingThresholds,
    ProbeForm, Probes, RateSample, Recovering, RequiredTelemetry, ReturnedProbe, Round, Signal,
    TelemetryView, Transport, scaled_window,
};
pub use serde::{Deserialize, Serialize};

pub use fabricsim_scenario::cc::registry::{AnyCcConfig, CcRegistry};
