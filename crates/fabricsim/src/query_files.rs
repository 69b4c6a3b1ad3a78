//! The result files of queries: one for each query.

use std::io::{self, BufWriter, Write};

use fabricsim_base::units::Time;
use fabricsim_pint::query::{
    Aggregation, Estimate, FlowKey, HopResult, PacketResult, PathResult, Reach, Statistic,
};

use crate::output::{Ending, ResultFolder};
use crate::simulation::Simulation;
use crate::summary::QuerySummary;
use fabricsim_scenario::schema::queries::QuerySettings;
use fabricsim_scenario::text::error::Error;

const PREFIX: &str = "query_";

/// Returns the names of the result files, in the order of the queries.
pub(crate) fn file_names(settings: &QuerySettings) -> impl Iterator<Item = String> {
    let queries = (1..).zip(&settings.queries);
    queries.map(|(number, query): (usize, _)| {
        let usual = format!("query{number}");
        file_name(query.name.as_deref().unwrap_or(&usual))
    })
}

/// Writes `query_NAME.csv` for each query of `simulation` into `folder` and returns their summaries.
/// `settings` are the queries of the scenario.
///
/// # Errors
/// Fails if a file cannot be written.
pub(crate) fn write_query_results(
    folder: &mut ResultFolder,
    ending: Ending,
    simulation: &Simulation,
    settings: Option<&QuerySettings>,
) -> Result<Vec<QuerySummary>, Error> {
    let Some((queries, settings)) = simulation.queries().zip(settings) else {
        return Ok(Vec::new());
    };
    let results = &simulation.query_results();
    let mut summaries = Vec::new();
    for (index, (config, name)) in queries.configs().iter().zip(queries.names()).enumerate() {
        let file = ending.name(&file_name(name));
        let mut summary = QuerySummary::new(config, name, &file);
        folder.write(file, |out| {
            let mut out = csv::Writer::from_writer(BufWriter::new(out));
            let unit = config.value.unit();
            match config.aggregation() {
                Aggregation::Static => {
                    let own = results.paths.iter().filter(|result| result.query == index);
                    summary.add_paths(own.clone());
                    write_paths(&mut out, own)
                }
                Aggregation::Dynamic => {
                    let own = results.hops.iter().filter(|result| result.query == index);
                    summary.add_hops(own.clone(), config, settings);
                    write_hops(&mut out, unit, own)
                }
                Aggregation::Max | Aggregation::Min | Aggregation::Sum => {
                    let own = results
                        .packets
                        .iter()
                        .filter(|result| result.query == index);
                    let mut flows: Vec<_> = own.clone().map(|result| result.flow).collect();
                    flows.dedup();
                    summary.add_packets(flows.len());
                    write_packets(&mut out, unit, own)
                }
            }?;
            out.flush()
        })?;
        summaries.push(summary);
    }
    Ok(summaries)
}

/// Returns the name of the result file of the query called `name`.
pub(super) fn file_name(name: &str) -> String {
    format!("{PREFIX}{name}.csv")
}

type Csv<W> = csv::Writer<W>;

/// Returns the cells for the flow of a row: its number, source and destination, each empty if
/// unspecified.
fn flow_cells(flow: &FlowKey) -> [String; 3] {
    let cell = |number: Option<u32>| number.map_or_else(String::new, |number| number.to_string());
    [
        cell(flow.flow.map(|flow| flow.0)),
        cell(flow.src.map(|node| node.0)),
        cell(flow.dst.map(|node| node.0)),
    ]
}

/// Formats a value, or nothing.
fn cell(value: Option<impl ToString>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}

/// Formats a number with three decimals, or nothing.
fn number(value: Option<f64>) -> String {
    value.map_or_else(String::new, |value| format!("{value:.3}"))
}

fn nanoseconds(time: Option<Time>) -> String {
    time.map_or_else(String::new, |time| {
        format!("{}.{:03}", time.as_ns(), time.as_ps() % 1_000)
    })
}

fn write_paths<'a>(
    out: &mut Csv<impl Write>,
    results: impl Iterator<Item = &'a PathResult>,
) -> io::Result<()> {
    out.write_record([
        "flow",
        "src",
        "dst",
        "part",
        "hops",
        "packets",
        "packets_to_decode",
        "decoded_ns",
        "path",
        "correct",
        "unnoticed_packets",
        "ended_by",
    ])?;
    for result in results {
        let part = &result.part;
        let path: Vec<String> = part.path.iter().map(ToString::to_string).collect();
        let [flow, src, dst] = flow_cells(&result.flow);
        out.write_record([
            flow,
            src,
            dst,
            part.number.to_string(),
            part.hops.to_string(),
            part.packets.to_string(),
            cell(part.decoded_after),
            nanoseconds(part.decoded_at),
            path.join(" "),
            cell(part.correct),
            part.unnoticed.to_string(),
            part.ended_by.clone().unwrap_or_default(),
        ])?;
    }
    Ok(())
}

fn statistic_cells(statistic: Statistic) -> [String; 2] {
    let share = match statistic {
        Statistic::Quantile(_) => None,
        Statistic::Frequent(share) => Some(share),
    };
    [statistic.to_string(), number(share)]
}

/// Returns the cells for an estimate: its value, and `true` if it is the largest value of the code.
fn estimate_cells(estimate: Option<Estimate>) -> [String; 2] {
    let clipped = estimate.map(|estimate| estimate.reach == Reach::Largest);
    [
        number(estimate.map(|estimate| estimate.value)),
        cell(clipped),
    ]
}

fn write_hops<'a>(
    out: &mut Csv<impl Write>,
    unit: &str,
    results: impl Iterator<Item = &'a HopResult>,
) -> io::Result<()> {
    let (estimate, truth) = (format!("estimate_{unit}"), format!("truth_{unit}"));
    out.write_record([
        "flow",
        "src",
        "dst",
        "hop",
        "statistic",
        "share",
        &estimate,
        &truth,
        "relative_error",
        "clipped",
        "digests",
        "packets",
    ])?;
    for result in results {
        let [flow, src, dst] = flow_cells(&result.flow);
        let [statistic, share] = statistic_cells(result.statistic);
        let error = result.estimate.zip(result.truth);
        let error = error.filter(|(_, truth)| *truth > 0.0);
        let error = error.map(|(estimate, truth)| estimate.value / truth - 1.0);
        let [estimate, clipped] = estimate_cells(result.estimate);
        out.write_record([
            flow,
            src,
            dst,
            result.hop.to_string(),
            statistic,
            share,
            estimate,
            number(result.truth),
            error.map_or_else(String::new, |error| format!("{error:.5}")),
            clipped,
            result.digests.to_string(),
            cell(result.passed),
        ])?;
    }
    Ok(())
}

fn write_packets<'a>(
    out: &mut Csv<impl Write>,
    unit: &str,
    results: impl Iterator<Item = &'a PacketResult>,
) -> io::Result<()> {
    let estimate = format!("estimate_{unit}");
    out.write_record([
        "flow",
        "src",
        "dst",
        "statistic",
        "share",
        &estimate,
        "clipped",
        "digests",
    ])?;
    for result in results {
        let [flow, src, dst] = flow_cells(&result.flow);
        let [statistic, share] = statistic_cells(result.statistic);
        let [estimate, clipped] = estimate_cells(result.estimate);
        out.write_record([
            flow,
            src,
            dst,
            statistic,
            share,
            estimate,
            clipped,
            result.digests.to_string(),
        ])?;
    }
    Ok(())
}
