//! A departing segment.

use fabricsim_core::packet::Flags;

/// A departing segment.
#[derive(Clone, Copy, Debug)]
pub(in crate::tcp) struct Outgoing {
    pub(in crate::tcp) seq: u64,
    pub(in crate::tcp) payload: u16,
    pub(in crate::tcp) fin: bool,
    pub(in crate::tcp) again: bool,
    /// Confirms the echo of marks.
    pub(in crate::tcp) cwr: bool,
    /// Bytes of telemetry, if the segment collects any.
    pub(in crate::tcp) telemetry: Option<u16>,
    /// The ECN codepoint.
    pub(in crate::tcp) codepoint: Flags,
}
