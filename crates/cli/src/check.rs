//! `fabricsim check`.

use std::fmt::Write;
use std::process::ExitCode;

use fabricsim::utilization::ExpectedUtilization;
use fabricsim::{Error, Scenario, Simulation};
use fabricsim_scenario::kinds::Registry;
use fabricsim_scenario::scenario::size::memory;

use crate::args::CheckArgs;
use crate::console::{note, output};
use crate::load;

pub(crate) fn check(args: &CheckArgs, registry: &Registry) -> Result<ExitCode, Error> {
    let scenario = args.scenario.load(registry)?;
    let simulation = Simulation::new(&scenario, 1)?;
    let utilization = ExpectedUtilization::of(&scenario, &simulation);
    output(&describe(&scenario, &simulation, &utilization))?;
    if let Some(warning) = utilization.warning() {
        note!("warning: {warning}");
    }
    Ok(ExitCode::SUCCESS)
}

fn describe(
    scenario: &Scenario,
    simulation: &Simulation,
    utilization: &ExpectedUtilization,
) -> String {
    let facts = simulation.facts();
    let expected = simulation.expected();
    let mut text = String::new();
    let mut line = |name: &str, value: String| {
        writeln!(text, "{name:<16}{value}").expect("a string takes everything");
    };
    line("scenario", scenario.name().to_owned());
    line(
        "network",
        format!(
            "{} hosts, {} switches, {} links",
            facts.hosts, facts.switches, facts.links
        ),
    );
    line("NIC rate", facts.nic_rate.to_string());
    line(
        "largest RTT",
        format!(
            "{:.3} us (base, one-packet)",
            facts.extremes.base_rtt.as_secs_f64() * 1e6
        ),
    );
    line("largest BDP", format!("{} bytes", facts.extremes.bdp.get()));
    line(
        "longest path",
        format!("{} switches", facts.extremes.switches),
    );
    line(
        "telemetry",
        format!("{} bytes on each data packet", facts.telemetry_bytes),
    );
    line(
        "memory",
        format!(
            "about {} for the network and {} for each packet; {} when all links are full",
            memory(facts.memory.network),
            memory(facts.memory.packet),
            memory(facts.memory.full_links),
        ),
    );
    line("expected flows", format!("{:.0}", expected.flows));
    line("expected bytes", format!("{:.0}", expected.bytes));
    for (name, value) in load::lines(utilization) {
        line(name, value);
    }
    line("results in", scenario.output_dir().display().to_string());
    line("settings", String::new());
    let settings =
        serde_json::to_string_pretty(&scenario.resolved()).expect("settings are plain tables");
    text.push_str(&settings);
    text.push('\n');
    text
}
