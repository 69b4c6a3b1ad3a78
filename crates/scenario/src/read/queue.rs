//! Checks the `[[queue]]` tables.

use crate::schema::part::{Part, Refused};
use crate::schema::queue::QueueRule;

/// Refuses priorities that flows do not have.
///
/// # Errors
/// The first table of such.
pub(crate) fn check_places(queues: &[QueueRule]) -> Result<(), Refused> {
    queues.iter().enumerate().try_for_each(|(index, rule)| {
        let valid = rule.place.validate();
        valid.map_err(|error| Part::Queue(index).refused(error))
    })
}
