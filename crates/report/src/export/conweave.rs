//! Files of ConWeave's simulator.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use fabricsim_base::input::InputError;

use super::hpcc::FCT_TXT;
use super::nodes::Nodes;
use super::{ExportError, Exported, Exporter, Results, needed, nodes_of, pauses_of, within};
use crate::columns::lines;
use crate::observed::read_links;

/// ConWeave's simulator.
pub(super) struct ConWeave;

impl Exporter for ConWeave {
    fn name(&self) -> &'static str {
        "conweave"
    }

    fn about(&self) -> &'static str {
        "conweave-ns3: ID_out_fct.txt; ID_out_pfc.txt and ID_out_uplink.txt where they were observed"
    }

    fn export(&self, results: &Results) -> Result<Vec<Exported>, ExportError> {
        let name = |what: &str| format!("{}_out_{what}.txt", results.id);
        let fct = needed(results.fct_txt.as_ref(), "fct.txt", FCT_TXT)?;
        let fct = with_node_numbers(fct).map_err(within("fct.txt"))?;
        let mut files = vec![Exported::new(name("fct"), fct)];
        if let Some(pauses) = &results.pauses {
            let text = pauses_of(pauses, &nodes_of(results)?)?;
            files.push(Exported::new(name("pfc"), text));
        }
        if let Some(links) = &results.links {
            let uplinks = uplinks_of(links, &nodes_of(results)?).map_err(within("links.csv"))?;
            files.push(Exported::new(name("uplink"), uplinks));
        }
        Ok(files)
    }
}

/// Replaces the addresses in lines of an `fct.txt` by the numbers of nodes.
fn with_node_numbers(text: &str) -> Result<String, InputError> {
    let mut out = String::with_capacity(text.len());
    for line in lines(text) {
        let mut words = line.words();
        for _ in 0..2 {
            let word = words.next().unwrap_or(line);
            let address = u32::from_str_radix(word.text, 16).map_err(|_| {
                word.error(
                    format!("`{}` is not an address", word.text),
                    "run the scenario again: an fct.txt begins with eight hexadecimal digits",
                )
            })?;
            write!(out, "{} ", (address >> 8) & 0xffff).expect("a text takes all");
        }
        let rest: Vec<&str> = words.map(|word| word.text).collect();
        out.push_str(&rest.join(" "));
        out.push('\n');
    }
    Ok(out)
}

/// Formats the bytes of the uplinks of racks like the original: `time,switch,interface,bytes`, with
/// interfaces counted from 1. Bytes count from the beginning of the observation. The original
/// counts from the beginning of the run, but its analysis uses only differences.
fn uplinks_of(text: &str, nodes: &Nodes) -> Result<String, InputError> {
    let uplinks = nodes.uplinks();
    let mut sent = BTreeMap::new();
    let mut out = String::new();
    for row in read_links(text)? {
        let port = (row.node, row.port);
        if !uplinks.contains(&port) {
            continue;
        }
        let sum: &mut u64 = sent.entry(port).or_default();
        *sum = sum.saturating_add(row.sent.get());
        let (time, interface) = (row.at.as_ns(), row.port.index() + 1);
        writeln!(out, "{time},{},{interface},{sum}", row.node.0).expect("a text takes all");
    }
    Ok(out)
}
