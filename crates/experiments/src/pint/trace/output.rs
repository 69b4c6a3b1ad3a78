//! The rows as a CSV and a figure.

use std::fmt::Write as _;

use fabricsim::output::{Destination, Origin, ResultSet};
use fabricsim_plot::figure::{Axis, Figure, Panel, Series, Style, Theme};
use fabricsim_scenario::text::error::Error;

use super::TraceSettings;
use super::method::Preset;
use super::network::Network;
use super::row::Row;

/// The settings file beside the rows: it identifies the results.
pub const SET: ResultSet = ResultSet::new("trace.json", "--out");

const FILES: [&str; 3] = ["trace.csv", "trace.svg", "trace.png"];

const FITS: &str = "a string takes everything";

/// Pixels of the PNG for each unit of the SVG.
const PNG_SCALE: f32 = 2.0;

impl TraceSettings {
    /// Returns the title of the rows.
    #[must_use]
    pub fn title(&self, network: Option<&Network>) -> String {
        let place = network.map_or_else(String::new, |network| {
            format!(" in {} with known links", network.name)
        });
        format!(
            "Packets to decode a path{place} ({} trials, seed {})",
            self.trials, self.seed
        )
    }

    /// Returns the names of the result files.
    #[must_use]
    pub fn files(&self) -> &'static [&'static str] {
        match self.png {
            true => &FILES,
            false => &FILES[..2],
        }
    }

    /// Returns the identity of the results: everything on which they depend.
    #[must_use]
    pub fn origin(&self, network: Option<&Network>) -> Origin {
        let texts = |all: Vec<String>| serde_json::json!(all);
        let settings = serde_json::json!({
            "hops": self.hops,
            "schemes": texts(self.scheme.iter().map(ToString::to_string).collect()),
            "budgets": texts(self.budget.iter().map(ToString::to_string).collect()),
            "compare": texts(self.compare.iter().map(ToString::to_string).collect()),
            "functions": self.functions,
            "estimate": self.estimate,
            "switches": self.switches,
            "topology": self.topology.as_ref().map(ToString::to_string),
            "trials": self.trials,
            "seed": self.seed,
            "png": self.png,
        });
        let links = network.map(|network| format!("{network:?}").into_bytes());
        Origin::new(settings, &Vec::from_iter(links))
    }

    /// Writes the files.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn write(
        &self,
        network: Option<&Network>,
        rows: &[Row],
        origin: &Origin,
        destination: Destination<'_>,
    ) -> Result<(), Error> {
        let figure = figure(&self.title(network), &self.scheme, rows);
        let svg = figure.to_svg(Theme::Light).into_bytes();
        let mut contents = vec![csv(rows).into_bytes(), svg];
        if self.png {
            let png = figure.to_png(Theme::Light, PNG_SCALE);
            contents.push(png.map_err(|error| Error::Unsupported {
                scenario: "trace.png".to_owned(),
                message: error.to_string(),
                help: "leave out --png".to_owned(),
            })?);
        }
        let files: Vec<_> = self.files().iter().copied().zip(contents).collect();
        origin.write_files(destination, &SET, &files)
    }
}

fn csv(rows: &[Row]) -> String {
    let mut text =
        String::from("hops,switches,scheme,budget,trials,mean,sem,median,p99,given_up,wrong\n");
    for row in rows {
        let found = &row.found;
        writeln!(
            text,
            "{},{},{},{},{},{:.4},{:.4},{},{},{},{}",
            row.hops,
            row.switches,
            row.method.scheme(),
            row.method.budget(row.switches),
            row.trials,
            found.mean,
            found.standard_error,
            found.median,
            found.p99,
            found.given_up,
            found.wrong
        )
        .expect(FITS);
    }
    text
}

/// Returns the items of `all` without repetition, in the order of first appearance.
fn distinct<T: PartialEq>(all: impl Iterator<Item = T>) -> Vec<T> {
    let mut found = Vec::new();
    for item in all {
        if !found.contains(&item) {
            found.push(item);
        }
    }
    found
}

/// Returns mean and 99th percentile over path length: two panels for each scheme, with a curve for
/// each of its budgets and for each scheme in comparison.
fn figure(title: &str, presets: &[Preset], rows: &[Row]) -> Figure {
    let presets = distinct(presets.iter().copied());
    let curves = presets
        .iter()
        .flat_map(|&preset| rows.iter().filter_map(move |row| row.method.curve(preset)));
    let curves = distinct(curves);
    let mut figure = Figure::new(title);
    figure.columns = 2;
    for preset in presets {
        let [mut mean, mut tail] = ["mean", "99th percentile"].map(|what| {
            let x = Axis::linear("path length (switches)").from(0.0);
            Panel::new(format!("{preset}: {what}"), x, Axis::log("packets"))
        });
        for (index, curve) in curves.iter().enumerate() {
            let rows = rows
                .iter()
                .filter(|row| row.method.curve(preset).as_ref() == Some(curve));
            let [means, tails]: [Vec<(f64, f64)>; 2] = [
                rows.clone()
                    .map(|row| (row.hops.into(), row.found.mean))
                    .collect(),
                rows.map(|row| (row.hops.into(), row.found.p99 as f64))
                    .collect(),
            ];
            if !means.is_empty() {
                let style = Style::nth(index);
                mean.series.push(Series::curve(curve, style, means));
                tail.series.push(Series::curve(curve, style, tails));
            }
        }
        figure.panels.extend([mean, tail]);
    }
    figure
}

#[cfg(test)]
mod tests {
    use super::super::method::{Budget, Method, Rival};
    use super::*;
    use crate::pint::trials::Summary;

    fn row(hops: u8, method: Method, mean: f64) -> Row {
        Row {
            hops,
            switches: 80,
            method,
            trials: 10,
            found: Summary {
                mean,
                standard_error: 0.5,
                median: 7,
                p99: 20,
                given_up: 1,
                wrong: 0,
            },
        }
    }

    fn rows() -> Vec<Row> {
        let narrow = "1".parse::<Budget>().unwrap();
        let wide = "2x4".parse::<Budget>().unwrap();
        vec![
            row(5, Method::Pint(Preset::Baseline, narrow), 50.0),
            row(5, Method::Pint(Preset::Mininet, wide), 8.125),
            row(5, Method::Other(Rival::Lnc), 6.6),
            row(9, Method::Pint(Preset::Mininet, wide), 15.0),
        ]
    }

    #[test]
    fn a_row_is_a_line() {
        assert_eq!(
            csv(&rows()),
            "hops,switches,scheme,budget,trials,mean,sem,median,p99,given_up,wrong\n\
             5,80,baseline,1,10,50.0000,0.5000,7,20,1,0\n\
             5,80,mininet,2x4,10,8.1250,0.5000,7,20,1,0\n\
             5,80,lnc,7,10,6.6000,0.5000,7,20,1,0\n\
             9,80,mininet,2x4,10,15.0000,0.5000,7,20,1,0\n"
        );
    }

    #[test]
    fn each_scheme_has_two_panels_with_what_it_is_compared_with() {
        let figure = figure("t", &[Preset::Baseline, Preset::Mininet], &rows());
        let titles: Vec<&str> = figure.panels.iter().map(|panel| &*panel.title).collect();
        assert_eq!(
            titles,
            [
                "baseline: mean",
                "baseline: 99th percentile",
                "mininet: mean",
                "mininet: 99th percentile"
            ]
        );
        let names = |panel: &Panel| -> Vec<String> {
            panel
                .series
                .iter()
                .map(|series| series.name.clone())
                .collect()
        };
        assert_eq!(names(&figure.panels[0]), ["PINT 1 bit", "lnc"]);
        assert_eq!(names(&figure.panels[3]), ["lnc", "PINT 2x4 bits"]);
        let mean = figure.panels[2].series[1].curve_points();
        assert_eq!(mean, [(5.0, 8.125), (9.0, 15.0)]);
        let tail = figure.panels[3].series[1].curve_points();
        assert_eq!(tail, [(5.0, 20.0), (9.0, 20.0)]);
        let lnc = |panel: usize| figure.panels[panel].series.iter().find(|s| s.name == "lnc");
        assert_eq!(lnc(0), lnc(2), "one entry of the legend");
    }
}
