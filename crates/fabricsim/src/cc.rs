//! Items needed to write a congestion-control algorithm: `use fabricsim::cc::*`.
//!
//! A configuration implements [`CcConfig`] and [`ControllerFactory`], its controller
//! [`CongestionControl`], and [`CcRegistry::register`] gives it a name. A controller without
//! telemetry is written for every header (`impl<H> CongestionControl<H>`). A controller that reads
//! telemetry is written for [`TelemetryView`], and [`CcConfig::TELEMETRY`] names its kind: [`INT`],
//! [`DIGEST`], or its own [`TelemetryKind`].

pub use fabricsim_base::id::{NodeId, PortId};
pub use fabricsim_base::input::{ConfigError, Key, Keys, ValueKind};
pub use fabricsim_base::units::{Bytes, Duration, Rate, Time};
pub use fabricsim_core::packet::{Header, Packet};
pub use fabricsim_core::plugin::{
    Ack, CcConfig, CcContext, Congestion, CongestionControl, ControllerFactory, DeliveryRate,
    EcnUse, Feedback, FlowStart, Growth, Hop, Leaving, MarkResponse, MarkingThresholds, PortOrder,
    ProbeForm, Probes, RateSample, Recovering, ReturnedProbe, Round, SentPackets, Signal,
    Telemetry, TelemetryId, TelemetryKind, TelemetryView, Transport, scaled_window,
};
pub use fabricsim_hpcc::{ByteCounter, INT, IntHop, IntView};
pub use fabricsim_pint::{BusiestLink, DIGEST};
pub use serde::{Deserialize, Serialize};

pub use fabricsim_scenario::cc::registry::{AnyCcConfig, CcRegistry};
