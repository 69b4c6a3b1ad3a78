//! Fabrics (`.topo`) and connection matrices (`.cm`) of htsim.

mod fabric;
mod topo;

use super::importer::{Importer, InputFile, Job, preamble};
use super::lines::Lines;
use super::{Imported, LeftOut};
use crate::text::error::Error;
use fabric::Fabric;
use fabricsim_base::input::InputError;
use topo::Topo;

/// csg-htsim and uet-htsim.
pub(super) struct Htsim;

/// Content of one file of htsim.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Content {
    Fabric,
    Connections,
}

/// Returns the content of a file, from the first words of its lines.
fn content(file: &InputFile) -> Option<Content> {
    /// Number of lines to examine.
    const HEADER: usize = 8;
    let first = |line: &str| line.split_whitespace().next().map(str::to_lowercase);
    let words: Vec<String> = file.lines().take(HEADER).filter_map(first).collect();
    let has = |word: &str| words.iter().any(|found| found == word);
    match (has("nodes"), has("tiers"), has("connections")) {
        (true, true, false) => Some(Content::Fabric),
        (true, false, true) => Some(Content::Connections),
        _ => None,
    }
}

impl Importer for Htsim {
    fn name(&self) -> &'static str {
        "htsim"
    }

    fn about(&self) -> &'static str {
        "htsim: a fabric (.topo), a connection matrix with triggers (.cm), or one of each"
    }

    fn recognizes(&self, file: &InputFile) -> bool {
        content(file).is_some()
    }

    fn import(&self, job: &Job) -> Result<Imported, Error> {
        let of = |wanted| job.files.iter().find(|file| content(file) == Some(wanted));
        let (topo, matrix) = (of(Content::Fabric), of(Content::Connections));
        let Some(first) = topo.or(matrix) else {
            return Err(job.files[0].error(InputError::new(
                0..0,
                "this is neither a fabric nor a connection matrix of htsim",
                "give a file that begins with Nodes, and then Tiers (a fabric) or Connections",
            )));
        };
        let fabric = match (topo, matrix) {
            (Some(file), _) => Topo::parse(&file.text)
                .and_then(|topo| Fabric::of(&topo))
                .map_err(|error| file.error(error))?,
            (None, Some(file)) => fabric_for(file).map_err(|error| file.error(error))?,
            (None, None) => unreachable!("one of them is the first"),
        };
        let left_out = left_out(&fabric, topo.is_some(), matrix);
        let sources: Vec<String> = (topo.iter().chain(&matrix))
            .map(|file| file.name())
            .collect();
        let mut lines = Lines::default();
        preamble(&sources, &left_out, &mut lines);
        lines.text_key("name", &job.name);
        lines.table("[topology]");
        lines.block(&fabric.table());
        lines.table("[[workload]]");
        match matrix {
            Some(file) => {
                lines.text_key("kind", "list");
                lines.text_key("path", &job.path_in_scenario(&file.path));
            }
            None => {
                lines.text_key("kind", "permutation");
                lines.text_key("size", "2MB");
            }
        }
        lines.table("[cc]");
        lines.text_key("kind", "none");
        lines.table("[output]");
        lines.plain_key("fct_txt", true);
        let (text, origins) = lines.finish();
        Ok(Imported {
            text,
            left_out,
            source: first.clone(),
            origins,
        })
    }
}

/// Returns the fabric that htsim builds for the nodes of a connection matrix if none is given: the
/// fat tree with this number of hosts, at 100 Gbps and 1 us everywhere.
fn fabric_for(matrix: &InputFile) -> Result<Fabric, InputError> {
    let number = |line: &str| {
        let mut words = line.split_whitespace();
        let is_count = words.next()?.eq_ignore_ascii_case("nodes");
        is_count.then(|| words.next().and_then(|word| word.parse::<u64>().ok()))?
    };
    let place = matrix
        .text
        .find("odes")
        .map_or(0, |at| at.saturating_sub(1));
    let span = place..place + matrix.text[place..].lines().next().map_or(0, str::len);
    let help = "give a fabric as well: `fabricsim import NAME.topo NAME.cm`";
    let Some(nodes) = matrix.lines().find_map(number) else {
        return Err(InputError::new(span, "there is no number of nodes", help));
    };
    let ports = (1..=128u64).map(|half| 2 * half);
    match ports.clone().find(|ports| ports.pow(3) / 4 == nodes) {
        Some(ports) => Ok(Fabric::KAry { ports }),
        None => Err(InputError::new(
            span,
            format!("no fat tree has {nodes} hosts, which are the cube of an even number over 4"),
            help,
        )),
    }
}

/// Returns omitted parts of the files and differences.
fn left_out(fabric: &Fabric, has_topo: bool, matrix: Option<&InputFile>) -> Vec<LeftOut> {
    let mut found = fabric.left_out();
    if !has_topo {
        found.push(LeftOut::new(
            "fabric",
            "no .topo was given: it is htsim's own for so many nodes, of 100 Gbps and 1 us \
             (-linkspeed and -hop_latency of its command)",
        ));
    }
    let Some(matrix) = matrix else {
        found.push(LeftOut::new(
            "traffic",
            "no connection matrix was given: it is a permutation of 2 MB",
        ));
        found.push(PROTOCOL.to_owned());
        return found;
    };
    found.push(PROTOCOL.to_owned());
    let words = |line: &str, word: &str| line.split_whitespace().any(|found| found == word);
    if matrix.lines().any(|line| words(line, "prio")) {
        found.push(LeftOut::new(
            "prio",
            "it is the order in which EQDS receivers request packets; here all flows are equal",
        ));
    }
    if matrix.lines().any(|line| words(line, "trigger")) {
        found.push(LeftOut::new(
            "trigger",
            "a flow that the other end of its predecessor triggers starts when that has been \
             delivered; htsim's send_done_trigger waits for its last acknowledgement",
        ));
    }
    found
}

struct Constant {
    key: &'static str,
    reason: &'static str,
}

impl Constant {
    fn to_owned(&self) -> LeftOut {
        LeftOut::new(self.key, self.reason)
    }
}

/// htsim has a program for each protocol, so the files do not name it.
const PROTOCOL: Constant = Constant {
    key: "protocol",
    reason: "htsim has a program for each; [cc] is \"none\" with PFC, as htsim_roce with lossless \
             queues; the guide describes other programs",
};
