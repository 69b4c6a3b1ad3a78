//! Values that switches can report, and their aggregation.

use fabricsim_base::choices;
use fabricsim_core::packet::Packet;
use fabricsim_core::plugin::Hop;

choices! {
    /// A value that a switch knows when a packet leaves it (PINT, section 3.1: the metadata of
    /// in-band network telemetry).
    pub enum Value {
        /// Number of the switch.
        SwitchId = "switch-id",
        /// Ingress port of the packet.
        IngressPort = "ingress-port",
        /// Egress port of the packet.
        EgressPort = "egress-port",
        /// Time from the arrival of the packet's last byte at the switch until the packet leaves
        /// its queue, in ns.
        HopLatency = "hop-latency" ("ns"),
        /// Bytes of all priorities that are queued at the egress port after the packet has left.
        QueueLength = "queue-length" ("bytes"),
        /// Utilization of the egress link in thousandths: U of HPCC-PINT, which includes the queue
        /// and can exceed 1,000.
        EgressUtilization = "egress-utilization" ("thousandths"),
        /// Time from the packet's departure at its host until its arrival at the switch, in ns.
        IngressTime = "ingress-time" ("age of the packet, ns"),
        /// Time from the packet's departure at its host until it leaves its queue at the switch, in
        /// ns.
        EgressTime = "egress-time" ("age of the packet, ns"),
    }
}

impl Value {
    /// All values, each with its name and meaning.
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

    /// Returns the name in a scenario.
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

    /// Returns `true` if the value is a name, which is the same for all packets on one path.
    #[must_use]
    pub const fn is_name(self) -> bool {
        matches!(self, Self::SwitchId | Self::IngressPort | Self::EgressPort)
    }

    /// Returns the default of the largest number that codes represent: about one millisecond at a
    /// hop, one second of age, 32 MiB, and 512 times the link rate.
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

    /// Returns the value for `packet`, which leaves at `hop`. `utilization` is the utilization of
    /// the port, in thousandths.
    #[inline]
    #[must_use]
    pub fn measure<H>(self, packet: &Packet<H>, hop: &Hop, utilization: f64) -> f64 {
        match self {
            // The static encoder writes switch numbers directly; they are never measured.
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
        /// The smallest value on the path of each packet.
        Min = "min" ("of the hops of a packet"),
        /// The sum of the values on the path of each packet.
        Sum = "sum" ("over the hops of a packet"),
    }
}

impl Aggregation {
    /// Returns `true` if it reduces the hops of a packet to one number.
    #[must_use]
    pub const fn is_per_packet(self) -> bool {
        matches!(self, Self::Max | Self::Min | Self::Sum)
    }
}

choices! {
    /// Definition of the packets that a query treats as one flow.
    #[derive(Default, Hash)]
    pub enum FlowDefinition {
        /// Packets of one transfer: equal addresses and ports.
        #[default]
        FiveTuple = "five-tuple" ("of one transfer"),
        /// Packets from one host to another.
        Pair = "pair" ("of hosts"),
        /// Packets to one receiving host.
        Destination = "destination",
    }
}
