//! Probes: what gathers telemetry for connections of TCP, whose segments carry none.

use fabricsim_base::checkpoint::Stored;
use fabricsim_base::input::{Choice, ValueKind};
use fabricsim_base::units::{Duration, Time};

/// Packet that gathers the telemetry.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Deserialize, serde::Serialize),
    serde(rename_all = "kebab-case")
)]
#[derive(Stored)]
pub enum ProbeForm {
    /// A small packet of its own, in the queues of the data.
    #[default]
    Packet,
    /// A segment of data.
    Data,
}

fabricsim_base::setting_values! {
    ProbeForm => ValueKind::Name(&[
        Choice { name: "packet", remark: "a small one of its own" },
        Choice { name: "data", remark: "a segment of data" },
    ]),
}

/// The probes of a connection.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Stored)]
pub struct Probes {
    /// Packet that gathers the telemetry.
    pub form: ProbeForm,
    /// Bytes that the telemetry takes on the wire.
    pub telemetry_bytes: u16,
}

/// A probe that has come back to its sender.
#[derive(Clone, Copy, Debug)]
pub struct ReturnedProbe<'a, H> {
    /// Now.
    pub now: Time,
    /// The next byte that the sender would have sent when the probe left (`snd_nxt`).
    pub sent_next: u64,
    /// The next byte that it would send now.
    pub next_seq: u64,
    /// From its sending until now.
    pub rtt: Duration,
    /// The telemetry that it has gathered.
    pub telemetry: &'a H,
}
