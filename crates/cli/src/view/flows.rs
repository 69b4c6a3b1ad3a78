//! The slowest flows, their paths, and the parts of their completion times.

use std::collections::BTreeMap;

use fabricsim::Error;
use fabricsim_base::id::{FlowId, NodeId, PortId};
use fabricsim_base::units::Duration;
use fabricsim_report::observed::{DelayedFlow, Delays, read_flow_hops};
use fabricsim_report::read_fct;
use fabricsim_report::view::{Distinct, Fabric, Unknown, flow_rows};
use serde_json::{Value, json};

use super::source::{ResultFile, Source};
use crate::results::class_name;

/// Returns at most `most` flows: of `delays.csv` with their parts, or of `fct.csv` without.
pub(super) fn flows(
    source: &Source,
    fabric: &Fabric<'_>,
    most: usize,
    notes: &mut Vec<String>,
) -> Result<Value, Error> {
    let mut data = match source.get("delays.csv")? {
        Some(file) => of_delays(source, &file, fabric, most)?,
        None => {
            let adds = "parts of completion times";
            notes.push(source.missing("delays.csv", "delays", adds));
            match source.get("fct.csv")? {
                Some(file) => of_records(source, &file, fabric, most)?,
                None => return Ok(Value::Null),
            }
        }
    };
    let mut classes = BTreeMap::new();
    for row in data["rows"].as_array().into_iter().flatten() {
        if let Some(class) = row[3].as_u64().and_then(|class| u16::try_from(class).ok()) {
            let name = || class_name(&source.summary, class);
            classes.entry(class.to_string()).or_insert_with(name);
        }
    }
    data["classes"] = json!(classes);
    if let Some(file) = source.get("hop_delays.csv")? {
        data["paths"] = paths(source, &file, &data, fabric)?;
    }
    Ok(data)
}

fn of_delays(
    source: &Source,
    file: &ResultFile,
    fabric: &Fabric<'_>,
    most: usize,
) -> Result<Value, Error> {
    let delays = Delays::read(&file.text).map_err(|error| file.error(error))?;
    let mut flows = delays.slowest_first();
    let all = flows.len();
    flows.truncate(most);
    let mut words = Distinct::default();
    let mut parts: BTreeMap<FlowId, Vec<Value>> =
        flows.iter().map(|own| (own.flow, Vec::new())).collect();
    for (flow, part, time) in delays.parts() {
        let Some(parts) = parts.get_mut(&flow.flow) else {
            continue;
        };
        let port = part.port.map(|at| port("delays.csv", fabric, at));
        let port = port.transpose().map_err(|own| source.refused(&own))?;
        parts.push(json!([
            words.place(part.stage),
            words.place(part.part),
            port,
            words.place(part.behind),
            ns(*time)
        ]));
    }
    let own = flows.iter().map(|flow| parts.remove(&flow.flow));
    let parts: Vec<Vec<Value>> = own.map(Option::unwrap_or_default).collect();
    Ok(json!({
        "from": "delays.csv",
        "all": all,
        "rows": flow_rows(fabric, "delays.csv", &flows).map_err(|own| source.refused(&own))?,
        "parts": parts,
        "words": words.values,
    }))
}

fn of_records(
    source: &Source,
    file: &ResultFile,
    fabric: &Fabric<'_>,
    most: usize,
) -> Result<Value, Error> {
    let records = read_fct(&file.text).map_err(|error| file.error(error))?;
    let mut flows: Vec<DelayedFlow> = records.iter().map(DelayedFlow::from).collect();
    let all = flows.len();
    flows.sort_by_key(|own| own.flow);
    flows.sort_by(|a, b| b.slowdown().total_cmp(&a.slowdown()));
    flows.truncate(most);
    Ok(
        json!({ "from": "fct.csv", "all": all, "rows": flow_rows(fabric, "fct.csv", &flows).map_err(|own| source.refused(&own))? }),
    )
}

/// Returns the switch ports that each flow of `data` used, in the order of hops.
fn paths(
    source: &Source,
    file: &ResultFile,
    data: &Value,
    fabric: &Fabric<'_>,
) -> Result<Value, Error> {
    let hops = read_flow_hops(&file.text).map_err(|error| file.error(error))?;
    let numbers = data["rows"].as_array().into_iter().flatten();
    let numbers: Vec<u64> = numbers.filter_map(|row| row[0].as_u64()).collect();
    let mut paths: BTreeMap<u64, Vec<u32>> =
        numbers.iter().map(|number| (*number, Vec::new())).collect();
    for hop in &hops {
        if let Some(path) = paths.get_mut(&u64::from(hop.flow.0)) {
            let port = port("hop_delays.csv", fabric, (hop.node, hop.port));
            path.push(port.map_err(|own| source.refused(&own))?);
        }
    }
    Ok(numbers.iter().map(|number| json!(paths[number])).collect())
}

fn port(
    file: &'static str,
    fabric: &Fabric<'_>,
    (node, port): (NodeId, PortId),
) -> Result<u32, Unknown> {
    fabric.port(node, port).ok_or_else(|| Unknown {
        file,
        subject: format!("port {} of node {}", port.0, node.0),
    })
}

fn ns(time: Duration) -> f64 {
    time.as_ps() as f64 / 1e3
}
