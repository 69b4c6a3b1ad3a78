//! Scorecards as figures.

use fabricsim_plot::figure::{Axis, Figure, Panel, Scale, Series, Style};

use super::buffers::BufferSizing;
use super::goodput::GoodputRow;
use super::panel::PanelScore;
use super::scorecard::Scorecard;

impl Scorecard {
    /// Returns the figures, each with a short name for its file. They show slowdown over flow size,
    /// one for each workload and load, with the published curves in pale colors; or goodput over
    /// the load.
    #[must_use]
    pub fn figures(&self) -> Vec<(String, Figure)> {
        let mut figures: Vec<(String, Figure)> = Vec::new();
        for panel in &self.panels {
            let name = format!("{}-{}", panel.workload, panel.load_pct);
            let drawn = slowdowns(panel);
            match figures.last_mut() {
                Some((last, figure)) if *last == name => figure.panels.push(drawn),
                _ => {
                    let title = format!("{}, {}% load", panel.workload, panel.load_pct);
                    let mut figure = Figure::new(title);
                    figure.panels.push(drawn);
                    figure.notes.push(self.cut_in_words());
                    if !panel.curves.is_empty() {
                        figure.notes.push("pale: published".to_owned());
                    }
                    figures.push((name, figure));
                }
            }
        }
        for (name, mut figure) in self.buffers.iter().flat_map(BufferSizing::figures) {
            figure.notes.push(self.cut_in_words());
            figures.push((name, figure));
        }
        if !self.goodput.is_empty() {
            let mut figure = goodput(&self.goodput);
            figure.notes.push(self.cut_in_words());
            figures.push(("goodput".to_owned(), figure));
        }
        figures
    }
}

/// Returns a panel of slowdown over flow size, with a tick for every tenth of the flows.
fn slowdowns(panel: &PanelScore) -> Panel {
    let axis = &panel.published.axis;
    let ticks = axis.iter().filter(|point| point.tick.is_some());
    let ticks = ticks.map(|point| (point.size_pct / 100.0, point.size.get()));
    let x = Axis::new(
        "flow size (bytes), a tick every 10% of flows",
        Scale::FlowShare(ticks.collect()),
    );
    let y = Axis::linear(format!("slowdown ({})", panel.percentile)).from(1.0);
    let mut drawn = Panel::new(panel.percentile.to_string(), x, y);
    let names: Vec<&str> = panel
        .ours
        .iter()
        .map(|curve| curve.scheme.as_str())
        .collect();
    let styles = Style::of_names(&names);
    for (curve, style) in panel.ours.iter().zip(&styles) {
        if let Some(published) = panel.published.curve(&curve.scheme) {
            let points = axis.iter().zip(&published.points);
            let points = points
                .filter_map(|(place, reading)| Some((place.size_pct / 100.0, reading.slowdown()?)));
            let pale = Series::curve("", style.faint(), points.collect());
            drawn.series.push(pale);
        }
    }
    for (curve, style) in panel.ours.iter().zip(&styles) {
        let points = axis.iter().zip(&curve.slowdowns);
        let points =
            points.filter_map(|(place, slowdown)| Some((place.size_pct / 100.0, (*slowdown)?)));
        let series = Series::curve(&*curve.scheme, *style, points.collect());
        drawn.series.push(series);
    }
    drawn
}

fn goodput(rows: &[GoodputRow]) -> Figure {
    let mut figure = Figure::new("Goodput of flows above 10 MB");
    let load = || Axis::linear("load (%)");
    let gbps = |of: fn(&GoodputRow) -> f64| -> Vec<(f64, f64)> {
        rows.iter()
            .map(|row| (row.load_pct, of(row) / 1e9))
            .collect()
    };
    let styles = Style::of_names(&["HPCC-INT", "HPCC-PINT"]);
    let mut panel = Panel::new(
        "goodput",
        load(),
        Axis::linear("mean goodput (Gbps)").from(0.0),
    );
    panel.series.push(Series::curve(
        "HPCC-INT",
        styles[0],
        gbps(|row| row.int_bps),
    ));
    panel.series.push(Series::curve(
        "HPCC-PINT",
        styles[1],
        gbps(|row| row.pint_bps),
    ));
    figure.panels.push(panel);
    let mut panel = Panel::new("gain of PINT", load(), Axis::linear("gain (%)"));
    let gains = rows.iter().map(|row| (row.load_pct, row.gain * 100.0));
    panel.series.push(Series::curve(
        "gain of PINT over INT",
        Style::nth(2),
        gains.collect(),
    ));
    figure.panels.push(panel);
    figure
}
