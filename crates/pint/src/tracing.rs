//! Path tracing: from a few bits of each packet, a sink learns the switches on a flow's path (PINT,
//! Ben Basat et al., SIGCOMM 2020, section 4.2: static values of a flow).
//!
//! Switches keep no state. With hashes that all nodes share, each switch decides if it acts on a
//! packet. If so, it overwrites the digest with a hash of its number, or xors the hash into it
//! ([`Scheme::encode`]). The sink computes the same hashes, so it knows the hops that contributed
//! to a digest, and eliminates switches until one is left for each hop ([`PathDecoder`]). It may
//! also know the links of the network ([`Universe::with_links`]). [`Traceback`] and
//! [`NetworkCoding`] are earlier methods.
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
