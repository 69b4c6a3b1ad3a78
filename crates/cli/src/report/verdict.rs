//! The verdict of a report: a sentence on each question that its runs ask.

mod question;
mod statements;
mod subject;
mod table;
mod words;

use fabricsim_plot::html::Page;

use self::statements::{Question, questions};
use self::subject::subjects;
use super::read::Results;

pub(super) use self::table::all_comparisons;

/// Statements on one question, at most.
const MOST: usize = 24;

/// Adds the sentences on all questions, and the comparisons behind them; nothing if there is only one
/// setting.
pub(super) fn verdict(page: &mut Page, results: &Results) {
    let layout = &results.layout;
    if layout.settings.len() < 2 {
        return;
    }
    let subjects = subjects(results);
    let questions = questions(layout, &subjects);
    page.section("In short");
    if questions
        .iter()
        .all(|question| question.statements.is_empty())
    {
        page.paragraph(
            "The settings have no flows and no jobs in common, so there is nothing to compare.",
        );
        return;
    }
    for question in &questions {
        if question.statements.is_empty() {
            continue;
        }
        page.subsection(&question.heading);
        let shown = question.statements.len().min(MOST);
        page.statements(&question.statements[..shown]);
        if shown < question.statements.len() {
            let more = question.statements.len() - shown;
            page.paragraph(&format!("{more} more comparisons are in the table below."));
        }
    }
    for advice in advice(&questions, results.layout.most_runs()) {
        page.paragraph(&advice);
    }
    table::comparisons(page, layout, &subjects);
}

/// Returns the reliability of the statements in words.
fn advice(questions: &[Question], runs: usize) -> Vec<String> {
    if runs < 2 {
        return vec![
            "In brackets are 95% confidence intervals as if flows were independent. Flows of one \
             run share queues, so the true intervals are wider: before you decide, run each setting \
             with several seeds (a sweep with an axis of seeds) and give all of them to this report."
                .to_owned(),
        ];
    }
    let comparisons: usize = questions.iter().map(|question| question.comparisons).sum();
    let chance = match comparisons {
        0..=10 => String::new(),
        many => format!(
            " The sentences rest on {many} comparisons: if no setting differed, about {} would look \
             decided by chance.",
            (many as f64 / 20.0).round().max(1.0)
        ),
    };
    vec![format!(
        "In brackets are 95% confidence intervals of ratios between runs of the same seed, up to \
         {runs} of each setting. If a sentence chooses the best of several or finds where a ranking \
         turns, its intervals hold together.{chance}"
    )]
}
