//! HPCC-PINT: HPCC's algorithm on the probabilistic digest of PINT (Ben Basat et al., SIGCOMM 2020,
//! section 4.3, example 3).
//!
//! Each switch measures the utilization of its own links, encodes it in a few bits, and raises the
//! digest of each packet to its code ([`PintTelemetry`]). The receiver echoes the digest, which
//! then describes the busiest link of the path. From it the sender sets its rate so that this link
//! runs at the target utilization ([`HpccPint`]). The digest is a single byte, compared to eight
//! bytes per switch for HPCC's own telemetry, and not every packet must carry it.
//!
//! ```
//! use fabricsim_base::rng::{Purpose, Stream};
//! use fabricsim_pint::{Digest, HasDigest, LogCode, Rounding};
//!
//! let code = LogCode::new(1.05, LogCode::bits_for(1.05), Rounding::Log);
//! let mut stream = Stream::new(1, 0, Purpose::Rounding);
//! let mut digest = Digest::default();
//! digest.carry_digest();
//! for utilization in [0.2, 0.95, 0.6] {
//!     digest.raise_digest(code.encode(utilization, &mut stream));
//! }
//! let busiest = code.decode(digest.digest().unwrap());
//! assert!((busiest / 0.95).ln().abs() < 1.05f64.ln());
//! assert_eq!(code.wire_bytes(), 1);
//! ```
//!
//! [`tracing`] contains path tracing, PINT's static values of a flow. [`dynamic`] contains
//! quantiles and frequent values of measurements at each hop, PINT's dynamic values. [`numeric`]
//! contains codes for numbers of any kind.

mod arithmetic;
mod c_rand;
mod config;
mod controller;
mod digest;
mod draws;
pub mod dynamic;
mod hash;
mod hop_choice;
mod log_code;
pub mod numeric;
mod port;
mod published_draws;
pub mod query;
mod rises;
mod sampling;
mod tables;
mod telemetry;
pub mod tracing;

pub use arithmetic::Arithmetic;
pub use config::PintConfig;
pub use controller::HpccPint;
pub use digest::{BusiestLink, DIGEST, Digest, DigestDecoder, HasDigest};
pub use draws::Draws;
pub use hash::GlobalHash;
pub use hop_choice::HopChoice;
pub use log_code::{LogCode, Rounding};
pub use published_draws::PortLink;
pub use tables::{ExpTable, LogRounding, LogTable, LowBits};
pub use telemetry::{PintSettings, PintTelemetry};
