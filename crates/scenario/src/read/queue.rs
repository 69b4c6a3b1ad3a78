//! Checks the `[[queue]]` tables.

use crate::read::raw::RawQueue;
use crate::schema::part::{Part, Refused};
use crate::schema::queue::QueueRule;

/// Checks the rules of `tables`, in the order of the text. A rule is an error if a value of its
/// discipline has no meaning, or if flows cannot have its priority.
pub(crate) fn check_queues(
    tables: Vec<RawQueue>,
) -> impl Iterator<Item = Result<QueueRule, Refused>> {
    tables.into_iter().enumerate().map(|(index, table)| {
        let RawQueue { discipline, place } = table;
        let discipline = discipline.map_err(|error| Part::Discipline(index).refused(error))?;
        let valid = discipline.validate();
        valid.map_err(|error| Part::Discipline(index).refused(error))?;
        let valid = place.validate();
        valid.map_err(|error| Part::Queue(index).refused(error))?;
        Ok(QueueRule { discipline, place })
    })
}
