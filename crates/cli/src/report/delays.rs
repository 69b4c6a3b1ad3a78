//! Completion times in their parts.

use fabricsim::Error;
use fabricsim_plot::html::{Cell, Page};
use fabricsim_report::observed::Delays;

use super::runs::Run;
use super::{diagnostic, part};
use crate::explain::{Account, By};

/// Adds a table for each class of each run that has observed delays.
pub(super) fn delays(page: &mut Page, runs: &[Run]) -> Result<(), Error> {
    let mut begun = false;
    for run in runs {
        let Some((file, text)) = part(run, "delays.csv")? else {
            continue;
        };
        let delays = Delays::read(&text).map_err(|error| diagnostic(&file, &text, error))?;
        for class in delays.classes() {
            let own = delays.of(|flow| flow.class == class);
            let account = Account::new(&own, class, By::Tier, &run.summary);
            if !begun {
                page.section("Where the time went");
                page.paragraph(
                    "Parts of the completion times: until the last packet leaves, in full windows, \
                     on the way of the last packet, and of its acknowledgement.",
                );
                begun = true;
            }
            page.paragraph(&format!("{}, {}.", run.name, account.title));
            let tail = account.tail.iter().chain(&account.cause);
            for sentence in tail {
                page.paragraph(&format!("{sentence}."));
            }
            let rows: Vec<Vec<Cell>> = (account.rows.iter())
                .map(|row| {
                    let cells = row.cells().map(Cell::from);
                    std::iter::once(Cell::from(row.name.as_str()))
                        .chain(cells)
                        .collect()
                })
                .collect();
            page.table(&["part", "all", "mean", "slowest", "mean"], &rows);
        }
    }
    Ok(())
}
