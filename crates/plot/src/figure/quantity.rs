//! Quantities that runs observe over time.

use std::fmt;

use super::axis::{Axis, Unit};

/// Quantity to draw over time.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Quantity {
    /// The queue of a switch port.
    Queue,
    /// The utilization of one direction of a link.
    Utilization,
    /// Time for which a port was paused in an interval.
    Paused,
    /// Packets that a port marked in an interval.
    Marks,
    /// Packets that a port dropped, or lost on its link, in an interval.
    Drops,
    /// The rate that the congestion control allows a flow.
    Rate,
    /// The window of a flow.
    Window,
    /// The smoothed round-trip time of a flow.
    RoundTrip,
    /// The smoothed round-trip time of a flow above its shortest one.
    QueueingDelay,
    /// Payload of a flow acknowledged in an interval, as a rate.
    Throughput,
    /// The throughput of all flows together.
    TotalThroughput,
}

/// Owner of a series.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Subject {
    /// A port of a node.
    Port,
    /// A flow.
    Flow,
    /// The run.
    Run,
}

impl Quantity {
    /// Returns the name of the file in a result folder that contains the quantity.
    #[must_use]
    pub const fn file(self) -> &'static str {
        match self {
            Self::Queue => "queues.csv",
            Self::Utilization | Self::Paused | Self::Marks | Self::Drops => "links.csv",
            Self::Rate
            | Self::Window
            | Self::RoundTrip
            | Self::QueueingDelay
            | Self::Throughput
            | Self::TotalThroughput => "flows.csv",
        }
    }

    pub(super) const fn column(self) -> &'static str {
        match self {
            Self::Queue => "queue_bytes",
            Self::Utilization => "utilization",
            Self::Paused => "paused_ns",
            Self::Marks => "marked_packets",
            Self::Drops => "dropped_packets",
            Self::Rate => "rate_bps",
            Self::Window => "window_bytes",
            Self::RoundTrip => "srtt_ns",
            Self::QueueingDelay => "queueing_delay_ns",
            Self::Throughput | Self::TotalThroughput => "throughput_bps",
        }
    }

    /// Returns the owner of a series of this quantity: a port, a flow or the run.
    #[must_use]
    pub const fn subject(self) -> Subject {
        match self {
            Self::Queue | Self::Utilization | Self::Paused | Self::Marks | Self::Drops => {
                Subject::Port
            }
            Self::Rate
            | Self::Window
            | Self::RoundTrip
            | Self::QueueingDelay
            | Self::Throughput => Subject::Flow,
            Self::TotalThroughput => Subject::Run,
        }
    }

    pub(super) fn axis(self) -> Axis {
        let (label, unit) = match self {
            Self::Queue => ("queue", Unit::Bytes),
            Self::Utilization => ("utilization (1 = line rate)", Unit::None),
            Self::Paused => ("paused in an interval", Unit::Nanoseconds),
            Self::Marks => ("packets marked in an interval", Unit::None),
            Self::Drops => ("packets dropped in an interval", Unit::None),
            Self::Rate => ("rate", Unit::BitsPerSecond),
            Self::Window => ("window", Unit::Bytes),
            Self::RoundTrip => ("smoothed round-trip time", Unit::Nanoseconds),
            Self::QueueingDelay => ("queueing delay", Unit::Nanoseconds),
            Self::Throughput => ("throughput", Unit::BitsPerSecond),
            Self::TotalThroughput => ("throughput of all flows", Unit::BitsPerSecond),
        };
        Axis::linear(label).in_unit(unit).from(0.0)
    }
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Queue => "queues",
            Self::Utilization => "utilization of links",
            Self::Paused => "pauses of ports",
            Self::Marks => "marks of ports",
            Self::Drops => "drops of ports",
            Self::Rate => "rates of flows",
            Self::Window => "windows of flows",
            Self::RoundTrip => "round-trip times of flows",
            Self::QueueingDelay => "queueing delays of flows",
            Self::Throughput => "throughput of flows",
            Self::TotalThroughput => "throughput of all flows",
        })
    }
}
