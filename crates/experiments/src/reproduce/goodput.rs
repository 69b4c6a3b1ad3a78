//! The goodput of long flows over the load.

use std::fmt;

use fabricsim_report::Goodput;
use serde::Serialize;

use super::claim::{Claim, Outcome};
use super::measured::Measured;
use fabricsim_scenario::text::error::Error;

/// Goodput gain of PINT over INT at 70% load, as a share (PINT, section 6.1).
const PUBLISHED_GAIN_AT_70: f64 = 0.71;

/// The goodput of flows above 10 MB at one load.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GoodputRow {
    /// Payload over the rate of the host links, in percent.
    pub load_pct: f64,
    /// Flows above 10 MB that count.
    pub flows: usize,
    /// Their mean goodput with INT, in bit/s.
    pub int_bps: f64,
    /// Their mean goodput with PINT, in bit/s.
    pub pint_bps: f64,
    /// Goodput gain of PINT over INT, as a share of INT's goodput.
    pub gain: f64,
}

impl fmt::Display for GoodputRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "load {:>3}%  {:>6} flows above 10 MB  HPCC-INT {:>6.2} Gbps  HPCC-PINT {:>6.2} Gbps  gain \
             {:+.1}%",
            self.load_pct,
            self.flows,
            self.int_bps / 1e9,
            self.pint_bps / 1e9,
            self.gain * 100.0
        )
    }
}

/// Returns the goodput at each load, and the claim that the gain grows with the load.
pub(super) fn judge(measured: &mut Measured<'_>) -> Result<(Vec<GoodputRow>, Claim), Error> {
    let mut rows = Vec::new();
    let mut halves: Vec<(f64, bool, Goodput)> = Vec::new();
    for point in measured.points() {
        let is_pint = measured.value(point, "scheme") == Some("HPCC-PINT");
        let load_pct = (point.load() * 1e4).round() / 1e2;
        let Some(records) = measured.flows(point)? else {
            continue;
        };
        if let Some(goodput) = Goodput::of_flows_above(Goodput::LONG, &records) {
            halves.push((load_pct, is_pint, goodput));
        }
    }
    for (load_pct, _, int) in halves.iter().filter(|(_, is_pint, _)| !is_pint) {
        let mut others = halves.iter();
        let same = |(other, is_pint, _): &&(f64, bool, Goodput)| {
            *is_pint && other.total_cmp(load_pct).is_eq()
        };
        if let Some((_, _, pint)) = others.find(same) {
            rows.push(GoodputRow {
                load_pct: *load_pct,
                flows: int.flows.min(pint.flows),
                int_bps: int.mean_bps,
                pint_bps: pint.mean_bps,
                gain: pint.mean_bps / int.mean_bps - 1.0,
            });
        }
    }
    let claim = gain_grows(&rows);
    Ok((rows, claim))
}

/// Tests if the gain grows with the load: its least-squares line over the load rises, and the gain
/// is larger at the highest load than at the lowest.
fn gain_grows(rows: &[GoodputRow]) -> Claim {
    let what =
        "the gain of PINT in the goodput of flows above 10 MB grows with the load".to_owned();
    let (Some(first), Some(last)) = (rows.first(), rows.last()) else {
        return Claim::untested(what);
    };
    if rows.len() < 2 {
        return Claim::untested(what);
    }
    let n = rows.len() as f64;
    let (x, y) = (
        rows.iter().map(|row| row.load_pct).sum::<f64>() / n,
        rows.iter().map(|row| row.gain).sum::<f64>() / n,
    );
    let slope = rows
        .iter()
        .map(|row| (row.load_pct - x) * (row.gain - y))
        .sum::<f64>()
        / rows
            .iter()
            .map(|row| (row.load_pct - x).powi(2))
            .sum::<f64>();
    Claim {
        what,
        outcome: Outcome::of(slope > 0.0 && last.gain > first.gain),
        evidence: format!(
            "{:+.1}% at {}% load, {:+.1}% at {}%; {:+.2} points more for each point of load (published: \
             +{:.0}% at 70%)",
            first.gain * 100.0,
            first.load_pct,
            last.gain * 100.0,
            last.load_pct,
            slope * 100.0,
            PUBLISHED_GAIN_AT_70 * 100.0
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(load_pct: f64, gain: f64) -> GoodputRow {
        GoodputRow {
            load_pct,
            flows: 10,
            int_bps: 1e10,
            pint_bps: 1e10 * (1.0 + gain),
            gain,
        }
    }

    #[test]
    fn a_gain_that_falls_is_no_growth() {
        let outcome = |gains: [f64; 3]| {
            let rows: Vec<_> = [20.0, 45.0, 70.0]
                .into_iter()
                .zip(gains)
                .map(|(load, gain)| row(load, gain))
                .collect();
            gain_grows(&rows).outcome
        };
        assert_eq!(outcome([0.01, 0.05, 0.3]), Outcome::Holds);
        assert_eq!(outcome([0.3, 0.05, 0.01]), Outcome::Fails);
        assert_eq!(outcome([0.1, 0.1, 0.1]), Outcome::Fails);
        assert_eq!(gain_grows(&[row(20.0, 0.1)]).outcome, Outcome::Untested);
    }
}
