//! The statements about packets that decode a path (PINT, section 6.3).

use super::{Method, PLACES, PUBLISHED_MEAN, TracingRow};
use crate::reproduce::claim::{Claim, Outcome};

/// Deviation up to which a published number counts as reproduced.
const CLOSE: f64 = 0.1;

/// The factors by which the alternatives need more packets than two digests of 8 bits, and than one
/// bit. They are attributed to PINT, section 6.3, and have not been compared with it.
const PUBLISHED_FACTORS: [(Method, f64, f64); 2] =
    [(Method::TWICE_8, 25.0, 36.0), (Method::ONE_BIT, 7.0, 10.0)];

/// Returns the mean for `method` on `hops` of `network`.
fn mean(rows: &[TracingRow], network: &str, hops: u8, method: Method) -> Option<f64> {
    let mut rows = rows.iter();
    let row = rows.find(|row| row.network == network && row.hops == hops && row.method == method);
    row.map(|row| row.found.mean)
}

/// Returns the claims of the paper about the figure, tested on `rows`.
pub(super) fn claims(rows: &[TracingRow]) -> Vec<Claim> {
    let place = &PLACES[0];
    let longest = place.lengths.last().copied().unwrap_or_default();
    let at = |method: Method| mean(rows, place.name, longest, method);
    let published = at(Method::TWICE_8).map(|ours| {
        let readings = Method::READINGS
            .iter()
            .filter_map(|&method| Some(format!("; {:.1} with {}", at(method)?, method.name())));
        let evidence = format!("{ours:.1}{}", readings.collect::<String>());
        ((ours / PUBLISHED_MEAN - 1.0).abs() <= CLOSE, evidence)
    });
    let mut claims = vec![Claim::tested(
        format!(
            "two digests of 8 bits decode the {longest} hops of {} within {PUBLISHED_MEAN} packets on \
             average (10% of deviation)",
            place.name
        ),
        published,
    )];
    for (method, low, high) in PUBLISHED_FACTORS {
        let factors = Method::OTHERS
            .iter()
            .filter_map(|&other| Some((other.name(), at(other)? / at(method)?)));
        let factors: Vec<(String, f64)> = factors.collect();
        // Some factor is in the published range, and none is below it.
        let least = factors.iter().map(|(_, factor)| *factor);
        let least = least.min_by(f64::total_cmp);
        let evidence = factors
            .iter()
            .map(|(name, factor)| format!("{name}: {factor:.1}"));
        let evidence = evidence.collect::<Vec<_>>().join(", ");
        claims.push(Claim::tested(
            format!(
                "{} needs {low} to {high} times fewer packets than the alternatives for {longest} hops",
                method.name()
            ),
            least.map(|least| (least >= low * (1.0 - CLOSE), evidence)),
        ));
    }
    claims.push(order(rows));
    claims.push(growth(rows));
    claims
}

/// Tests the order of the schemes at every point: fewer bits need more packets, and the alternatives
/// more than any of them.
fn order(rows: &[TracingRow]) -> Claim {
    let what = "at every length, packets grow in the order of PINT with 2x8, 4 and 1 bits, AMS2 with 5 and \
                6 hashes, PPM";
    let mut broken = Vec::new();
    let mut points = 0;
    for place in &PLACES {
        for &hops in place.lengths {
            let means: Vec<(Method, f64)> = Method::drawn()
                .filter_map(|method| Some((method, mean(rows, place.name, hops, method)?)))
                .collect();
            points += usize::from(means.len() > 1);
            for pair in means.windows(2) {
                if pair[0].1 >= pair[1].1 {
                    broken.push(format!(
                        "{hops} hops of {}: {} {:.1}, {} {:.1}",
                        place.name,
                        pair[0].0.name(),
                        pair[0].1,
                        pair[1].0.name(),
                        pair[1].1
                    ));
                }
            }
        }
    }
    if points == 0 {
        return Claim::untested(what.to_owned());
    }
    let evidence = match broken.is_empty() {
        true => format!("at all {points} lengths"),
        false => broken.join("; "),
    };
    Claim {
        what: what.to_owned(),
        outcome: Outcome::of(broken.is_empty()),
        evidence,
    }
}

/// Tests that packets grow about as the length: from the middle to the longest path at most a
/// quarter faster.
fn growth(rows: &[TracingRow]) -> Claim {
    let what =
        "packets grow nearly as the length of the path (2x8 bits, at most 1.25 times as fast)";
    let place = &PLACES[0];
    let (from, to) = (25, place.lengths.last().copied().unwrap_or_default());
    let of = |hops| mean(rows, place.name, hops, Method::TWICE_8);
    let found = of(from).zip(of(to)).map(|(short, long)| {
        let (packets, hops) = (long / short, f64::from(to) / f64::from(from));
        let evidence =
            format!("{packets:.2} times from {from} to {to} hops, {hops:.2} times as long");
        (packets <= 1.25 * hops, evidence)
    });
    Claim::tested(what.to_owned(), found)
}
