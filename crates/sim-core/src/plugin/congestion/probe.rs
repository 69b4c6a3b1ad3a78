//! Probes, which collect telemetry for TCP connections, because TCP segments carry none.

use fabricsim_base::checkpoint::Stored;
use fabricsim_base::input::{Choice, ValueKind};
use fabricsim_base::units::{Duration, Time};

/// The packet that collects the telemetry.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Deserialize, serde::Serialize),
    serde(rename_all = "kebab-case")
)]
#[derive(Stored)]
pub enum ProbeForm {
    /// A small separate packet in the queues of the data.
    #[default]
    Packet,
    /// A data segment.
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
#[checkpoint(plain)]
pub struct Probes {
    /// The packet that collects the telemetry.
    pub form: ProbeForm,
    /// Bytes of the telemetry on the wire.
    pub telemetry_bytes: u16,
}

/// A probe that has returned to its sender.
#[derive(Clone, Copy, Debug)]
pub struct ReturnedProbe<'a, H> {
    /// Current time.
    pub now: Time,
    /// The next byte to be sent (`snd_nxt`) when the probe left.
    pub sent_next: u64,
    /// The next byte to be sent now.
    pub next_seq: u64,
    /// Round-trip time of the probe.
    pub rtt: Duration,
    /// The collected telemetry.
    pub telemetry: &'a H,
}
