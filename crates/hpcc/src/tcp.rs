//! HPCC inside TCP (Miao et al., "Buffer sizing with HPCC", BS 2019): segments carry no telemetry;
//! one probe per round trip does.
//!
//! The source says about the sender only that it sends such a probe, that acknowledgements are
//! delayed, and that segments leave in bursts. The rule is the window form of HPCC (HPCC paper,
//! section 3.3). There is one sample per round trip, over about T, so U equals the latest sample.

mod config;

use fabricsim_base::checkpoint::Checkpointed;
use fabricsim_base::units::{Bytes, Rate};
use fabricsim_core::plugin::{
    Ack, Congestion, CongestionControl, ControllerFactory, FlowStart, Probes, ReturnedProbe,
    Signal, TelemetryView, default_min_rate,
};

pub use config::{OnLoss, Pacing, TcpHpccConfig};

use crate::config::int_bytes;
use crate::control::Control;
use crate::rate_rule::RateRule;
use crate::round::Round;
use crate::view::{IntHop, IntView};

/// HPCC for one TCP connection.
///
/// The rule computes windows in bytes on the wire, like the telemetry. The sender's window is the
/// largest number of whole segments that fit, but at least [`TcpHpccConfig::min_window`].
#[derive(Checkpointed, Clone, Debug)]
#[checkpoint(absolute)]
pub struct TcpHpcc {
    #[checkpoint(rebuilt)]
    rule: RateRule,
    /// Base round-trip time (T), in nanoseconds.
    #[checkpoint(rebuilt)]
    base_rtt_ns: f64,
    /// Bytes on the wire of a full segment; `mss` is its payload.
    #[checkpoint(rebuilt)]
    packet: f64,
    #[checkpoint(rebuilt)]
    mss: u64,
    #[checkpoint(rebuilt)]
    min_window: u32,
    #[checkpoint(rebuilt)]
    pacing: Pacing,
    #[checkpoint(rebuilt)]
    on_loss: OnLoss,
    #[checkpoint(rebuilt)]
    probes: Probes,
    control: Control,
    /// W / T, in bit/s on the wire.
    rate: f64,
    /// Telemetry of the last probe.
    previous: IntView,
    /// The `snd_nxt` at the last commit of the reference, or 0 before the first probe.
    last_update_seq: u64,
}

impl ControllerFactory<TelemetryView> for TcpHpccConfig {
    type Controller = TcpHpcc;

    fn build(&self, start: &FlowStart<'_>) -> TcpHpcc {
        TcpHpcc::new(self, start)
    }
}

impl TcpHpcc {
    fn new(config: &TcpHpccConfig, start: &FlowStart<'_>) -> Self {
        let network = start.network;
        let nic_rate = start.default_nic_rate();
        let base_rtt = config.base_rtt.unwrap_or(start.base_rtt);
        let base_rtt_ns = base_rtt.as_ps() as f64 / 1_000.0;
        let packet = start.wire.as_f64();
        // If segments are paced, the rate may be lower than one smallest window per T, as at an
        // RDMA sender.
        let min_rate = match config.pacing {
            Pacing::Off => f64::from(config.min_window) * packet * 8e9 / base_rtt_ns,
            Pacing::On => default_min_rate(nic_rate, &network.quirks).as_bps_f64(),
        };
        let rule = RateRule {
            eta: config.eta,
            max_stage: config.max_stage,
            additive_increase: config.increase(nic_rate, &network.quirks).as_bps_f64(),
            min_rate,
            max_rate: start.line_rate.as_bps_f64().max(min_rate),
            unit: network.quirks.rates,
        };
        Self {
            rule,
            base_rtt_ns,
            packet,
            mss: start.mtu.get(),
            min_window: config.min_window,
            pacing: config.pacing,
            on_loss: config.on_loss,
            probes: Probes {
                form: config.probe,
                telemetry_bytes: int_bytes(network.longest_path),
            },
            control: Control::new(rule.max_rate),
            rate: rule.max_rate,
            previous: IntView::default(),
            last_update_seq: 0,
        }
    }

    /// Returns the utilization of the busiest link (U in the paper).
    #[must_use]
    pub const fn utilization(&self) -> f64 {
        self.control.utilization
    }

    /// Returns the utilization of a link (u_i in the paper) between the entries `before` and `hop`,
    /// and the nanoseconds over which it was measured.
    fn link_sample(&self, hop: &IntHop, before: &IntHop) -> (f64, f64) {
        let interval = hop.at.since(before.at).as_ps() as f64 / 1_000.0;
        let capacity = |ns: f64| hop.rate.as_bps_f64() * ns / 8e9;
        let queue = hop.queue.min(before.queue).as_f64();
        let sent = hop.sent.since(before.sent).as_f64();
        let load = sent / capacity(interval) + queue / capacity(self.base_rtt_ns);
        (load, interval)
    }

    /// Returns the sample of the busiest link on the path of `seen`, or `None` if there is nothing
    /// to compare with.
    fn sample(&self, seen: &IntView) -> Option<(f64, f64)> {
        let before = &self.previous;
        if before.path != seen.path || before.hops.len() != seen.hops.len() {
            return None;
        }
        let links = seen.hops.iter().zip(&before.hops);
        let links = links.filter(|(hop, before)| hop.at > before.at);
        let samples = links.map(|(hop, before)| self.link_sample(hop, before));
        samples.max_by(|a, b| a.0.total_cmp(&b.0))
    }

    /// Returns the window (W) in whole segments.
    fn segments(&self) -> u64 {
        let bytes = self.rate * self.base_rtt_ns / 8e9;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a positive number, at most the segments of a bandwidth-delay product"
        )]
        let whole = (bytes / self.packet) as u64;
        whole.max(u64::from(self.min_window))
    }
}

impl CongestionControl<TelemetryView> for TcpHpcc {
    fn on_ack(&mut self, _ack: &Ack<'_, TelemetryView>) {}

    fn probes(&self) -> Option<Probes> {
        Some(self.probes)
    }

    fn counts_sends(&self) -> bool {
        false
    }

    /// Updates the window. The reference changes only at a probe sent strictly after `snd_nxt`
    /// passed its value at the last change, because an earlier probe still measures the old window.
    fn on_probe(&mut self, probe: &ReturnedProbe<'_, TelemetryView>) {
        let round = Round::of(probe.sent_next, self.last_update_seq);
        let seen = probe.telemetry.of::<IntView>();
        if let Some((busiest, interval)) = seen.and_then(|seen| self.sample(seen)) {
            self.control.observe(busiest, interval, self.base_rtt_ns);
            let (rate, stage) = self.control.step(&self.rule);
            if round == Round::New {
                (self.control.reference, self.control.stage) = (rate, stage);
            }
            self.rate = rate;
        }
        if let Some(seen) = seen {
            self.previous.clone_from(seen);
        }
        if round == Round::New {
            self.last_update_seq = self.last_update_seq.max(probe.next_seq);
        }
    }

    fn on_congestion(&mut self, congestion: &Congestion) {
        match (self.on_loss, congestion.signal) {
            (OnLoss::Halve, Signal::Loss | Signal::Timeout) => {
                let half = (self.control.reference / 2.0).max(self.rule.min_rate);
                self.control.reference = half;
                self.rate = half;
            }
            (OnLoss::Keep, _) | (OnLoss::Halve, Signal::Mark | Signal::RepeatedTimeout) => {}
        }
    }

    fn window(&self) -> Option<Bytes> {
        Some(Bytes::new(self.segments() * self.mss))
    }

    fn slow_start_threshold(&self) -> Option<Bytes> {
        CongestionControl::<TelemetryView>::window(self)
    }

    /// Returns the rate in payload bytes; W counts bytes on the wire.
    fn pacing_rate(&self) -> Option<Rate> {
        let payload = self.mss as f64 / self.packet;
        match self.pacing {
            Pacing::Off => None,
            Pacing::On => Some(Rate::from_bps_f64(self.rate * payload)),
        }
    }

    fabricsim_base::saves_state!();
}

#[cfg(test)]
mod tests;
