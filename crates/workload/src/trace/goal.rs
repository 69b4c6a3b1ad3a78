//! GOAL, the language of LogGOPSim, as text.
//!
//! Hoefler, Siebert, Lumsdaine: "Group Operation Assembly Language - A Flexible Way to Express
//! Collective Communication" (ICPP 2009). The grammar is defined by `src/LogGOPSim/txt2bin.re` of
//! LogGOPSim: a statement is a line; a dependency follows the statements that it names. Differs
//! from LogGOPSim: receipts from any source or of any tag are rejected, a message of a rank to
//! itself is delivered immediately, and hosts have no overheads (`o`, `g`): only the network takes
//! time. As there, a message without bytes is sent as one byte, and a receipt matches a message by
//! its source and tag, for any sizes that the two state (`match` in `LogGOPSim.cpp`).

use std::collections::BTreeMap;

use fabricsim_base::input::InputError;
use fabricsim_base::units::{Bytes, Duration};

use super::Loaded;
use super::assembly::{Assembly, MAX_RANKS, Placed};
use crate::graph::Operation;
use crate::text::Piece;

/// Reads a file; `unit` is the time of a `calc` of 1.
pub(super) fn parse(text: &str, unit: Duration) -> Result<Loaded, InputError> {
    let mut reader = Reader {
        unit,
        assembly: None,
        rank: None,
        labels: BTreeMap::new(),
    };
    let mut in_comment = false;
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        let words = words(line, offset, &mut in_comment);
        if let Some((first, rest)) = words.split_first() {
            reader.statement(*first, rest)?;
        }
        offset += line.len();
    }
    let end = Piece {
        text: "",
        offset: text.len(),
    };
    if let Some(rank) = reader.rank {
        return Err(end.error(
            format!("the file ends inside of rank {rank}"),
            "close it with }",
        ));
    }
    match reader.assembly {
        Some(assembly) => assembly.finish(text),
        None => Err(end.error("the file has no ranks", "begin with num_ranks")),
    }
}

/// Returns the words of a line without comments; `:`, `{` and `}` are words.
fn words<'t>(line: &'t str, offset: usize, in_comment: &mut bool) -> Vec<Piece<'t>> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < line.len() {
        let rest = &line[at..];
        if *in_comment {
            match rest.find("*/") {
                Some(end) => {
                    *in_comment = false;
                    at += end + 2;
                }
                None => break,
            }
            continue;
        }
        if rest.starts_with("//") || rest.starts_with('#') {
            break;
        }
        if rest.starts_with("/*") {
            *in_comment = true;
            at += 2;
            continue;
        }
        let first = rest.chars().next().map_or(1, char::len_utf8);
        if rest.starts_with(char::is_whitespace) {
            at += first;
            continue;
        }
        let ends = |one: char| one.is_whitespace() || ":{}".contains(one);
        let length = match rest.find(ends) {
            Some(0) => first,
            Some(end) => end,
            None => rest.len(),
        };
        let length = rest[..length]
            .find("/*")
            .filter(|&at| at > 0)
            .unwrap_or(length);
        found.push(Piece {
            text: &rest[..length],
            offset: offset + at,
        });
        at += length;
    }
    found
}

struct Reader<'t> {
    unit: Duration,
    assembly: Option<Assembly<'t>>,
    /// The rank of the block that is being read.
    rank: Option<u32>,
    labels: BTreeMap<&'t str, Placed>,
}

impl<'t> Reader<'t> {
    fn statement(&mut self, first: Piece<'t>, rest: &[Piece<'t>]) -> Result<(), InputError> {
        match (first.text, self.rank) {
            ("num_ranks", None) => self.ranks(first, rest),
            ("rank", None) => self.begin(first, rest),
            ("}", Some(_)) => {
                self.rank = None;
                self.labels.clear();
                nothing(rest)
            }
            (_, Some(rank)) => self.operation(rank, first, rest),
            (_, None) => Err(first.error(
                format!("`{}` outside of a rank", first.text),
                "write num_ranks N, then rank 0 { .. }",
            )),
        }
    }

    fn ranks(&mut self, first: Piece<'t>, rest: &[Piece<'t>]) -> Result<(), InputError> {
        let help = "write num_ranks and their number once";
        let count = argument(first, rest, help)?;
        let ranks: u32 = count.integer("a number of ranks", help)?;
        if ranks == 0 || ranks > MAX_RANKS || self.assembly.is_some() {
            return Err(count.error(
                format!("{ranks} ranks here: 1 to {MAX_RANKS} are possible, stated once"),
                help,
            ));
        }
        self.assembly = Some(Assembly::new(ranks));
        nothing(&rest[1..])
    }

    fn begin(&mut self, first: Piece<'t>, rest: &[Piece<'t>]) -> Result<(), InputError> {
        let help = "write num_ranks N, then rank 0 { .. } up to rank N-1";
        let number = argument(first, rest, help)?;
        let rank: u32 = number.integer("the number of a rank", help)?;
        let known = self.assembly.as_ref().is_some_and(|all| all.has(rank));
        if !known {
            return Err(number.error(format!("there is no rank {rank}"), help));
        }
        match rest {
            [_, open] if open.text == "{" => {
                self.rank = Some(rank);
                Ok(())
            }
            _ => Err(first.error("write the statements of a rank in braces", help)),
        }
    }

    fn operation(
        &mut self,
        rank: u32,
        first: Piece<'t>,
        rest: &[Piece<'t>],
    ) -> Result<(), InputError> {
        match rest {
            [colon, verb, words @ ..] if colon.text == ":" => {
                let placed = self.add(rank, first.text, *verb, words)?;
                if self.labels.insert(first.text, placed).is_some() {
                    return Err(first.error(
                        format!("a second `{}` in rank {rank}", first.text),
                        "use each label for one operation",
                    ));
                }
                Ok(())
            }
            [verb, before] if matches!(verb.text, "requires" | "irequires") => {
                let label = |name: &Piece<'t>| {
                    self.labels.get(name.text).copied().ok_or_else(|| {
                        name.error(
                            format!("there is no `{}` before this in rank {rank}", name.text),
                            "a dependency follows the operations that it names",
                        )
                    })
                };
                let (operation, earlier) = (label(&first)?, label(before)?);
                if let Some(assembly) = &mut self.assembly {
                    match verb.text {
                        "requires" => assembly.after_end(rank, operation, earlier),
                        _ => assembly.after_start(rank, operation, earlier),
                    }
                }
                Ok(())
            }
            words => self.add(rank, "", first, words).map(drop),
        }
    }

    fn add(
        &mut self,
        rank: u32,
        label: &str,
        verb: Piece<'t>,
        words: &[Piece<'t>],
    ) -> Result<Placed, InputError> {
        const FORMS: &str = "write `send 8b to 1 tag 0`, `recv 8b from 1 tag 0` or `calc 100`, \
                             then cpu or nic with a number";
        let number = |word: &Piece<'t>| word.integer::<u64>("a number", FORMS);
        let (operation, options) = match (verb.text, words) {
            ("calc", [amount, options @ ..]) => {
                let span = self.unit.saturating_mul(number(amount)?);
                let stream = option(options, "cpu", FORMS)?;
                (Operation::Compute { stream, span }, options)
            }
            ("send" | "recv", [size, way, peer, options @ ..]) => {
                let bytes = size.text.strip_suffix('b').unwrap_or(size.text);
                let bytes = Piece {
                    text: bytes,
                    ..*size
                };
                let tag = u64::from(option::<u32>(options, "tag", FORMS)?);
                let peer = peer.integer("a rank; any source is not supported", FORMS)?;
                let size = Bytes::new(number(&bytes)?);
                let operation = match (verb.text, way.text) {
                    ("send", "to") => Operation::Send {
                        channel: option(options, "nic", FORMS)?,
                        to: peer,
                        size,
                        tag,
                    },
                    ("recv", "from") => Operation::Receive { from: peer, tag },
                    _ => return Err(way.error(format!("`{}` here", way.text), FORMS)),
                };
                (operation, options)
            }
            _ => {
                return Err(verb.error(format!("`{}` is no operation", verb.text), FORMS));
            }
        };
        known(options, FORMS)?;
        let assembly = self.assembly.as_mut();
        let assembly = assembly.ok_or_else(|| verb.error("ranks are not counted", FORMS))?;
        assembly.add(rank, label, operation, verb)
    }
}

/// Returns the value of the option `name`, or zero.
fn option<T: TryFrom<u64> + Default>(
    options: &[Piece<'_>],
    name: &str,
    help: &str,
) -> Result<T, InputError> {
    match options.chunks(2).find(|pair| pair[0].text == name) {
        Some([_, value]) => value.integer("a number that fits; any tag is not supported", help),
        Some(alone) => Err(alone[0].error(format!("`{name}` has no number"), help)),
        None => Ok(T::default()),
    }
}

/// Rejects unknown options.
fn known(options: &[Piece<'_>], help: &str) -> Result<(), InputError> {
    for pair in options.chunks(2) {
        if !matches!(pair[0].text, "tag" | "cpu" | "nic") {
            return Err(pair[0].error(format!("`{}` here", pair[0].text), help));
        }
    }
    Ok(())
}

fn argument<'t>(first: Piece<'t>, rest: &[Piece<'t>], help: &str) -> Result<Piece<'t>, InputError> {
    let missing = || first.error(format!("`{}` has no number", first.text), help);
    rest.first().copied().ok_or_else(missing)
}

fn nothing(rest: &[Piece<'_>]) -> Result<(), InputError> {
    match rest.first() {
        None => Ok(()),
        Some(more) => Err(more.error(
            format!("`{}` here", more.text),
            "begin a line for each statement",
        )),
    }
}
