//! `fabricsim mpi-probe`.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use fabricsim::Error;
use fabricsim::output::write_whole;
use fabricsim_base::units::Duration;
use fabricsim_mpi::{IS_BUILT, MpiRanks, PairCost, ProbeOptions, ProbeReport, StartError, probe};

use serde_json::{Value, json};

use crate::console::{note, output};
use crate::ranks::agree;
use crate::text::line;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  mpirun -n 2 fabricsim mpi-probe                   two ranks on this machine
  mpirun -n 2 --map-by node fabricsim mpi-probe     two machines of the job
  srun --mpi=pmix fabricsim mpi-probe --out probe.json
  mpirun -n 4 fabricsim mpi-probe --time 100ms      longer and more precise

Rank 0 exchanges messages of 0 bytes to 4 MiB with each other rank, in ping-pong and in streams.
The parameters are the largest values of all pairs: latency (L + 2 o of LogGP), overhead (o) and
time per byte (G). The file is JSON; its keys include units: latency_us, overhead_us, ns_per_byte,
gather_us, exchange_us, ranks.

Exit codes: 0 done, 2 fewer than two ranks or a build without MPI. 1: the file cannot be written.")]
pub(crate) struct MpiProbeArgs {
    /// Write the parameters and all measured times into this JSON file
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,

    /// Print JSON instead of tables
    #[arg(long)]
    pub(crate) json: bool,

    /// Time of each measurement (one for each rank and message size)
    #[arg(long, value_name = "TIME", default_value = "20ms")]
    pub(crate) time: Duration,
}

pub(crate) fn mpi_probe(args: &MpiProbeArgs, ranks: Option<&MpiRanks>) -> Result<ExitCode, Error> {
    let Some(ranks) = ranks else {
        return Err(alone());
    };
    let options = ProbeOptions {
        time: std::time::Duration::from_secs_f64(args.time.as_secs_f64()),
    };
    let report = probe(ranks, &options);
    // Only rank 0 has a report to print.
    let told = report.map_or(Ok(()), |report| tell(args, &report));
    Ok(match agree(told, Some(ranks)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(code) => code,
    })
}

/// Returns the error of a process that is the only rank.
fn alone() -> Error {
    let (message, help) = if IS_BUILT {
        (
            "it needs two or more ranks, and this process is the only one",
            "start it with `mpirun -n 2 fabricsim mpi-probe`",
        )
    } else {
        let help = StartError::NotBuilt { count: None }.help();
        ("this build has no MPI", help)
    };
    Error::Unsupported {
        scenario: "mpi-probe".to_owned(),
        message: message.to_owned(),
        help: help.to_owned(),
    }
}

fn tell(args: &MpiProbeArgs, report: &ProbeReport) -> Result<(), Error> {
    let json = format!("{:#}\n", json(report));
    if let Some(out) = &args.out {
        write(out, &json)?;
    }
    match args.json {
        true => output(&json)?,
        false => output(&describe(report))?,
    }
    if report.is_oversubscribed {
        note!(
            "warning: a machine has more ranks than cores, so ranks share cores and all times are too \
             long"
        );
    }
    Ok(())
}

fn write(out: &Path, json: &str) -> Result<(), Error> {
    write_whole(out, |file| file.write_all(json.as_bytes()))
}

fn json(report: &ProbeReport) -> Value {
    let pair = |pair: &PairCost| {
        let sizes = pair.sizes.iter().map(|size| {
            json!({
                "bytes": size.bytes,
                "one_way_us": size.one_way_us,
                "stream_us": size.stream_us,
            })
        });
        json!({
            "rank": pair.rank,
            "machine": pair.machine,
            "latency_us": pair.latency_us(),
            "overhead_us": pair.overhead_us,
            "ns_per_byte": pair.ns_per_byte(),
            "sizes": sizes.collect::<Vec<_>>(),
        })
    };
    json!({
        "fabricsim_version": env!("CARGO_PKG_VERSION"),
        "ranks": report.ranks,
        "machines": report.machines,
        "oversubscribed": report.is_oversubscribed,
        "latency_us": report.latency_us(),
        "overhead_us": report.overhead_us(),
        "ns_per_byte": report.ns_per_byte(),
        "gather_us": report.gather_us,
        "exchange_us": report.exchange_us,
        "pairs": report.pairs.iter().map(pair).collect::<Vec<_>>(),
    })
}

fn describe(report: &ProbeReport) -> String {
    let mut text = String::new();
    let machines = match report.machines {
        1 => "1 machine".to_owned(),
        several => format!("{several} machines"),
    };
    let worst = report.worst_pair();
    line!(text, "ranks        {} on {machines}", report.ranks);
    line!(
        text,
        "latency      {:.2} us: an empty message, one way",
        report.latency_us()
    );
    line!(
        text,
        "overhead     {:.2} us: to send a message of 8 bytes",
        report.overhead_us()
    );
    line!(
        text,
        "per byte     {:.4} ns, {:.2} GB/s",
        report.ns_per_byte(),
        1.0 / report.ns_per_byte().max(1e-9)
    );
    line!(
        text,
        "collective   {:.2} us to gather 8 bytes of each rank at all, {:.2} us for an empty exchange",
        report.gather_us,
        report.exchange_us
    );
    line!(
        text,
        "messages between rank 0 and rank {} on {}, the pair with the longest latency",
        worst.rank,
        worst.machine
    );
    line!(
        text,
        "  {:>9} {:>13} {:>13} {:>13}",
        "bytes",
        "one way (us)",
        "stream (us)",
        "stream (GB/s)"
    );
    for size in &worst.sizes {
        line!(
            text,
            "  {:>9} {:>13.2} {:>13.2} {:>13.2}",
            size.bytes,
            size.one_way_us,
            size.stream_us,
            size.bytes as f64 / 1e3 / size.stream_us.max(1e-9)
        );
    }
    text
}
