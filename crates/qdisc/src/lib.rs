//! What stands between a switch's ports: egress queues, ECN marking and the shared buffer with
//! priority-based flow control.
//!
//! These are plugins of [`fabricsim_core`]; they know packets and ports, and nothing of protocols.
//!
//! ```
//! use fabricsim_core::id::PortId;
//! use fabricsim_core::plugin::{Admission, Admit};
//! use fabricsim_core::units::{Bytes, Duration, Rate};
//! use fabricsim_qdisc::{BufferConfig, Pfc, PortBuffer, SharedBuffer};
//!
//! let port = PortBuffer { rate: Rate::from_gbps(100), delay: Duration::from_us(1) };
//! let mut buffer = SharedBuffer::new(&BufferConfig::default(), Rate::from_gbps(100), &[port; 4]);
//! let verdict = buffer.admit(PortId(0), PortId(1), 3, Bytes::new(1_048));
//! assert_eq!(verdict, Admit::Accept);
//! assert_eq!(buffer.pfc(), Pfc::On);
//! ```

mod mrg32k3a;
mod priority_queues;
mod red;
mod shared_buffer;

pub use mrg32k3a::PublishedDraws;
pub use priority_queues::{Markers, PriorityQueues};
pub use red::{EcnConfig, RedEcn};
pub use shared_buffer::{BufferConfig, Headroom, Pfc, PortBuffer, SharedBuffer};
