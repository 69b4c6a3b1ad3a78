//! The link list of the HPCC simulator: `topology.txt`.
//!
//! The file consists of words separated by white space: `nodes switches links`, the ids of the
//! switches, and for each link `node node rate delay loss`, such as
//! `0 320 100Gbps 1000ns 0.000000`. Nodes that are not switches are hosts. Line breaks have no
//! meaning.
//!
//! ns3-datacenter's files begin with `nodes switches racks links`, followed by two rates in some
//! files, which the links repeat. As in ns-3, a rate without a unit is in bits per second, and a
//! delay in seconds.
//!
//! SimAI's files begin with `nodes gpus_per_server nvswitches switches links gpu_type` instead.
//! They list the switches inside servers (NVSwitches) before all other switches; links to these are
//! not NICs.
//!
//! Names of nodes may follow, which the original does not support: the word `names`, then a number
//! and a name for each named node, such as `320 rack0/tor`.

mod header;
mod names;
mod words;

use std::ops::Range;

use fabricsim_base::id::NodeId;
use fabricsim_base::input::{InputError, split_example};
use fabricsim_base::limits::MAX_LINK_DELAY;
use fabricsim_base::units::{Duration, Rate, UnitError};

use crate::error::TopologyError;
use crate::graph::{Link, Topology};
use crate::node_kind::NodeKind;
use header::Header;
use names::GivenNames;
use words::{NumberReader, Word};

/// Reads the HPCC simulator's `topology.txt`; node ids are the same as in the file.
///
/// Several links between the same two nodes are kept apart. (Differs from the original, which keeps
/// only the last of them.) A loss of 0 stays 0. The original then uses the loss of its
/// configuration file; we leave this to the caller.
///
/// # Errors
/// Returns the first diagnostic, with the bytes of the offending word and a suggested fix:
///
/// * a file that ends too soon or continues too long;
/// * impossible counts, ids out of range, or ids given twice;
/// * a rate or delay that is zero, negative or without a known unit;
/// * a loss that is not a probability;
/// * a link from a node to itself, a node without links, or hosts that cannot reach each other.
pub fn parse_hpcc(text: &str) -> Result<Topology, InputError> {
    parse(text, Rest::Read)
}

/// Reads the links of a file like [`parse_hpcc`] and ignores the text after them. The original
/// also stops there, so its users keep notes and unused links behind them.
///
/// # Errors
/// Same as [`parse_hpcc`], except for a file that continues too long.
pub fn parse_hpcc_links(text: &str) -> Result<Topology, InputError> {
    parse(text, Rest::PassedOver)
}

/// Treatment of the text after the links.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Rest {
    /// Parses names of nodes, and rejects any other text.
    Read,
    PassedOver,
}

fn parse(text: &str, rest: Rest) -> Result<Topology, InputError> {
    let mut words = NumberReader::new(text);
    let header = Header::read(text, &mut words)?;
    let (kinds, switches) = read_switches(&mut words, &header)?;
    let inner = inner_switches(&switches[..header.inner as usize])?;
    let mut links = Vec::new();
    let mut places = Vec::new();
    for number in 1..=header.links {
        let (link, place) = read_link(&mut words, number, &header)?;
        links.push(link);
        places.push(place);
    }
    let mut names = None;
    if let Some(word) = words.next().filter(|_| rest == Rest::Read) {
        if word.text == names::BEGIN {
            names = Some(GivenNames::read(&mut words, header.nodes)?);
        } else {
            return Err(InputError::new(
                word.span,
                format!(
                    "`{}` is after the last of the {} links",
                    word.text, header.links
                ),
                "raise the number of links in the first line, write `names` before names of nodes, \
                 remove the rest of the file, or write ignore_rest = true into [topology]",
            ));
        }
    }
    let topology = Topology::new(kinds, links)
        .map_err(|error| place_error(&error, &header, &switches, &places))?;
    let topology = match inner {
        Some(first) => topology.with_inner_switches(first, header.inner),
        None => topology,
    };
    match names {
        Some(names) => names.give(topology),
        None => Ok(topology),
    }
}

/// A switch and the position at which the file names it.
type NamedSwitch = (NodeId, Range<usize>);

/// Returns the first switch inside a server; these switches have consecutive numbers.
fn inner_switches(named: &[NamedSwitch]) -> Result<Option<NodeId>, InputError> {
    for (before, after) in named.iter().zip(named.iter().skip(1)) {
        if before.0.0.checked_add(1) != Some(after.0.0) {
            return Err(InputError::new(
                after.1.clone(),
                format!("NVSwitch {} follows NVSwitch {}", after.0, before.0),
                "number NVSwitches one after the other and list them first, as SimAI's generator does",
            ));
        }
    }
    Ok(named.first().map(|(id, _)| *id))
}

/// Reads the kind of every node, and the position at which each switch is named.
fn read_switches(
    words: &mut NumberReader<'_>,
    header: &Header,
) -> Result<(Vec<NodeKind>, Vec<NamedSwitch>), InputError> {
    let mut kinds = vec![NodeKind::Host; header.nodes as usize];
    let mut named = Vec::new();
    for number in 1..=header.switches {
        let what = format!("switch {number} of {}", header.switches);
        let word = words.need(&what, "list the ids of all switches, or lower their number")?;
        let id = word.node(header.nodes).map_err(|error| {
            let counts = "the first line has the numbers of nodes, switches and links";
            InputError {
                help: format!("{}; {counts}", error.help),
                ..error
            }
        })?;
        if kinds[id.index()] == NodeKind::Switch {
            return Err(word.wrong(
                format!("switch {id} is listed twice"),
                "list each switch once; the second count of the first line says how many there are",
            ));
        }
        kinds[id.index()] = NodeKind::Switch;
        named.push((id, word.span));
    }
    Ok((kinds, named))
}

/// Reads one link; returns it with its byte range.
fn read_link(
    words: &mut NumberReader<'_>,
    number: u64,
    header: &Header,
) -> Result<(Link, Range<usize>), InputError> {
    let mut need = |what: &str| {
        words.need(
            &format!("{what} of link {number} of {}", header.links),
            "add the missing links, or lower their number in the first line",
        )
    };
    // Errors point at the word that must change, so check each word before the next one.
    let first = need("the first node")?;
    let a = first.node(header.nodes)?;
    let second = need("the second node")?;
    let b = second.node(header.nodes)?;
    if a == b {
        return Err(second.wrong(
            format!("the link joins node {a} with itself"),
            "give a link two different ends",
        ));
    }
    // If the first rate is malformed, the file may have a header that we took for one with racks.
    let word = need("the rate")?;
    let rate = quantity(&word, Rate::from_ns3).map_err(|error| match &header.racks {
        Some(racks) if number == 1 => not_racks(racks, &error),
        _ => error,
    })?;
    let word = need("the delay")?;
    let delay = quantity(&word, Duration::from_ns3)?;
    if delay == Duration::ZERO {
        return Err(word.wrong(
            "a delay of zero is not possible yet: the window engine needs a delay of at least 1ps",
            "write the propagation delay of the cable, such as 1us",
        ));
    }
    if delay > MAX_LINK_DELAY {
        return Err(word.wrong(
            format!(
                "a delay of {delay} is too long: {MAX_LINK_DELAY} is the most that a link can have"
            ),
            "write the propagation delay of the cable, such as 1us",
        ));
    }
    let word = need("the loss")?;
    let loss = match word.text.parse::<f64>() {
        Ok(loss) if (0.0..=1.0).contains(&loss) => loss,
        _ => {
            return Err(word.wrong(
                format!("`{}` is not a loss", word.text),
                "write the probability of loss, from 0 to 1, such as 0.001",
            ));
        }
    };
    Ok((
        Link {
            a,
            b,
            rate,
            delay,
            loss,
        },
        first.span.start..word.span.end,
    ))
}

/// Parses a rate or a delay; the help of the error includes how to write one.
fn quantity<T>(
    word: &Word<'_>,
    read: impl Fn(&str) -> Result<T, UnitError>,
) -> Result<T, InputError> {
    read(word.text).map_err(|error| {
        let error = error.to_string();
        let (message, example) = split_example(&error);
        let example = example.unwrap_or("100Gbps");
        word.wrong(message, format!("write it like `{example}`"))
    })
}

/// Returns the error for a file with four counts if its first link has no rate, for its `reason`:
/// the count that we took for `racks` may be another one, such as optical switches in ocs-mprdma.
fn not_racks(racks: &Range<usize>, reason: &InputError) -> InputError {
    InputError::new(
        racks.clone(),
        format!(
            "this is read as the number of racks, as in ns3-datacenter, and no link follows the \
             switches: {}",
            reason.message
        ),
        "begin the file with nodes, switches and links, or with nodes, switches, racks and links; \
         optical circuit switches are not simulated",
    )
}

/// Converts an error of the whole graph into an input error at the position that needs correction.
fn place_error(
    error: &TopologyError,
    header: &Header,
    switches: &[NamedSwitch],
    places: &[Range<usize>],
) -> InputError {
    let all = places.first().map_or(0, |p| p.start)..places.last().map_or(0, |p| p.end);
    let (span, help) = match *error {
        TopologyError::Isolated { node } => (
            switches
                .iter()
                .find(|(id, _)| *id == node)
                .map_or_else(|| header.nodes_span.clone(), |(_, span)| span.clone()),
            "add a link to it, or do not count it".to_owned(),
        ),
        TopologyError::Disconnected { a, b } => {
            (all, format!("add links so that switches join {a} and {b}"))
        }
        TopologyError::UnknownNode { link, .. }
        | TopologyError::SelfLoop { link, .. }
        | TopologyError::ZeroDelay { link }
        | TopologyError::LongDelay { link, .. }
        | TopologyError::Rate { link, .. }
        | TopologyError::Loss { link, .. } => (
            places.get(link).cloned().unwrap_or(all),
            "correct the link".to_owned(),
        ),
        TopologyError::NoHosts
        | TopologyError::TooManyNodes { .. }
        | TopologyError::TooManyLinks { .. }
        | TopologyError::TooManyPorts { .. }
        | TopologyError::Names { .. }
        | TopologyError::Name { .. }
        | TopologyError::SameName { .. } => (all, "use a smaller network".to_owned()),
    };
    InputError::new(span, error.to_string(), help)
}

#[cfg(test)]
mod tests;
