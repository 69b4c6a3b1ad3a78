//! How fast a flow may send.

use super::routing::PathStability;
use crate::flow::Flow;
use crate::packet::Header;
use crate::units::{Bytes, Duration, Rate, Time};

/// What an algorithm knows when a flow starts.
#[derive(Clone, Copy, Debug)]
pub struct FlowStart {
    /// The flow.
    pub flow: Flow,
    /// Now.
    pub now: Time,
    /// The rate of the flow's NIC port: where a flow starts.
    pub line_rate: Rate,
    /// The base round-trip time that the algorithm works with (`T` in the HPCC paper): the largest of all
    /// pairs, or the pair's own, as configured.
    pub base_rtt: Duration,
    /// The bandwidth-delay product that goes with it: what the NIC sends in `base_rtt` (`W_init =
    /// B_NIC x T` in the HPCC paper), in the published model what its script takes.
    pub bdp: Bytes,
    /// Payload bytes of a full packet.
    pub mtu: Bytes,
    /// Whether the packets of the flow stay on one path.
    pub paths: PathStability,
}

/// An acknowledgement, as the algorithm sees it.
#[derive(Clone, Copy, Debug)]
pub struct Ack<'a, H> {
    /// Now.
    pub now: Time,
    /// All bytes below this one have arrived.
    pub cumulative: u64,
    /// Bytes that this acknowledgement newly covers.
    pub newly_acked: Bytes,
    /// The next byte that the sender would send (`snd_nxt`).
    pub next_seq: u64,
    /// From the sending of the packet that caused this acknowledgement until now.
    pub rtt: Duration,
    /// The packet that caused this acknowledgement had met congestion (its CE mark is echoed).
    pub congestion: bool,
    /// The telemetry of that packet.
    pub telemetry: &'a H,
}

/// Why a sender believes that packets are lost.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum LossKind {
    /// The receiver reported a gap.
    Gap,
    /// Nothing was acknowledged for a retransmission timeout.
    Timeout,
}

/// A loss, as the algorithm sees it.
#[derive(Clone, Copy, Debug)]
pub struct Loss {
    /// Now.
    pub now: Time,
    /// How it was noticed.
    pub kind: LossKind,
    /// The next byte that the sender would have sent.
    pub next_seq: u64,
}

/// A congestion-control algorithm: one value for each live flow.
pub trait CongestionControl<H: Header>: Send + std::fmt::Debug {
    /// Called for each data packet just before it leaves: prepares its empty telemetry header, and
    /// answers how many bytes that takes on the wire. The answer to the packet echoes them.
    fn prepare(&mut self, _header: &mut H) -> u16 {
        0
    }

    /// Called for each data packet of `wire` bytes that has left, after it was timed: a rate that
    /// changes here holds from the next packet on.
    fn on_sent(&mut self, _wire: Bytes) {}

    /// Called for each acknowledgement that reaches the sender.
    fn on_ack(&mut self, ack: &Ack<'_, H>);

    /// The most bytes that may be in flight, or `None` without a window. It is checked before a
    /// packet is sent, so that the last one may overshoot.
    fn window(&self) -> Option<Bytes>;

    /// The rate at which packets are spaced, or `None` to send whenever the port is free.
    fn pacing_rate(&self) -> Option<Rate>;

    /// Whether the last acknowledgement re-timed the packet that waits for its pacing: it then
    /// leaves when it would have if the packet before it had left at the new rate. Without this a
    /// new rate holds from the next packet on.
    fn retimes(&self) -> bool {
        true
    }

    /// Called when the sender goes back because of a loss. Where losses are repaired selectively:
    /// when an episode of recovery begins, and at each timeout.
    fn on_loss(&mut self, _loss: &Loss) {}

    /// When [`Self::on_timer`] wants to be called; [`Time::MAX`] for never.
    fn deadline(&self) -> Time {
        Time::MAX
    }

    /// Called when `deadline` has come.
    fn on_timer(&mut self, _now: Time) {}
}

/// Makes the algorithm of each flow: the configuration is the factory.
pub trait ControllerFactory<H: Header>: Send + Sync + std::fmt::Debug {
    /// The algorithm that is made.
    type Controller: CongestionControl<H>;

    /// The algorithm of a flow that starts now.
    fn build(&self, start: &FlowStart) -> Self::Controller;
}

/// How closely a model follows the published simulator where that rounds, truncates or quantizes.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Fidelity {
    /// Exact arithmetic and full-width fields.
    #[default]
    Exact,
    /// The published simulator's widths, units and truncations.
    Published,
}

/// What an algorithm's configuration may need to know of the network.
#[derive(Clone, Debug)]
pub struct CcContext<'a> {
    /// The rate of the hosts' NICs (the most common one).
    pub nic_rate: Rate,
    /// The distinct rates of all links, ascending.
    pub link_rates: &'a [Rate],
    /// The largest base round-trip time of all pairs of hosts.
    pub base_rtt: Duration,
    /// The most switches on a path between two hosts.
    pub longest_path: u16,
    /// Seed of the run, for algorithms that draw.
    pub seed: u64,
    /// Whose arithmetic to use.
    pub fidelity: Fidelity,
}

/// When a switch port marks packets: never up to `kmin` bytes, with a probability that grows
/// linearly to `pmax` at `kmax`, always above.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MarkingThresholds {
    /// Bytes up to which nothing is marked.
    pub kmin: Bytes,
    /// Bytes above which everything is marked.
    pub kmax: Bytes,
    /// Probability of a mark at `kmax`, 0 to 1.
    pub pmax: f64,
}

/// `full x rate / line_rate`, rounded down, at least one byte: the window of an algorithm that keeps a rate
/// and lets its window shrink with it.
#[inline]
#[must_use]
pub fn scaled_window(full: Bytes, rate: Rate, line_rate: Rate) -> Bytes {
    let scaled = match full.get().checked_mul(rate.as_bps()) {
        Some(product) => product / line_rate.as_bps(),
        None => {
            let wide =
                u128::from(full.get()) * u128::from(rate.as_bps()) / u128::from(line_rate.as_bps());
            u64::try_from(wide).unwrap_or(u64::MAX)
        }
    };
    Bytes::new(scaled.max(1))
}

/// The lowest rate of an algorithm that sets none, on NICs of `nic_rate`: 1 Gbps as in the published
/// script, by default at most a hundredth of the NIC rate.
#[must_use]
pub fn default_min_rate(nic_rate: Rate, fidelity: Fidelity) -> Rate {
    let published = Rate::from_gbps(1);
    match fidelity {
        Fidelity::Exact => published.min(Rate::from_bps_f64(nic_rate.as_bps_f64() / 100.0)),
        Fidelity::Published => published,
    }
}

/// The configuration of an algorithm: one table of a scenario, and the way to its factory.
pub trait CcConfig: Clone + std::fmt::Debug {
    /// The keys of the table, each with what it means.
    const KEYS: &'static [(&'static str, &'static str)];

    /// Makes the algorithms of this configuration.
    type Factory;

    /// Refuses values without a meaning.
    ///
    /// # Errors
    /// Names the key, what is wrong and what would be right.
    fn validate(&self) -> Result<(), crate::input::ConfigError>;

    /// The configuration with every default filled in that depends on the network.
    #[must_use]
    fn resolved(&self, _context: &CcContext<'_>) -> Self {
        self.clone()
    }

    /// The factory of the algorithms.
    fn factory(&self, context: &CcContext<'_>) -> Self::Factory;

    /// Bytes of telemetry that a full data packet takes on the wire, for reports.
    fn telemetry_bytes(&self, _context: &CcContext<'_>) -> u16 {
        0
    }

    /// The marks that the algorithm wants from switch ports at NIC rate, in proportion at others, unless
    /// the user sets other ones; `None` when it does not read marks.
    fn marking(&self, _nic_rate: Rate) -> Option<MarkingThresholds> {
        None
    }

    /// The lowest rate that the user has set; above the NICs' rate it would leave no control.
    fn lowest_rate(&self) -> Option<Rate> {
        None
    }

    /// Whether the published script lets answers leave a host while its data is paused when it runs
    /// this algorithm ("ack high prio").
    fn ack_high_priority(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_the_rate_is_half_the_window() {
        let full = Bytes::new(153_000);
        let line = Rate::from_gbps(100);
        assert_eq!(scaled_window(full, line, line), full);
        assert_eq!(
            scaled_window(full, Rate::from_gbps(50), line),
            Bytes::new(76_500)
        );
        assert_eq!(
            scaled_window(Bytes::new(3), Rate::from_mbps(1), line),
            Bytes::new(1)
        );
        let huge = Bytes::new(1 << 40);
        assert_eq!(
            scaled_window(huge, Rate::from_gbps(800), Rate::from_gbps(1600)).get(),
            1 << 39
        );
    }
}
