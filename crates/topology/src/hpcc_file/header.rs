//! The counts at the beginning of a link list, in the formats of several simulators.

use std::ops::Range;

use fabricsim_base::input::InputError;

use super::words::{NumberReader, Word};
use crate::limits::MAX_NODES;

/// Numbers of nodes and links in the rest of the file.
#[derive(Debug)]
pub(super) struct Header {
    pub(super) nodes: u32,
    /// Number of switches, including switches inside servers.
    pub(super) switches: u32,
    /// Number of switches inside servers, which are listed first.
    pub(super) inner: u32,
    pub(super) links: u64,
    pub(super) nodes_span: Range<usize>,
    /// Position of the number of racks, in files of ns3-datacenter.
    pub(super) racks: Option<Range<usize>>,
}

/// The simulator that defines the counts at the beginning of a file.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Form {
    /// `nodes switches links`, as in the HPCC simulator.
    Published,
    /// `nodes switches racks links`, as in PowerTCP of ns3-datacenter.
    Racks,
    /// `nodes switches racks links`, then the rates of hosts' links and of all other links, as in
    /// Reverie.
    RacksAndRates,
    /// Six words that end with the name of a GPU, as in SimAI.
    SimAi,
}

impl Form {
    fn of(text: &str) -> Self {
        let lines = text.lines().map(|line| line.split_whitespace().collect());
        let mut lines = lines.filter(|words: &Vec<&str>| !words.is_empty());
        let (first, second) = (lines.next(), lines.next());
        let (first, second) = (first.unwrap_or_default(), second.unwrap_or_default());
        let number = |word: &str| word.parse::<f64>().ok();
        let racks = match first.len() {
            4 => Self::Racks,
            6 if number(first[5]).is_none() => return Self::SimAi,
            6 => Self::RacksAndRates,
            _ => return Self::Published,
        };
        // The published simulator ignores line breaks: the line may continue with all switches, and
        // a link follows.
        let switches = number(first[1]) == Some(first.len() as f64 - 3.0);
        match (switches && second.len() == 5) || first.iter().any(|word| number(word).is_none()) {
            true => Self::Published,
            false => racks,
        }
    }
}

impl Header {
    /// Reads the counts at the beginning of `text`, which are the first of its `words`.
    pub(super) fn read(text: &str, words: &mut NumberReader<'_>) -> Result<Self, InputError> {
        match Form::of(text) {
            Form::SimAi => Self::read_simai(words),
            form => Self::read_counts(form, words),
        }
    }

    /// Reads the counts of nodes, switches and links; skips racks and rates, which the links imply.
    fn read_counts(form: Form, words: &mut NumberReader<'_>) -> Result<Self, InputError> {
        const HELP: &str = "begin the file with three counts: nodes, switches, links";
        let mut count = |what: &str| words.need(what, HELP);
        let nodes = count("the number of nodes")?;
        let switches = count("the number of switches")?;
        let racks = match form {
            Form::Racks | Form::RacksAndRates => Some(count("the number of racks")?.span),
            Form::Published | Form::SimAi => None,
        };
        let links = count("the number of links")?;
        if form == Form::RacksAndRates {
            count("the rate of hosts")?;
            count("the rate of all other links")?;
        }
        let all = node_count(&nodes, HELP)?;
        let switch_count = switches.number(HELP)?;
        refuse_without_hosts(&switches, switch_count, all)?;
        Ok(Self {
            nodes: small(all),
            switches: small(switch_count),
            inner: 0,
            links: links.number(HELP)?,
            nodes_span: nodes.span,
            racks,
        })
    }

    /// Reads `nodes gpus_per_server nvswitches switches links gpu_type`; `switches` excludes the
    /// switches inside servers.
    fn read_simai(words: &mut NumberReader<'_>) -> Result<Self, InputError> {
        const HELP: &str = "begin the file with nodes, GPUs of a server, NVSwitches, other \
                            switches, links and the GPU's name";
        let mut count = |what: &str| words.need(what, HELP);
        let nodes = count("the number of nodes")?;
        let of_server = count("the number of GPUs in a server")?;
        let nvswitches = count("the number of NVSwitches")?;
        let switches = count("the number of switches")?;
        let links = count("the number of links")?;
        let gpu = count("the name of the GPU")?;
        let all = node_count(&nodes, HELP)?;
        let inner = nvswitches.number(HELP)?;
        let switch_count = inner.saturating_add(switches.number(HELP)?);
        refuse_without_hosts(&switches, switch_count, all)?;
        let (gpus, each) = (all - switch_count, of_server.number(HELP)?);
        if each == 0 || gpus % each != 0 {
            return Err(of_server.wrong(
                format!("{gpus} GPUs are no whole servers of {each}"),
                "write how many GPUs each server has: the nodes without switches over the servers",
            ));
        }
        debug_assert!(!gpu.text.is_empty());
        Ok(Self {
            nodes: small(all),
            switches: small(switch_count),
            inner: small(inner),
            links: links.number(HELP)?,
            nodes_span: nodes.span,
            racks: None,
        })
    }
}

fn node_count(nodes: &Word<'_>, help: &str) -> Result<u64, InputError> {
    match nodes.number(help)? {
        0 => Err(nodes.wrong("there is no node", "count hosts and switches")),
        n if n > u64::from(MAX_NODES) => {
            let message = format!("{n} nodes are more than the {MAX_NODES} that can be simulated");
            Err(nodes.wrong(message, "count hosts and switches"))
        }
        n => Ok(n),
    }
}

fn refuse_without_hosts(word: &Word<'_>, switches: u64, nodes: u64) -> Result<(), InputError> {
    if switches < nodes {
        return Ok(());
    }
    Err(word.wrong(
        format!("{switches} switches among {nodes} nodes leave no host"),
        "the first count is hosts and switches together, the second switches alone",
    ))
}

/// Converts a count that is at most the number of nodes.
fn small(count: u64) -> u32 {
    u32::try_from(count).unwrap_or(MAX_NODES)
}
