//! Measured values compared with published ones.

use std::collections::BTreeSet;

use fabricsim_base::units::{Bytes, Rate};
use serde::Serialize;

use super::published::{self, Published};
use super::run::{RunFigures, VictimFigures};
use super::verdict::Verdict;
use super::{DCQCN, FLOODING, NEWRENO, RDMA_HPCC, STORAGE, TCP_HPCC, find};

/// Largest length of one congested TCP queue, in bytes.
const TCP_LIMIT: f64 = 256.0 * 1024.0;

/// A measured value and the published one.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// Identifier of the row.
    pub id: &'static str,
    /// Description of the figure.
    pub quantity: &'static str,
    /// Unit; empty for numbers and ratios.
    pub unit: &'static str,
    /// Measured value.
    pub measured: Option<f64>,
    /// Published value.
    pub published: Option<f64>,
    /// Measured over published.
    pub ratio: Option<f64>,
    /// Least value of the band.
    pub low: Option<f64>,
    /// Greatest value of the band.
    pub high: Option<f64>,
    /// Result of the comparison.
    pub verdict: Verdict,
    /// Section of the paper.
    pub section: &'static str,
    /// Components of the measured value, and facts about the runs.
    pub evidence: String,
}

impl Row {
    fn new(published: &Published, measured: Option<f64>, evidence: String) -> Self {
        let verdict = match (measured, published.low, published.high) {
            (None, ..) => Verdict::Missing,
            (Some(value), ..) if published.is_contrary(value) => Verdict::Opposite,
            (Some(_), None, None) => Verdict::Reported,
            (Some(value), low, high) => {
                let inside =
                    low.is_none_or(|low| value >= low) && high.is_none_or(|high| value <= high);
                if inside {
                    Verdict::Inside
                } else {
                    Verdict::Outside
                }
            }
        };
        let over = |published: &f64| *published > 0.0;
        Self {
            id: published.id,
            quantity: published.quantity,
            unit: if published.unit == "ratio" {
                ""
            } else {
                published.unit
            },
            measured,
            published: published.published,
            ratio: measured
                .zip(published.published.filter(over))
                .map(|(measured, published)| measured / published),
            low: published.low,
            high: published.high,
            verdict,
            section: published.section,
            evidence,
        }
    }

    /// Returns the band, such as "2 to 15".
    #[must_use]
    pub fn band(&self) -> String {
        match (self.low, self.high) {
            (None, None) => String::new(),
            (Some(low), None) => format!("at least {low}"),
            (None, Some(high)) => format!("at most {high}"),
            (Some(low), Some(high)) => format!("{low} to {high}"),
        }
    }
}

/// Returns all rows of the scorecard. Values are medians over the seeds that have run.
pub(super) fn rows(runs: &[RunFigures]) -> Vec<Row> {
    let seeds: BTreeSet<u64> = runs.iter().map(|run| run.seed).collect();
    let of_seed = |seed: u64| -> Vec<RunFigures> {
        let same = runs.iter().filter(|run| run.seed == seed);
        same.cloned().collect()
    };
    let runs: Vec<Vec<RunFigures>> = seeds.into_iter().map(of_seed).collect();
    let published = published::rows();
    let rows = published.iter().map(|row| {
        let scored = runs
            .iter()
            .filter_map(|runs| match row.id.as_bytes().first() {
                Some(b'A') => flooding(row.id, runs),
                _ => storage(row.id, runs),
            });
        let (measured, evidence) = over_seeds(scored.collect());
        Row::new(row, measured, evidence)
    });
    rows.collect()
}

/// Returns the median of the values of all seeds, with the evidence of the first seed and each
/// value.
///
/// If seeds make no difference, they count as one run, and the row is not a median.
fn over_seeds(scored: Vec<(f64, String)>) -> (Option<f64>, String) {
    let mut values: Vec<f64> = scored.iter().map(|(value, _)| *value).collect();
    let each: Vec<String> = values.iter().map(|value| format!("{value:.3}")).collect();
    values.sort_by(f64::total_cmp);
    let median = median(&values);
    let Some((_, evidence)) = scored.into_iter().next() else {
        return (None, String::new());
    };
    let same = values.first() == values.last();
    let evidence = match (same, values.len()) {
        (true, 1) => evidence,
        (true, seeds) => format!("{seeds} seeds agree, as one run would; {evidence}"),
        (false, _) => format!("seeds {}; the first: {evidence}", each.join(", ")),
    };
    (median, evidence)
}

/// Returns the median of sorted values.
fn median(sorted: &[f64]) -> Option<f64> {
    let upper = *sorted.get(sorted.len() / 2)?;
    let lower = sorted[(sorted.len() - 1) / 2];
    Some(lower.midpoint(upper))
}

type Scored = Option<(f64, String)>;

fn flooding(id: &str, runs: &[RunFigures]) -> Scored {
    let of = |scheme| find(runs, FLOODING, scheme);
    let victim = |scheme| of(scheme).and_then(|run| run.victim.as_ref());
    let qps = |hpcc, other| -> Scored {
        let (hpcc, other) = (of(hpcc)?, of(other)?);
        let (fast, slow) = (hpcc.victim.as_ref()?.qps, other.victim.as_ref()?.qps);
        let evidence = format!("{}; {}", facts(hpcc), facts(other));
        Some((fast / slow, evidence))
    };
    let qct = |scheme, percentile: fn(&VictimFigures) -> f64| -> Scored {
        let figures = victim(scheme)?;
        Some((percentile(figures) / 1e3, times(figures)))
    };
    let queue = |scheme, value: fn(&RunFigures) -> f64| -> Scored {
        let run = of(scheme)?;
        Some((value(run), queues(run)))
    };
    match id {
        "A1" => qps(TCP_HPCC, NEWRENO),
        "A2" => qps(RDMA_HPCC, DCQCN),
        "A3a" => qct(NEWRENO, |victim| victim.p99_us),
        "A3b" => qct(NEWRENO, |victim| victim.p999_us),
        "A3c" => qct(TCP_HPCC, |victim| victim.p99_us),
        "A3d" => {
            let (newreno, hpcc) = (victim(NEWRENO)?.p99_us, victim(TCP_HPCC)?.p99_us);
            Some((newreno / hpcc, format!("{newreno:.0} and {hpcc:.0} us")))
        }
        "A4a" => queue(TCP_HPCC, |run| run.queue.p50_bytes / 1e3),
        "A4b" => queue(TCP_HPCC, |run| run.queue.p99_bytes / run.queue.p50_bytes),
        "A5a" => queue(RDMA_HPCC, |run| run.queue.p50_bytes / 1e3),
        "A5b" => queue(RDMA_HPCC, |run| run.queue.p99_bytes / 1e3),
        _ => None,
    }
}

fn storage(id: &str, runs: &[RunFigures]) -> Scored {
    let of = |scheme| find(runs, STORAGE, scheme);
    let p99 = |scheme| Some(of(scheme)?.queue.p99_bytes);
    let tail = |slow, fast| -> Scored {
        let (slow, fast) = (of(slow)?, of(fast)?);
        let ratio = slow.short.as_ref()?.p99 / fast.short.as_ref()?.p99;
        Some((ratio, format!("{}; {}", slowdowns(slow), slowdowns(fast))))
    };
    let queue_ratio = |long, short| -> Scored {
        let (long, short) = (p99(long)?, p99(short)?);
        let evidence = format!("{:.1} and {:.1} KB", long / 1e3, short / 1e3);
        Some((long / short, evidence))
    };
    match id {
        "B1" => {
            let of = |scheme| Some(of(scheme)?.short.as_ref()?.p50);
            let all = [of(NEWRENO)?, of(TCP_HPCC)?, of(RDMA_HPCC)?];
            let greatest = all.iter().copied().fold(f64::MIN, f64::max);
            let least = all.iter().copied().fold(f64::MAX, f64::min);
            let [newreno, tcp, rdma] = all;
            let evidence = format!("NewReno {newreno:.2}, HPCC-TCP {tcp:.2}, HPCC-RDMA {rdma:.2}");
            Some((greatest / least, evidence))
        }
        "B2a" => {
            let run = of(DCQCN)?;
            Some((run.smallest()?.p50, slowdowns(run)))
        }
        "B2b" => {
            let (dcqcn, hpcc) = (of(DCQCN)?.smallest()?.p50, of(RDMA_HPCC)?.smallest()?.p50);
            Some((dcqcn / hpcc, format!("{dcqcn:.2} and {hpcc:.2}")))
        }
        "B3" => tail(DCQCN, RDMA_HPCC),
        "B4" => tail(NEWRENO, TCP_HPCC),
        "B5" => {
            let (tcp, rdma) = (&of(TCP_HPCC)?.queue, &of(RDMA_HPCC)?.queue);
            let (long, short) = (tcp.busy_p50_bytes?, rdma.busy_p50_bytes?);
            let all = [tcp.p50_bytes, rdma.p50_bytes].map(|bytes| bytes / 1e3);
            let hosts = [tcp, rdma].map(|queue| queue.to_hosts_p50_bytes.unwrap_or(0.0) / 1e3);
            let evidence = format!(
                "{:.2} and {:.2} KB over the time in which ports have a queue; over all time {:.2} and \
                 {:.2} KB at all ports, {:.2} and {:.2} KB at ports to servers",
                long / 1e3,
                short / 1e3,
                all[0],
                all[1],
                hosts[0],
                hosts[1]
            );
            Some((long / short, evidence))
        }
        "B6a" => queue_ratio(NEWRENO, TCP_HPCC),
        "B6b" => queue_ratio(DCQCN, RDMA_HPCC),
        "B6c" => {
            let bytes = p99(NEWRENO)?;
            Some((bytes / TCP_LIMIT, format!("{:.1} KB", bytes / 1e3)))
        }
        "B7a" => Some(delay(Bytes::new(65 * 1024))),
        "B7b" => Some(delay(Bytes::new(74_000))),
        _ => None,
    }
}

/// Returns the time in microseconds in which a queue of `bytes` drains at 25 Gbps.
fn delay(bytes: Bytes) -> (f64, String) {
    let time = Rate::from_gbps(25).transmission(bytes);
    let evidence = format!("{} bytes", bytes.get());
    (time.as_ps() as f64 / 1e6, evidence)
}

/// Describes a run of a flood.
pub(super) fn facts(run: &RunFigures) -> String {
    let rate = run.victim.as_ref().map_or_else(String::new, |victim| {
        format!(
            "{:.1} k/s, {:.2}% of the queries took 2 ms or more, ",
            victim.qps / 1e3,
            victim.above_ms * 1e2
        )
    });
    format!(
        "{}: {rate}{}, {} drops, {:.2} MB retransmitted, {} pauses",
        run.scheme,
        queues(run),
        run.drops,
        run.retransmitted_bytes as f64 / 1e6,
        run.pfc_pauses
    )
}

fn times(victim: &VictimFigures) -> String {
    format!(
        "mean {:.1}, median {:.1}, p95 {:.1}, p99 {:.1}, p99.9 {:.1} us; {} queries",
        victim.mean_us, victim.p50_us, victim.p95_us, victim.p99_us, victim.p999_us, victim.queries
    )
}

pub(super) fn queues(run: &RunFigures) -> String {
    format!(
        "queue p50 {:.1} KB, p99 {:.1} KB",
        run.queue.p50_bytes / 1e3,
        run.queue.p99_bytes / 1e3
    )
}

pub(super) fn slowdowns(run: &RunFigures) -> String {
    let pair = |name: &str, row: Option<&super::SizeRow>| {
        row.map_or_else(String::new, |row| {
            format!(", {name} p50 {:.2} p99 {:.2}", row.p50, row.p99)
        })
    };
    format!(
        "{}{}{}, {} drops, {} pauses",
        run.scheme,
        pair("4 KB", run.smallest()),
        pair("up to 32 KB", run.short.as_ref()),
        run.drops,
        run.pfc_pauses
    )
}

#[cfg(test)]
mod tests {
    use super::super::testing::as_published;
    use super::*;

    fn row(rows: &[Row], id: &str) -> Row {
        rows.iter().find(|row| row.id == id).expect("a row").clone()
    }

    #[test]
    fn the_published_figures_are_what_they_are_compared_with() {
        let rows = rows(&as_published());
        for one in &rows {
            if let Some(ratio) = one.ratio {
                // Ratios of the paper are rounded, and so are its figures.
                assert!((ratio - 1.0).abs() < 0.12, "{one:?}");
            }
            // Busy queues are not part of these runs.
            let known = one.id == "B5" || one.verdict != Verdict::Missing;
            assert!(known && one.verdict != Verdict::Outside, "{one:?}");
        }
        let one = row(&rows, "A1");
        assert!((one.measured.expect("qps") - 7.0).abs() < 1e-9);
        assert_eq!(one.band(), "2 to 15");
    }

    #[test]
    fn a_row_is_the_median_over_seeds() {
        let mut runs = as_published();
        for (seed, kb) in [(2, 70.0), (3, 14.0)] {
            let mut other = as_published();
            other[1].queue.p50_bytes = kb * 1e3;
            for run in &mut other {
                run.seed = seed;
            }
            runs.extend(other);
        }
        let queue = row(&rows(&runs), "A4a");
        assert!((queue.measured.expect("a queue") - 29.0).abs() < 1e-9);
        assert!(
            queue
                .evidence
                .starts_with("seeds 29.000, 70.000, 14.000; the first: ")
        );
        let qps = row(&rows(&runs), "A1");
        let one_run = "3 seeds agree, as one run would; ";
        assert!(qps.evidence.starts_with(one_run), "{}", qps.evidence);
        let alone = row(&rows(&as_published()), "A1").evidence;
        assert!(!alone.contains("seed"), "{alone}");
    }

    #[test]
    fn a_ratio_on_the_other_side_of_one_is_the_opposite_of_the_paper() {
        let mut runs = as_published();
        let victim = runs[2].victim.as_mut().expect("DCQCN has a victim");
        victim.qps = 240e3;
        let found = row(&rows(&runs), "A2");
        assert_eq!(found.verdict, Verdict::Opposite, "{found:?}");
    }

    #[test]
    fn what_is_beyond_its_band_is_outside_and_what_has_not_run_is_missing() {
        let mut runs = as_published();
        runs[1].queue.p50_bytes = 61e3;
        runs[1].queue.p99_bytes = 80e3;
        runs.remove(0);
        let rows = rows(&runs);
        assert_eq!(row(&rows, "A4a").verdict, Verdict::Outside);
        assert_eq!(row(&rows, "A4b").verdict, Verdict::Inside);
        let missing = row(&rows, "A1");
        assert_eq!(
            (missing.verdict, missing.measured),
            (Verdict::Missing, None)
        );
        assert_eq!(row(&rows, "A2").verdict, Verdict::Inside);
    }

    #[test]
    fn the_paper_counts_in_both_kinds_of_kilobytes() {
        assert!((delay(Bytes::new(65 * 1024)).0 - 21.299_2).abs() < 1e-4);
        assert!((delay(Bytes::new(74_000)).0 - 23.68).abs() < 1e-6);
        assert!(delay(Bytes::new(74 * 1024)).0 > 24.2);
    }
}
