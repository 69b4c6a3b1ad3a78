//! `fabricsim pint plan`.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use fabricsim::Error;
use fabricsim_scenario::read::read_plan;

use crate::console::output;
use crate::text::line;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  fabricsim pint plan examples/scenarios/pint-combined.toml
  fabricsim pint plan queries.toml --json

The file is a scenario, or has only a [pint] table (`bits = 16`) and [[query]] tables. A plan lists
the sets of queries that packets serve together: each set fits the bits of a packet, and each query
gets at least its frequency of the packets. Exit codes: 0 done, 2 bad input or a budget that is too
small.")]
pub(crate) struct PlanArgs {
    /// A TOML file with [[query]] tables
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Print the plan as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn plan(args: &PlanArgs) -> Result<ExitCode, Error> {
    let (queries, plan) = read_plan(&args.file)?;
    let names: Vec<String> = queries
        .iter()
        .filter_map(|query| query.name.clone())
        .collect();
    let summary = plan.summary(&names);
    if args.json {
        output(&format!("{:#}\n", serde_json::json!(summary)))?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut text = String::new();
    line!(
        text,
        "{} bits of each packet, {} on the wire",
        summary.bits,
        match plan.wire_bytes() {
            1 => "a byte".to_owned(),
            bytes => format!("{bytes} bytes"),
        }
    );
    line!(text, "\n{:>8}  queries, from the lowest bit", "packets");
    for (set, planned) in summary.sets.iter().zip(plan.sets()) {
        let mut digests = String::new();
        for (name, index) in set.queries.iter().zip(planned.queries.iter()) {
            let bits = plan.demands()[index].bits;
            write!(digests, "{name} ({bits} bits)  ").expect("a string takes everything");
        }
        line!(text, "{:>7.2}%  {}", set.share * 100.0, digests.trim_end());
    }
    line!(text, "\n{:>8} {:>8}  query", "required", "served");
    for (index, name) in names.iter().enumerate() {
        line!(
            text,
            "{:>7.2}% {:>7.2}%  {name}",
            plan.demands()[index].frequency * 100.0,
            plan.frequency(index) * 100.0
        );
    }
    output(&text)?;
    Ok(ExitCode::SUCCESS)
}
