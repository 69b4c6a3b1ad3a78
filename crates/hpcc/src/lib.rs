//! HPCC: high precision congestion control (Li et al., SIGCOMM 2019).
//!
//! Switches write their egress load into every data packet ([`IntTelemetry`]) and receivers echo
//! it. From this the sender computes the utilization of the busiest link of the path, and sets its
//! rate so that this link runs at the target utilization ([`Hpcc`]).
//!
//! The telemetry has two formats: [`ExactStack`] for any number of hops and any link rate, and
//! [`PublishedStack`] with the field widths of the published simulator. The first one also shows if
//! two packets took the same path, which is the condition for comparing their entries.
//!
//! ```
//! use fabricsim_base::id::{NodeId, PortId};
//! use fabricsim_core::plugin::Hop;
//! use fabricsim_base::units::{Bytes, Rate, Time};
//! use fabricsim_hpcc::{ExactStack, IntHeader, IntScale, PortLabel};
//!
//! let scale = IntScale::exact(vec![Rate::from_gbps(100)]);
//! let hop = |ns, sent| Hop {
//!     now: Time::from_ns(ns),
//!     arrived: Time::from_ns(ns),
//!     ingress: PortId(0),
//!     port: PortId(0),
//!     rate: Rate::from_gbps(100),
//!     queue: Bytes::ZERO,
//!     sent: Bytes::new(sent),
//! };
//! let (mut first, mut second) = (ExactStack::<5>::default(), ExactStack::<5>::default());
//! let label = PortLabel::new(NodeId(7), PortId(0), 0);
//! first.push(&hop(1_000, 0), label, &scale);
//! second.push(&hop(1_100, 1_250), label, &scale);
//! assert!(second.same_path(&first));
//! assert!((second.interval_ns(0, &first) - 100.0).abs() < 0.256);
//! assert_eq!(second.sent_since(0, &first, &scale), 1_250);
//! ```

mod config;
mod control;
mod controller;
mod decoder;
mod path;
mod powertcp;
mod published_stack;
mod rate_rule;
mod round;
mod scale;
mod slot;
mod stack;
mod tcp;
mod telemetry;
mod view;

pub use config::{Form, HpccConfig, INT, Reaction, int_bytes};
pub use controller::Hpcc;
pub use decoder::IntDecoder;
pub use path::PortLabel;
pub use powertcp::{PowerTcp, PowerTcpConfig, ThetaPowerTcp, ThetaPowerTcpConfig};
pub use published_stack::PublishedStack;
pub use rate_rule::RateRule;
pub use round::Round;
pub use scale::IntScale;
pub use slot::HasInt;
pub use stack::{ExactStack, HopDifference, IntHeader};
pub use tcp::{OnLoss, Pacing, TcpHpcc, TcpHpccConfig};
pub use telemetry::IntTelemetry;
pub use view::{ByteCounter, IntHop, IntView};
