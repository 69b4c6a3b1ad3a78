//! The parts of completion times in words.

use std::collections::BTreeMap;

use fabricsim_base::units::Duration;
use fabricsim_report::observed::{DelayPart, Delays};
use serde_json::Value;

use super::account::share;
use crate::results::class_name;

/// Names a part at `place`.
pub(super) fn part(own: &DelayPart<'_>, place: &str, summary: &Value) -> String {
    let name = match own.part {
        "transmission" if own.stage == "sending" => "sending its bytes",
        "transmission" if own.stage == "connection" => "sending their bytes",
        "retransmission" => "sending bytes again",
        "pacing" => "pacing rate",
        "nic" => "other packets at the sender's NIC",
        "route" => "no route to the receiver",
        "handshake" => "opening the connection",
        "credit" => "credit of the receiver",
        "recovery" => "a loss that is not noticed yet",
        "receiver" => "receiver before it acknowledges",
        "queue" => "queue",
        "pause" => "paused by PFC",
        "unexplained" => "not taken apart",
        other => other,
    };
    let mut text = match own.stage {
        // Only a full window is divided by the way of a packet.
        "connection" if ["propagation", "queue", "receiver"].contains(&own.part) => {
            format!("window of earlier messages: {name}")
        }
        "connection" => format!("earlier messages: {name}"),
        "window" => format!("full window: {name}"),
        "packet" => format!("last packet: {name}"),
        "acknowledgement" => format!("last acknowledgement: {name}"),
        _ => name.to_owned(),
    };
    if !place.is_empty() {
        text = format!("{text}, {place}");
    }
    if !own.behind.is_empty() {
        text = format!("{text}, behind {}", owner(own.behind, summary));
    }
    text
}

/// Names the owner of packets in front.
fn owner(behind: &str, summary: &Value) -> String {
    match behind.parse() {
        Ok(class) => class_name(summary, class),
        Err(_) => "its own packets".to_owned(),
    }
}

/// Describes the largest cause of waiting: a sentence, or `None` if nothing waited.
pub(super) fn cause(
    delays: &Delays<'_>,
    place: &impl Fn(&DelayPart<'_>) -> String,
    summary: &Value,
) -> Option<String> {
    let whole = delays.total();
    let moves = ["transmission", "propagation"];
    let sums = delays.sums(|own| (own.part.to_owned(), place(own)));
    let waiting = sums
        .iter()
        .find(|((part, _), _)| !moves.contains(&part.as_str()));
    let ((name, at), sum) = waiting.filter(|(_, sum)| *sum > Duration::ZERO)?;
    let mut owners: BTreeMap<String, Duration> = BTreeMap::new();
    for ((part, at_part, behind), time) in
        delays.sums(|own| (own.part.to_owned(), place(own), own.behind.to_owned()))
    {
        if part == *name && at_part == *at && !behind.is_empty() {
            let sum = owners.entry(owner(&behind, summary)).or_default();
            *sum = *sum + time;
        }
    }
    let bare = DelayPart {
        stage: "sending",
        part: name,
        port: None,
        name: "",
        tier: "",
        peer: "",
        behind: "",
    };
    let percent = |part, whole| (share(part, whole) * 100.0).round();
    let mut sentence = format!("{}% is {}", percent(*sum, whole), part(&bare, at, summary));
    if let Some((owner, time)) = owners.iter().max_by_key(|(_, time)| **time) {
        sentence = format!("{sentence}; of it {}% behind {owner}", percent(*time, *sum));
    }
    Some(sentence)
}
