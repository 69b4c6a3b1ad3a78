//! The events that congestion controls in Python receive.

use fabricsim::cc;
use fabricsim::cc::{IntView, Round, Signal, TelemetryView};
use pyo3::prelude::*;

/// The start of a flow, passed to the controller that is created for it. Times are in picoseconds,
/// sizes in bytes, rates in bits per second.
#[pyclass(frozen, get_all, module = "fabricsim")]
pub(crate) struct FlowStart {
    /// The number of the flow.
    flow: u32,
    /// The flow class.
    flow_class: u16,
    /// The current time.
    now: u64,
    /// The rate of its NIC.
    line_rate: u64,
    /// The base round-trip time.
    base_rtt: u64,
    /// The bandwidth-delay product: `line_rate` times `base_rtt`.
    bdp: u64,
    /// Payload of a full packet.
    mtu: u64,
}

impl FlowStart {
    pub(crate) fn new(start: &cc::FlowStart<'_>) -> Self {
        Self {
            flow: start.id.0,
            flow_class: start.class.0,
            now: start.now.as_ps(),
            line_rate: start.line_rate.as_bps(),
            base_rtt: start.base_rtt.as_ps(),
            bdp: start.bdp.get(),
            mtu: start.mtu.get(),
        }
    }
}

#[pymethods]
impl FlowStart {
    fn __repr__(&self) -> String {
        let Self {
            flow, line_rate, ..
        } = self;
        format!("<fabricsim.FlowStart: flow {flow} at {line_rate} bit/s>")
    }
}

/// The telemetry of one switch: its egress port when the packet left it.
#[pyclass(frozen, get_all, module = "fabricsim")]
#[derive(Clone)]
pub(crate) struct Hop {
    /// The time at which the packet left, in picoseconds.
    time: u64,
    /// Bytes in the port's queues after the packet had left.
    queue: u64,
    /// The rate of the link, in bits per second.
    rate: u64,
    /// Bytes that the port has sent since the last acknowledged packet left it; None if that packet
    /// took another path.
    sent: Option<u64>,
    /// Time since then, in picoseconds; None in the same case.
    elapsed: Option<u64>,
}

/// An acknowledgement. Times are in picoseconds, sizes in bytes.
#[pyclass(frozen, module = "fabricsim")]
pub(crate) struct Ack {
    /// The current time.
    #[pyo3(get)]
    now: u64,
    /// Round-trip time of the acknowledged packet.
    #[pyo3(get)]
    rtt: Option<u64>,
    /// The smallest round-trip time of the flow so far.
    #[pyo3(get)]
    least_rtt: u64,
    /// Payload that this acknowledges for the first time.
    #[pyo3(get)]
    newly_acked: u64,
    /// All bytes below this one have arrived.
    #[pyo3(get)]
    cumulative: u64,
    /// The next byte in the sender's sequence.
    #[pyo3(get)]
    next_seq: u64,
    /// Payload in flight after this acknowledgement.
    #[pyo3(get)]
    in_flight: u64,
    /// Packets that this acknowledges for the first time.
    #[pyo3(get)]
    packets: u32,
    /// The number of these packets that were marked (ECN CE).
    #[pyo3(get)]
    marked: u32,
    /// True if a new round trip begins.
    #[pyo3(get)]
    new_round: bool,
    /// The identity of the path: hops of two acknowledgements belong to the same ports only if this
    /// is equal.
    #[pyo3(get)]
    path: u32,
    hops: Vec<Hop>,
}

impl Ack {
    /// Converts the acknowledgement `ack`; `before` is the telemetry of the last one.
    pub(crate) fn new(ack: &cc::Ack<'_, TelemetryView>, before: &IntView) -> Self {
        let none = IntView::default();
        let seen = ack.telemetry.of().unwrap_or(&none);
        let (now, old) = (&seen.hops, &before.hops);
        let same = seen.path == before.path && now.len() == old.len();
        let hops = now.iter().enumerate().map(|(place, hop)| {
            let old = old.get(place).filter(|_| same);
            Hop {
                time: hop.at.as_ps(),
                queue: hop.queue.get(),
                rate: hop.rate.as_bps(),
                sent: old.map(|old| hop.sent.since(old.sent).get()),
                elapsed: old.map(|old| hop.at.as_ps().saturating_sub(old.at.as_ps())),
            }
        });
        Self {
            now: ack.now.as_ps(),
            rtt: ack.rtt.map(cc::Duration::as_ps),
            least_rtt: ack.least_rtt.as_ps(),
            newly_acked: ack.newly_acked.get(),
            cumulative: ack.cumulative,
            next_seq: ack.next_seq,
            in_flight: ack.in_flight.get(),
            packets: ack.delivered,
            marked: ack.marked,
            new_round: ack.round == Round::New,
            path: seen.path,
            hops: hops.collect(),
        }
    }
}

#[pymethods]
impl Ack {
    /// The telemetry of the switches on the path, if the algorithm uses telemetry.
    #[getter]
    fn hops(&self) -> Vec<Hop> {
        self.hops.clone()
    }

    fn __repr__(&self) -> String {
        let Self {
            now, cumulative, ..
        } = self;
        format!("<fabricsim.Ack: all below byte {cumulative}, at {now} ps>")
    }
}

/// A signal of congestion. Times are in picoseconds, sizes in bytes.
#[pyclass(frozen, get_all, module = "fabricsim")]
pub(crate) struct Congestion {
    /// The current time.
    now: u64,
    /// `"loss"`, `"mark"` or `"timeout"`.
    signal: &'static str,
    /// Payload in flight before the signal.
    in_flight: u64,
    /// The next byte in the sender's sequence.
    next_seq: u64,
}

impl Congestion {
    pub(crate) fn new(congestion: &cc::Congestion) -> Self {
        Self {
            now: congestion.now.as_ps(),
            signal: match congestion.signal {
                Signal::Loss => "loss",
                Signal::Mark => "mark",
                Signal::Timeout | Signal::RepeatedTimeout => "timeout",
            },
            in_flight: congestion.in_flight.get(),
            next_seq: congestion.next_seq,
        }
    }
}

#[pymethods]
impl Congestion {
    fn __repr__(&self) -> String {
        let Self { now, signal, .. } = self;
        format!("<fabricsim.Congestion: {signal} at {now} ps>")
    }
}
