//! Spans of time in which the same workloads send.

use fabricsim_base::units::Time;
use fabricsim_topology::{Demand, NoSpread, Term, Topology, spread};
use fabricsim_workload::{Offered, Traffic};

use super::tiers::summed;
use super::{BusySpan, ns};

/// Largest number of spans that are examined: the longest ones.
const MOST_SPANS: usize = 16;

/// A time in which the same workloads send.
struct Span {
    from: Time,
    until: Time,
    /// Indices of the sending workloads.
    active: Vec<usize>,
}

/// Returns the spans between starts and ends of workloads; among spans with the same workloads,
/// only the longest.
fn spans(offered: &[Offered]) -> Vec<Span> {
    let mut times: Vec<Time> = offered
        .iter()
        .flat_map(|one| [one.from, one.until])
        .collect();
    times.sort_unstable();
    times.dedup();
    let mut spans: Vec<Span> = times
        .windows(2)
        .map(|pair| Span {
            from: pair[0],
            until: pair[1],
            active: (0..offered.len())
                .filter(|&index| offered[index].from <= pair[0] && pair[1] <= offered[index].until)
                .collect(),
        })
        .filter(|span| !span.active.is_empty())
        .collect();
    let length = |span: &Span| std::cmp::Reverse(span.until.since(span.from));
    spans.sort_by(|a, b| (&a.active, length(a), a.from).cmp(&(&b.active, length(b), b.from)));
    spans.dedup_by(|a, b| a.active == b.active);
    spans.sort_by_key(|span| (length(span), span.from));
    spans.truncate(MOST_SPANS);
    spans
}

/// Returns the span with the busiest link of all; `None` if there is no traffic.
pub(super) fn busiest_span(
    topology: &Topology,
    offered: &[Offered],
) -> Result<Option<BusySpan>, NoSpread> {
    let mut busiest: Option<BusySpan> = None;
    for span in spans(offered) {
        let demand = demand(span.active.iter().map(|&index| &offered[index]));
        let loads = spread(topology, &demand)?;
        let Some((tiers, link)) = summed(topology, &loads) else {
            continue;
        };
        let most = busiest.as_ref().map(|span| span.busiest.utilization);
        if most.is_none_or(|most| link.utilization > most) {
            busiest = Some(BusySpan {
                from_ns: ns(span.from),
                until_ns: ns(span.until),
                tiers,
                busiest: link,
            });
        }
    }
    Ok(busiest)
}

/// Sums the bytes per second of all flows, in both directions.
fn demand<'a>(active: impl Iterator<Item = &'a Offered>) -> Demand {
    let mut demand = Demand::default();
    for offered in active {
        match &offered.traffic {
            Traffic::Product { sent, taken, cost } => {
                let scaled = |factors: &[f64], by: f64| factors.iter().map(|f| f * by).collect();
                demand.terms.push(Term {
                    sent: scaled(sent, cost.forth),
                    taken: taken.clone(),
                });
                demand.terms.push(Term {
                    sent: scaled(taken, cost.back),
                    taken: sent.clone(),
                });
            }
            Traffic::Pairs(pairs) => {
                for &(from, to, cost) in pairs {
                    demand.pairs.push((from, to, cost.forth));
                    demand.pairs.push((to, from, cost.back));
                }
            }
        }
    }
    demand
}
