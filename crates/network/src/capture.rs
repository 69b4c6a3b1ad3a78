//! What nodes see of the frames that they send, up to one list of all of them.

mod frame;
mod merge;
mod spill;
mod tap;

pub use frame::{FrameWriter, TraceRoom};
pub use merge::{Direction, Record, Stream, merge};
pub use spill::Spill;
pub use tap::{Tap, TapLimits, TapPort, TapRules};
