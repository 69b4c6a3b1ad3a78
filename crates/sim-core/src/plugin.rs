//! Interfaces of the components that a model plugs into the network.
//!
//! Methods receive `now` as an argument and return the next deadline; nothing here reads a clock,
//! schedules an event or touches a file. Each trait has few required methods. The optional methods
//! do nothing by default, and their comments say when the network calls them.

mod admission;
mod app;
mod congestion;
mod endpoint;
pub(crate) mod event_order;
mod observer;
mod port_factor;
mod qdisc;
pub mod quirks;
mod reuse;
mod routing;
mod telemetry;
mod telemetry_kind;

pub use admission::{Admission, Admit, BufferUse, Release, Slack};
pub use app::{AppActions, AppContext, AppFlow, Application, PathResolver, StartError};
pub use congestion::{
    Ack, CREDIT_BEGINS, CcActivity, CcConfig, CcContext, CcEvents, ClassActivity, Congestion,
    CongestionControl, ControllerFactory, CreditDemand, CreditRules, DeliveryRate, Departure,
    DynController, DynFactory, EcnUse, Feedback, FlowStart, Growth, MarkResponse,
    MarkingThresholds, Overflow, ProbeForm, Probes, RateClock, RateSample, RateTimes, Recovering,
    ReturnedProbe, Round, SendLimits, SharedConstants, Signal, TelemetryCarrier, TelemetryReader,
    TelemetryView, Transport, default_min_rate, scaled_window,
};
pub use endpoint::{
    Endpoint, EndpointCounters, LiveFlow, LivePart, PortUpdate, Received, RoundTrip, Unfinished,
    Wait,
};
pub use event_order::{ByInsertion, ByNode, EventOrder};
pub use observer::{DropReason, Interest, Observer};
pub use port_factor::PortFactor;
pub use qdisc::{Mark, Qdisc, QueueReport};
pub use quirks::Quirks;
pub use reuse::Reuse;
pub use routing::{EntropyRecycling, PathStability, PortStates, Routing};
pub use telemetry::{Hop, Leaving, NoTelemetry, PortOrder, SentPackets, Telemetry};
pub use telemetry_kind::{Tag, TagTelemetry, TelemetryId, TelemetryKind};

use crate::packet::Header;

/// The types that make up a network. Each implementation of this trait is one kind of simulation,
/// chosen when the scenario is loaded, so no call per packet is dispatched dynamically.
pub trait Model: Send + Sync + std::fmt::Debug + 'static {
    /// The telemetry header that every packet carries.
    type Header: Header;
    /// The order of simultaneous events at one node.
    type Order: EventOrder<Self::Header>;
    /// Telemetry that switches write into the header.
    type Telemetry: Telemetry<Self::Header>;
    /// The queues of one egress port.
    type Queue: Qdisc<Self::Header>;
    /// The buffer of one switch.
    type Buffer: Admission;
    /// The forwarding table of one switch.
    type Routing: Routing<Self::Header> + std::fmt::Debug;
    /// The transport of one host.
    type Endpoint: Endpoint<Self::Header>;
    /// The observer of one node.
    type Observer: Observer<Self::Header>;
}
