//! Claims that publications make in words, tested on simulated results.

use crate::judge::Region;
use fabricsim_report::Percentile;

use super::claim::Claim;
use super::panel::{PanelScore, RegionMeans};
use super::scorecard::Scorecard;

const HPCC_FORMS: [&str; 2] = ["HPCC-INT", "HPCC-PINT"];
const OTHERS: [&str; 3] = ["DCQCN+w", "TIMELY+w", "DCTCP"];

/// Largest deviation of the HPCC curves from the published ones at the median and the 95th
/// percentile.
const CLOSE: f64 = 0.15;

/// Returns the least and the greatest mean of `schemes` in a region; `None` if one is missing.
fn extremes(means: &RegionMeans, schemes: &[&str]) -> Option<(f64, f64)> {
    let means: Option<Vec<f64>> = schemes.iter().map(|scheme| means.of(scheme)).collect();
    let means = means?;
    let least = means.iter().copied().min_by(f64::total_cmp)?;
    let greatest = means.iter().copied().max_by(f64::total_cmp)?;
    Some((least, greatest))
}

/// Returns `true` if the HPCC forms are below all other schemes in `region`, with the figures.
fn hpcc_below(panel: &PanelScore, region: Region) -> Option<(bool, String)> {
    let means = panel.region(region)?;
    let (_, hpcc) = extremes(means, &HPCC_FORMS)?;
    let (others, _) = extremes(means, &OTHERS)?;
    Some((
        hpcc < others,
        format!("the slower HPCC form {hpcc:.2}, the fastest other scheme {others:.2}"),
    ))
}

/// Returns `true` if long flows are slower under `form` than under any scheme but HPCC, with the
/// figures.
///
/// The figures include the published curves, which do not always agree with the text
/// beside them.
fn slower_when_long(panel: &PanelScore, form: &str) -> Option<(bool, String)> {
    let means = panel.region(Region::Long)?;
    let (hpcc, (_, others)) = (means.of(form)?, extremes(means, &OTHERS)?);
    let mut evidence = format!("{hpcc:.2}, the slowest other scheme {others:.2}");
    let mut orders = panel.orders.iter();
    if let Some(order) = orders.find(|order| order.region == Region::Long) {
        let published = |scheme: &str| {
            let mut ranked = order.published.iter();
            let found = ranked.find(|one| one.scheme == scheme);
            found.map(|one| one.slowdown)
        };
        let others = OTHERS.iter().filter_map(|scheme| published(scheme));
        if let (Some(form), Some(others)) = (published(form), others.max_by(f64::total_cmp)) {
            evidence.push_str(&format!(
                "; the published curves have {form:.2} and {others:.2}"
            ));
        }
    }
    Some((hpcc > others, evidence))
}

/// Tests the claims of the results page, and the deviation from its HPCC curves.
pub(super) fn of_results(card: &mut Scorecard) {
    let mut claims = Vec::new();
    for panel in &card.panels {
        let title = panel.title();
        if panel.percentile != Percentile::P50 {
            claims.push(Claim::tested(
                format!("{title}: flows below 200 KB are faster under both forms of HPCC"),
                hpcc_below(panel, Region::Short),
            ));
        }
        claims.push(Claim::tested(
            format!("{title}: long flows are slower under HPCC-INT than under HPCC-PINT"),
            panel.region(Region::Long).and_then(|means| {
                let (int, pint) = (means.of("HPCC-INT")?, means.of("HPCC-PINT")?);
                Some((int > pint, format!("{int:.2} against {pint:.2}")))
            }),
        ));
        if panel.workload == "websearch" && panel.load_pct > 60.0 {
            claims.extend(HPCC_FORMS.map(|form| {
                Claim::tested(
                    format!(
                        "{title}: flows above 6 MB are slower under {form} than under other schemes"
                    ),
                    slower_when_long(panel, form),
                )
            }));
        }
        if panel.percentile == Percentile::P99 || panel.load_pct > 60.0 {
            continue;
        }
        let forms = panel.curves.iter();
        for curve in forms.filter(|curve| HPCC_FORMS.contains(&curve.scheme.as_str())) {
            claims.push(Claim::tested(
                format!(
                    "{title}: the median distance of {} to its curve is below 15%",
                    curve.scheme
                ),
                curve.ticks.as_ref().map(|ticks| {
                    let (median, bias) = (ticks.median * 100.0, ticks.bias * 100.0);
                    (ticks.median < CLOSE, format!("{median:.1}%, {bias:+.1}%"))
                }),
            ));
        }
    }
    card.claims = claims;
}

/// Tests the claims of the results page on the target utilization. At loads up to 50%, 99% makes
/// long flows faster and short ones a little slower. At 70%, long flows gain most under INT.
pub(super) fn of_eta(card: &mut Scorecard) {
    let ratio = |panel: &PanelScore, region: Region, form: &str| {
        let means = panel.region(region)?;
        let (high, low) = (format!("{form}-eta99"), format!("{form}-eta95"));
        Some(means.of(&high)? / means.of(&low)?)
    };
    let percent = |ratio: f64| format!("{:+.1}%", (ratio - 1.0) * 100.0);
    let mut claims = Vec::new();
    for panel in &card.panels {
        let title = panel.title();
        if panel.load_pct <= 50.0 {
            for form in HPCC_FORMS {
                for (region, what, faster) in [
                    (Region::Long, "makes long flows faster", true),
                    (Region::Short, "makes short flows slower", false),
                ] {
                    claims.push(Claim::tested(
                        format!("{title}, {form}: eta = 99% {what}"),
                        ratio(panel, region, form)
                            .map(|ratio| ((ratio < 1.0) == faster, percent(ratio))),
                    ));
                }
            }
        } else {
            let both =
                ratio(panel, Region::Long, "HPCC-INT").zip(ratio(panel, Region::Long, "HPCC-PINT"));
            claims.push(Claim::tested(
                format!("{title}: eta = 99% helps long flows more under INT than under PINT"),
                both.map(|(int, pint)| {
                    let evidence = format!("{} and {}", percent(int), percent(pint));
                    (int < pint, evidence)
                }),
            ));
        }
    }
    card.claims = claims;
}

/// Tests the claims of the PINT paper on figures 7b and 7c: PINT is better for long flows, and
/// slightly worse for short ones.
pub(super) fn of_slowdown(card: &mut Scorecard) {
    /// The largest ratio that counts as "slightly".
    const SLIGHTLY: f64 = 1.10;
    let panels = card.panels.iter();
    let p95 = panels.filter(|panel| panel.percentile == Percentile::P95);
    let mut claims = Vec::new();
    for panel in p95 {
        let of = |region| {
            let means = panel.region(region)?;
            Some((means.of("HPCC-INT")?, means.of("HPCC-PINT")?))
        };
        let evidence = |int: f64, pint: f64| format!("INT {int:.2}, PINT {pint:.2}");
        claims.push(Claim::tested(
            format!("{}: PINT is faster for long flows", panel.title()),
            of(Region::Long).map(|(int, pint)| (pint < int, evidence(int, pint))),
        ));
        claims.push(Claim::tested(
            format!(
                "{}: PINT is at most slightly (10%) slower for short flows",
                panel.title()
            ),
            of(Region::Short).map(|(int, pint)| (pint < int * SLIGHTLY, evidence(int, pint))),
        ));
    }
    card.claims = claims;
}

/// Tests the claims of the HPCC paper on figure 11: short flows are fastest under HPCC, even at the
/// tail, and windows help DCQCN and TIMELY.
pub(super) fn of_incast(card: &mut Scorecard) {
    let panels = card.panels.iter();
    let tail = panels.filter(|panel| panel.percentile != Percentile::P50);
    let mut claims = Vec::new();
    for panel in tail {
        let short = panel.region(Region::Short);
        let others = ["DCQCN", "DCQCN+w", "TIMELY", "TIMELY+w", "DCTCP"];
        claims.push(Claim::tested(
            format!("{}: short flows are fastest under HPCC", panel.title()),
            short.and_then(|means| {
                let (hpcc, (least, _)) = (means.of("HPCC")?, extremes(means, &others)?);
                let evidence = format!("HPCC {hpcc:.2}, the fastest other scheme {least:.2}");
                Some((hpcc < least, evidence))
            }),
        ));
        for cc in ["DCQCN", "TIMELY"] {
            claims.push(Claim::tested(
                format!(
                    "{}: a window makes short flows under {cc} faster",
                    panel.title()
                ),
                short.and_then(|means| {
                    let (without, with) = (means.of(cc)?, means.of(&format!("{cc}+w"))?);
                    Some((with < without, format!("{with:.2} against {without:.2}")))
                }),
            ));
        }
    }
    card.claims = claims;
}

#[cfg(test)]
mod tests {
    use super::super::claim::Outcome;
    use super::super::panel::testing::panel;
    use super::super::scorecard::testing::card;
    use super::*;

    const SHORT_BYTES: u64 = 200_000;
    const LONG_BYTES: u64 = 6_000_000;

    /// Slowdowns of short, middle and long flows.
    fn by_region(short: f64, middle: f64, long: f64) -> impl Fn(u64) -> f64 {
        move |size| {
            if size <= SHORT_BYTES {
                short
            } else if size <= LONG_BYTES {
                middle
            } else {
                long
            }
        }
    }

    fn failing(card: &Scorecard) -> Vec<&str> {
        let failing = card
            .claims
            .iter()
            .filter(|claim| claim.outcome == Outcome::Fails);
        failing.map(|claim| claim.what.as_str()).collect()
    }

    #[test]
    fn the_statements_of_the_results_page_are_tested() {
        let fast = by_region(1.5, 3.0, 9.0);
        let pint = by_region(1.4, 2.9, 8.0);
        let other = by_region(3.0, 4.0, 5.0);
        let of = |int: &dyn Fn(u64) -> f64, pint: &dyn Fn(u64) -> f64| {
            let mut card = card();
            card.panels.push(panel(
                70.0,
                Percentile::P99,
                &[
                    ("HPCC-INT", int),
                    ("HPCC-PINT", pint),
                    ("DCQCN+w", &other),
                    ("TIMELY+w", &other),
                    ("DCTCP", &other),
                ],
            ));
            of_results(&mut card);
            card
        };
        let good = of(&fast, &pint);
        assert_eq!(good.claims.len(), 4);
        assert!(failing(&good).is_empty(), "{:?}", good.claims);
        // Slow where it should be fast: short flows; and INT no slower than PINT.
        let slow = by_region(3.1, 3.0, 7.0);
        let bad = of(&slow, &pint);
        let missed = failing(&bad);
        assert_eq!(missed.len(), 2, "{missed:?}");
        assert!(missed[0].contains("below 200 KB") && missed[1].contains("HPCC-PINT"));
    }

    #[test]
    fn missing_schemes_leave_statements_untested() {
        let mut card = card();
        let some = by_region(1.0, 1.0, 1.0);
        card.panels
            .push(panel(50.0, Percentile::P95, &[("HPCC-INT", &some)]));
        of_results(&mut card);
        assert_eq!(card.count(Outcome::Untested), 2);
        assert_eq!(card.claims.len(), 3, "and the distance of HPCC-INT");
    }

    #[test]
    fn eta_incast_and_slowdown_have_statements() {
        let (low, high) = (by_region(1.5, 2.0, 4.0), by_region(2.0, 2.5, 3.0));
        let mut eta = card();
        eta.panels.push(panel(
            50.0,
            Percentile::P95,
            &[("HPCC-INT-eta95", &low), ("HPCC-INT-eta99", &high)],
        ));
        of_eta(&mut eta);
        assert_eq!(
            (eta.count(Outcome::Holds), eta.count(Outcome::Untested)),
            (2, 2)
        );

        let mut pint = card();
        pint.panels.push(panel(
            50.0,
            Percentile::P95,
            &[("HPCC-INT", &low), ("HPCC-PINT", &high)],
        ));
        of_slowdown(&mut pint);
        let outcomes: Vec<_> = pint.claims.iter().map(|claim| claim.outcome).collect();
        assert_eq!(outcomes, [Outcome::Holds, Outcome::Fails]);

        let mut incast = card();
        let schemes: Vec<(&str, &dyn Fn(u64) -> f64)> = vec![
            ("HPCC", &low),
            ("DCQCN", &high),
            ("DCQCN+w", &low),
            ("TIMELY", &high),
            ("TIMELY+w", &high),
            ("DCTCP", &high),
        ];
        incast.panels.push(panel(30.0, Percentile::P99, &schemes));
        of_incast(&mut incast);
        let outcomes: Vec<_> = incast.claims.iter().map(|claim| claim.outcome).collect();
        assert_eq!(outcomes, [Outcome::Fails, Outcome::Holds, Outcome::Fails]);
    }
}
