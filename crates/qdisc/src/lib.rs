//! Queueing in switches: egress queues, ECN marking, active queue management and the shared buffer
//! with priority-based flow control.
//!
//! These are plugins of [`fabricsim_core`]. They know packets and ports, but no protocols.
//!
//! ```
//! use fabricsim_base::id::PortId;
//! use fabricsim_base::priority::Priority;
//! use fabricsim_core::plugin::{Admission, Admit};
//! use fabricsim_base::units::{Bytes, Duration, Rate};
//! use fabricsim_qdisc::{BufferConfig, Pfc, PortBuffer, SharedBuffer};
//!
//! let port = PortBuffer { rate: Rate::from_gbps(100), delay: Duration::from_us(1) };
//! let mut buffer = SharedBuffer::new(&BufferConfig::default(), Rate::from_gbps(100), &[port; 4]);
//! let verdict = buffer.admit(PortId(0), PortId(1), Priority::new(3), Bytes::new(1_048));
//! assert_eq!(verdict, Admit::Accept);
//! assert_eq!(buffer.pfc(), Pfc::On);
//! ```

mod any_discipline;
mod aqm;
mod class_queues;
mod counters;
mod discipline;
mod discipline_config;
mod dualpi2;
mod fq_codel;
mod line;
mod mixed_buffer;
mod mrg32k3a;
mod packet_pool;
mod priority_queues;
mod red;
mod shared_buffer;
mod shared_fifo;
mod short_form;
mod sojourn;
#[cfg(test)]
mod testing;

pub use any_discipline::AnyDiscipline;
pub use aqm::codel::CodelConfig;
pub use aqm::queue::AqmQueue;
pub use aqm::red::RedConfig;
pub use aqm::step::StepConfig;
pub use aqm::tail_drop::TailDropConfig;
pub use aqm::{Aqm, AqmConfig, AqmKind, AqmPacket, DisciplineContext, Verdict};
pub use class_queues::{ClassQueues, Weights};
pub use counters::{DisciplineCounters, DropCause, Tally};
pub use discipline::{Discipline, EcnSelector};
pub use discipline_config::{
    DisciplineConfig, DisciplineKind, DisciplineVisitor, KINDS, visit_kinds,
};
pub use dualpi2::{ControlledDelay, DualPi2, DualPi2Config, DualScheduler};
pub use fq_codel::{FqCodel, FqCodelConfig};
pub use mixed_buffer::{LossyConfig, MixedBuffer};
pub use mrg32k3a::PublishedDraws;
pub use priority_queues::{Markers, PriorityQueues};
pub use red::{EcnConfig, RedEcn};
pub use shared_buffer::{BufferConfig, Headroom, Pfc, PortBuffer, Precision, SharedBuffer};
pub use shared_fifo::{SharedBufferConfig, SharedFifo};
pub use short_form::{ShortForm, ShortFormReader, ShortOption};
pub use sojourn::SojournTimes;
