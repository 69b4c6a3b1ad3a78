//! `fabricsim check`.

use std::fmt::Write;
use std::process::ExitCode;

use fabricsim::buffers::buffer_groups;
use fabricsim::oversubscription::oversubscription;
use fabricsim::pace::pace;
use fabricsim::utilization::ExpectedUtilization;
use fabricsim::warnings::{network_warnings, scenario_warnings};
use fabricsim::{Error, Scenario, Simulation};
use fabricsim_scenario::kinds::Registry;
use fabricsim_scenario::scenario::size::memory;

use serde_json::{Value, json};

use crate::check_buffers;
use crate::console::{note, output};
use crate::load;
use crate::scenario_args::ScenarioArgs;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  fabricsim check my.toml
  fabricsim check my.toml --set workload.0.load=0.7
  fabricsim check                                   the built-in scenario
  fabricsim check - < my.toml                       a scenario from the standard input
  fabricsim check my.toml --json | jq .bdp_bytes    for programs
  fabricsim check --set topology.delay=1500ns       headroom for cables of 300 m at 5 ns/m

check neither simulates nor writes files. Exit codes: 0 valid, 2 bad input.")]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    pub(crate) scenario: ScenarioArgs,

    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

pub(crate) fn check(args: &CheckArgs, registry: &Registry) -> Result<ExitCode, Error> {
    let scenario = args.scenario.load(registry)?;
    let simulation = Simulation::checked(&scenario)?;
    let utilization = ExpectedUtilization::of(&scenario, &simulation);
    match args.json {
        true => output(&format!(
            "{:#}\n",
            json(&scenario, &simulation, &utilization)
        ))?,
        false => output(&describe(&scenario, &simulation, &utilization))?,
    }
    if let Some(warning) = utilization.warning() {
        note!("warning: {warning}");
    }
    for warning in warnings(&scenario, &simulation) {
        note!("warning: {warning}");
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the warnings about `scenario`, without the one about expected utilization.
fn warnings(scenario: &Scenario, simulation: &Simulation) -> Vec<String> {
    let info = simulation.network_info();
    let mut warnings = scenario_warnings(scenario);
    warnings.extend(network_warnings(scenario, info));
    warnings.extend(info.memory.warning());
    warnings
}

/// Returns the collectives that NCCL's rules divide, each with the number of its workload.
fn nccl_choices(scenario: &Scenario) -> Vec<String> {
    let choices = (scenario.workloads().iter().enumerate()).filter_map(|(index, workload)| {
        let choice = workload.nccl_choice(&scenario.workload_context(index))?;
        Some(format!("workload {index}: {choice}"))
    });
    choices.collect()
}

/// Returns the output of `fabricsim check --json` for `scenario`.
///
/// # Errors
/// If the scenario needs a network or traffic that cannot be simulated.
pub fn facts(scenario: &Scenario) -> Result<Value, Error> {
    let simulation = Simulation::checked(scenario)?;
    let utilization = ExpectedUtilization::of(scenario, &simulation);
    Ok(json(scenario, &simulation, &utilization))
}

/// Returns the same facts as [`describe`], for programs.
fn json(scenario: &Scenario, simulation: &Simulation, utilization: &ExpectedUtilization) -> Value {
    let info = simulation.network_info();
    let expected = simulation.expected();
    json!({
        "name": scenario.name(),
        "dir": scenario.output_dir().display().to_string(),
        "hosts": info.hosts,
        "switches": info.switches,
        "links": info.links,
        "nic_rate_bps": info.nic_rate.as_bps(),
        "base_rtt_ns": info.path_stats.base_rtt.as_secs_f64() * 1e9,
        "bdp_bytes": info.path_stats.bdp.get(),
        "longest_path_switches": info.path_stats.switches,
        "telemetry_bytes": info.telemetry_bytes,
        "pace": pace(scenario, simulation),
        "network_memory_bytes": info.memory.network,
        "packet_memory_bytes": info.memory.packet,
        "full_links_memory_bytes": info.memory.full_links,
        "stall_after_ns": info.stall_after.as_secs_f64() * 1e9,
        "expected_flows": expected.flows,
        "expected_bytes": expected.bytes,
        "nccl_choices": nccl_choices(scenario),
        "buffers": buffer_groups(scenario),
        "oversubscription": oversubscription(scenario.topology()),
        "expected_utilization": utilization,
        "warning": utilization.warning(),
        "warnings": warnings(scenario, simulation),
        "scenario": scenario.resolved(),
    })
}

fn describe(
    scenario: &Scenario,
    simulation: &Simulation,
    utilization: &ExpectedUtilization,
) -> String {
    let info = simulation.network_info();
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
            info.hosts, info.switches, info.links
        ),
    );
    if let Some(tiers) = load::oversubscription(&oversubscription(scenario.topology())) {
        line("tiers", format!("{tiers} (rates down over rates up)"));
    }
    line("NIC rate", info.nic_rate.to_string());
    line(
        "largest RTT",
        format!(
            "{:.3} us (base, one-packet)",
            info.path_stats.base_rtt.as_secs_f64() * 1e6
        ),
    );
    line(
        "largest BDP",
        format!("{} bytes", info.path_stats.bdp.get()),
    );
    line(
        "longest path",
        format!("{} switches", info.path_stats.switches),
    );
    line(
        "telemetry",
        format!("{} bytes on each data packet", info.telemetry_bytes),
    );
    line("switch order", pace(scenario, simulation));
    line(
        "memory",
        format!(
            "about {} for the network and {} for each packet; {} when all links are full",
            memory(info.memory.network),
            memory(info.memory.packet),
            memory(info.memory.full_links),
        ),
    );
    line(
        "gives up after",
        format!(
            "{:.3} s without an acknowledged byte",
            info.stall_after.as_secs_f64()
        ),
    );
    for choice in nccl_choices(scenario) {
        line("NCCL's choice", choice);
    }
    line("expected flows", format!("{:.0}", expected.flows));
    line("expected bytes", format!("{:.0}", expected.bytes));
    for (name, value) in load::lines(utilization) {
        line(name, value);
    }
    line("results in", scenario.output_dir().display().to_string());
    check_buffers::describe(&mut text, &buffer_groups(scenario));
    writeln!(text, "settings").expect("a string takes everything");
    let settings =
        serde_json::to_string_pretty(&scenario.resolved()).expect("settings are plain tables");
    text.push_str(&settings);
    text.push('\n');
    text
}
