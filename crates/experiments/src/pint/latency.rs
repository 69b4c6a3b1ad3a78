//! Errors of latency quantiles over packets and sketch size.

mod output;

use std::path::Path;

use fabricsim::outcome::Monitor;
use fabricsim_base::input::ConfigError;
use fabricsim_base::units::Duration;
use fabricsim_pint::dynamic::Storage;
use fabricsim_pint::query::{HopSeries, ReplayConfig, ReplayError, replay};
use fabricsim_scenario::Scenario;
use fabricsim_scenario::text::error::Error;

use super::drive::{Unfinished, drive};

pub use output::{SET, percent};

/// Largest latency with its own code: 2^16 ns.
const LARGEST_NS: f64 = 65_536.0;

/// Settings of a latency measurement.
#[derive(Clone, Debug)]
pub struct LatencySettings {
    /// Flow sizes of the built-in scenario.
    pub sizes: Vec<String>,
    /// Load of host links in the built-in scenario.
    pub load: f64,
    /// Time during which flows start.
    pub traffic: Duration,
    /// Packets of each flow that carry a digest, ascending. Flows have at least as many packets as
    /// the last value.
    pub packets: Vec<usize>,
    /// Bits of digests, 1 to 16.
    pub bits: Vec<u32>,
    /// Digests of the sketch in the first row.
    pub sketch: u32,
    /// Digests of the sketches in the second row.
    pub sketches: Vec<u32>,
    /// Packets with a digest in the second row.
    pub at: usize,
    /// Quantiles.
    pub quantiles: Vec<f64>,
    /// Only hops with a true quantile of at least this count, because relative errors of tiny values
    /// say nothing.
    pub least: Duration,
    /// Seed of the simulation and of the digests.
    pub seed: u64,
    /// Write latency.png, too.
    pub png: bool,
}

/// The errors of one combination of digests and sketch, on the latencies of one scenario.
#[derive(Clone, Debug)]
pub struct Line {
    /// The name of the scenario.
    pub traffic: String,
    /// Bits of a digest.
    pub bits: u32,
    /// Digests of the sketch; `None` if all digests are kept.
    pub sketch: Option<u32>,
    /// The errors, by quantile and packets.
    pub errors: Vec<ReplayError>,
}

/// Results of a run.
#[derive(Clone, Debug)]
pub struct Measured {
    /// `true` if no flow had enough packets.
    pub is_empty: bool,
    /// The errors of all combinations, or the invalid setting.
    pub lines: Result<Vec<Line>, ConfigError>,
}

impl LatencySettings {
    /// Refuses settings without any measurement.
    ///
    /// # Errors
    /// Names the setting, the problem and a fix.
    pub fn check(&self) -> Result<(), ConfigError> {
        let ascending = self.packets.is_sorted_by(|a, b| a < b);
        if !ascending || self.packets.first().is_none_or(|&first| first == 0) {
            return Err(ConfigError::new(
                "packets",
                "the numbers are not ascending from 1 on",
                "write them like 100,500,1000",
            ));
        }
        if self.at == 0 {
            return Err(ConfigError::new(
                "at",
                "without packets there is no quantile",
                "give a number such as 500",
            ));
        }
        let wrong = self.quantiles.iter().find(|&&q| !(q > 0.0 && q <= 1.0));
        if let Some(wrong) = wrong {
            return Err(ConfigError::new(
                "quantiles",
                format!("a quantile of {wrong} is not above 0 and at most 1"),
                "give shares, such as 0.5 for the median",
            ));
        }
        Ok(())
    }

    /// Returns the largest number of packets of a flow that the measurement uses.
    #[must_use]
    pub fn longest(&self) -> usize {
        self.packets
            .iter()
            .copied()
            .chain([self.at])
            .max()
            .unwrap_or(self.at)
    }

    /// Returns the built-in scenarios by name, each with a query for the latencies of hops.
    ///
    /// # Errors
    /// If there is no such distribution of sizes, or no such load.
    pub fn scenarios(&self) -> Result<Vec<(String, Scenario)>, Error> {
        let scenario = |sizes: &String| {
            // TOML reads the escapes of JSON.
            let sizes_in_quotes = serde_json::Value::from(sizes.as_str());
            let text = format!(
                "name = {sizes_in_quotes}\nseed = {}\n[topology]\nkind = \"fat-tree\"\npreset = \
                 \"hpcc-fat320\"\n[[workload]]\nkind = \"poisson\"\nsizes = {sizes_in_quotes}\nload = {}\n\
                 duration = \"{}ps\"\n[cc]\nkind = \"hpcc-pint\"\n",
                self.seed,
                self.load,
                self.traffic.as_ps()
            );
            let base = Path::new(".");
            let scenario = Scenario::from_text("the built-in scenario", &text, base, &[])?;
            let scenario = scenario.with_queries(scenario.latency_queries()?)?;
            Ok((sizes.clone(), scenario))
        };
        self.sizes.iter().map(scenario).collect()
    }

    /// Runs `scenario`, called `name` in the results, and measures its latencies.
    ///
    /// # Errors
    /// If the scenario cannot be simulated.
    pub fn measure(
        &self,
        (name, scenario): &(String, Scenario),
        threads: usize,
        monitor: &mut dyn Monitor,
    ) -> Result<Result<Measured, Unfinished>, Error> {
        let driven = match drive(scenario, threads, monitor)? {
            Ok(driven) => driven,
            Err(unfinished) => return Ok(Err(unfinished)),
        };
        let series = driven.simulation.hop_series(self.longest());
        Ok(Ok(Measured {
            is_empty: series.is_empty(),
            lines: self.lines(name, &series),
        }))
    }

    /// Returns the errors of all combinations of digests and sketch.
    fn lines(&self, traffic: &str, series: &[HopSeries]) -> Result<Vec<Line>, ConfigError> {
        let mut lines = Vec::new();
        let mut add = |bits, sketch: Option<u32>, packets: &[usize]| {
            let config = ReplayConfig {
                bits,
                largest: LARGEST_NS,
                least: self.least.as_ps() as f64 / 1e3,
                storage: sketch.map_or(Storage::All, |items| Storage::Sketch { items }),
            };
            let errors = replay(series, &config, packets, &self.quantiles, self.seed)?;
            lines.push(Line {
                traffic: traffic.to_owned(),
                bits,
                sketch,
                errors,
            });
            Ok(())
        };
        for &bits in &self.bits {
            add(bits, None, &self.packets)?;
            add(bits, Some(self.sketch), &self.packets)?;
        }
        for &bits in &self.bits {
            add(bits, None, &[self.at])?;
            for &items in &self.sketches {
                add(bits, Some(items), &[self.at])?;
            }
        }
        Ok(lines)
    }
}
