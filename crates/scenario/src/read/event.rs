//! Resolves the names of nodes and links in `[[event]]` tables.

use fabricsim_base::id::NodeId;
use fabricsim_base::input::ConfigError;
use fabricsim_topology::Topology;

use crate::read::raw::RawEvent;
use crate::schema::event::tables::LinkTable;
use crate::schema::event::{Event, EventKind, LinkName};
use crate::schema::part::{Part, Refused};

/// Resolves the events of `tables`, in the order of the text; an event is an error if it does not
/// fit `topology`.
pub(crate) fn resolve_events(
    tables: Vec<RawEvent>,
    topology: &Topology,
) -> impl Iterator<Item = Result<Event, Refused>> {
    let tables = tables.into_iter().enumerate();
    tables.map(move |(index, table)| {
        let event = resolve(table).and_then(|event| {
            event.validate(topology)?;
            Ok(event)
        });
        event.map_err(|error| Part::Event(index).refused(error))
    })
}

fn resolve(table: RawEvent) -> Result<Event, ConfigError> {
    let (at, kind) = match table {
        RawEvent::LinkDown(LinkTable { at, link, index }) => {
            (at, EventKind::LinkDown(link_name(&link, index)?))
        }
        RawEvent::LinkUp(LinkTable { at, link, index }) => {
            (at, EventKind::LinkUp(link_name(&link, index)?))
        }
        RawEvent::LinkRate(table) => {
            let link = link_name(&table.link, table.index)?;
            (table.at, EventKind::LinkRate(link, table.rate))
        }
        RawEvent::LinkLoss(table) => {
            let link = link_name(&table.link, table.index)?;
            (table.at, EventKind::LinkLoss(link, table.loss))
        }
        RawEvent::SwitchDown(table) => (table.at, EventKind::SwitchDown(table.switch)),
        RawEvent::SwitchUp(table) => (table.at, EventKind::SwitchUp(table.switch)),
    };
    Ok(Event { at, kind })
}

fn link_name(ends: &[NodeId], index: Option<u32>) -> Result<LinkName, ConfigError> {
    match *ends {
        [a, b] => Ok(LinkName {
            ends: [a, b],
            index,
        }),
        _ => Err(ConfigError::new(
            "link",
            format!("a link joins two nodes, and this names {}", ends.len()),
            "write the numbers of both ends, such as [320, 340], or their names, such as [\"tor0\", \"agg0\"]",
        )),
    }
}
