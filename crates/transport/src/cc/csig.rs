//! Congestion signaling (CSIG: draft-ravi-ippm-csig, 2024): a tag of four bytes with the minimum
//! available bandwidth on the path, and an algorithm that follows it.
//!
//! The draft defines the tag and leaves the reaction to senders. The rule here is our own. If more
//! bandwidth than a headroom is free, the rate grows in proportion to the excess. If part of the
//! headroom is missing, the rate falls in proportion to that part. If nothing is free, it falls
//! steeply. The rate changes once in two round trips, because a tag describes an interval that
//! ended before the packet passed.
//!
//! Differs from the draft: the tag contains only a value in Mbps, without a signal type or the
//! location of the bottleneck.

use fabricsim_base::checkpoint::{Checkpointed, Stored};
use fabricsim_base::id::NodeId;
use fabricsim_base::input::{ConfigError, Keys};
use fabricsim_base::settings;
use fabricsim_base::units::{Bytes, Duration, Rate, Time};
use fabricsim_core::packet::{Header, Packet};
use fabricsim_core::plugin::{
    Ack, CcConfig, CcContext, CongestionControl, ControllerFactory, FlowStart, Hop, PortOrder,
    Quirks, Telemetry, TelemetryId, TelemetryKind, TelemetryView, default_min_rate,
};

use super::paced_rate::{PacedRate, WindowKeys, share_of};

/// The telemetry of CSIG.
#[derive(Debug)]
pub struct Csig;

/// Content of the tag: the minimum available bandwidth so far in Mbps, plus one; 0 before the first
/// switch.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, Stored)]
#[checkpoint(absolute)]
pub struct CsigTag(u32);

impl Header for CsigTag {}

impl From<u64> for CsigTag {
    fn from(bits: u64) -> Self {
        Self(u32::try_from(bits).expect("a tag of four bytes"))
    }
}

impl From<CsigTag> for u64 {
    fn from(tag: CsigTag) -> Self {
        Self::from(tag.0)
    }
}

impl CsigTag {
    /// Returns the minimum available bandwidth over the ports on the path in Mbps, or `None` before
    /// the first switch.
    #[must_use]
    pub fn available(self) -> Option<u32> {
        self.0.checked_sub(1)
    }

    /// Compare and replace: lowers the value if the port has only `mbps` available.
    fn lower_to(&mut self, mbps: u32) {
        let least = self.available().unwrap_or(u32::MAX - 1).min(mbps);
        self.0 = least + 1;
    }
}

impl TelemetryKind for Csig {
    const NAME: &'static str = "csig";
    const WIRE_BYTES: u16 = 4;
    type Slot = CsigTag;
    type Switch = CsigSwitch;

    fn switch(network: &CcContext, _node: NodeId, rates: &[Rate]) -> CsigSwitch {
        CsigSwitch {
            interval: network.base_rtt.max(Duration::from_us(1)),
            ports: rates
                .iter()
                .map(|&rate| Port::new(rate, Time::ZERO, Bytes::ZERO, 0.0))
                .collect(),
        }
    }
}

/// CSIG at one switch: the bandwidth that each port had available in the last interval of about one
/// round-trip time.
#[derive(Checkpointed, Clone, Debug)]
#[checkpoint(absolute)]
pub struct CsigSwitch {
    #[checkpoint(rebuilt)]
    interval: Duration,
    ports: Vec<Port>,
}

/// A port since the beginning of the interval.
#[derive(Clone, Copy, Debug, Stored)]
#[checkpoint(absolute)]
struct Port {
    since: Time,
    /// Bytes that the port had sent at the beginning of the interval.
    sent: Bytes,
    /// Available bandwidth in the previous interval, in Mbps.
    available: u32,
}

impl Port {
    /// Returns a port of `rate` at `since` that has sent `sent` bytes in total and `used` bytes per
    /// second in the previous interval.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "`as` saturates: a port that has sent more than its rate has nothing free"
    )]
    fn new(rate: Rate, since: Time, sent: Bytes, used: f64) -> Self {
        let free = rate.as_bps_f64() - used * 8.0;
        Self {
            since,
            sent,
            available: (free / 1e6).round() as u32,
        }
    }
}

impl Telemetry<CsigTag> for CsigSwitch {
    fn on_dequeue(&mut self, packet: &mut Packet<CsigTag>, hop: &Hop) {
        let port = &mut self.ports[hop.port.index()];
        let elapsed = hop.now.since(port.since);
        if elapsed >= self.interval {
            let used = (hop.sent - port.sent).as_f64() / elapsed.as_secs_f64();
            *port = Port::new(hop.rate, hop.now, hop.sent, used);
        }
        packet.telemetry.lower_to(port.available);
    }

    fn order(&self) -> PortOrder {
        PortOrder::Free
    }

    fabricsim_base::saves_state!();
}

settings! {
    /// The `[cc]` table of `kind = "csig"`.
    pub struct CsigConfig {
        /// Share of the NIC's rate that the busiest link keeps free.
        #[range(above 0.0, to 0.5)]
        #[refused(
            "a headroom of {value} is not between 0 and 0.5",
            "give a share of the NIC's rate, such as 0.05"
        )]
        pub headroom: f64 = 0.05,
        /// Growth of the rate at a change, for each share of the NIC's rate that is free beyond the
        /// headroom.
        #[range(from 0.0, to 1.0)]
        #[refused("a gain of {value} is not between 0 and 1", "give a number such as 0.5")]
        pub gain: f64 = 0.5,
        /// Decrease of the rate at a change when nothing is free.
        #[range(above 0.0, to 1.0)]
        #[refused("a decrease of {value} is not between 0 and 1", "give a number such as 0.2")]
        pub decrease: f64 = 0.2,
        /// Added at a change when bandwidth is free beyond the headroom.
        #[note("(default \"100Mbps\" for each 100 Gbps of NIC rate)")]
        pub additive_increase: Option<Rate> = none,
        /// Lowest rate.
        #[note("(default \"1Gbps\", at most a hundredth of the NIC rate); flows that do not fit a link at that rate queue up")]
        pub min_rate: Option<Rate> = none,
    }
}

impl CsigConfig {
    fn additive_increase(&self, nic_rate: Rate) -> Rate {
        let share = || share_of(nic_rate, 1e-3);
        self.additive_increase.unwrap_or_else(share)
    }

    fn min_rate(&self, nic_rate: Rate, quirks: &Quirks) -> Rate {
        let least = || default_min_rate(nic_rate, quirks);
        self.min_rate.unwrap_or_else(least)
    }
}

impl CcConfig for CsigConfig {
    const KEYS: Keys = Self::KEYS;

    const TELEMETRY: Option<TelemetryId> = Some(TelemetryId::of::<Csig>());

    fn validate(&self) -> Result<(), ConfigError> {
        self.validate_ranges()
    }

    fn resolved(&self, network: &CcContext) -> Self {
        let nic_rate = network.nic_rate;
        Self {
            additive_increase: Some(self.additive_increase(nic_rate)),
            min_rate: Some(self.min_rate(nic_rate, &network.quirks)),
            ..self.clone()
        }
    }

    fn lowest_rate(&self) -> Option<Rate> {
        self.min_rate
    }
}

impl ControllerFactory<TelemetryView> for CsigConfig {
    type Controller = CsigFlow;

    fn build(&self, start: &FlowStart<'_>) -> CsigFlow {
        let nic_rate = start.default_nic_rate();
        let line = start.line_rate.as_bps_f64();
        let keys = WindowKeys {
            window: true,
            fixed_window: false,
        };
        CsigFlow {
            line,
            headroom: line * self.headroom,
            gain: self.gain,
            decrease: self.decrease,
            increase: self.additive_increase(nic_rate).as_bps_f64(),
            least: self
                .min_rate(nic_rate, &start.network.quirks)
                .as_bps_f64()
                .min(line),
            rate: PacedRate::new(start, keys),
            round_ends: 0,
            is_settled: false,
        }
    }
}

/// CSIG for one flow. Rates are in bit/s.
#[derive(Checkpointed, Clone, Debug)]
#[checkpoint(absolute)]
pub struct CsigFlow {
    #[checkpoint(rebuilt)]
    line: f64,
    #[checkpoint(rebuilt)]
    headroom: f64,
    #[checkpoint(rebuilt)]
    gain: f64,
    #[checkpoint(rebuilt)]
    decrease: f64,
    #[checkpoint(rebuilt)]
    increase: f64,
    #[checkpoint(rebuilt)]
    least: f64,
    rate: PacedRate,
    /// The byte that ends the current round trip, or 0 before the first acknowledgement.
    round_ends: u64,
    /// `true` if a whole round trip has passed since the rate changed.
    is_settled: bool,
}

impl CsigFlow {
    /// Returns the new rate if the busiest link has `available` bandwidth.
    fn followed(&self, available: f64) -> f64 {
        let rate = self.rate.bps();
        if available <= 0.0 {
            return rate * (1.0 - self.decrease);
        }
        let spare = available - self.headroom;
        let increase = if spare >= 0.0 { self.increase } else { 0.0 };
        rate * (1.0 + self.gain * spare / self.line) + increase
    }
}

impl CongestionControl<TelemetryView> for CsigFlow {
    fn on_ack(&mut self, ack: &Ack<'_, TelemetryView>) {
        if ack.cumulative < self.round_ends {
            return;
        }
        let tag = ack.telemetry.of::<CsigTag>();
        let Some(available) = tag.and_then(|tag| tag.available()) else {
            return;
        };
        if self.is_settled {
            let rate = self.followed(f64::from(available) * 1e6);
            self.rate.set(rate.max(self.least));
        }
        self.is_settled = !self.is_settled;
        self.round_ends = ack.next_seq;
    }

    fn window(&self) -> Option<Bytes> {
        self.rate.window()
    }

    fn pacing_rate(&self) -> Option<Rate> {
        Some(self.rate.rate())
    }

    fabricsim_base::saves_state!();
}

#[cfg(test)]
mod tests {
    use fabricsim_base::flow::FlowKey;
    use fabricsim_base::id::{FlowId, PortId};
    use fabricsim_base::priority::Priority;
    use fabricsim_core::packet::PacketKind;

    use super::*;

    const LINE: Rate = Rate::from_gbps(100);
    const T: Duration = Duration::from_us(10);

    fn network() -> CcContext {
        CcContext {
            base_rtt: T,
            ..CcContext::of_nics(LINE)
        }
    }

    /// Lets a packet of 1,000 bytes leave each switch every `periods` nanoseconds for 100 us, and
    /// returns the tag of the last one.
    fn least_available(periods: &[u64]) -> Option<u32> {
        let key = FlowKey {
            src: NodeId(0),
            dst: NodeId(1),
            src_port: 1,
            dst_port: 2,
        };
        let mut last = Packet::<CsigTag>::new(PacketKind::Data, Priority::new(3), key, FlowId(0));
        for &period in periods {
            let mut switch = Csig::switch(&network(), NodeId(7), &[LINE]);
            for number in 0..100_000 / period {
                let mut packet = last;
                let now = Time::from_ns(number * period);
                let hop = Hop {
                    now,
                    arrived: now,
                    ingress: PortId(1),
                    port: PortId(0),
                    rate: LINE,
                    queue: Bytes::ZERO,
                    sent: Bytes::new(number * 1_000),
                };
                switch.on_dequeue(&mut packet, &hop);
                if number + 1 == 100_000 / period {
                    last = packet;
                }
            }
        }
        last.telemetry.available()
    }

    #[test]
    fn the_tag_tells_of_the_busiest_link_of_the_path() {
        assert_eq!(least_available(&[]), None);
        // 1,000 bytes in 200, 100 and 400 ns are 40, 80 and 20 Gbps.
        assert_eq!(least_available(&[200]), Some(60_000));
        assert_eq!(least_available(&[200, 100, 400]), Some(20_000));
        // A full link has no bandwidth available.
        assert_eq!(least_available(&[400, 80]), Some(0));
    }

    /// Returns the rate in Gbps after two round trips with `gbps` available, from 50 Gbps.
    fn after(gbps: u32) -> f64 {
        let network = network();
        let start = FlowStart::new(LINE, T, Bytes::new(1_000), &network);
        let mut flow = CsigConfig::default().build(&start);
        flow.rate.set(50e9);
        let mut view = TelemetryView::default();
        let mut tag = CsigTag::default();
        tag.lower_to(gbps * 1_000);
        view.set(tag);
        for (cumulative, next) in [(1_000, 9_000), (8_000, 17_000), (9_000, 18_000)] {
            let ack = Ack::new(Time::ZERO, cumulative, next, T, &view);
            flow.on_ack(&ack);
        }
        flow.rate.bps() / 1e9
    }

    #[test]
    fn the_rate_follows_what_is_free_beyond_the_headroom() {
        // The headroom is 5 Gbps. With 45 Gbps beyond it: 50 (1 + 0.5 0.45) + 0.1.
        assert!((after(50) - 61.35).abs() < 1e-6);
        assert!((after(5) - 50.1).abs() < 1e-6);
        // 2 Gbps of the headroom are missing: 50 (1 - 0.5 0.02).
        assert!((after(3) - 49.5).abs() < 1e-6);
        assert!((after(0) - 40.0).abs() < 1e-6);
    }
}
