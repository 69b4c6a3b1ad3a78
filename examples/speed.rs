//! Measures the speed of the simulator, for the tables in docs/performance.md:
//! `cargo run --release -p fabricsim --example speed`.
//!
//! Each run is a separate process, this program with `--measure`, so that it has its own peak
//! memory and caches. The rows take turns, so that a disturbance of the machine affects all of
//! them, and the table shows each row's median run. Times include only the events, not reading the
//! scenario and building the network; memory is the memory of the whole process.

use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use clap::Parser;
use fabricsim::Scenario;
use fabricsim::outcome::{Status, run_to_folder};
use serde::{Deserialize, Serialize};

const FAT320: &str = "[topology]
kind = \"fat-tree\"
preset = \"hpcc-fat320\"
";

/// A flow list in a file next to the scenario.
const LIST: &str = "[[workload]]
kind = \"list\"
path = \"flows.csv\"
";

/// Measure the scenarios of docs/performance.md and print them as a table.
#[derive(Parser)]
struct Args {
    /// Runs of each row; the table shows the median
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..))]
    repeat: u16,

    /// Also run the rows that take minutes each
    #[arg(long)]
    large: bool,

    /// Run a row only if its title contains this
    filter: Option<String>,

    /// Run the row of this number once and print its result (for the child processes)
    #[arg(long, hide = true)]
    measure: Option<usize>,
}

/// A row of the table.
struct Row {
    title: String,
    threads: usize,
    large: bool,
    scenario: String,
    /// The rows of its flow list; empty if it has none.
    flows: String,
}

impl Row {
    fn new(title: impl Into<String>, network: &str, cc: &str) -> Self {
        Self {
            title: title.into(),
            threads: 1,
            large: false,
            scenario: format!("{network}[cc]\n{cc}\n"),
            flows: String::new(),
        }
    }

    fn with_flows(self, flows: impl Iterator<Item = (u32, u32, u64)>) -> Self {
        let mut text = "src,dst,size_bytes,start_ns\n".to_owned();
        for (src, dst, size) in flows {
            writeln!(text, "{src},{dst},{size},0").expect("a string takes everything");
        }
        Self {
            flows: text,
            ..self
        }
    }

    /// Runs the row once, in this process.
    fn run(&self) -> Result<Run, Box<dyn Error>> {
        let folder = tempfile::tempdir()?;
        fs::write(folder.path().join("flows.csv"), &self.flows)?;
        let scenario = Scenario::from_text("speed", &self.scenario, folder.path(), &[])?;
        let summary = run_to_folder(&scenario, folder.path(), self.threads, &mut ())?;
        if summary.status != Status::Finished {
            return Err(format!("{}: {:?}", self.title, summary.status).into());
        }
        Ok(Run {
            packet_hops: summary.packet_hops,
            wall_s: summary.wall_s,
            cpu_s: summary.cpu_s,
            peak_memory_bytes: summary.peak_memory_bytes,
        })
    }
}

/// The result of a run, as printed by a process with `--measure`.
#[derive(Deserialize, Serialize)]
struct Run {
    packet_hops: u64,
    wall_s: f64,
    cpu_s: f64,
    /// `None` if the system does not report it.
    peak_memory_bytes: Option<u64>,
}

impl Run {
    /// Returns million packet-hops per second: of CPU time on one thread, otherwise of wall-clock
    /// time.
    fn speed(&self, threads: usize) -> f64 {
        let seconds = if threads == 1 {
            self.cpu_s
        } else {
            self.wall_s
        };
        self.packet_hops as f64 / seconds / 1e6
    }
}

fn rows() -> Vec<Row> {
    let websearch = |load: f64, span: &str| {
        format!(
            "[[workload]]\nkind = \"poisson\"\nsizes = \"websearch\"\nload = {load}\nduration = \"{span}\"\n"
        )
    };
    let hpcc = "kind = \"hpcc\"";
    let star = |hosts: u32| format!("[topology]\nkind = \"star\"\nhosts = {hosts}\n");
    let mut rows = Vec::new();
    let long = format!("{FAT320}{}", websearch(0.5, "10ms"));
    for threads in [1, 2] {
        let row = Row::new("320 hosts, WebSearch 50%, 10 ms, HPCC", &long, hpcc);
        rows.push(Row { threads, ..row });
    }
    let short = format!("{FAT320}{}", websearch(0.5, "2ms"));
    for (name, cc) in [
        ("DCTCP", "kind = \"dctcp\""),
        ("DCQCN with window", "kind = \"dcqcn\"\nwindow = true"),
        ("TIMELY with window", "kind = \"timely\"\nwindow = true"),
        ("HPCC-PINT", "kind = \"hpcc-pint\""),
        ("CUBIC", "kind = \"cubic\""),
    ] {
        let title = format!("320 hosts, WebSearch 50%, 2 ms, {name}");
        rows.push(Row::new(title, &short, cc));
    }
    let incast = "[[workload]]\nkind = \"incast\"\nfan_in = 999\nsize = \"1MB\"\nat = \"0s\"\n";
    let network = star(1_000) + incast;
    rows.push(Row::new("incast of 999 x 1 MB, HPCC", &network, hpcc));
    let many = (0..10_000).map(|flow| (0, 1 + flow % 100, 100_000));
    let title = "one host that sends 10,000 flows of 100 KB at once, HPCC";
    rows.push(Row::new(title, &(star(101) + LIST), hpcc).with_flows(many));
    // A round trip takes two seconds.
    let chain = format!(
        "[topology]\nkind = \"chain\"\nswitches = 100\nhosts_per_switch = 1\ndelay = \"10ms\"\n\
         {LIST}[rdma]\nrto_min = \"10s\"\n[run]\nstall_after = \"20s\"\n"
    );
    for (name, cc) in [("DCTCP", "kind = \"dctcp\""), ("HPCC", hpcc)] {
        let title = format!("20 MB over 100 switches and links of 10 ms, {name}");
        let flow = std::iter::once((0, 99, 20_000_000));
        rows.push(Row::new(title, &chain, cc).with_flows(flow));
    }
    let large = "[topology]\nkind = \"fat-tree\"\nk = 32\n".to_owned() + &websearch(0.3, "1ms");
    rows.push(Row {
        large: true,
        ..Row::new("8,192 hosts, WebSearch 30%, 1 ms, HPCC", &large, hpcc)
    });
    rows
}

/// Runs row `number` in a separate process.
fn measure(number: usize) -> Result<Run, Box<dyn Error>> {
    let output = Command::new(std::env::current_exe()?)
        .args(["--measure", &number.to_string()])
        .stderr(Stdio::inherit())
        .output()?;
    if !output.status.success() {
        return Err(format!("row {number} failed: {}", output.status).into());
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}

fn read(path: &str) -> Option<String> {
    Some(fs::read_to_string(path).ok()?.trim().to_owned())
}

/// Returns the value of the first line of `path` that begins with `key`.
fn field(path: &str, key: &str) -> Option<String> {
    let text = read(path)?;
    let rest = text.lines().find_map(|line| line.strip_prefix(key))?;
    Some(rest.trim_matches([' ', '\t', ':', '=', '"']).to_owned())
}

/// Describes processor, caches and system, as far as Linux reports them.
fn machine(cores: usize) -> String {
    let unknown = || "unknown".to_owned();
    let model = field("/proc/cpuinfo", "model name").unwrap_or_else(unknown);
    let caches: Vec<String> = (0..)
        .map(|index| format!("/sys/devices/system/cpu/cpu0/cache/index{index}"))
        .take_while(|folder| Path::new(folder).exists())
        .filter_map(|folder| {
            let about = |name: &str| read(&format!("{folder}/{name}"));
            let letter = match about("type")?.as_str() {
                "Data" => "d",
                "Instruction" => "i",
                _ => "",
            };
            Some(format!("L{}{letter} {}", about("level")?, about("size")?))
        })
        .collect();
    let caches = match caches.as_slice() {
        [] => unknown(),
        caches => caches.join(", "),
    };
    let system = field("/etc/os-release", "PRETTY_NAME").unwrap_or_else(unknown);
    let (os, arch) = (std::env::consts::OS, std::env::consts::ARCH);
    format!("{model}, {cores} cores; caches {caches}; {system} ({os}, {arch})")
}

fn main() -> Result<(), Box<dyn Error>> {
    let args = Args::parse();
    let rows = rows();
    // A child process measures only its own row, for a clean peak memory.
    if let Some(number) = args.measure {
        let row = rows.get(number).ok_or("there is no such row")?;
        println!("{}", serde_json::to_string(&row.run()?)?);
        return Ok(());
    }
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let fits = |row: &Row| row.threads <= cores;
    let wanted: Vec<usize> = (0..rows.len())
        .filter(|&number| {
            let row = &rows[number];
            let named = args
                .filter
                .as_ref()
                .is_none_or(|part| row.title.contains(part));
            named && fits(row) && (args.large || !row.large)
        })
        .collect();
    if wanted.is_empty() {
        return Err("no row has that in its title".into());
    }
    // Rows take turns, so that a disturbance of the machine affects all of them.
    let mut runs: Vec<Vec<Run>> = rows.iter().map(|_| Vec::new()).collect();
    for turn in 1..=args.repeat {
        for &number in &wanted {
            let Row { title, threads, .. } = &rows[number];
            eprintln!("run {turn} of {}: {title}, threads: {threads}", args.repeat);
            runs[number].push(measure(number)?);
        }
    }
    println!("Machine: {}.\n", machine(cores));
    println!(
        "| scenario | threads | packet-hops | wall s | CPU s | M packet-hops/s | peak memory |"
    );
    println!("|---|---:|---:|---:|---:|---:|---:|");
    for &number in &wanted {
        // The median by speed is one of the runs, so its columns belong together.
        let (row, runs) = (&rows[number], &mut runs[number]);
        runs.sort_by(|a, b| a.speed(row.threads).total_cmp(&b.speed(row.threads)));
        let run = &runs[(runs.len() - 1) / 2];
        let memory = match run.peak_memory_bytes {
            Some(bytes) => format!("{:.0} MB", bytes as f64 / 1e6),
            None => "unknown".to_owned(),
        };
        println!(
            "| {} | {} | {:.1} M | {:.2} | {:.2} | {:.2} | {memory} |",
            row.title,
            row.threads,
            run.packet_hops as f64 / 1e6,
            run.wall_s,
            run.cpu_s,
            run.speed(row.threads),
        );
    }
    println!(
        "\nEach row is the median by speed of {} run(s).",
        args.repeat
    );
    println!("Speed is per second of CPU time on one thread, of wall-clock time on more.");
    if !rows.iter().all(fits) {
        println!("Rows with more threads than the machine's {cores} core are left out.");
    }
    Ok(())
}
