//! Queries that packets carry (PINT): errors against the truth, and packets to decode a path, by
//! path length.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use fabricsim::Error;
use fabricsim_plot::figure::{Axis, Figure, Panel, Series, Style, Unit};
use fabricsim_report::{QueryRows, errors_of_hops, read_query, summary_of_paths};
use fabricsim_scenario::text::file_kind::FileKind;
use fabricsim_scenario::text::input_file::read_text;

use super::{Drawing, refused};
use crate::results::{Place, refuse_mixture};

const PREFIX: &str = "query_";
const ENDING: &str = ".csv";

#[derive(Debug, clap::Args)]
pub(super) struct QueriesArgs {
    #[command(flatten)]
    pub(super) drawing: Drawing,

    /// Only the query of this name (can be repeated)
    #[arg(long, value_name = "NAME")]
    query: Vec<String>,
}

/// A panel's title and label of the vertical axis; panels are in the order of queries.
type PanelKey = (String, String, &'static str);

/// The curves of a panel: name and points.
type Curves = Vec<(String, Vec<(f64, f64)>)>;

/// Panels with their curves, in the order of first appearance.
#[derive(Default)]
struct Panels {
    order: Vec<PanelKey>,
    curves: BTreeMap<PanelKey, Curves>,
    /// Reasons for missing points and panels.
    notes: Vec<String>,
}

const ERROR: &str = "|error| against the truth (%)";
const PACKETS: &str = "packets until the path is known";

/// Draws the queries of results.
pub(super) fn queries(args: &QueriesArgs) -> Result<Figure, Error> {
    let drawing = &args.drawing;
    let places = drawing.places()?;
    let mut panels = Panels::default();
    for (place, name) in &places {
        let label = match places.len() {
            1 => String::new(),
            _ => format!("{name}: "),
        };
        for (query, file) in files(drawing, place, &args.query)? {
            let text = read_text(FileKind::RESULTS, &file)?;
            let rows = read_query(&text)
                .map_err(|error| Error::input(&file.display().to_string(), &text, error))?;
            panels.add(&query, &label, rows);
        }
    }
    Ok(panels.figure(&drawing.title("Queries of packets, by path length")))
}

/// Returns the names and files of the queries of `place` that `wanted` selects, by name.
fn files(
    drawing: &Drawing,
    place: &Place,
    wanted: &[String],
) -> Result<Vec<(String, PathBuf)>, Error> {
    refuse_mixture(&place.path)?;
    if !place.path.is_dir() {
        let name = query_of(&place.path).unwrap_or_else(|| "query".to_owned());
        return Ok(vec![(name, place.path.clone())]);
    }
    let entries = std::fs::read_dir(&place.path).map_err(|error| {
        let message = format!("{} cannot be read: {error}", place.path.display());
        refused(drawing, &message, "give the folder of a run")
    })?;
    let own = entries.flatten().filter_map(|entry| {
        let path = entry.path();
        Some((query_of(&path)?, path))
    });
    let mut own: Vec<(String, PathBuf)> = own.collect();
    own.sort();
    if own.is_empty() {
        let message = format!("{} has no query_NAME.csv", place.path.display());
        let help = "give results of a scenario with [[query]] tables";
        return Err(refused(drawing, &message, help));
    }
    if let Some(missing) = wanted
        .iter()
        .find(|name| own.iter().all(|(other, _)| other != *name))
    {
        let names: Vec<&str> = own.iter().map(|(name, _)| name.as_str()).collect();
        return Err(refused(
            drawing,
            &format!("{} has no query `{missing}`", place.path.display()),
            &format!("its queries are {}", names.join(", ")),
        ));
    }
    own.retain(|(name, _)| wanted.is_empty() || wanted.contains(name));
    Ok(own)
}

/// Returns the name of the query with results in `file`; `None` if it is no such file.
fn query_of(file: &Path) -> Option<String> {
    let name = file.file_name()?.to_str()?;
    let name = name.strip_prefix(PREFIX)?.strip_suffix(ENDING)?;
    Some(name.to_owned())
}

impl Panels {
    /// Adds the results of `query`; the names of curves begin with `label`.
    fn add(&mut self, query: &str, label: &str, rows: QueryRows) {
        match rows {
            QueryRows::Paths(rows) => {
                let found = summary_of_paths(&rows);
                let lengths = &found.by_length;
                let points = |value: fn(&fabricsim_report::PathFigures) -> Option<f64>| {
                    let known = lengths.iter();
                    let known = known.filter_map(|own| {
                        Some((f64::from(own.switches), value(&own.figures)?))
                    });
                    known.collect::<Vec<_>>()
                };
                let key = (query.to_owned(), "packets to decode a path".to_owned(), PACKETS);
                self.push(&key, format!("{label}mean"), points(|own| own.packets_mean));
                self.push(&key, format!("{label}median"), points(|own| own.packets_p50));
                self.push(
                    &key,
                    format!("{label}99th percentile"),
                    points(|own| own.packets_p99),
                );
                self.notes.push(format!(
                    "{label}{query}: {} of {} paths decoded, {} wrong; too few packets for {}, {} changed \
                     before",
                    found.all.decoded,
                    found.all.paths,
                    found.all.wrong,
                    found.all.too_few_packets,
                    found.all.changed
                ));
            }
            QueryRows::Hops(rows) => {
                for own in errors_of_hops(&rows) {
                    let points = |value: fn(&fabricsim_report::ErrorFigures) -> Option<f64>| {
                        let lengths = own.by_length.iter();
                        let known = lengths.filter_map(|one| {
                            Some((f64::from(one.switches), value(&one.figures)? * 100.0))
                        });
                        known.collect::<Vec<_>>()
                    };
                    let all = &own.all;
                    if all.hops > 0 {
                        let title = format!("error of the {}", own.statistic);
                        let key = (query.to_owned(), title, ERROR);
                        self.push(&key, format!("{label}median"), points(|own| own.error_p50));
                        self.push(
                            &key,
                            format!("{label}95th percentile"),
                            points(|own| own.error_p95),
                        );
                    }
                    let mut note =
                        format!("{label}{query}, {}: errors of {} hops", own.statistic, all.hops);
                    let mut separator = "; no error of";
                    for (count, reason) in [
                        (all.without_digest, "without a digest"),
                        (all.zero_truth, "with a true value of zero"),
                        (all.without_truth, "without a true value"),
                    ] {
                        if count > 0 {
                            note += &format!("{separator} {count} {reason}");
                            separator = ",";
                        }
                    }
                    self.notes.push(note);
                }
            }
            QueryRows::Packets(_) => self.notes.push(format!(
                "{label}{query} is left out: the true value of each packet's whole path is not recorded"
            )),
        }
    }

    fn push(&mut self, key: &PanelKey, name: String, points: Vec<(f64, f64)>) {
        if points.is_empty() {
            return;
        }
        if !self.order.contains(key) {
            self.order.push(key.clone());
        }
        let curves = self.curves.entry(key.clone()).or_default();
        curves.push((name, points));
    }

    fn figure(self, title: &str) -> Figure {
        let mut names: Vec<&String> = Vec::new();
        for (name, _) in self.order.iter().flat_map(|key| &self.curves[key]) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        let mut figure = Figure::new(title);
        for key in &self.order {
            let (query, what, label) = key;
            let x = Axis::linear("path length (switches)")
                .in_unit(Unit::Count)
                .from(0.0);
            let y = Axis::linear(*label).from(0.0);
            let mut panel = Panel::new(format!("{query}: {what}"), x, y);
            for (name, points) in &self.curves[key] {
                let place = names.iter().position(|own| *own == name);
                let style = Style::nth(place.unwrap_or_default());
                panel
                    .series
                    .push(Series::curve(name, style, points.clone()));
            }
            figure.panels.push(panel);
        }
        figure.notes = self.notes;
        figure.notes.push(
            "A median needs 2 hops or paths of a length, a 95th percentile 20, a 99th 100."
                .to_owned(),
        );
        figure
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves_are_those_of_the_files() {
        let mut panels = Panels::default();
        let mut text =
            "flow,src,dst,hop,statistic,estimate_ns,truth_ns,clipped,digests\n".to_owned();
        // Two flows over one switch with errors of 10% and 30%, two over two with 50%.
        for (flow, hop, estimate) in [
            (1, 1, 90),
            (2, 1, 130),
            (3, 1, 150),
            (3, 2, 150),
            (4, 2, 50),
        ] {
            text += &format!("{flow},0,9,{hop},p99,{estimate},100,false,5\n");
        }
        panels.add("latency", "", read_query(&text).expect("a good file"));
        let text =
            "hops,packets,packets_to_decode,correct,ended_by\n3,9,4,true,\n3,9,8,true,\n5,2,,,\n";
        panels.add("path", "", read_query(text).expect("a good file"));
        let text = "statistic,estimate_ns,clipped,digests\np50,1,false,3\n";
        panels.add("control", "", read_query(text).expect("a good file"));
        let figure = panels.figure("t");
        let titles: Vec<&str> = figure.panels.iter().map(|own| own.title.as_str()).collect();
        assert_eq!(
            titles,
            [
                "latency: error of the p99",
                "path: packets to decode a path"
            ]
        );
        let errors = figure.panels[0].series[0].curve_points();
        // Of two sorted errors, the one at position 1 from 0 is the median.
        let close = |(x, y): (f64, f64), (of, wanted): (f64, f64)| {
            assert!(
                (x - of).abs() < 1e-9 && (y - wanted).abs() < 1e-9,
                "{x}: {y}"
            );
        };
        close(errors[0], (1.0, 30.0));
        close(errors[1], (2.0, 50.0));
        assert_eq!(
            figure.panels[0].series.len(),
            1,
            "5 hops have no 95th percentile"
        );
        assert_eq!(figure.panels[1].series[0].curve_points(), [(3.0, 6.0)]);
        assert_eq!(figure.panels[1].series[1].curve_points(), [(3.0, 8.0)]);
        let notes = figure.notes.join("\n");
        assert!(
            notes.contains("path: 2 of 3 paths decoded, 0 wrong"),
            "{notes}"
        );
        assert!(notes.contains("control is left out"), "{notes}");
    }
}
