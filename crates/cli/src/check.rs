//! `fabricsim check`.

use std::process::ExitCode;

use fabricsim::{Error, Simulation};

use crate::args::ScenarioArgs;

pub(crate) fn check(args: &ScenarioArgs) -> Result<ExitCode, Error> {
    let scenario = args.load()?;
    let simulation = Simulation::new(&scenario, 1)?;
    let facts = simulation.facts();
    let expected = simulation.expected();
    println!("scenario        {}", scenario.name);
    println!(
        "network         {} hosts, {} switches, {} links",
        facts.hosts, facts.switches, facts.links
    );
    println!("NIC rate        {}", facts.nic_rate);
    println!(
        "largest RTT     {:.3} us (base, one-packet)",
        facts.extremes.base_rtt.as_secs_f64() * 1e6
    );
    println!("largest BDP     {} bytes", facts.extremes.bdp.get());
    println!("longest path    {} switches", facts.extremes.switches);
    println!(
        "telemetry       {} bytes on each data packet",
        facts.telemetry_bytes
    );
    println!("expected flows  {:.0}", expected.flows);
    println!("expected bytes  {:.0}", expected.bytes);
    println!("settings");
    let text =
        serde_json::to_string_pretty(&scenario.resolved()).expect("settings are plain tables");
    println!("{text}");
    Ok(ExitCode::SUCCESS)
}
