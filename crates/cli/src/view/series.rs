//! Utilization, pauses and queues over time.

use fabricsim::Error;
use fabricsim_base::units::{Duration, Time};
use fabricsim_report::observed::{read_links, read_queues};
use fabricsim_report::view::{self, Fabric};
use serde_json::Value;

use super::source::Source;

/// Returns the series of the run, or `Null` if it has none. Adds a note for each missing file.
pub(super) fn series(
    source: &Source,
    fabric: &Fabric<'_>,
    most: usize,
    notes: &mut Vec<String>,
) -> Result<Value, Error> {
    let links = source.get("links.csv")?;
    let queues = source.get("queues.csv")?;
    if links.is_none() {
        let adds = "utilization of links and no pauses";
        notes.push(source.missing("links.csv", "links", adds));
    }
    if queues.is_none() {
        notes.push(source.missing("queues.csv", "queues", "queue lengths"));
    }
    let links = links.map(|file| read_links(&file.text).map_err(|error| file.error(error)));
    let queues = queues.map(|file| read_queues(&file.text).map_err(|error| file.error(error)));
    let (links, queues) = (links.transpose()?, queues.transpose()?);
    let from = source.summary.pointer("/scenario/observe/from");
    let from = from
        .and_then(Value::as_str)
        .and_then(|text| text.parse().ok());
    let begin = Time::ZERO + from.unwrap_or(Duration::ZERO);
    let data = view::series(fabric, begin, links.as_deref(), queues.as_deref(), most)
        .map_err(|unknown| source.refused(&unknown))?;
    for own in source.summary["observed"].as_array().into_iter().flatten() {
        if let Some((file, left_out)) = own["file"].as_str().zip(own["left_out"].as_str()) {
            notes.push(format!("{file} is incomplete: {left_out}."));
        }
    }
    Ok(data)
}
