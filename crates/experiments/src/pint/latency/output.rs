//! The errors as a file and a figure.

use std::fmt::Write as _;

use fabricsim::identity::origin_of;
use fabricsim::output::{Destination, Origin, ResultSet};
use fabricsim_plot::figure::{Axis, Figure, Panel, Series, Style, Theme};
use fabricsim_scenario::Scenario;
use fabricsim_scenario::text::error::Error;

use super::{LatencySettings, Line};

/// The settings file beside the errors: it identifies the results.
pub const SET: ResultSet = ResultSet::new("latency.json", "--out");

const FILES: [&str; 3] = ["latency.csv", "latency.svg", "latency.png"];

impl LatencySettings {
    /// Returns the names of the result files.
    #[must_use]
    pub fn files(&self) -> &'static [&'static str] {
        match self.png {
            true => &FILES,
            false => &FILES[..2],
        }
    }

    /// Returns the identity of the results on `scenarios`: everything on which they depend.
    ///
    /// # Errors
    /// If a file that a scenario names cannot be read.
    pub fn origin(&self, scenarios: &[(String, Scenario)]) -> Result<Origin, Error> {
        let mut more = Vec::new();
        for (_, scenario) in scenarios {
            more.push(origin_of(scenario)?.checksum().as_bytes().to_vec());
        }
        let scenarios = scenarios.iter();
        let settings = serde_json::json!({
            "scenarios": scenarios.map(|(_, scenario)| scenario.resolved()).collect::<Vec<_>>(),
            "packets": self.packets,
            "bits": self.bits,
            "sketch": self.sketch,
            "sketches": self.sketches,
            "at": self.at,
            "quantiles": self.quantiles,
            "least": self.least,
            "seed": self.seed,
            "png": self.png,
        });
        Ok(Origin::new(settings, &more))
    }

    /// Writes the table and the figure to `destination`.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn write(
        &self,
        lines: &[Line],
        origin: &Origin,
        destination: Destination<'_>,
    ) -> Result<(), Error> {
        let figure = self.figure(lines);
        let svg = figure.to_svg(Theme::Light).into_bytes();
        let mut contents = vec![csv(lines).into_bytes(), svg];
        if self.png {
            let png = figure.to_png(Theme::Light, 2.0);
            contents.push(png.map_err(|error| Error::Unsupported {
                scenario: "latency.png".to_owned(),
                message: error.to_string(),
                help: "leave out --png".to_owned(),
            })?);
        }
        let files: Vec<_> = self.files().iter().copied().zip(contents).collect();
        origin.write_files(destination, &SET, &files)
    }

    /// Returns the table of all errors as CSV.
    #[expect(clippy::unused_self, reason = "the table belongs to these settings")]
    pub(crate) fn table(&self, lines: &[Line]) -> String {
        csv(lines)
    }

    /// Returns the figure. Rows: error over packets, error over the size of the sketch. Columns:
    /// traffic and quantile.
    pub(crate) fn figure(&self, lines: &[Line]) -> Figure {
        let mut traffics: Vec<&str> = lines.iter().map(|line| line.traffic.as_str()).collect();
        traffics.dedup();
        let columns = || {
            let quantiles = self.quantiles.iter();
            traffics.iter().flat_map(move |&traffic| {
                quantiles.clone().map(move |&quantile| (traffic, quantile))
            })
        };
        let mut figure = Figure::new("Error of latency quantiles by hop");
        figure.columns = columns().count();
        for (traffic, quantile) in columns() {
            let mut panel = Panel::new(
                format!("{traffic}, p{}", percent(quantile)),
                Axis::linear("packets with a digest"),
                Axis::linear("mean |error| (%)"),
            );
            let own = lines.iter().filter(|line| line.traffic == traffic);
            let curves = own.filter(|line| line.errors.len() > self.quantiles.len());
            for (number, line) in curves.enumerate() {
                let points = line
                    .errors
                    .iter()
                    .filter(|error| error.quantile.to_bits() == quantile.to_bits());
                let points = points.map(|error| (error.packets as f64, error.mean * 100.0));
                let kept = line.sketch.map_or_else(
                    || "all digests".to_owned(),
                    |items| format!("sketch of {items}"),
                );
                let name = format!("{} bits, {kept}", line.bits);
                panel
                    .series
                    .push(Series::curve(&name, Style::nth(number), points.collect()));
            }
            figure.panels.push(panel);
        }
        for (traffic, quantile) in columns() {
            let mut panel = Panel::new(
                format!("{traffic}, p{}, {} packets", percent(quantile), self.at),
                Axis::log("digests of the sketch"),
                Axis::linear("mean |error| (%)"),
            );
            for (number, &bits) in self.bits.iter().enumerate() {
                let own = lines
                    .iter()
                    .filter(|line| line.traffic == traffic && line.bits == bits);
                let single = own.filter(|line| line.errors.len() <= self.quantiles.len());
                let points = single.filter_map(|line| {
                    let error = line
                        .errors
                        .iter()
                        .find(|error| error.quantile.to_bits() == quantile.to_bits())?;
                    Some((f64::from(line.sketch?), error.mean * 100.0))
                });
                // The same color as the sketch of the first row.
                let name = format!("{bits} bits, sketch of {}", self.sketch);
                panel.series.push(Series::curve(
                    &name,
                    Style::nth(2 * number + 1),
                    points.collect(),
                ));
            }
            figure.panels.push(panel);
        }
        figure.notes.push(format!(
            "Each packet carries the code of one hop, so each hop of five gets a fifth of the packets. Only hops with a \
             true value of at least {} count.",
            self.least
        ));
        figure
    }
}

/// Formats a share in percent, with up to six decimals.
#[must_use]
pub fn percent(share: f64) -> f64 {
    (share * 1e8).round() / 1e6
}

const HEADER: &str =
    "traffic,bits,sketch,packets,quantile,hops,mean_digests,mean_error,median_error";

fn csv(lines: &[Line]) -> String {
    let mut text = format!("{HEADER}\n");
    for line in lines {
        for error in &line.errors {
            writeln!(
                text,
                "{},{},{},{},{},{},{:.2},{:.5},{:.5}",
                line.traffic,
                line.bits,
                line.sketch
                    .map_or_else(String::new, |items| items.to_string()),
                error.packets,
                error.quantile,
                error.hops,
                error.mean_digests,
                error.mean,
                error.median
            )
            .expect("a string takes everything");
        }
    }
    text
}
