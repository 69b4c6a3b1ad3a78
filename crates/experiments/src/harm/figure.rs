//! Harm over the round-trip time.

use fabricsim_plot::figure::{Axis, Figure, Panel, Series, Style};

use super::report::HarmReport;
use super::sample::published_sample;

/// Additional curves in a figure of harm.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Beside {
    /// None.
    Nothing,
    /// The curves of the tool's sample output.
    Sample,
}

/// Returns harm over the round-trip time: a panel for the geometric mean and for each percentile,
/// with a curve for each competitor and a band if there are several seeds.
#[must_use]
pub fn harm_figure(report: &HarmReport, beside: Beside) -> Figure {
    let settings = &report.settings;
    let mut figure = Figure::new("Harm to flow completion times");
    for (place, name) in report.statistic_names().into_iter().enumerate() {
        let x = Axis::log("round-trip time (ms)");
        let mut panel = Panel::new(name.clone(), x, Axis::linear("harm").from(0.0).upto(1.0));
        for (index, cca) in settings.cca.iter().enumerate() {
            let style = Style::nth(index);
            if beside == Beside::Sample {
                let of_sample = ["GeoMean", "Median", "P95"];
                let place = of_sample.iter().position(|other| *other == name);
                let curve = place.map_or_else(Vec::new, |place| sample_curve(cca, place));
                if !curve.is_empty() {
                    panel.series.push(Series::curve(
                        format!("{cca}, sample"),
                        style.faint(),
                        curve,
                    ));
                }
            }
            let mut curve = Vec::new();
            let mut band = Vec::new();
            for row in &report.rows {
                let harm = row.harm.get(place);
                if row.competitor.as_ref() == Some(cca)
                    && let Some(harm) = harm
                {
                    let rtt = row.rtt.as_secs_f64() * 1e3;
                    curve.push((rtt, harm.mean));
                    band.extend(
                        harm.interval
                            .map(|interval| (rtt, interval.low, interval.high)),
                    );
                }
            }
            curve.sort_by(|a, b| a.0.total_cmp(&b.0));
            band.sort_by(|a, b| a.0.total_cmp(&b.0));
            if !band.is_empty() {
                panel.series.push(Series::band(style, band));
            }
            panel.series.push(Series::curve(cca.clone(), style, curve));
        }
        figure.panels.push(panel);
    }
    let (bandwidth, qdisc) = (settings.bandwidth, &settings.qdisc);
    figure.notes.push(format!(
        "{} against each competitor at {bandwidth}, {qdisc}; workload: {}",
        settings.baseline, settings.workload
    ));
    if settings.repeats > 1 {
        let seeds = settings.repeats;
        figure
            .notes
            .push(format!("bands: 95% intervals of means over {seeds} seeds"));
    }
    figure
}

/// Returns (round-trip time in ms, harm) of `cca` in the sample output.
fn sample_curve(cca: &str, place: usize) -> Vec<(f64, f64)> {
    let cells = published_sample().into_iter();
    let cells = cells.filter(|cell| cell.competitor.as_deref() == Some(cca));
    cells
        .filter_map(|cell| Some((cell.rtt.as_secs_f64() * 1e3, cell.harm?[place])))
        .collect()
}
