//! Selection of the flows of a run that count: flows of the warm-up and of the cool-down do not.

use std::fmt;

use fabricsim_base::units::{Duration, Time};
use serde::Serialize;

use crate::record::FctRecord;

/// Latest start of the flows that count.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum CutEnd {
    /// This duration before the last flow starts.
    CoolDown(Duration),
    /// This instant.
    Until(Time),
}

/// Selects flows by their start, to exclude two phases that would bias the results: the warm-up,
/// when the network is emptier than later, and the cool-down, when no new flows start.
///
/// The start decides, not the completion, so that long flows stay: a flow that takes longer is just
/// as likely to count.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Cut {
    /// Excludes flows that start less than this after the first one. It is relative because a run
    /// may begin at any time; the published simulator's begin at 2 s.
    pub warm_up: Duration,
    /// Excludes flows that start later than this.
    pub end: CutEnd,
}

/// Flows that a [`Cut`] keeps, with a report on the excluded flows.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct CutFlows {
    /// The flows that count, in their original order.
    pub kept: Vec<FctRecord>,
    /// Report on the excluded flows.
    pub report: CutReport,
}

/// Effect of a [`Cut`]: the range of starts that count, and the number of excluded flows.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
pub struct CutReport {
    /// The first start that counts, in picoseconds.
    pub from_ps: u64,
    /// The last start that counts, in picoseconds.
    pub upto_ps: u64,
    /// Number of flows that count.
    pub kept: usize,
    /// Number of flows that started before the range.
    pub too_early: usize,
    /// Number of flows that started after the range.
    pub too_late: usize,
}

impl Cut {
    /// Excludes nothing.
    pub const NOTHING: Self = Self {
        warm_up: Duration::ZERO,
        end: CutEnd::CoolDown(Duration::ZERO),
    };

    /// Divides `records`, in any order, into flows that count and flows that do not.
    #[must_use]
    pub fn apply(&self, records: &[FctRecord]) -> CutFlows {
        let starts = || records.iter().map(|record| record.start);
        let first = starts().min().unwrap_or(Time::ZERO);
        let last = starts().max().unwrap_or(Time::ZERO);
        let from = first.saturating_add(self.warm_up);
        let (upto, none_left) = match self.end {
            CutEnd::Until(until) => (until, false),
            // No flow counts if the cool-down is longer than the run.
            CutEnd::CoolDown(span) => match last.as_ps().checked_sub(span.as_ps()) {
                Some(ps) => (Time::from_ps(ps), false),
                None => (Time::ZERO, true),
            },
        };
        let mut report = CutReport {
            from_ps: from.as_ps(),
            upto_ps: upto.as_ps(),
            kept: 0,
            too_early: 0,
            too_late: 0,
        };
        let mut kept = Vec::with_capacity(records.len());
        for record in records {
            if record.start < from {
                report.too_early += 1;
            } else if record.start > upto || none_left {
                report.too_late += 1;
            } else {
                kept.push(*record);
            }
        }
        report.kept = kept.len();
        CutFlows { kept, report }
    }
}

impl fmt::Display for CutReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            from_ps,
            upto_ps,
            kept,
            too_early,
            too_late,
        } = *self;
        let (from, upto) = (readable(from_ps), readable(upto_ps));
        write!(
            f,
            "{kept} flows that start from {from} to {upto}; left out {too_early} that start \
             before and {too_late} that start after"
        )
    }
}

/// Formats an instant in the largest unit that it reaches, with three decimals at most: `5.986ms`.
fn readable(ps: u64) -> String {
    let units = [
        (1e12, "s"),
        (1e9, "ms"),
        (1e6, "us"),
        (1e3, "ns"),
        (1.0, "ps"),
    ];
    let value = ps as f64;
    let unit = units.into_iter().find(|(size, _)| value >= *size);
    let (size, name) = unit.unwrap_or((1.0, "s"));
    let text = format!("{:.3}", value / size);
    let text = text.trim_end_matches('0').trim_end_matches('.');
    format!("{text}{name}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::testing::record;

    fn starting_at(ms: impl IntoIterator<Item = u64>) -> Vec<FctRecord> {
        let at = |ms| FctRecord {
            start: Time::from_ns(ms * 1_000_000),
            ..record(1_000, 2_000, 1_000)
        };
        ms.into_iter().map(at).collect()
    }

    fn cut(warm_up_ms: u64, end: CutEnd) -> Cut {
        Cut {
            warm_up: Duration::from_ms(warm_up_ms),
            end,
        }
    }

    #[test]
    fn both_ends_are_cut() {
        let records = starting_at((2_000..=2_010).rev());
        let flows = cut(3, CutEnd::CoolDown(Duration::from_ms(2))).apply(&records);
        assert_eq!(
            flows.report.to_string(),
            "6 flows that start from 2.003s to 2.008s; left out 3 that start before and 2 that \
             start after"
        );
        assert_eq!(
            flows.kept,
            starting_at([2_008, 2_007, 2_006, 2_005, 2_004, 2_003])
        );
        let until = cut(0, CutEnd::Until(Time::from_ns(2_004_500_000))).apply(&records);
        assert_eq!(until.kept, starting_at((2_000..=2_004).rev()));
    }

    #[test]
    fn times_read_well() {
        for (ps, text) in [
            (0, "0s"),
            (250, "250ps"),
            (1_000_000, "1us"),
            (5_985_625_806, "5.986ms"),
            (2_003_000_000_000, "2.003s"),
        ] {
            assert_eq!(readable(ps), text);
        }
    }

    #[test]
    fn no_cut_keeps_everything() {
        let records = starting_at([5, 1, 9]);
        assert_eq!(Cut::NOTHING.apply(&records).kept, records);
        assert_eq!(Cut::NOTHING.apply(&[]).report.kept, 0);
    }

    #[test]
    fn cuts_longer_than_the_run_leave_nothing() {
        let records = starting_at([0, 1, 2]);
        let late = cut(0, CutEnd::CoolDown(Duration::from_ms(3))).apply(&records);
        assert_eq!((late.report.kept, late.report.too_late), (0, 3));
        let early = cut(3, CutEnd::CoolDown(Duration::ZERO)).apply(&records);
        assert_eq!((early.report.kept, early.report.too_early), (0, 3));
    }
}
