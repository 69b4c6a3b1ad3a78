//! A segment that leaves.

use fabricsim_core::packet::Flags;

/// A segment that leaves now.
#[derive(Clone, Copy, Debug)]
pub(in crate::tcp) struct Outgoing {
    pub(in crate::tcp) seq: u64,
    pub(in crate::tcp) payload: u16,
    pub(in crate::tcp) fin: bool,
    pub(in crate::tcp) again: bool,
    /// The echo of marks was heard.
    pub(in crate::tcp) cwr: bool,
    /// Bytes of telemetry, if it gathers some.
    pub(in crate::tcp) telemetry: Option<u16>,
    /// The ECN codepoint.
    pub(in crate::tcp) codepoint: Flags,
}
