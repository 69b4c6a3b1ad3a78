//! A congestion-control algorithm of one's own, without a fork: `cargo run --release -p fabricsim --example custom_cc`.
//!
//! The algorithm keeps the round-trip time near a target (the idea of Swift, SIGCOMM 2020): below it the
//! rate grows by a step, above it the rate falls by how much the delay is too long, at most once per
//! round trip. Three things make it an algorithm that scenarios can name: its table ([`CcConfig`]), the
//! algorithm itself ([`CongestionControl`]), and one call of `register`.

use fabricsim::core::input::ConfigError;
use fabricsim::core::plugin::{
    Ack, CcConfig, CcContext, CongestionControl, ControllerFactory, FlowStart, Loss,
};
use fabricsim::core::units::{Bytes, Duration, Rate, Time};
use fabricsim::{Scenario, Simulation};
use fabricsim_scenario::cc::custom::CcRegistry;
use serde::{Deserialize, Serialize};

/// The `[cc]` table.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
struct TargetDelayConfig {
    /// The round-trip time to keep, as a multiple of the base round-trip time.
    target: f64,
    /// Added once per round trip below the target.
    step: Rate,
    /// The largest share by which the rate falls at once.
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
    const KEYS: &'static [(&'static str, &'static str)] = &[
        (
            "target",
            "round-trip time to keep, in base RTTs (default 1.25)",
        ),
        (
            "step",
            "added once per round trip below it (default \"500Mbps\")",
        ),
        (
            "max_decrease",
            "largest share to lose at once (default 0.5)",
        ),
    ];

    type Factory = Self;

    fn validate(&self) -> Result<(), ConfigError> {
        if self.target > 1.0 {
            return Ok(());
        }
        Err(ConfigError::new(
            "target",
            format!(
                "nothing is faster than the base round-trip time, and {} asks for it",
                self.target
            ),
            "give a number above 1, such as 1.25",
        ))
    }

    fn factory(&self, _context: &CcContext<'_>) -> Self {
        self.clone()
    }
}

impl ControllerFactory<()> for TargetDelayConfig {
    type Controller = TargetDelay;

    fn build(&self, start: &FlowStart) -> TargetDelay {
        TargetDelay {
            target: start.base_rtt.as_secs_f64() * self.target,
            step: self.step.as_bps_f64(),
            max_decrease: self.max_decrease,
            line: start.line_rate,
            rate: start.line_rate,
            window: start.bdp + start.bdp,
            may_fall: Time::ZERO,
        }
    }
}

/// The algorithm of one flow.
#[derive(Debug)]
struct TargetDelay {
    /// Seconds.
    target: f64,
    /// bit/s.
    step: f64,
    max_decrease: f64,
    line: Rate,
    rate: Rate,
    window: Bytes,
    /// The next time at which the rate may change.
    may_fall: Time,
}

impl TargetDelay {
    fn set(&mut self, bps: f64) {
        let lowest = self.line.as_bps_f64() / 1_000.0;
        self.rate = Rate::from_bps_f64(bps.max(lowest)).min(self.line);
    }
}

impl CongestionControl<()> for TargetDelay {
    fn on_ack(&mut self, ack: &Ack<'_, ()>) {
        if ack.now < self.may_fall {
            return;
        }
        self.may_fall = ack.now + ack.rtt;
        let (rtt, bps) = (ack.rtt.as_secs_f64(), self.rate.as_bps_f64());
        if rtt <= self.target {
            self.set(bps + self.step);
        } else {
            let excess = ((rtt - self.target) / rtt).min(self.max_decrease);
            self.set(bps * (1.0 - excess));
        }
    }

    fn on_loss(&mut self, _loss: &Loss) {
        self.set(self.rate.as_bps_f64() * (1.0 - self.max_decrease));
    }

    fn window(&self) -> Option<Bytes> {
        Some(self.window)
    }

    fn pacing_rate(&self) -> Option<Rate> {
        Some(self.rate)
    }
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
    let mut factory = CcRegistry::default();
    factory
        .register::<TargetDelayConfig>("target-delay", "keeps the round-trip time near a target");

    println!("algorithm                flows   mean slowdown   worst   longest queue");
    for cc in [
        "kind = \"target-delay\"",
        "kind = \"target-delay\"\ntarget = 2.0",
        "kind = \"hpcc\"",
        "kind = \"dcqcn\"",
    ] {
        let scenario = Scenario::from_toml_with(&format!("{NETWORK}\n[cc]\n{cc}"), &factory)?;
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
            simulation.counters().max_queue
        );
    }
    Ok(())
}
