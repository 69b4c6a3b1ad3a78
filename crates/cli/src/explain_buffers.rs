//! `fabricsim buffers`: the parts of buffers and headroom that runs have not used.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use fabricsim::Error;
use fabricsim::units::Bytes;
use fabricsim_report::observed::{SwitchBuffer, read_buffers};
use fabricsim_scenario::text::file_kind::FileKind;
use fabricsim_scenario::text::input_file::read_text;
use serde_json::{Value, json};

use crate::console::{note, output};
use crate::results::places;
use crate::text::line;

/// The file with the largest use of each switch.
const FILE: &str = "buffers.csv";

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  fabricsim buffers results/incast                  by groups of equal switches
  fabricsim buffers results/loads                   the largest use over all points of a sweep
  fabricsim buffers results/incast --switches       switch by switch
  fabricsim buffers results/a results/b --json      for programs

\"At most\" means that no threshold of the shared part was ever near; a run with
--set output.exact_buffers=true finds the exact number.

Exit codes: 0 done, 2 bad input.")]
pub(crate) struct BuffersArgs {
    /// Results: folders of runs or sweeps
    #[arg(required = true, value_name = "RESULT")]
    results: Vec<PathBuf>,

    /// Print each switch instead of groups
    #[arg(long)]
    switches: bool,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// The largest use of switches with equal buffers, each value with the switch that reached it.
struct Group {
    name: String,
    switches: Vec<String>,
    /// The switch that used the most of the shared part, with the result.
    shared: (SwitchBuffer, String),
    /// The switch that used the most headroom of a port.
    port: (SwitchBuffer, String),
    /// The switch that used the most headroom of all ports together.
    pool: (SwitchBuffer, String),
}

impl Group {
    fn new(name: String, row: SwitchBuffer, result: &str) -> Self {
        let own = (row, result.to_owned());
        Self {
            name,
            switches: Vec::new(),
            shared: own.clone(),
            port: own.clone(),
            pool: own,
        }
    }

    fn is_of(&self, name: &str, row: &SwitchBuffer) -> bool {
        let known = &self.shared.0;
        self.name == name
            && (known.ports, known.buffer, known.set_aside, known.headroom)
                == (row.ports, row.buffer, row.set_aside, row.headroom)
    }

    /// Takes the values of `row` that are larger than the known ones.
    fn add(&mut self, row: SwitchBuffer, result: &str) {
        let own = || (row.clone(), result.to_owned());
        let use_of = |row: &SwitchBuffer| (row.is_exact, row.shared_max);
        if use_of(&row) > use_of(&self.shared.0) {
            self.shared = own();
        }
        if row.port_headroom_max > self.port.0.port_headroom_max {
            self.port = own();
        }
        if row.headroom_max > self.pool.0.headroom_max {
            self.pool = own();
        }
        if !self.switches.contains(&row.switch) {
            self.switches.push(row.switch);
        }
    }
}

/// Returns `name` without the number at its end: `leaf` of `leaf3`.
fn stem(name: &str) -> &str {
    name.trim_end_matches(|c: char| c.is_ascii_digit())
}

/// Prints the used and the unused bytes of the switches' buffers in the results.
pub(crate) fn explain(args: &BuffersArgs) -> Result<ExitCode, Error> {
    let mut groups: Vec<Group> = Vec::new();
    let mut results = 0;
    for place in places(&args.results)? {
        let path = match place.path.is_dir() || !place.path.exists() {
            true => place.path.join(FILE),
            false => place.path.with_file_name(FILE),
        };
        let name = place.path.display().to_string();
        if place.is_point && !path.exists() {
            note!("note: {name} has no {FILE}: the point has not run, or failed");
            continue;
        }
        results += 1;
        let text = read_text(FileKind::RESULTS, &path)?;
        let rows = read_buffers(&text)
            .map_err(|error| Error::input(&path.display().to_string(), &text, error))?;
        for row in rows {
            let key = match args.switches {
                true => row.switch.as_str(),
                false => stem(&row.switch),
            };
            let place = groups.iter().position(|group| group.is_of(key, &row));
            let place = place.unwrap_or_else(|| {
                groups.push(Group::new(key.to_owned(), row.clone(), &name));
                groups.len() - 1
            });
            groups[place].add(row, &name);
        }
    }
    if results == 0 {
        return Err(Error::Unsupported {
            scenario: args.results[0].display().to_string(),
            message: format!("no point of the sweep has a {FILE}"),
            help: "run the sweep first: `fabricsim sweep`".to_owned(),
        });
    }
    match args.json {
        true => {
            let groups: Vec<Value> = groups.iter().map(facts).collect();
            output(&format!("{:#}\n", Value::Array(groups)))?;
        }
        false => output(&describe(&groups, results > 1))?,
    }
    Ok(ExitCode::SUCCESS)
}

fn share(part: Bytes, whole: Bytes) -> f64 {
    100.0 * part.as_f64() / whole.as_f64().max(1.0)
}

/// Returns the values of a group, for programs.
fn facts(group: &Group) -> Value {
    let [shared, port, pool] = [&group.shared, &group.port, &group.pool];
    json!({
        "switches": group.switches,
        "buffer_bytes": shared.0.buffer.get(),
        "set_aside_bytes": shared.0.set_aside.get(),
        "shared_bytes": shared.0.shared.get(),
        "shared_max_bytes": shared.0.shared_max.get(),
        "shared_max_is_exact": shared.0.is_exact,
        "shared_max_switch": shared.0.switch,
        "shared_max_result": shared.1,
        "shared_left_bytes": shared.0.shared.saturating_sub(shared.0.shared_max).get(),
        "headroom_bytes": pool.0.headroom.get(),
        "headroom_max_bytes": pool.0.headroom_max.get(),
        "headroom_max_switch": pool.0.switch,
        "headroom_max_result": pool.1,
        "headroom_left_bytes": pool.0.headroom.saturating_sub(pool.0.headroom_max).get(),
        "port_headroom_bytes": port.0.port_headroom.get(),
        "port_headroom_max_bytes": port.0.port_headroom_max.get(),
        "port_headroom_max_switch": port.0.switch,
        "port_headroom_max_port": port.0.port.0,
        "port_headroom_max_result": port.1,
        "port_headroom_left_bytes":
            port.0.port_headroom.saturating_sub(port.0.port_headroom_max).get(),
    })
}

/// Returns the text about all groups. With `several` results, each value names its result.
fn describe(groups: &[Group], several: bool) -> String {
    let mut text = String::new();
    let of = |own: &(SwitchBuffer, String)| match several {
        true => format!("{}, {}", own.0.switch, own.1),
        false => own.0.switch.clone(),
    };
    for group in groups {
        let count = group.switches.len();
        let first = &group.switches[0];
        match count {
            1 => line!(text, "{first}: {} ports", group.shared.0.ports),
            _ => line!(
                text,
                "{first} ... {} ({count} equal switches): {} ports each",
                group.switches[count - 1],
                group.shared.0.ports
            ),
        }
        let row = &group.shared.0;
        let left = row.shared.saturating_sub(row.shared_max);
        line!(
            text,
            "  shared part  {} of {} bytes used{} ({}); {} bytes ({:.1}% of the buffer of {}) never were",
            row.shared_max.get(),
            row.shared.get(),
            if row.is_exact { "" } else { " at most" },
            of(&group.shared),
            left.get(),
            share(left, row.buffer),
            row.buffer.get()
        );
        if group.pool.0.headroom == Bytes::ZERO {
            line!(text, "  headroom     none is set aside");
            continue;
        }
        let row = &group.port.0;
        let left = row.port_headroom.saturating_sub(row.port_headroom_max);
        line!(
            text,
            "  headroom     {} of {} bytes of a port and priority used ({}, port {}); {} ({:.1}%) never were",
            row.port_headroom_max.get(),
            row.port_headroom.get(),
            of(&group.port),
            row.port.0,
            left.get(),
            share(left, row.port_headroom)
        );
        let row = &group.pool.0;
        let left = row.headroom.saturating_sub(row.headroom_max);
        line!(
            text,
            "  all ports    {} of {} bytes of headroom used at the same time ({}); {} ({:.1}%) never were",
            row.headroom_max.get(),
            row.headroom.get(),
            of(&group.pool),
            left.get(),
            share(left, row.headroom)
        );
    }
    if let Some(most) = groups
        .iter()
        .map(|group| {
            let row = &group.shared.0;
            row.set_aside.saturating_add(row.shared_max)
        })
        .max()
    {
        line!(
            text,
            "Buffers of {} bytes would have held these packets. Smaller buffers also have lower \
             thresholds,\nso switches pause or drop earlier: run again with --set switch.buffer={}B, and \
             compare.",
            most.get(),
            most.get()
        );
    }
    text
}
