//! The account of a class: the shares of its parts, over all flows and in the tail.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use fabricsim_base::id::{ClassId, FlowId};
use fabricsim_base::units::Duration;
use fabricsim_plot::figure::{Unit, quantity};
use fabricsim_report::Percentile;
use fabricsim_report::observed::{DelayPart, Delays};
use serde_json::Value;

use super::words::{cause, part};
use crate::results::class_name;

/// Shares below this are not shown.
const LEAST_SHARE: f64 = 0.0005;

/// The places by which queues are added up.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub(crate) enum By {
    Tier,
    Port,
}

impl By {
    /// Names the place of a part.
    fn place(self, own: &DelayPart<'_>) -> String {
        match self {
            Self::Tier => own.tier.to_owned(),
            Self::Port if own.name.is_empty() => String::new(),
            Self::Port => format!("{} -> {}", own.name, own.peer),
        }
    }
}

/// The account of a class of flows.
#[derive(Debug)]
pub(crate) struct Account {
    /// The class, its number of flows and their mean completion time.
    pub(crate) title: String,
    /// The flows of the tail, if there are enough flows for one.
    pub(crate) tail: Option<String>,
    /// The largest cause of waiting in the tail.
    pub(crate) cause: Option<String>,
    pub(crate) rows: Vec<AccountRow>,
}

/// A part in the account of a class.
#[derive(Debug)]
pub(crate) struct AccountRow {
    pub(crate) name: String,
    /// Share of the completion times, and mean over flows.
    all: (f64, Duration),
    /// The same over the flows of the tail.
    slowest: Option<(f64, Duration)>,
}

impl AccountRow {
    /// Returns the shares and the means over all flows and over the tail; dashes without a tail.
    pub(crate) fn cells(&self) -> [String; 4] {
        let cells = |(share, mean)| [format!("{:.1}%", share * 100.0), time(mean)];
        let nothing = || ["-".to_owned(), "-".to_owned()];
        let [all, mean] = cells(self.all);
        let [slowest, of_slowest] = self.slowest.map_or_else(nothing, cells);
        [all, mean, slowest, of_slowest]
    }
}

impl Account {
    /// Returns the account of `class`, which contains the flows of `all`.
    pub(crate) fn new(all: &Delays<'_>, class: ClassId, by: By, summary: &Value) -> Self {
        let place = |own: &DelayPart<'_>| by.place(own);
        let label = |own: &DelayPart<'_>| part(own, &place(own), summary);
        let count = all.slowest_first().len();
        let tail = Tail::of(all);
        let of_tail = tail.as_ref().map(|tail| tail.flows.sums(label));
        let mut rows: Vec<AccountRow> = Vec::new();
        for (name, sum) in all.sums(label) {
            let slowest = tail.as_ref().zip(of_tail.as_ref()).map(|(tail, sums)| {
                let own = sums.iter().find(|(own, _)| *own == name);
                let sum = own.map_or(Duration::ZERO, |(_, sum)| *sum);
                (share(sum, tail.flows.total()), mean(sum, tail.count))
            });
            rows.push(AccountRow {
                name,
                all: (share(sum, all.total()), mean(sum, count)),
                slowest,
            });
        }
        rows.retain(|row| {
            let slowest = row.slowest.map_or(0.0, |(share, _)| share);
            row.all.0.max(slowest) >= LEAST_SHARE
        });
        rows.sort_by_key(|row| Reverse(row.slowest.map(|(_, mean)| mean)));
        Self {
            title: format!(
                "{}: {count} flows, {} on average",
                class_name(summary, class.0),
                time(mean(all.total(), count))
            ),
            cause: (tail.as_ref()).and_then(|tail| cause(&tail.flows, &place, summary)),
            tail: tail.map(|tail| tail.describe()),
            rows,
        }
    }
}

/// The slowest flows, as a percentile of the slowdown separates them from the others.
struct Tail<'t> {
    percentile: Percentile,
    count: usize,
    least_slowdown: f64,
    flows: Delays<'t>,
}

impl<'t> Tail<'t> {
    /// Returns the tail of `all`, or `None` if there are too few flows for any percentile.
    fn of(all: &Delays<'t>) -> Option<Self> {
        let slowest = all.slowest_first();
        let known = [Percentile::P99, Percentile::P95, Percentile::P50];
        let percentile = (known.into_iter()).find(|own| own.is_known_of(slowest.len()))?;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a part of the number of flows"
        )]
        let count = (slowest.len() as f64 * (1.0 - percentile.fraction())).ceil() as usize;
        let members = &slowest[..count];
        let least_slowdown = members.last()?.slowdown();
        let members: BTreeSet<FlowId> = members.iter().map(|flow| flow.flow).collect();
        Some(Self {
            percentile,
            count,
            least_slowdown,
            flows: all.of(|flow| members.contains(&flow.flow)),
        })
    }

    fn describe(&self) -> String {
        format!(
            "{} slowest, {} and above (slowdown from {:.2}): {} on average",
            self.count,
            self.percentile,
            self.least_slowdown,
            time(mean(self.flows.total(), self.count))
        )
    }
}

fn mean(sum: Duration, flows: usize) -> Duration {
    Duration::from_ps(sum.as_ps() / (flows as u64).max(1))
}

/// Returns a time such as `1.2 us`.
pub(super) fn time(span: Duration) -> String {
    quantity(span.as_secs_f64() * 1e9, Unit::Nanoseconds)
}

pub(super) fn share(part: Duration, whole: Duration) -> f64 {
    part.as_secs_f64() / whole.as_secs_f64().max(1e-12)
}

pub(super) fn percent(part: Duration, whole: Duration) -> String {
    format!("{:.1}%", share(part, whole) * 100.0)
}
