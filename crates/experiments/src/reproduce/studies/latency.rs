//! Errors of latency quantiles (PINT, figure 9).

use fabricsim_pint::query::ReplayError;

use super::super::claim::{Claim, Outcome};
use super::{Study, StudyCard};
use crate::pint::latency::{LatencySettings, Line, percent};

/// Largest error that a sketch may add and still be little, as a share of the truth.
const LITTLE: f64 = 0.05;

/// Returns the settings of the published figure: digests of 4 and 8 bits, a sketch of 100 digests
/// in the first row and 500 packets in the second (PINT, section 6.2), with the built-in traffic.
#[must_use]
pub fn settings(traffic: fabricsim_base::units::Duration) -> LatencySettings {
    LatencySettings {
        sizes: vec!["websearch".to_owned(), "hadoop".to_owned()],
        load: 0.5,
        traffic,
        packets: (1..=10).map(|hundreds| hundreds * 100).collect(),
        bits: vec![4, 8],
        sketch: 100,
        sketches: vec![5, 10, 20, 50, 100, 200],
        at: 500,
        quantiles: vec![0.5, 0.99],
        least: fabricsim_base::units::Duration::from_ns(100),
        seed: 1,
        png: false,
    }
}

/// Judges the errors of `lines`, measured with `settings`.
#[must_use]
pub fn judge(study: &Study, settings: &LatencySettings, lines: &[Line]) -> StudyCard {
    let hops = lines.iter().flat_map(|line| &line.errors);
    let hops = hops.map(|error| error.hops).max().unwrap_or(0);
    StudyCard {
        study: study.name,
        source: study.source,
        extent: format!(
            "{} of traffic on 320 hosts at {}% load, {hops} hops of long flows",
            settings.traffic,
            settings.load * 100.0
        ),
        claims: vec![
            error_falls(settings, lines),
            wide_codes_are_better(settings, lines),
            sketch_costs_little(settings, lines),
        ],
        notes: vec![
            "The values of the published curves are not available as numbers, so the figure has none \
             of them; the claims describe the shape of the curves."
                .to_owned(),
        ],
        table: settings.table(lines),
        figure: settings.figure(lines),
    }
}

/// Errors over packets of one line at one quantile, in the order of packets.
struct Curve<'l> {
    name: String,
    line: &'l Line,
    errors: Vec<&'l ReplayError>,
}

/// Returns the curves of the figure's first row, each with errors at several numbers of packets.
fn curves<'l>(settings: &LatencySettings, lines: &'l [Line]) -> Vec<Curve<'l>> {
    let mut curves = Vec::new();
    for line in lines {
        for quantile in &settings.quantiles {
            let own = line.errors.iter();
            let own = own
                .filter(|error| error.quantile.to_bits() == quantile.to_bits() && error.hops > 0);
            let errors: Vec<&ReplayError> = own.collect();
            if errors.len() > 1 {
                curves.push(Curve {
                    name: format!(
                        "{} p{}, {} bits",
                        line.traffic,
                        percent(*quantile),
                        line.bits
                    ),
                    line,
                    errors,
                });
            }
        }
    }
    curves
}

impl Curve<'_> {
    fn first(&self) -> f64 {
        self.errors.first().map_or(f64::NAN, |error| error.mean)
    }

    fn last(&self) -> f64 {
        self.errors.last().map_or(f64::NAN, |error| error.mean)
    }

    /// Returns `true` if the curves are of the same traffic and quantile.
    fn is_beside(&self, other: &Curve<'_>) -> bool {
        let quantile = |curve: &Curve<'_>| curve.errors[0].quantile.to_bits();
        self.line.traffic == other.line.traffic && quantile(self) == quantile(other)
    }
}

/// Tests a claim on pairs of numbers: `holds` for all of them. The evidence lists the pairs in
/// percent.
fn of_pairs(what: &str, pairs: &[(String, f64, f64)], holds: fn(f64, f64) -> bool) -> Claim {
    if pairs.is_empty() {
        return Claim::untested(what.to_owned());
    }
    let evidence = pairs
        .iter()
        .map(|(name, a, b)| format!("{name}: {:.1}%, {:.1}%", a * 100.0, b * 100.0));
    Claim {
        what: what.to_owned(),
        outcome: Outcome::of(pairs.iter().all(|(_, a, b)| holds(*a, *b))),
        evidence: evidence.collect::<Vec<_>>().join("; "),
    }
}

fn error_falls(settings: &LatencySettings, lines: &[Line]) -> Claim {
    let all = curves(settings, lines);
    let kept = all.iter().filter(|curve| curve.line.sketch.is_none());
    let pairs: Vec<_> = kept
        .map(|curve| (curve.name.clone(), curve.first(), curve.last()))
        .collect();
    of_pairs(
        "with more packets the error falls toward the error of the code (fewest and most packets, all \
         digests kept)",
        &pairs,
        |fewest, most| most < fewest,
    )
}

fn wide_codes_are_better(settings: &LatencySettings, lines: &[Line]) -> Claim {
    let all = curves(settings, lines);
    let (narrow, wide) = (
        settings.bits.iter().min().copied(),
        settings.bits.iter().max().copied(),
    );
    let of = |bits: Option<u32>| {
        let own = all.iter();
        own.filter(move |curve| curve.line.sketch.is_none() && Some(curve.line.bits) == bits)
    };
    let mut pairs = Vec::new();
    for one in of(narrow) {
        let beside = of(wide).find(|other| one.is_beside(other) && narrow != wide);
        pairs.extend(beside.map(|other| (one.name.clone(), one.last(), other.last())));
    }
    of_pairs(
        "codes of 8 bits err less than codes of 4 (4 and 8 bits, most packets, all digests kept)",
        &pairs,
        |narrow, wide| wide < narrow,
    )
}

fn sketch_costs_little(settings: &LatencySettings, lines: &[Line]) -> Claim {
    let all = curves(settings, lines);
    let mut pairs = Vec::new();
    for one in all.iter().filter(|curve| curve.line.sketch.is_none()) {
        let beside = all.iter().find(|other| {
            other.line.sketch.is_some() && other.line.bits == one.line.bits && one.is_beside(other)
        });
        pairs.extend(beside.map(|other| (one.name.clone(), one.last(), other.last())));
    }
    of_pairs(
        "a sketch of 100 digests adds little error: here at most 5 points of percent (without and with \
         it, most packets)",
        &pairs,
        |without, with| with - without <= LITTLE,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reproduce::STUDIES;
    use fabricsim_base::units::Duration;

    fn line(bits: u32, sketch: Option<u32>, errors: &[f64]) -> Line {
        let errors = errors.iter().zip(1..).map(|(mean, number)| ReplayError {
            packets: number * 100,
            quantile: 0.5,
            hops: 10,
            mean_digests: 20.0,
            mean: *mean,
            median: *mean,
        });
        Line {
            traffic: "websearch".to_owned(),
            bits,
            sketch,
            errors: errors.collect(),
        }
    }

    fn outcomes(lines: &[Line]) -> Vec<Outcome> {
        let card = judge(&STUDIES[0], &settings(Duration::from_ms(1)), lines);
        card.claims.iter().map(|claim| claim.outcome).collect()
    }

    #[test]
    fn claims_are_tested_on_the_lines() {
        use Outcome::{Fails, Holds, Untested};
        let good = [
            line(4, None, &[0.4, 0.3]),
            line(4, Some(100), &[0.4, 0.32]),
            line(8, None, &[0.2, 0.05]),
            line(8, Some(100), &[0.2, 0.1]),
        ];
        assert_eq!(outcomes(&good), [Holds, Holds, Holds]);
        let bad = [
            line(4, None, &[0.4, 0.5]),
            line(4, Some(100), &[0.4, 0.56]),
            line(8, None, &[0.2, 0.6]),
        ];
        assert_eq!(outcomes(&bad), [Fails, Fails, Fails]);
        assert_eq!(outcomes(&[]), [Untested, Untested, Untested]);
    }
}
