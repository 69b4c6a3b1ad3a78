//! The common vocabulary of all fabricsim crates: exact integer time, sizes and rates; ids; random
//! streams; settings and their texts; checkpoints.
//!
//! This crate knows nothing of packets and processes, and reads neither files nor a clock.
//!
//! Quantities are whole numbers of picoseconds, bytes and bits per second, so results do not depend
//! on the order of sums:
//!
//! ```
//! use fabricsim_base::units::{Bytes, Duration, Rate};
//!
//! let wire: Rate = "100Gbps".parse()?;
//! let packet = Bytes::new(1_090);
//! assert_eq!(wire.transmission(packet), Duration::from_ps(87_200));
//! assert_eq!(wire.bytes_in("12.24us".parse()?), Bytes::new(153_000));
//! # Ok::<(), fabricsim_base::units::UnitError>(())
//! ```

extern crate self as fabricsim_base;

pub mod checkpoint;
pub mod fifo;
pub mod flow;
pub mod id;
pub mod input;
pub mod limits;
pub mod priority;
pub mod ranks;
pub mod rng;
pub mod units;
