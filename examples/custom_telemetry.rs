//! Custom telemetry and an algorithm that reads it, without a fork:
//! `cargo run --release -p fabricsim --example custom_telemetry`.
//!
//! Switches record the longest time for which a packet has waited at one hop (the maximum hop delay
//! of CSIG, draft-ravi-ippm-csig), in a tag of four bytes, and senders keep it near a target. A
//! [`TelemetryKind`] defines the content of the tag and the work of a switch. The configuration of
//! the algorithm names the kind, which is all that a program must do.
//! `crates/transport/src/cc/csig.rs` is an example inside the workspace.

use fabricsim::cc::*;
use fabricsim::checkpoint::{Checkpointed, Stored};
use fabricsim::{Scenario, Simulation};

/// The telemetry: the longest wait of a packet.
#[derive(Debug)]
struct LongestWait;

/// The content of the tag, in nanoseconds.
#[derive(Clone, Copy, Debug, Default, Stored)]
#[checkpoint(crate = fabricsim)]
struct WaitTag(#[checkpoint(plain)] u32);

impl Header for WaitTag {}

impl From<u64> for WaitTag {
    fn from(bits: u64) -> Self {
        Self(u32::try_from(bits).expect("a tag of four bytes"))
    }
}

impl From<WaitTag> for u64 {
    fn from(tag: WaitTag) -> Self {
        Self::from(tag.0)
    }
}

impl TelemetryKind for LongestWait {
    const NAME: &'static str = "longest-wait";
    const WIRE_BYTES: u16 = 4;
    type Slot = WaitTag;
    type Switch = WaitSwitch;

    fn switch(_network: &CcContext, _node: NodeId, _rates: &[Rate]) -> WaitSwitch {
        WaitSwitch {}
    }
}

/// The state of a switch: none.
#[derive(Checkpointed, Clone, Debug)]
#[checkpoint(crate = fabricsim)]
struct WaitSwitch {}

impl Telemetry<WaitTag> for WaitSwitch {
    fn on_dequeue(&mut self, packet: &mut Packet<WaitTag>, hop: &Hop) {
        let waited = hop.now.since(hop.arrived).as_ns();
        let waited = u32::try_from(waited).unwrap_or(u32::MAX);
        packet.telemetry.0 = packet.telemetry.0.max(waited);
    }

    fn order(&self) -> PortOrder {
        PortOrder::Free
    }

    fabricsim::saves_state!();
}

/// The `[cc]` table: no keys.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(crate = "fabricsim::serde", deny_unknown_fields)]
struct LongestWaitConfig {}

impl CcConfig for LongestWaitConfig {
    const KEYS: Keys = &[];

    const TELEMETRY: Option<TelemetryId> = Some(TelemetryId::of::<LongestWait>());
}

impl ControllerFactory<TelemetryView> for LongestWaitConfig {
    type Controller = ShortWait;

    fn build(&self, start: &FlowStart<'_>) -> ShortWait {
        ShortWait {
            target: start.base_rtt.as_secs_f64() / 4.0,
            line: start.line_rate,
            rate: start.line_rate,
            window: start.bdp,
            round_ends: 0,
        }
    }
}

/// The controller of one flow.
#[derive(Checkpointed, Debug)]
#[checkpoint(crate = fabricsim)]
struct ShortWait {
    /// The target in seconds.
    #[checkpoint(rebuilt)]
    target: f64,
    #[checkpoint(rebuilt)]
    line: Rate,
    rate: Rate,
    #[checkpoint(rebuilt)]
    window: Bytes,
    #[checkpoint(sequence)]
    round_ends: u64,
}

impl CongestionControl<TelemetryView> for ShortWait {
    fn on_ack(&mut self, ack: &Ack<'_, TelemetryView>) {
        let Some(&WaitTag(ns)) = ack.telemetry.of::<WaitTag>() else {
            return;
        };
        if ack.cumulative < self.round_ends {
            return;
        }
        self.round_ends = ack.next_seq;
        let (waited, bps) = (f64::from(ns) * 1e-9, self.rate.as_bps_f64());
        let line = self.line.as_bps_f64();
        let bps = match waited <= self.target {
            true => bps * 1.05 + line * 1e-3,
            false => bps * (self.target / waited).max(0.5),
        };
        self.rate = Rate::from_bps_f64(bps.clamp(line * 1e-3, line));
    }

    fn window(&self) -> Option<Bytes> {
        Some(self.window)
    }

    fn pacing_rate(&self) -> Option<Rate> {
        Some(self.rate)
    }

    fabricsim::saves_state!();
}

const INCAST: &str = r#"
[topology]
kind = "star"
hosts = 17
[[workload]]
kind = "incast"
receiver = 16
fan_in = 16
size = "5MB"
at = "0s"
"#;

fn main() -> Result<(), fabricsim::Error> {
    let mut registry = CcRegistry::default();
    registry.register::<LongestWaitConfig>("longest-wait", "keeps the longest wait at a hop short");

    println!("algorithm        bytes of telemetry   last flow   mean queue, 0.5 to 5 ms");
    for cc in ["longest-wait", "csig", "none"] {
        let text = format!("{INCAST}\n[cc]\nkind = \"{cc}\"");
        let scenario = Scenario::from_toml_with(&text, &registry)?;
        let mut simulation = Simulation::new(&scenario, 2)?;
        let mut queued = 0;
        for step in 0..10 {
            let until = Time::ZERO + Duration::from_us(500) * (step + 1);
            simulation.run_until(until);
            queued += simulation.queued_bytes().get();
        }
        simulation.run_until(Time::ZERO + Duration::from_ms(1_000));
        let done = simulation.take_completions();
        let last = done.iter().map(|flow| flow.fct().as_secs_f64());
        println!(
            "{cc:<16} {:>18} {:>8.2} ms {:>17} bytes",
            simulation.network_info().telemetry_bytes,
            last.fold(0.0, f64::max) * 1e3,
            queued / 10,
        );
    }
    Ok(())
}
