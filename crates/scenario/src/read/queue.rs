//! Checks the `[[queue]]` tables.

use crate::read::raw::RawQueue;
use crate::schema::part::{Part, Refused};
use crate::schema::queue::QueueRule;

/// Returns the rules of `tables`, which are in the order of the text; each may have a discipline
/// whose values have no meaning, or a priority that flows cannot have.
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
