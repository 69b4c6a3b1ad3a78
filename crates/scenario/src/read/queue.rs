//! Checks the `[[queue]]` tables.

use fabricsim_qdisc::DisciplineConfig;

use crate::read::raw::{RawDiscipline, RawQueue};
use crate::schema::part::{Part, Reason, Refused};
use crate::schema::queue::QueueRule;

/// Returns the rules of `tables`, which are in the order of the text; each may have a discipline
/// whose values have no meaning, or a priority that flows cannot have.
pub(crate) fn check_queues(
    tables: Vec<RawQueue>,
) -> impl Iterator<Item = Result<QueueRule, Refused>> {
    tables.into_iter().enumerate().map(|(index, table)| {
        let discipline = check_discipline(table.discipline);
        let discipline = discipline.map_err(|reason| Part::Discipline(index).refused(reason))?;
        let place = table.place;
        let valid = place.validate();
        valid.map_err(|error| Part::Queue(index).refused(error))?;
        Ok(QueueRule { discipline, place })
    })
}

fn check_discipline(discipline: RawDiscipline) -> Result<DisciplineConfig, Reason> {
    match discipline {
        RawDiscipline::Line(line) => Ok(line.parse::<DisciplineConfig>()?),
        RawDiscipline::Table(config) => {
            config.validate()?;
            Ok(config)
        }
    }
}
