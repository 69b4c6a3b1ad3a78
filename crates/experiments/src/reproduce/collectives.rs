//! Collectives compared with the time that latency and bandwidth alone need.

use std::fmt;
use std::io;

use fabricsim_base::units::Bytes;
use fabricsim_plot::html::{Cell, Page};
use serde::Serialize;

use super::claim::Claim;
use super::measured::Measured;

/// Ranks of the preset: the hosts of its fat-tree.
const RANKS: u32 = 128;
/// Latency of a message in microseconds: the delays of the two links to and from the nearest
/// switch.
const ALPHA_US: f64 = 2.0;
/// Microseconds for each byte: payload at 100 Gbps, without headers.
const BETA_US: f64 = 8e-5;
/// Largest factor over the bound for a collective of large messages on an evenly loaded fabric.
/// Headers are 4.8%; the rest are acknowledgements of the opposite direction.
const CLOSE: f64 = 1.2;

/// A collective of one size under one policy.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CollectiveTime {
    /// The algorithm.
    pub collective: String,
    /// The routing policy.
    pub policy: String,
    /// Size of the buffer of each rank, in bytes.
    pub size_bytes: u64,
    /// Time from the first rank's start to the last delivery, in microseconds.
    pub time_us: f64,
    /// Lower bound of the time from latency and bandwidth, in microseconds.
    pub bound_us: f64,
    /// Bus bandwidth as NCCL-tests define it, in Gbit/s.
    pub busbw_gbps: f64,
}

impl CollectiveTime {
    /// Returns the time over its bound.
    #[must_use]
    pub fn excess(&self) -> f64 {
        self.time_us / self.bound_us
    }
}

impl fmt::Display for CollectiveTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:<17} {:>9} bytes  {:<7} {:>10.1} us  bound {:>9.1} us  x{:<6.2} bus bandwidth {:>5.1} Gbps",
            self.collective,
            self.size_bytes,
            self.policy,
            self.time_us,
            self.bound_us,
            self.excess(),
            self.busbw_gbps
        )
    }
}

/// Returns the least time of `collective` among `ranks` ranks with buffers of `size` bytes, in
/// microseconds.
///
/// The bound is alpha for each step that waits for its predecessor, and beta for each byte that a
/// rank sends or that a message has. Source: Thakur, Rabenseifner and Gropp, Optimization of
/// Collective Communication Operations in MPICH (2005), sections 2 and 4, without the cost of
/// computation. Trees forward whole messages of half of the buffer.
fn bound_us(collective: &str, ranks: u32, size: f64) -> Option<f64> {
    let n = f64::from(ranks);
    let levels = f64::from(ranks.ilog2());
    let (steps, bytes) = match collective {
        "ring" => (2.0 * (n - 1.0), 2.0 * (n - 1.0) / n * size),
        "halving-doubling" => (2.0 * levels, 2.0 * (n - 1.0) / n * size),
        "tree" => (2.0 * levels, 2.0 * levels * size / 2.0),
        "all-to-all" => (1.0, (n - 1.0) / n * size),
        _ => return None,
    };
    Some(steps * ALPHA_US + bytes * BETA_US)
}

/// Returns the time of each point, and tests the claims about them.
pub(super) fn judge(measured: &mut Measured<'_>) -> (Vec<CollectiveTime>, Vec<Claim>) {
    let mut rows = Vec::new();
    for point in measured.points() {
        let Some(results) = measured.results(point) else {
            continue;
        };
        let value = |axis| measured.value(point, axis).unwrap_or_default().to_owned();
        let size = value("size").parse::<Bytes>().ok();
        let collective = value("collective");
        let (Some(job), Some(size)) = (results.jobs.first(), size) else {
            continue;
        };
        let bound = bound_us(&collective, RANKS, size.as_f64());
        let (Some(time), Some(bound_us), Some(busbw_gbps)) =
            (job.iteration_mean_ns, bound, job.busbw_gbps)
        else {
            continue;
        };
        rows.push(CollectiveTime {
            collective,
            policy: value("policy"),
            size_bytes: size.get(),
            time_us: time / 1e3,
            bound_us,
            busbw_gbps,
        });
    }
    let claims = claims(&rows);
    (rows, claims)
}

fn claims(rows: &[CollectiveTime]) -> Vec<Claim> {
    let mut sizes: Vec<u64> = rows.iter().map(|row| row.size_bytes).collect();
    sizes.sort_unstable();
    let (least, most) = (sizes.first().copied(), sizes.last().copied());
    let row = |collective: &str, policy: &str, size: Option<u64>| {
        let mut all = rows.iter();
        all.find(|row| {
            row.collective == collective && row.policy == policy && Some(row.size_bytes) == size
        })
    };
    let excess = |row: &CollectiveTime| format!("{:.3} times the bound", row.excess());
    let lowest = rows
        .iter()
        .map(CollectiveTime::excess)
        .min_by(f64::total_cmp);
    let mut claims = vec![Claim::tested(
        "no collective is faster than latency and bandwidth allow".to_owned(),
        lowest.map(|lowest| {
            (
                lowest >= 1.0,
                format!("the nearest is {lowest:.3} times its bound"),
            )
        }),
    )];
    for policy in ["random", "DRILL"] {
        for collective in ["ring", "all-to-all"] {
            claims.push(Claim::tested(
                format!("{collective} of the largest size, {policy}: within 20% of its bound"),
                row(collective, policy, most).map(|row| (row.excess() < CLOSE, excess(row))),
            ));
        }
    }
    let pair = |a, b| row(a, "random", b).zip(row("ring", "random", b));
    let times = |(a, b): (&CollectiveTime, &CollectiveTime)| {
        (
            a.time_us,
            b.time_us,
            format!("{:.1} and {:.1} us", a.time_us, b.time_us),
        )
    };
    claims.push(Claim::tested(
        "small buffers: the tree is faster than the ring, which has more steps".to_owned(),
        pair("tree", least)
            .map(times)
            .map(|(tree, ring, text)| (tree < ring, text)),
    ));
    claims.push(Claim::tested(
        "large buffers: the ring is faster than the tree, which sends whole halves".to_owned(),
        pair("tree", most)
            .map(times)
            .map(|(tree, ring, text)| (ring < tree, text)),
    ));
    let collisions = row("all-to-all", "ECMP", most).zip(row("all-to-all", "random", most));
    claims.push(Claim::tested(
        "all-to-all of the largest size: spraying is faster than ECMP".to_owned(),
        (collisions.map(times)).map(|(ecmp, random, text)| (random < ecmp, text)),
    ));
    claims
}

/// Writes `rows` as CSV.
pub(super) fn write(rows: &[CollectiveTime], out: &mut impl io::Write) -> io::Result<()> {
    writeln!(
        out,
        "collective,policy,size_bytes,time_us,bound_us,busbw_gbps"
    )?;
    for row in rows {
        writeln!(
            out,
            "{},{},{},{:.6},{:.6},{:.4}",
            row.collective, row.policy, row.size_bytes, row.time_us, row.bound_us, row.busbw_gbps
        )?;
    }
    Ok(())
}

/// Adds `rows` to `page` if there are any.
pub(super) fn show(rows: &[CollectiveTime], page: &mut Page) {
    if rows.is_empty() {
        return;
    }
    page.section("Times");
    let cells = |row: &CollectiveTime| {
        vec![
            Cell::from(row.collective.as_str()),
            Cell::from(row.size_bytes.to_string()),
            Cell::from(row.policy.as_str()),
            Cell::from(format!("{:.1}", row.time_us)),
            Cell::from(format!("{:.1}", row.bound_us)),
            Cell::from(format!("{:.2}", row.excess())),
            Cell::from(format!("{:.1}", row.busbw_gbps)),
        ]
    };
    let cells: Vec<Vec<Cell>> = rows.iter().map(cells).collect();
    page.table(
        &[
            "collective",
            "size (bytes)",
            "policy",
            "time (us)",
            "bound (us)",
            "time over bound",
            "bus bandwidth (Gbps)",
        ],
        &cells,
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_count_steps_and_bytes() {
        let bound = |collective| bound_us(collective, 8, 8e6);
        // 14 steps of 1 MB; 6 steps and 14 MB; 6 levels of 4 MB; 7 MB at once.
        let wanted = [
            ("ring", 14.0 * (2.0 + 80.0)),
            ("halving-doubling", 6.0 * 2.0 + 14.0 * 80.0),
            ("tree", 6.0 * (2.0 + 320.0)),
            ("all-to-all", 2.0 + 7.0 * 80.0),
        ];
        for (collective, wanted) in wanted {
            let found = bound(collective).expect("an algorithm of the preset");
            assert!(
                (found - wanted).abs() < 1e-9,
                "{collective}: {found}, {wanted}"
            );
        }
        assert_eq!(bound("other"), None);
    }
}
