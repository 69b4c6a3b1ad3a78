//! A report as text: parameters and the table of the tool, then additional results.

use std::fmt::Write as _;

use fabricsim_report::ReplicaMean;
use fabricsim_transport::tcp::{Feedback, Reuse};

use super::report::{HarmReport, Replication, Row, Status};
use super::sample::{SampleCell, published_sample};
use super::settings::DRAWN;
use super::units::{bit_rate, go_duration, milliseconds};

const FITS: &str = "a string takes everything";

impl HarmReport {
    /// Returns parameters, completion times with their harm, and results of the competitor and the
    /// bottleneck.
    #[must_use]
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        underlined(&mut text, "Harm to flow completion times", '=');
        text.push_str("(workload - solo) / workload, of a workload in competition and alone\n\n");
        underlined(&mut text, "Test Parameters:", '-');
        labeled(&mut text, &self.test_parameters());
        text.push('\n');
        underlined(&mut text, "FCT Workload Parameters:", '-');
        labeled(&mut text, &self.workload_parameters());
        text.push('\n');
        table(&mut text, &self.harm_table());
        text.push('\n');
        table(&mut text, &self.bottleneck_table());
        if self.settings.repeats > 1 {
            let repeats = self.settings.repeats;
            let note = "+- is half of Student's 95% interval";
            writeln!(text, "\nMeans over {repeats} seeds; {note}.").expect(FITS);
            if self.settings.workload != DRAWN {
                text.push_str("All seeds had the same flows.\n");
            }
        }
        if self.status() == Status::Partial {
            text.push_str(
                "\nPartial: the time of some cells was over before all flows had finished. Their \
                 statistics\ncover only finished flows, so they are too good. A longer `timeout` may \
                 help.\n",
            );
        }
        text
    }

    /// Returns completion times and harm compared with the tool's sample output, for cells that it
    /// has.
    #[must_use]
    pub fn compared_with_sample(&self) -> String {
        let header = [
            "RTT",
            "CCA",
            "",
            "GeoMean (Harm)",
            "Median (Harm)",
            "P95 (Harm)",
        ];
        let mut rows: Vec<Vec<String>> = vec![header.map(str::to_owned).to_vec()];
        let wanted = [50.0f64, 95.0].map(|p| {
            let percentiles = &self.settings.percentiles;
            let place = percentiles.iter().position(|q| q.to_bits() == p.to_bits());
            place.map(|place| place + 1)
        });
        let places = [Some(0), wanted[0], wanted[1]];
        for sample in published_sample() {
            let Some(row) = self.row(sample.rtt, sample.competitor.as_deref()) else {
                continue;
            };
            let name = sample.competitor.as_deref().unwrap_or("-");
            let key = [milliseconds(sample.rtt), name.to_owned()];
            let ours = places.map(|place| {
                let place = place.filter(|&place| place < row.statistics.len());
                place.map_or_else(|| "-".to_owned(), |place| cell(row, place))
            });
            rows.push(join(&key, "ours", ours));
            rows.push(join(&key, "sample", sample_cells(&sample)));
        }
        let mut text = String::new();
        underlined(
            &mut text,
            "Beside the sample output of the tool's page:",
            '-',
        );
        if rows.len() == 1 {
            text.push_str(
                "no cell is in both: the sample has 10, 20, 40, 80 and 160 ms, cubic and prague\n",
            );
        } else {
            table(&mut text, &rows);
        }
        text
    }

    fn test_parameters(&self) -> Vec<(&'static str, String)> {
        let settings = &self.settings;
        let rtts: Vec<String> = settings.rtt.iter().map(|&rtt| milliseconds(rtt)).collect();
        vec![
            ("CCAs under test", settings.cca.join(", ")),
            ("RTTs", rtts.join(", ")),
            ("Bandwidth", bit_rate(settings.bandwidth.as_bps_f64())),
            ("Qdisc", settings.qdisc.to_string()),
            ("Slow start delay", go_duration(settings.slow_start_delay)),
            ("Competing flows", settings.competitors.to_string()),
            (
                "Competitor ECN",
                feedback(settings.competitor_ecn).to_owned(),
            ),
            ("Timeout", go_duration(settings.timeout)),
        ]
    }

    fn workload_parameters(&self) -> Vec<(&'static str, String)> {
        let (settings, workload) = (&self.settings, &self.workload);
        let flows = match (settings.workload.as_str(), settings.repeats) {
            (DRAWN, 1) => format!("drawn, seed {}", settings.seed),
            (DRAWN, repeats) => {
                let last = settings.seed.wrapping_add(u64::from(repeats) - 1);
                format!("drawn, seeds {} to {last}", settings.seed)
            }
            (name, _) => name.to_owned(),
        };
        let reuse = match settings.reuse {
            Reuse::None => "none",
            Reuse::LateBinding => "late-binding",
        };
        vec![
            ("Workload", flows),
            ("CCA", settings.baseline.clone()),
            ("ECN", feedback(settings.workload_ecn).to_owned()),
            ("Connection reuse", reuse.to_owned()),
            ("Duration", go_duration(workload.duration)),
            ("Flows", workload.flows.to_string()),
            ("Mean arrival time", go_duration(workload.mean_arrival)),
            ("Est. bandwidth", bit_rate(workload.offered_bps())),
            ("Flow lengths", String::new()),
            ("|- P5", format!("{:.0}", workload.len_p5.trunc())),
            ("|- Mean", format!("{:.0}", workload.len_mean.trunc())),
            ("|- P95", format!("{:.0}", workload.len_p95.trunc())),
        ]
    }

    fn harm_table(&self) -> Vec<Vec<String>> {
        let names = self.statistic_names();
        let mut header = vec!["RTT".to_owned(), "CCA".to_owned()];
        header.extend(names.iter().map(|name| format!("{name} (Harm)")));
        let partial = self.status() == Status::Partial;
        if partial {
            header.push("Flows".to_owned());
        }
        let rows = self.rows.iter().map(|row| {
            let mut cells = key(row).to_vec();
            cells.extend((0..names.len()).map(|place| cell(row, place)));
            if partial {
                let flows: usize = row
                    .replications
                    .iter()
                    .map(|one| one.cell.flows.len())
                    .sum();
                let complete: usize = row.replications.iter().map(Replication::complete).sum();
                cells.push(if complete == flows {
                    format!("all {flows}")
                } else {
                    format!("{complete} of {flows} complete, timeout")
                });
            }
            cells
        });
        std::iter::once(header).chain(rows).collect()
    }

    fn bottleneck_table(&self) -> Vec<Vec<String>> {
        let header = [
            "RTT",
            "CCA",
            "Competitor",
            "Marks",
            "Drops",
            "Sojourn P50",
            "Sojourn P95",
            "Reused connections",
        ];
        let rows = self.rows.iter().map(|row| {
            let mean = |value: fn(&Replication) -> f64| row.mean(|one| Some(value(one)));
            let count = |value| mean(value).map_or_else(String::new, |mean| whole(&mean));
            let wait = |value| {
                let mean = mean(value);
                mean.map_or_else(String::new, |mean| format!("{:.1}ms", mean.mean * 1e3))
            };
            let goodput = row.mean(|one| one.cell.competitor_goodput);
            let mut cells = key(row).to_vec();
            cells.extend([
                goodput.map_or_else(|| "-".to_owned(), |mean| bit_rate(mean.mean)),
                count(|one| one.cell.bottleneck.marked as f64),
                count(|one| one.cell.bottleneck.dropped as f64),
                wait(|one| one.cell.bottleneck.sojourn_p50.as_secs_f64()),
                wait(|one| one.cell.bottleneck.sojourn_p95.as_secs_f64()),
                count(|one| one.reused() as f64),
            ]);
            cells
        });
        let header = header.map(str::to_owned).to_vec();
        std::iter::once(header).chain(rows).collect()
    }
}

/// Returns the name of an ECN feedback in settings.
const fn feedback(feedback: Feedback) -> &'static str {
    match feedback {
        Feedback::None => "none",
        Feedback::Classic => "classic",
        Feedback::Dctcp => "dctcp",
        Feedback::Accurate => "accurate",
    }
}

fn key(row: &Row) -> [String; 2] {
    let competitor = row.competitor.as_deref().unwrap_or("-");
    [milliseconds(row.rtt), competitor.to_owned()]
}

/// Formats a statistic and its harm as the tool does: `339.3ms (0.481)`; with intervals if there
/// are several seeds.
fn cell(row: &Row, place: usize) -> String {
    let Some(fct) = row.statistics.get(place) else {
        return "-".to_owned();
    };
    let mut text = format!("{:.1}ms", fct.mean);
    if let Some(half) = half_interval(fct) {
        write!(text, " +-{half:.1}").expect(FITS);
    }
    match row.harm.get(place) {
        Some(harm) if harm.mean > 0.0 => {
            write!(text, " ({:.3}", harm.mean).expect(FITS);
            if let Some(half) = half_interval(harm) {
                write!(text, " +-{half:.3}").expect(FITS);
            }
            text.push(')');
        }
        _ => {}
    }
    text
}

fn half_interval(mean: &ReplicaMean) -> Option<f64> {
    let interval = mean.interval?;
    Some((interval.high - interval.low) / 2.0)
}

fn whole(mean: &ReplicaMean) -> String {
    if mean.replications == 1 {
        format!("{:.0}", mean.mean)
    } else {
        format!("{:.1}", mean.mean)
    }
}

fn sample_cells(sample: &SampleCell) -> [String; 3] {
    [0, 1, 2].map(|place| match sample.harm {
        Some(harm) => format!("{:.1}ms ({:.3})", sample.fct_ms[place], harm[place]),
        None => format!("{:.1}ms", sample.fct_ms[place]),
    })
}

fn join(key: &[String; 2], who: &str, cells: [String; 3]) -> Vec<String> {
    let mut row = key.to_vec();
    row.push(who.to_owned());
    row.extend(cells);
    row
}

fn underlined(text: &mut String, heading: &str, line: char) {
    let rule: String = std::iter::repeat_n(line, heading.len()).collect();
    writeln!(text, "{heading}\n{rule}").expect(FITS);
}

/// Adds rows of a label and a value, with aligned values.
fn labeled(text: &mut String, rows: &[(&str, String)]) {
    let width = rows.iter().map(|(label, _)| label.len() + 1).max();
    let width = width.unwrap_or(0);
    for (label, value) in rows {
        let label = format!("{label}:");
        writeln!(text, "{}", format!("{label:width$} {value}").trim_end()).expect(FITS);
    }
}

/// Adds a table with the header in its first row: columns two spaces apart, dashes as long as each
/// name.
fn table(text: &mut String, rows: &[Vec<String>]) {
    let Some((header, body)) = rows.split_first() else {
        return;
    };
    let dashes: Vec<String> = header.iter().map(|name| "-".repeat(name.len())).collect();
    let lines = || std::iter::once(header).chain([&dashes]).chain(body);
    let widths: Vec<usize> = (0..header.len())
        .map(|column| lines().map(|line| line[column].len()).max().unwrap_or(0))
        .collect();
    for line in lines() {
        let cells = line.iter().zip(&widths);
        let cells: Vec<String> = cells
            .map(|(cell, width)| format!("{cell:width$}"))
            .collect();
        writeln!(text, "{}", cells.join("  ").trim_end()).expect(FITS);
    }
}
