//! Effect of digests on fewer packets.

use fabricsim_report::Percentile;

use super::claim::Claim;
use super::panel::{OurCurve, PanelScore};
use super::scorecard::Scorecard;

/// The test compares flows below this size, in bytes.
const BELOW_BYTES: u64 = 1_000_000;
/// Slowdowns are similar if they differ by at most this share.
const SIMILAR: f64 = 0.10;

/// Tests the claims of the paper on figure 8, at the 95th percentile of flows below 1 MB.
pub(super) fn judge(card: &mut Scorecard) {
    let panels = card.panels.iter();
    let p95 = panels.filter(|panel| panel.percentile == Percentile::P95);
    let mut claims = Vec::new();
    for panel in p95 {
        let workload = &panel.workload;
        let sixteenth = ratio(panel, "p=1/16");
        claims.push(Claim::tested(
            format!("{workload}: p = 1/16 is within 10% of p = 1 at p95 of flows below 1 MB"),
            sixteenth.map(|ratio| {
                let holds = (ratio - 1.0).abs() <= SIMILAR;
                (holds, format!("{:+.1}%", (ratio - 1.0) * 100.0))
            }),
        ));
        let both = sixteenth.zip(ratio(panel, "p=1/256"));
        claims.push(Claim::tested(
            format!("{workload}: p = 1/256 is clearly worse (by more than 10%, and than p = 1/16)"),
            both.map(|(sixteenth, few)| {
                let holds = few > 1.0 + SIMILAR && few > sixteenth;
                (holds, format!("{:+.1}%", (few - 1.0) * 100.0))
            }),
        ));
    }
    card.claims.extend(claims);
}

/// Returns the geometric mean, over the bins below 1 MB, of the slowdown of `scheme` over the
/// slowdown with p = 1.
fn ratio(panel: &PanelScore, scheme: &str) -> Option<f64> {
    let curve = |name: &str| -> Option<&OurCurve> {
        let mut ours = panel.ours.iter();
        ours.find(|curve| curve.scheme == name)
    };
    let (one, other) = (curve("p=1")?, curve(scheme)?);
    let axis = &panel.published.axis;
    let logs: Vec<f64> = axis
        .iter()
        .zip(one.slowdowns.iter().zip(&other.slowdowns))
        .filter(|(point, _)| point.size.get() < BELOW_BYTES)
        .filter_map(|(_, (one, other))| Some((other.as_ref()? / one.as_ref()?).ln()))
        .collect();
    (!logs.is_empty()).then(|| (logs.iter().sum::<f64>() / logs.len() as f64).exp())
}

#[cfg(test)]
mod tests {
    use super::super::claim::Outcome;
    use super::super::panel::testing::panel;
    use super::super::scorecard::testing::card;
    use super::*;

    /// Returns the outcomes if flows below 1 MB are this much slower than with p = 1.
    fn outcomes(sixteenth: f64, few: f64) -> Vec<Outcome> {
        let mut card = card();
        let slower = |factor: f64| {
            move |size: u64| {
                if size < BELOW_BYTES {
                    2.0 * factor
                } else {
                    9.0
                }
            }
        };
        card.panels.push(panel(
            50.0,
            Percentile::P95,
            &[
                ("p=1", &slower(1.0)),
                ("p=1/16", &slower(sixteenth)),
                ("p=1/256", &slower(few)),
            ],
        ));
        judge(&mut card);
        card.claims.iter().map(|claim| claim.outcome).collect()
    }

    #[test]
    fn similar_and_clearly_worse_are_told_apart() {
        use Outcome::{Fails, Holds};
        assert_eq!(outcomes(1.05, 1.5), [Holds, Holds]);
        assert_eq!(outcomes(1.2, 1.5), [Fails, Holds]);
        assert_eq!(outcomes(1.05, 1.08), [Holds, Fails]);
    }

    #[test]
    fn nothing_is_said_of_missing_runs() {
        let mut card = card();
        let one = |_| 2.0;
        card.panels
            .push(panel(50.0, Percentile::P95, &[("p=1", &one)]));
        judge(&mut card);
        assert!(
            card.claims
                .iter()
                .all(|claim| claim.outcome == Outcome::Untested)
        );
    }
}
