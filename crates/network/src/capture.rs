//! Captures of frames: the taps of nodes, and the merge of their records into one list.

mod frame;
mod merge;
mod spill;
mod tap;

pub use frame::{FrameWriter, TraceRoom};
pub use merge::{Direction, Record, Stream, merge};
pub use spill::Spill;
pub use tap::{Tap, TapLimits, TapPort, TapRules};
