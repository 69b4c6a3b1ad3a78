//! A scenario that runs in intervals and draws its figures between them.

use std::io::{self, Sink};

use fabricsim::id::{NodeId, PortId};
use fabricsim::report::{FctRecord, FctWriter, Percentile};
use fabricsim::simulation::Stop;
use fabricsim::units::{Duration, Time};
use fabricsim::{Error, Scenario, Simulation};
use fabricsim_plot::figure::{
    BinCount, Figure, Quantity, SlowdownCurve, Style, Theme, TimeLine, TimeRun, TimeView,
    slowdown_figure, time_figure,
};
use serde_json::{Value, json};

use crate::recording::Recording;

/// Time between two samples.
const INTERVAL: Duration = Duration::from_us(10);
/// The rates of the flows with a number below this are drawn.
const FLOWS: u32 = 64;
/// Largest number of series in one figure.
const SERIES: usize = 6;
/// Slowdowns are drawn if at least this many flows have ended.
const FEW: usize = 20;

/// A scenario in progress.
pub struct Experiment {
    simulation: Simulation,
    until: Time,
    ended: Option<Stop>,
    records: Vec<FctRecord>,
    rows: Option<FctWriter<Sink>>,
    checksum: Option<String>,
    recording: Recording,
    queues: Vec<(NodeId, PortId, TimeLine)>,
    rates: Vec<TimeLine>,
}

impl Experiment {
    /// Builds the network of the scenario `text`.
    ///
    /// # Errors
    /// Fails if the scenario is wrong or cannot be simulated.
    pub fn new(text: &str) -> Result<Self, Error> {
        let scenario = Scenario::from_toml(text)?;
        let simulation = Simulation::new(&scenario, 1)?;
        let topology = scenario.topology();
        let switches = topology.switches();
        let queues = switches.flat_map(|node| {
            let ports = topology.ports(node).iter().zip(0..);
            ports.map(move |(link, port)| {
                let name = format!("{} to {}", topology.name(node), topology.name(link.peer));
                let points = Vec::new();
                (
                    node,
                    PortId(port),
                    TimeLine {
                        name,
                        detail: String::new(),
                        points,
                    },
                )
            })
        });
        let stop_at = scenario.run().stop_at;
        Ok(Self {
            queues: queues.collect(),
            simulation,
            until: stop_at.map_or(Time::MAX, |after| Time::ZERO + after),
            ended: None,
            records: Vec::new(),
            recording: Recording::default(),
            rows: FctWriter::new(io::sink()).ok(),
            checksum: None,
            rates: Vec::new(),
        })
    }

    /// Simulates `intervals` intervals, or to the end of the run. Returns the progress.
    pub fn step(&mut self, intervals: u32) -> Value {
        for _ in 0..intervals {
            if self.ended.is_some() {
                break;
            }
            self.advance();
        }
        let simulation = &self.simulation;
        let expected = simulation.expected().flows;
        json!({
            "us": simulation.now().as_ps() as f64 / 1e6,
            "started": simulation.flows_started(),
            "finished": self.records.len(),
            "expected": expected.round(),
            "hops": simulation.counters().packet_hops,
            "ended": self.ended.map(words),
            "checksum": self.checksum,
        })
    }

    fn advance(&mut self) {
        let now = self.simulation.now();
        let next = now.saturating_add(INTERVAL).min(self.until);
        let stop = self.simulation.run_until(next);
        for completion in self.simulation.take_completions() {
            // Messages of connections have no rows.
            if completion.flow.stream.is_none() {
                let record = self.simulation.record(&completion);
                if let Some(rows) = &mut self.rows {
                    rows.write(&record).expect("a sink takes everything");
                }
                self.records.push(record);
            }
        }
        if stop != Stop::TimeReached || next == self.until {
            self.ended = Some(stop);
            let finished = self.rows.take().map(FctWriter::finish);
            let checksum = finished.and_then(Result::ok).map(|(_, checksum)| checksum);
            let checksum = checksum.map(|sum| self.simulation.with_downloads(sum));
            self.checksum = checksum.map(|checksum| checksum.to_string());
        }
        self.sample();
    }

    fn sample(&mut self) {
        let ns = self.simulation.now().as_ps() as f64 / 1e3;
        let now = self.simulation.now();
        let ports = self.simulation.ports();
        let topology = self.simulation.routes().topology();
        self.recording.sample(now, ports.clone(), topology);
        let mut ports = ports.iter().filter(|sample| {
            let topology = self.simulation.routes().topology();
            !topology.is_host(sample.node)
        });
        for (node, port, line) in &mut self.queues {
            let sample = ports.next().expect("a sample of each port");
            debug_assert_eq!((sample.node, sample.port), (*node, *port));
            line.points.push((ns, sample.queue.as_f64()));
        }
        for live in self.simulation.live_flows() {
            let number = live.flow.id.0;
            if number >= FLOWS {
                continue;
            }
            let name = format!("flow {number}");
            let rate = live.rate.as_bps_f64();
            match self.rates.iter_mut().find(|line| line.name == name) {
                Some(line) => line.points.push((ns, rate)),
                None => self.rates.push(TimeLine {
                    name,
                    detail: String::new(),
                    points: vec![(ns, rate)],
                }),
            }
        }
    }

    /// Returns the data of the page of the fabric, and the texts of files.
    #[must_use]
    pub fn results(&self) -> Value {
        let scenario = self.simulation.scenario();
        self.recording.results(scenario, &self.records)
    }

    /// Draws the samples and results so far.
    #[must_use]
    pub fn figures(&self) -> Vec<String> {
        let lines = self.queues.iter().map(|(_, _, line)| line.clone());
        let queues = over_time("Queues", Quantity::Queue, lines.collect());
        let rates = over_time("Rates of flows", Quantity::Rate, self.rates.clone());
        let mut figures = vec![queues, rates];
        if self.records.len() >= FEW {
            let percentiles = [50.0, 99.0].map(|p| Percentile::new(p).expect("from 0 to 100"));
            let bins = BinCount::OfFlows(self.records.len());
            let style = Style::of_names(&["flows"])[0];
            let curve = SlowdownCurve::new("flows", style, &self.records, &percentiles, bins);
            figures.push(slowdown_figure("Slowdown", &[curve], &percentiles));
        }
        let figures = figures.iter();
        figures.map(|figure| figure.to_svg(Theme::Page)).collect()
    }
}

fn over_time(title: &str, quantity: Quantity, lines: Vec<TimeLine>) -> Figure {
    let run = TimeRun {
        lines,
        ..TimeRun::default()
    };
    time_figure(title, quantity, &[run], SERIES, TimeView::default())
}

/// Returns the reason for the end of a run, in words.
const fn words(stop: Stop) -> &'static str {
    match stop {
        Stop::Finished => "all flows have finished",
        Stop::TimeReached => "the time of [run] stop_at",
        Stop::Stalled => "stalled: some flows cannot go on",
        Stop::Deadlocked => "deadlocked: ports wait for one another",
        Stop::Horizon => "beyond the times that can be simulated",
        Stop::Overloaded(_) => "overloaded: too much is under way",
        Stop::Interrupted => "interrupted",
    }
}

/// Returns the errors of a scenario, with their positions.
#[must_use]
pub fn refusal(error: &Error) -> Value {
    let of_one = |error: &Error| match error.diagnostic() {
        Some(found) => json!({
            "line": found.line(),
            "from": found.span().start,
            "to": found.span().end,
            "message": found.message(),
            "help": found.help(),
        }),
        None => json!({ "message": error.to_string() }),
    };
    json!({ "errors": [of_one(error)] })
}

#[cfg(test)]
mod tests {
    use super::*;

    const DEFAULT: &str = include_str!("../../../examples/scenarios/default.toml");

    /// The checksum is equal to the one of `fabricsim run`, which the test of the page compares as
    /// well.
    #[test]
    fn the_default_scenario_has_the_checksum_of_the_command() {
        let mut experiment = Experiment::new(DEFAULT).expect("a scenario");
        let first = experiment.step(20);
        assert_eq!(first["us"], 200.0);
        assert!(first["ended"].is_null() && first["checksum"].is_null());
        let end = experiment.step(u32::MAX);
        let folder = std::env::temp_dir().join(format!("playground-{}", std::process::id()));
        let scenario = Scenario::from_toml(DEFAULT).expect("a scenario");
        let summary = fabricsim::outcome::run_to_folder(&scenario, &folder, 1, &mut ());
        let summary = summary.expect("results");
        std::fs::remove_dir_all(&folder).expect("the folder of results");
        assert_eq!(end["checksum"], summary.checksum);
        assert_eq!(end["hops"], summary.packet_hops);
        assert_eq!(end["ended"], "all flows have finished");
        let figures = experiment.figures();
        assert_eq!(figures.len(), 3);
        assert!(figures.iter().all(|figure| figure.starts_with("<svg")));
    }

    #[test]
    fn files_are_as_the_command_writes_them() {
        let mut experiment = Experiment::new(DEFAULT).expect("a scenario");
        experiment.step(u32::MAX);
        let results = experiment.results();
        let observed = format!("{DEFAULT}\n[observe]\nlinks = true\nqueues = true\n");
        let scenario = Scenario::from_toml(&observed).expect("a scenario");
        let folder = std::env::temp_dir().join(format!("playground-files-{}", std::process::id()));
        fabricsim::outcome::run_to_folder(&scenario, &folder, 1, &mut ()).expect("results");
        for file in ["fct.csv", "queues.csv", "links.csv"] {
            let own = results["files"][file].as_str().expect("a text");
            let text = std::fs::read_to_string(folder.join(file)).expect("a file");
            let pairs = own.lines().zip(text.lines());
            for (number, (own, of_command)) in (1..).zip(pairs) {
                assert_eq!(own, of_command, "{file}:{number}");
            }
            assert_eq!(own.lines().count(), text.lines().count(), "{file}");
        }
        std::fs::remove_dir_all(&folder).expect("the folder of results");
        let names = results["data"]["fabric"]["names"].as_array();
        assert_eq!(names.map(Vec::len), Some(64 + 8 + 4));
        let samples = &results["data"]["series"]["steps"]["samples"];
        assert!(
            samples.as_u64().is_some_and(|samples| samples > 100),
            "{samples}"
        );
    }

    #[test]
    fn errors_have_their_places() {
        let error = Experiment::new("sede = 3\n")
            .err()
            .expect("a misspelled key");
        let said = refusal(&error);
        let error = &said["errors"][0];
        assert_eq!(
            (&error["line"], &error["from"], &error["to"]),
            (&json!(1), &json!(0), &json!(4))
        );
        assert!(
            error["help"]
                .as_str()
                .is_some_and(|help| help.contains("seed"))
        );
    }
}
