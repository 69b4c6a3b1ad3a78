//! From a scenario to a folder of results.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use cpu_time::{ProcessTime, ThreadTime};
use fabricsim_core::engine::Interrupt;
use fabricsim_core::flow::Completion;
use fabricsim_core::id::{NodeId, PortId};
use fabricsim_core::network::{Progress, Stop, Watch};
use fabricsim_core::plugin::QueueReport;
use fabricsim_core::units::Time;
use fabricsim_report::{FctRecord, FctWriter};
use serde::Serialize;
use tempfile::NamedTempFile;

use crate::error::Error;
use crate::observe::{Ending, Observation, remove_stale_series};
use crate::parallelism::{Parallelism, ParallelismReport};
use crate::pause_log::PauseEvent;
use crate::queries::{remove_stale_answers, write_answers};
use crate::scenario::Scenario;
use crate::simulation::{Expectation, IdealFct, Simulation};
use crate::summary::{Measured, summarise};
pub use crate::summary::{Status, Summary};

/// What a profile leaves beside the results.
const PARALLELISM: &str = "parallelism.json";
const PARALLELISM_DOMAINS: &str = "parallelism_domains.csv";

/// Watches a run from outside, every few hundred windows.
pub trait Monitor: Send {
    /// How far the run is; `false` stops it.
    fn progress(&mut self, progress: &Progress, expected: Expectation) -> bool;

    /// The network has been built and the run begins: from now on there is something to be kept.
    fn begins(&mut self) {}

    /// What ends the run at once when another thread raises it.
    fn interrupt(&self) -> Interrupt {
        Interrupt::default()
    }
}

/// Nobody watches.
impl Monitor for () {
    fn progress(&mut self, _progress: &Progress, _expected: Expectation) -> bool {
        true
    }
}

/// CPU time of a run. One thread is measured by itself, so that runs beside it do not count.
enum CpuClock {
    Thread(ThreadTime),
    Process(ProcessTime),
}

impl CpuClock {
    fn start(threads: usize) -> Self {
        match threads {
            1 => Self::Thread(ThreadTime::now()),
            _ => Self::Process(ProcessTime::now()),
        }
    }

    fn elapsed(&self) -> std::time::Duration {
        match self {
            Self::Thread(begun) => begun.elapsed(),
            Self::Process(begun) => begun.elapsed(),
        }
    }
}

/// Streams completions into a file and keeps what the summary needs.
struct Recorder<'a> {
    writer: FctWriter<File>,
    ideal: IdealFct,
    records: Vec<FctRecord>,
    failure: Option<io::Error>,
    monitor: &'a mut dyn Monitor,
    expected: Expectation,
}

impl Watch for Recorder<'_> {
    fn proceed(&mut self, progress: &Progress) -> bool {
        self.failure.is_none() && self.monitor.progress(progress, self.expected)
    }

    fn interrupt(&self) -> Interrupt {
        self.monitor.interrupt()
    }

    fn completed(&mut self, completions: &mut Vec<Completion>) {
        for completion in completions.drain(..) {
            let record = FctRecord::new(&completion, self.ideal.of(&completion));
            if self.failure.is_none()
                && let Err(error) = self.writer.write(&record)
            {
                self.failure = Some(error);
            }
            self.records.push(record);
        }
    }
}

/// Runs `scenario` on `threads` threads and writes `fct.csv` and `summary.json` into `dir`, which is
/// made when the first result is there to be written. A run that was interrupted leaves
/// `fct.partial.csv` instead of `fct.csv`.
///
/// # Errors
/// When the scenario asks for what cannot be simulated, or a file cannot be written.
pub fn run_to_folder(
    scenario: &Scenario,
    dir: &Path,
    threads: usize,
    monitor: &mut dyn Monitor,
) -> Result<Summary, Error> {
    let summary = run_by(scenario, dir, threads, monitor, Simulation::run_watched)?;
    for name in [PARALLELISM, PARALLELISM_DOMAINS] {
        remove_stale(&dir.join(name))?;
    }
    Ok(summary)
}

/// Like [`run_to_folder`] on one thread, and measures what more threads would gain: writes also
/// `parallelism.json` and `parallelism_domains.csv`.
///
/// # Errors
/// When the scenario asks for what cannot be simulated, or a file cannot be written.
pub fn profile_to_folder(
    scenario: &Scenario,
    dir: &Path,
    monitor: &mut dyn Monitor,
) -> Result<(Summary, ParallelismReport), Error> {
    let mut profile = Parallelism::new(scenario.topology.len());
    let summary = run_by(scenario, dir, 1, monitor, |simulation, until, watch| {
        profile.start();
        simulation.run_probed(until, watch, &mut profile)
    })?;
    let cpu_share = summary.cpu_s / summary.wall_s.max(f64::MIN_POSITIVE);
    let report = profile.report(&scenario.topology, cpu_share)?;
    write_json(&dir.join(PARALLELISM), &report)?;
    write_whole(&dir.join(PARALLELISM_DOMAINS), |file| {
        let mut buffered = BufWriter::new(file);
        profile.write_domains(&mut buffered, &scenario.topology)?;
        buffered.flush()
    })?;
    Ok((summary, report))
}

/// Runs `scenario` by means of `run` and writes the files of [`run_to_folder`].
fn run_by(
    scenario: &Scenario,
    dir: &Path,
    threads: usize,
    monitor: &mut dyn Monitor,
    mut run: impl FnMut(&mut Simulation, Time, &mut dyn Watch) -> Stop,
) -> Result<Summary, Error> {
    let mut simulation = Simulation::new(scenario, threads)?;
    monitor.begins();
    let write_error = |path: &Path| {
        let path = path.to_owned();
        move |source| Error::Write { path, source }
    };
    std::fs::create_dir_all(dir).map_err(write_error(dir))?;
    let fct_path = dir.join("fct.csv");
    let partial_path = dir.join("fct.partial.csv");
    let file = new_file_in(dir).map_err(write_error(dir))?;
    let (file, temporary) = file.into_parts();
    let mut recorder = Recorder {
        writer: FctWriter::new(file).map_err(write_error(&fct_path))?,
        ideal: simulation.ideal(),
        records: Vec::new(),
        failure: None,
        monitor,
        expected: simulation.expected(),
    };
    let (wall, cpu) = (Instant::now(), CpuClock::start(threads));
    let until = scenario
        .run
        .stop_at
        .map_or(Time::MAX, |after| Time::ZERO + after);
    let (stop, observation) = match &scenario.observe {
        None => (run(&mut simulation, until, &mut recorder), None),
        Some(settings) => {
            let observation = Observation::new(settings, &scenario.topology, dir)?;
            let (stop, observation) =
                run_observed(&mut simulation, until, &mut recorder, observation, run)?;
            (stop, Some(observation))
        }
    };
    let (wall, cpu) = (wall.elapsed().as_secs_f64(), cpu.elapsed().as_secs_f64());
    if let Some(source) = recorder.failure {
        return Err(Error::Write {
            path: fct_path,
            source,
        });
    }
    let (_, digest) = recorder.writer.finish().map_err(write_error(&fct_path))?;
    let status = match stop {
        Stop::Finished => Status::Finished,
        Stop::TimeReached => Status::TimeReached,
        Stop::Stalled => Status::Stalled,
        Stop::Deadlocked => Status::Deadlocked,
        Stop::Horizon => Status::BeyondHorizon,
        Stop::Interrupted => Status::Interrupted,
    };
    let (kept, stale) = match status {
        Status::Interrupted => (&partial_path, &fct_path),
        _ => (&fct_path, &partial_path),
    };
    let end = Measured {
        status,
        digest: digest.to_string(),
        threads,
        wall,
        cpu,
    };
    let ending = match status {
        Status::Interrupted => Ending::Interrupted,
        _ => Ending::Whole,
    };
    let observed = match observation {
        Some(observation) => observation.finish(&simulation, dir, ending)?,
        None => Vec::new(),
    };
    remove_stale_series(dir, &observed)?;
    let answered = match simulation.queries() {
        Some(queries) => write_answers(dir, queries, &simulation.answers())?,
        None => Vec::new(),
    };
    remove_stale_answers(dir, &answered)?;
    let summary = Summary {
        observed,
        answers: answered,
        plan: simulation
            .queries()
            .map(|queries| queries.plan().summary(queries.names())),
        ..summarise(scenario, &simulation, &recorder.records, &end)
    };
    remove_stale(stale)?;
    temporary.persist(kept).map_err(|error| Error::Write {
        path: kept.clone(),
        source: error.error,
    })?;
    write_json(&dir.join("summary.json"), &summary)?;
    let disciplines = dir.join("disciplines.csv");
    let reports = simulation.queue_reports();
    if reports.is_empty() {
        remove_stale(&disciplines)?;
    } else {
        write_whole(&disciplines, |file| {
            let mut buffered = BufWriter::new(file);
            write_disciplines(&mut buffered, &reports)?;
            buffered.flush()
        })?;
    }
    let pauses = dir.join("pauses.csv");
    if scenario.output.pauses {
        write_whole(&pauses, |file| {
            let mut buffered = BufWriter::new(file);
            write_pauses(&mut buffered, &simulation.pause_events())?;
            buffered.flush()
        })?;
    } else {
        remove_stale(&pauses)?;
    }
    Ok(summary)
}

/// Runs `simulation` to `until` with a look at each instant that `observation` asks for.
fn run_observed(
    simulation: &mut Simulation,
    until: Time,
    recorder: &mut Recorder<'_>,
    mut observation: Observation,
    mut run: impl FnMut(&mut Simulation, Time, &mut dyn Watch) -> Stop,
) -> Result<(Stop, Observation), Error> {
    loop {
        let next = observation.next().min(until);
        let stop = run(simulation, next, recorder);
        observation.look(simulation, &recorder.records)?;
        // Flows may have ended just before a look: the run still goes on as far as it would have gone
        // without it.
        let cut = stop == Stop::Finished && simulation.now() == next;
        if next == until || !(cut || stop == Stop::TimeReached) {
            return Ok((stop, observation));
        }
    }
}

fn write_json(path: &Path, value: &impl Serialize) -> Result<(), Error> {
    write_whole(path, |file| {
        let mut buffered = BufWriter::new(file);
        serde_json::to_writer_pretty(&mut buffered, value)?;
        buffered.flush()
    })
}

pub(crate) fn remove_stale(path: &PathBuf) -> Result<(), Error> {
    match std::fs::remove_file(path) {
        Err(source) if source.kind() != io::ErrorKind::NotFound => Err(Error::Write {
            path: path.clone(),
            source,
        }),
        _ => Ok(()),
    }
}

/// A file in `folder` that is to be renamed. Others may read it as they may read any new file of the
/// user's: results are shared.
pub(crate) fn new_file_in(folder: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // The system takes off what the user's mask says.
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder)
}

/// Writes a file beside `path` and renames it when it is complete.
///
/// # Errors
/// When the folder of `path` cannot be written, or `write` fails.
pub fn write_whole(
    path: &Path,
    write: impl FnOnce(&mut File) -> io::Result<()>,
) -> Result<(), Error> {
    let error = |source| Error::Write {
        path: path.to_owned(),
        source,
    };
    // A bare name has an empty parent.
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    let mut file = new_file_in(folder).map_err(error)?;
    write(file.as_file_mut()).map_err(error)?;
    file.persist(path).map_err(|e| error(e.error))?;
    Ok(())
}

/// `disciplines.csv`: one row for each queue with a discipline of its own.
fn write_disciplines(
    out: &mut impl Write,
    reports: &[(NodeId, PortId, QueueReport)],
) -> io::Result<()> {
    writeln!(
        out,
        "node,port,priority,discipline,enqueued_packets,dequeued_packets,marked_packets,tail_drops,\
         aqm_drops,overload_drops,sojourn_p50_ns,sojourn_p95_ns,sojourn_p99_ns"
    )?;
    for (node, port, report) in reports {
        write!(
            out,
            "{},{},{},{},{},{},{},{},{},{}",
            node.0,
            port.0,
            report.priority,
            report.discipline,
            report.enqueued,
            report.dequeued,
            report.marked,
            report.tail_drops,
            report.aqm_drops,
            report.overload_drops
        )?;
        match report.sojourn {
            Some(times) => times
                .iter()
                .try_for_each(|time| write!(out, ",{}", time.as_ns()))?,
            None => write!(out, ",,,")?,
        }
        writeln!(out)?;
    }
    Ok(())
}

/// `pauses.csv`: one row for each frame.
fn write_pauses(out: &mut impl Write, events: &[PauseEvent]) -> io::Result<()> {
    writeln!(out, "time_ns,node,port,priority,event")?;
    for event in events {
        let (ns, ps) = (event.at.as_ns(), event.at.as_ps() % 1_000);
        let (node, port, name) = (event.node.0, event.port.0, event.change.name());
        if ps == 0 {
            writeln!(out, "{ns},{node},{port},{},{name}", event.priority)?;
        } else {
            writeln!(out, "{ns}.{ps:03},{node},{port},{},{name}", event.priority)?;
        }
    }
    Ok(())
}

/// The expected share of a run that is done, by acknowledged bytes, from 0 to 1.
#[must_use]
pub fn share_done(progress: &Progress, expected: Expectation) -> f64 {
    if expected.bytes > 0.0 {
        (progress.acknowledged.as_f64() / expected.bytes).min(1.0)
    } else {
        0.0
    }
}
