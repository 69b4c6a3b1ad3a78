//! Values that switches can report, and their aggregation by packets.

use fabricsim_base::choices;
use fabricsim_core::packet::Packet;
use fabricsim_core::plugin::Hop;

choices! {
    /// A value that a switch knows when a packet leaves it (PINT, section 3.1: the metadata of
    /// in-band network telemetry).
    pub enum Value {
        /// The number of the switch.
        SwitchId = "switch-id",
        /// The port through which the packet came.
        IngressPort = "ingress-port",
        /// The port through which it leaves.
        EgressPort = "egress-port",
        /// From the arrival of the packet's last byte at the switch until it leaves its queue, ns.
        HopLatency = "hop-latency" ("ns"),
        /// Bytes that wait at the egress port when the packet has left the queue, of all
        /// priorities.
        QueueLength = "queue-length" ("bytes"),
        /// Utilization of the egress link, in thousandths: U of HPCC-PINT, which counts the queue
        /// and can exceed 1,000.
        EgressUtilization = "egress-utilization" ("thousandths"),
        /// From the packet's departure at its host until its arrival at the switch, ns.
        IngressTime = "ingress-time" ("age of the packet, ns"),
        /// From the packet's departure at its host until it leaves its queue at the switch, ns.
        EgressTime = "egress-time" ("age of the packet, ns"),
    }
}

impl Value {
    /// All of them, with what they are.
    pub const ALL: &'static [(Self, &'static str, &'static str)] = &[
        (Self::SwitchId, "switch-id", "number of the switch"),
        (
            Self::IngressPort,
            "ingress-port",
            "port by which the packet came",
        ),
        (Self::EgressPort, "egress-port", "port by which it leaves"),
        (Self::HopLatency, "hop-latency", "time at the switch, ns"),
        (
            Self::QueueLength,
            "queue-length",
            "bytes that wait at the egress port",
        ),
        (
            Self::EgressUtilization,
            "egress-utilization",
            "how busy the egress link is, in thousandths",
        ),
        (
            Self::IngressTime,
            "ingress-time",
            "age of the packet when it came to the switch, ns",
        ),
        (
            Self::EgressTime,
            "egress-time",
            "age of the packet when it left the switch's queue, ns",
        ),
    ];

    /// The name in a scenario.
    #[must_use]
    pub fn name(self) -> &'static str {
        let entry = Self::ALL.iter().find(|(value, ..)| *value == self);
        entry.map_or("", |(_, name, _)| name)
    }

    /// Returns the unit of the value, or an empty string for names.
    #[must_use]
    pub const fn unit(self) -> &'static str {
        match self {
            Self::SwitchId | Self::IngressPort | Self::EgressPort => "",
            Self::HopLatency | Self::IngressTime | Self::EgressTime => "ns",
            Self::QueueLength => "bytes",
            Self::EgressUtilization => "thousandths",
        }
    }

    /// Returns whether it is a name, the same for all packets that take one path.
    #[must_use]
    pub const fn is_name(self) -> bool {
        matches!(self, Self::SwitchId | Self::IngressPort | Self::EgressPort)
    }

    /// The largest number that codes have to reach, where the user names none: about a millisecond
    /// at a hop, a second of age, 32 MiB, and 512 times the link.
    #[must_use]
    pub const fn usual_largest(self) -> f64 {
        match self {
            Self::SwitchId | Self::IngressPort | Self::EgressPort => 65_535.0,
            Self::HopLatency => 1_048_576.0,
            Self::IngressTime | Self::EgressTime => 1_073_741_824.0,
            Self::QueueLength => 33_554_432.0,
            Self::EgressUtilization => 512_000.0,
        }
    }

    /// The number for `packet`, which leaves by `hop`; `utilization` is that of the port, in
    /// thousandths.
    #[inline]
    #[must_use]
    pub fn measure<H>(self, packet: &Packet<H>, hop: &Hop, utilization: f64) -> f64 {
        match self {
            // Names are written by their numbers, never measured.
            Self::SwitchId => 0.0,
            Self::IngressPort => f64::from(hop.ingress.0),
            Self::EgressPort => f64::from(hop.port.0),
            Self::HopLatency => hop.now.since(hop.arrived).as_ps() as f64 / 1e3,
            Self::QueueLength => hop.queue.as_f64(),
            Self::EgressUtilization => utilization,
            Self::IngressTime => hop.arrived.since(packet.sent_at).as_ps() as f64 / 1e3,
            Self::EgressTime => hop.now.since(packet.sent_at).as_ps() as f64 / 1e3,
        }
    }
}

choices! {
    /// Aggregation of the values of hops and packets into a query result (PINT, section 3.1).
    pub enum Aggregation {
        /// The value of each hop of a flow, which is the same for all its packets.
        Static = "static" ("each hop's, the same for all packets; default for switch and ports"),
        /// Quantiles of each hop's values over the packets of a flow.
        Dynamic = "dynamic" ("quantiles of each hop; default for all else"),
        /// The largest value on the path of each packet.
        Max = "max" ("of the hops of a packet"),
        /// The smallest.
        Min = "min" ("of the hops of a packet"),
        /// Their sum.
        Sum = "sum" ("over the hops of a packet"),
    }
}

impl Aggregation {
    /// Returns whether it folds the hops of a packet into one number.
    #[must_use]
    pub const fn is_per_packet(self) -> bool {
        matches!(self, Self::Max | Self::Min | Self::Sum)
    }
}

choices! {
    /// Definition of the packets that a query treats as one flow.
    #[derive(Default, Hash)]
    pub enum FlowDefinition {
        /// Those of one transfer: equal addresses and ports.
        #[default]
        FiveTuple = "five-tuple" ("of one transfer"),
        /// Those from one host to another.
        Pair = "pair" ("of hosts"),
        /// Those to one receiving host.
        Destination = "destination",
    }
}
