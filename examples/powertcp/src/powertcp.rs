//! PowerTCP with in-band telemetry (Addanki, Michel and Schmid, NSDI 2022, algorithm 1).
//!
//! The power of a link is its current times its voltage. The current is the rate at which bytes
//! arrive at the link; the voltage is the number of bytes in its queue and on the path. Both are
//! computed from two consecutive entries of the telemetry. The window follows the power of the
//! busiest link, relative to the power of a full link without a queue.

use fabricsim_cli::fabricsim::cc::*;
use fabricsim_cli::fabricsim::checkpoint::Checkpointed;

/// The `[cc]` table.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(
    crate = "fabricsim_cli::fabricsim::serde",
    deny_unknown_fields,
    default
)]
pub struct PowerTcpConfig {
    /// Weight of a new window (gamma).
    gamma: f64,
    /// Expected number of flows at a NIC: each adds a share of the bandwidth-delay product (beta).
    flows: f64,
}

impl Default for PowerTcpConfig {
    fn default() -> Self {
        Self {
            gamma: 0.9,
            flows: 10.0,
        }
    }
}

impl CcConfig for PowerTcpConfig {
    const KEYS: Keys = &[
        Key::new(
            "gamma",
            "weight of a new window, 0 to 1 (default 0.9)",
            ValueKind::Number,
        ),
        Key::new(
            "flows",
            "flows that a NIC is expected to have (default 10)",
            ValueKind::Number,
        ),
    ];

    const TELEMETRY: Option<TelemetryId> = Some(INT);

    fn validate(&self) -> Result<(), ConfigError> {
        for (key, value, most) in [("gamma", self.gamma, 1.0), ("flows", self.flows, 1e6)] {
            if !(value > 0.0 && value <= most) {
                let message = format!("{value} is not above 0 and at most {most}");
                return Err(ConfigError::new(
                    key,
                    message,
                    "leave it out for the default",
                ));
            }
        }
        Ok(())
    }
}

impl ControllerFactory<TelemetryView> for PowerTcpConfig {
    type Controller = PowerTcp;

    fn build(&self, start: &FlowStart<'_>) -> PowerTcp {
        let window = start.bdp.as_f64();
        PowerTcp {
            gamma: self.gamma,
            beta: window / self.flows,
            tau: start.base_rtt.as_secs_f64(),
            line: start.line_rate,
            least: start.mtu.as_f64(),
            most: window,
            window,
            old_window: window,
            power: 1.0,
            round_end: 0,
            previous: IntView::default(),
        }
    }
}

/// PowerTCP for one flow. Windows are bytes, times seconds.
#[derive(Checkpointed, Debug)]
#[checkpoint(crate = fabricsim_cli::fabricsim)]
pub struct PowerTcp {
    #[checkpoint(rebuilt)]
    gamma: f64,
    #[checkpoint(rebuilt)]
    beta: f64,
    #[checkpoint(rebuilt)]
    tau: f64,
    #[checkpoint(rebuilt)]
    line: Rate,
    #[checkpoint(rebuilt)]
    least: f64,
    #[checkpoint(rebuilt)]
    most: f64,
    window: f64,
    /// The window one round trip ago, when the sender sent the packet acknowledged now.
    old_window: f64,
    /// The smoothed power.
    power: f64,
    #[checkpoint(sequence)]
    round_end: u64,
    previous: IntView,
}

/// Returns the power of a link relative to its base power, and the time over which it was measured;
/// `None` if no time has passed.
fn power(hop: &IntHop, before: &IntHop, tau: f64) -> Option<(f64, f64)> {
    let dt = hop.at.since(before.at).as_secs_f64();
    if dt <= 0.0 {
        return None;
    }
    let capacity = hop.rate.as_bps_f64() / 8.0;
    let growth = hop.queue.as_f64() - before.queue.as_f64();
    let current = (growth + hop.sent.since(before.sent).as_f64()) / dt;
    let voltage = hop.queue.as_f64() + capacity * tau;
    Some((current * voltage / (capacity * capacity * tau), dt))
}

impl PowerTcp {
    /// Averages the power of the busiest link over a round trip.
    fn observe(&mut self, seen: &IntView) {
        let hops = seen.hops.iter().zip(&self.previous.hops);
        let powers = hops.filter_map(|(hop, before)| power(hop, before, self.tau));
        let busiest = powers.max_by(|a, b| a.0.total_cmp(&b.0));
        if let Some((power, dt)) = busiest {
            let dt = dt.min(self.tau);
            self.power = (self.power * (self.tau - dt) + power * dt) / self.tau;
        }
    }

    fn update(&mut self) {
        // An idle path has no power; the bounds of the window then still apply.
        let target = self.old_window / self.power.max(1e-6) + self.beta;
        let window = self.gamma * target + (1.0 - self.gamma) * self.window;
        self.window = window.clamp(self.least, self.most);
    }
}

impl CongestionControl<TelemetryView> for PowerTcp {
    fn on_ack(&mut self, ack: &Ack<'_, TelemetryView>) {
        let Some(seen) = ack.telemetry.of::<IntView>() else {
            return;
        };
        // Entries of two paths cannot be compared.
        if self.round_end > 0 && seen.path == self.previous.path {
            self.observe(seen);
            self.update();
        }
        self.previous.clone_from(seen);
        if ack.cumulative > self.round_end {
            self.round_end = ack.next_seq;
            self.old_window = self.window;
        }
    }

    fn window(&self) -> Option<Bytes> {
        Some(Bytes::new(self.window as u64))
    }

    fn pacing_rate(&self) -> Option<Rate> {
        Some(Rate::from_bps_f64(self.window * 8.0 / self.tau).min(self.line))
    }

    fabricsim_cli::fabricsim::saves_state!();
}

#[cfg(test)]
mod tests;
