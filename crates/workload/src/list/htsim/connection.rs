//! A line of a connection matrix that describes a flow.

use fabricsim_base::id::NodeId;
use fabricsim_base::input::InputError;
use fabricsim_base::units::{Bytes, Time};

use crate::context::WorkloadContext;
use crate::list::row;
use crate::text::Piece;

/// The cause that starts a flow.
#[derive(Clone, Copy, Debug)]
pub(super) enum Begin<'t> {
    /// The flow starts at a time.
    At(Time),
    /// The trigger with this number starts the flow.
    By(Number<'t>),
}

/// A number, and its position.
#[derive(Clone, Copy, Debug)]
pub(super) struct Number<'t> {
    pub(super) value: u32,
    pub(super) place: Piece<'t>,
}

/// A flow of a connection matrix.
#[derive(Clone, Copy, Debug)]
pub(super) struct Connection<'t> {
    /// `src->dst`, as written.
    pub(super) ends: Piece<'t>,
    pub(super) src: NodeId,
    pub(super) dst: NodeId,
    pub(super) size: Bytes,
    pub(super) begin: Begin<'t>,
    pub(super) id: Option<Number<'t>>,
    /// The triggers that its end fires: at the sender, at the receiver.
    pub(super) fires: [Option<Number<'t>>; 2],
}

const HELP: &str = "write `src->dst id N start PICOSECONDS size BYTES`, or `trigger N` for `start`";

impl<'t> Connection<'t> {
    pub(super) fn read(line: Piece<'t>, context: &WorkloadContext) -> Result<Self, InputError> {
        let mut words = line.words();
        let ends = words.next().unwrap_or(line);
        let (src, dst) = hosts(ends, context)?;
        let (mut size, mut start, mut trigger) = (None, None, None);
        let (mut id, mut fires) = (None, [None, None]);
        while let Some(word) = words.next() {
            // These words change the meaning of a line, so they are rejected instead of ignored.
            if word.text == "addon" {
                return Err(word.error(
                    "connections that add bytes at a signal are not simulated",
                    "remove `addon`, and write a separate connection for the added bytes",
                ));
            }
            if word.text == "msg" {
                return Err(word.error(
                    "messages that share the connection of an `id` are not simulated",
                    "remove `msg` and its number, and give each flow its own `id`: each then has its own connection",
                ));
            }
            let mut value = || {
                words
                    .next()
                    .ok_or_else(|| word.error("its value is missing", HELP))
            };
            match word.text {
                "size" => size = Some(row::size(value()?)?),
                "start" => start = Some((word, row::time(value()?, 0, "picoseconds")?)),
                "trigger" => trigger = Some(number(value()?)?),
                "id" => id = Some(number(value()?)?),
                "send_done_trigger" => fires[0] = Some(number(value()?)?),
                "recv_done_trigger" => fires[1] = Some(number(value()?)?),
                "prio" => {
                    value()?;
                }
                other => return Err(word.error(format!("there is no `{other}`"), HELP)),
            }
        }
        // A flow has exactly one cause: a time or a trigger.
        let begin = match (start, trigger) {
            (Some((_, start)), None) => Begin::At(start),
            (None, Some(trigger)) => Begin::By(trigger),
            (Some((word, _)), Some(_)) => {
                return Err(word.error("the flow has a start and a trigger", "keep one of them"));
            }
            (None, None) => return Err(ends.error("nothing starts this flow", HELP)),
        };
        if let (Begin::By(trigger), None) = (begin, id) {
            let help = "give the flow an `id`, as htsim demands";
            return Err(trigger
                .place
                .error("the flow that it starts has no id", help));
        }
        Ok(Self {
            ends,
            src,
            dst,
            size: size.ok_or_else(|| ends.error("the flow has no size", HELP))?,
            begin,
            id,
            fires,
        })
    }
}

/// Reads the number of a flow or a trigger, which is not 0.
pub(super) fn number(place: Piece<'_>) -> Result<Number<'_>, InputError> {
    let help = "flows and triggers are numbered from 1";
    match place.integer("a number", help)? {
        0 => Err(place.error("0 means none", help)),
        value => Ok(Number { value, place }),
    }
}

/// Reads the hosts in `src->dst`, given by their positions in the order of hosts.
fn hosts(ends: Piece<'_>, context: &WorkloadContext) -> Result<(NodeId, NodeId), InputError> {
    let at = ends.text.find("->").expect("the line is a connection");
    let part = |text, offset| Piece { text, offset };
    let src = part(&ends.text[..at], ends.offset);
    let dst = part(&ends.text[at + 2..], ends.offset + at + 2);
    let host = |place: Piece<'_>| {
        let help = format!(
            "nodes are counted from 0 to {}",
            context.hosts.len().saturating_sub(1)
        );
        let number: usize = place.integer("the number of a node", &help)?;
        let found = context.hosts.get(number).map(|host| host.id);
        found.ok_or_else(|| place.error(format!("there is no node {number}"), help))
    };
    let pair = (host(src)?, host(dst)?);
    if pair.0 == pair.1 {
        let message = format!("node {} sends to itself", src.text);
        return Err(dst.error(message, "choose a destination that is not the source"));
    }
    Ok(pair)
}
