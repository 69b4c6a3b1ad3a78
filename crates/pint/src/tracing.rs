//! Path tracing: a sink learns from a few bits of each packet which switches a flow passes (PINT,
//! Ben Basat et al., SIGCOMM 2020, section 4.2: static values of a flow).
//!
//! Switches keep nothing. Each computes from hashes that all nodes share whether it acts on a
//! packet, and if so writes a hash of its number over the digest or xors it in
//! ([`Scheme::encode`]). The sink computes the same, so it knows whose hashes a digest holds, and
//! strikes out what does not fit until one switch is left for each hop ([`PathDecoder`]); it may
//! know the links of the network, too ([`Universe::with_links`]). What came before PINT is
//! [`Traceback`] and [`NetworkCoding`].
//!
//! ```
//! use std::sync::Arc;
//!
//! use fabricsim_pint::tracing::{
//!     Layers, PathDecoder, Progress, Scheme, SchemeConfig, TraceDigest, Universe,
//! };
//!
//! let scheme = Arc::new(Scheme::new(SchemeConfig {
//!     digest_bits: 4,
//!     instances: 2,
//!     ..SchemeConfig::new(Layers::multilayer(5)?)
//! })?);
//! let switches = Arc::new(Universe::new((0..80).collect())?);
//! let path = [17, 3, 60, 4, 22];
//! let mut decoder = PathDecoder::new(Arc::clone(&scheme), switches, 5)?;
//! for packet in 0.. {
//!     let mut digest = TraceDigest::default();
//!     for (hop, switch) in (1..=5).zip(path) {
//!         digest = scheme.encode(digest, packet, hop, switch);
//!     }
//!     if decoder.record(packet, 5, digest) == Progress::Decoded {
//!         break;
//!     }
//! }
//! assert_eq!(decoder.path(), Some(&path[..]));
//! # Ok::<(), fabricsim_base::input::ConfigError>(())
//! ```

mod candidates;
mod choice;
mod decoder;
mod hop_set;
mod layers;
mod network_coding;
mod scheme;
mod switch_set;
mod traceback;
mod universe;

pub use choice::Choice;
pub use decoder::{Contradiction, PathDecoder, Progress};
pub use hop_set::HopSet;
pub use layers::Layers;
pub use network_coding::{CodingSink, NetworkCoding};
pub use scheme::{Scheme, SchemeConfig, TraceDigest, Values};
pub use traceback::{Marking, Traceback, TracebackSink};
pub use universe::Universe;
