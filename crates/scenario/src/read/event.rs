//! Reads the `[[event]]` tables.

use fabricsim_core::id::NodeId;
use fabricsim_core::input::ConfigError;
use fabricsim_topology::Topology;
use toml::de::DeTable;

use crate::schema::event::tables::{LinkTable, LossTable, RateTable, SwitchTable};
use crate::schema::event::{Event, EventKind, KINDS, LinkName};
use crate::text::document::{Document, Section};
use crate::text::error::Error;

/// Takes the events out of `root`, in the order of the text.
pub(crate) fn read_events<'a>(
    document: &Document<'a>,
    root: &mut DeTable<'a>,
    topology: &Topology,
) -> Result<Vec<Event>, Error> {
    let sections = document.sections(root, "event")?;
    let events = sections.into_iter().map(|mut section| {
        let event = read_event(document, &mut section)?;
        let checked = event.validate(topology);
        checked.map_err(|error| document.refuse(&section, error))?;
        Ok(event)
    });
    events.collect()
}

fn read_event<'a>(document: &Document<'a>, section: &mut Section<'a>) -> Result<Event, Error> {
    let kinds: Vec<&'static str> = KINDS.iter().map(|(name, ..)| *name).collect();
    let kind = document.kind(section, &kinds)?;
    let keys = KINDS
        .iter()
        .find(|(name, ..)| *name == kind)
        .map_or(&[][..], |(_, _, keys)| keys);
    let named = |ends: &[u32], index| {
        link_name(ends, index).map_err(|error| document.refuse(section, error))
    };
    let (at, kind) = match kind {
        "link-down" | "link-up" => {
            let table: LinkTable = document.settings(section, keys)?;
            let link = named(&table.link, table.index)?;
            let kind = match kind {
                "link-down" => EventKind::LinkDown(link),
                _ => EventKind::LinkUp(link),
            };
            (table.at, kind)
        }
        "link-rate" => {
            let table: RateTable = document.settings(section, keys)?;
            let link = named(&table.link, table.index)?;
            (table.at, EventKind::LinkRate(link, table.rate))
        }
        "link-loss" => {
            let table: LossTable = document.settings(section, keys)?;
            let link = named(&table.link, table.index)?;
            (table.at, EventKind::LinkLoss(link, table.loss))
        }
        "switch-down" | "switch-up" => {
            let table: SwitchTable = document.settings(section, keys)?;
            let switch = NodeId(table.switch);
            let kind = match kind {
                "switch-down" => EventKind::SwitchDown(switch),
                _ => EventKind::SwitchUp(switch),
            };
            (table.at, kind)
        }
        _ => unreachable!("`kind` returns one of the names it was given"),
    };
    Ok(Event { at, kind })
}

fn link_name(ends: &[u32], index: Option<u32>) -> Result<LinkName, ConfigError> {
    match *ends {
        [a, b] => Ok(LinkName {
            ends: [NodeId(a), NodeId(b)],
            index,
        }),
        _ => Err(ConfigError::new(
            "link",
            format!("a link joins two nodes, and this names {}", ends.len()),
            "write the numbers of both ends, such as [320, 340]",
        )),
    }
}
