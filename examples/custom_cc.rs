//! A custom congestion-control algorithm without a fork:
//! `cargo run --release -p fabricsim --example custom_cc`.
//!
//! The algorithm keeps the round-trip time near a target (the idea of Swift, SIGCOMM 2020). If it
//! is below the target, the rate increases by a step. If it is above, the rate decreases in
//! proportion to the excess delay, at most once per round trip. A configuration ([`CcConfig`]) is
//! the factory of controllers ([`CongestionControl`]), and one call of `register` gives it a name.
//! `examples/powertcp` is an algorithm that reads telemetry, in its own command.

use fabricsim::cc::*;
use fabricsim::checkpoint::Checkpointed;
use fabricsim::{Scenario, Simulation};

/// The `[cc]` table.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(crate = "fabricsim::serde", deny_unknown_fields, default)]
struct TargetDelayConfig {
    /// The round-trip time to keep, as a multiple of the base round-trip time.
    target: f64,
    /// The increase per round trip below the target.
    step: Rate,
    /// The largest relative decrease at once.
    max_decrease: f64,
}

impl Default for TargetDelayConfig {
    fn default() -> Self {
        Self {
            target: 1.25,
            step: Rate::from_mbps(500),
            max_decrease: 0.5,
        }
    }
}

impl CcConfig for TargetDelayConfig {
    const KEYS: Keys = &[
        Key::new(
            "target",
            "round-trip time to keep, in base RTTs (default 1.25)",
            ValueKind::Number,
        ),
        Key::new(
            "step",
            "added once per round trip below it (default \"500Mbps\")",
            ValueKind::RATE,
        ),
        Key::new(
            "max_decrease",
            "largest share to lose at once (default 0.5)",
            ValueKind::Number,
        ),
    ];

    fn validate(&self) -> Result<(), ConfigError> {
        if self.target > 1.0 {
            return Ok(());
        }
        let message = format!(
            "no packet is faster than the base RTT, and {} is below it",
            self.target
        );
        Err(ConfigError::new(
            "target",
            message,
            "give a number above 1, such as 1.25",
        ))
    }
}

impl<H> ControllerFactory<H> for TargetDelayConfig {
    type Controller = TargetDelay;

    fn build(&self, start: &FlowStart<'_>) -> TargetDelay {
        TargetDelay {
            target: start.base_rtt.as_secs_f64() * self.target,
            config: self.clone(),
            line: start.line_rate,
            rate: start.line_rate,
            window: start.bdp + start.bdp,
            may_change: Time::ZERO,
        }
    }
}

/// The controller of one flow. Checkpoints contain its changing fields.
#[derive(Checkpointed, Debug)]
#[checkpoint(crate = fabricsim)]
struct TargetDelay {
    #[checkpoint(rebuilt)]
    config: TargetDelayConfig,
    /// The target in seconds.
    #[checkpoint(rebuilt)]
    target: f64,
    #[checkpoint(rebuilt)]
    line: Rate,
    rate: Rate,
    #[checkpoint(rebuilt)]
    window: Bytes,
    /// The earliest time at which the rate may change again.
    may_change: Time,
}

impl TargetDelay {
    fn set(&mut self, bps: f64) {
        let lowest = self.line.as_bps_f64() / 1_000.0;
        self.rate = Rate::from_bps_f64(bps.max(lowest)).min(self.line);
    }
}

impl<H> CongestionControl<H> for TargetDelay {
    fn on_ack(&mut self, ack: &Ack<'_, H>) {
        let Some(rtt) = ack.rtt.filter(|_| ack.now >= self.may_change) else {
            return;
        };
        self.may_change = ack.now + rtt;
        let (rtt, bps) = (rtt.as_secs_f64(), self.rate.as_bps_f64());
        if rtt <= self.target {
            self.set(bps + self.config.step.as_bps_f64());
        } else {
            let excess = ((rtt - self.target) / rtt).min(self.config.max_decrease);
            self.set(bps * (1.0 - excess));
        }
    }

    fn on_congestion(&mut self, _: &Congestion) {
        self.set(self.rate.as_bps_f64() * (1.0 - self.config.max_decrease));
    }

    fn window(&self) -> Option<Bytes> {
        Some(self.window)
    }

    fn pacing_rate(&self) -> Option<Rate> {
        Some(self.rate)
    }

    fabricsim::saves_state!();
}

const NETWORK: &str = r#"
[topology]
kind = "leaf-spine"
leaves = 4
hosts_per_leaf = 8
spines = 4
[[workload]]
kind = "poisson"
sizes = "websearch"
load = 0.5
duration = "2ms"
"#;

fn main() -> Result<(), fabricsim::Error> {
    let mut registry = CcRegistry::default();
    registry
        .register::<TargetDelayConfig>("target-delay", "keeps the round-trip time near a target");

    println!("algorithm                flows   mean slowdown   worst   longest queue");
    for cc in [
        "kind = \"target-delay\"",
        "kind = \"target-delay\"\ntarget = 2.0",
        "kind = \"hpcc\"",
        "kind = \"dcqcn\"",
    ] {
        let scenario = Scenario::from_toml_with(&format!("{NETWORK}\n[cc]\n{cc}"), &registry)?;
        let mut simulation = Simulation::new(&scenario, 2)?;
        simulation.run_until(Time::ZERO + Duration::from_ms(1_000));
        let slowdowns: Vec<f64> = simulation
            .take_completions()
            .iter()
            .map(|done| simulation.record(done).slowdown())
            .collect();
        println!(
            "{:<18} {:>5} {:>15.2} {:>7.1} {:>9} bytes",
            cc.replace("kind = ", "").replace(['"', '\n'], " ").trim(),
            slowdowns.len(),
            slowdowns.iter().sum::<f64>() / slowdowns.len() as f64,
            slowdowns.iter().copied().fold(0.0, f64::max),
            simulation.counters().max_queue.get()
        );
    }
    Ok(())
}
