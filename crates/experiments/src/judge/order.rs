//! Ranks schemes by slowdown, separately for short and for long flows.

use std::fmt::{self, Write};
use std::ops::Range;

use fabricsim_base::units::Bytes;
use serde::Serialize;

use crate::judge::published::PublishedPanel;
use fabricsim_report::{SizeBins, geometric_mean};

/// Schemes with means that differ by less than this share are no evidence of an order, unless the
/// reading error of the panel is larger.
const TIE: f64 = 0.01;
/// Largest size of short flows.
const SHORT: Bytes = Bytes::new(200_000);
/// Long flows are larger than this if the figure has enough of them.
const LONG: Bytes = Bytes::new(6_000_000);
/// A region needs at least this many points.
const ENOUGH: usize = 5;
/// Otherwise, flows above this percentage of all flows are long.
const TOP_DECADE_PCT: f64 = 90.0;

/// A part of the axis of sizes.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Region {
    /// At most 200 KB, and not long.
    Short,
    /// Flows that are neither short nor long.
    Middle,
    /// Above 6 MB. If the figure has fewer than five such points, the largest tenth of the flows.
    Long,
}

impl fmt::Display for Region {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Short => "short",
            Self::Middle => "middle",
            Self::Long => "long",
        })
    }
}

/// A scheme and its mean slowdown in a region.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Ranked {
    /// The scheme.
    pub scheme: String,
    /// Geometric mean of the percentile over the region's points.
    pub slowdown: f64,
    /// `true` if it cannot be distinguished from the next one in the order.
    pub tied_with_next: bool,
}

/// Agreement of a pair's simulated order with the published one.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Both orders are the same.
    Agrees,
    /// The orders differ.
    Contradicts,
    /// The published order is clear, but the simulated means are too close.
    TiedHere,
    /// The published means are too close, or their curves overlap.
    NoEvidence,
}

/// Published and simulated order of a pair of schemes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PairOrder {
    /// The scheme with the lower published mean.
    pub lower: String,
    /// The scheme with the higher published mean.
    pub higher: String,
    /// Published mean of the higher scheme over that of the lower one.
    pub published_ratio: f64,
    /// The same ratio of simulated means.
    pub our_ratio: f64,
    /// Agreement of both.
    pub verdict: Verdict,
}

/// Published and simulated order of the schemes in a region.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RegionOrder {
    /// Region of the axis of sizes.
    pub region: Region,
    /// The share of flows below the region, in percent.
    pub from_pct: f64,
    /// The share of flows below its end, in percent.
    pub upto_pct: f64,
    /// The largest size, in bytes.
    pub upto_bytes: u64,
    /// Points that count: every scheme has a published and a simulated slowdown there.
    pub points: usize,
    /// The published order, the lowest slowdowns first.
    pub published: Vec<Ranked>,
    /// The simulated order.
    pub ours: Vec<Ranked>,
    /// Every pair of schemes, in the published order.
    pub pairs: Vec<PairOrder>,
}

impl RegionOrder {
    /// Returns the number of pairs with `verdict`.
    #[must_use]
    pub fn count(&self, verdict: Verdict) -> usize {
        let same = |pair: &&PairOrder| pair.verdict == verdict;
        self.pairs.iter().filter(same).count()
    }

    /// Returns `true` if no pair contradicts the published order.
    #[must_use]
    pub fn agrees(&self) -> bool {
        self.count(Verdict::Contradicts) == 0
    }
}

/// The means of one scheme in a region.
struct Means<'s> {
    scheme: &'s str,
    published: f64,
    ours: f64,
    /// `true` if most of its published points are clear of other curves.
    clear: bool,
}

/// Ranks `ours` alone, region by region.
///
/// Each of `ours` is a scheme and its flows, cut at the panel's [edges](PublishedPanel::edges). The
/// result has the region, its points on the axis, and the schemes by increasing geometric mean over
/// the points at which every scheme has flows. Schemes within 1% are tied. A region without such a
/// point is left out.
#[must_use]
pub fn our_order(
    panel: &PublishedPanel,
    ours: &[(&str, &SizeBins)],
) -> Vec<(Region, Range<usize>, Vec<Ranked>)> {
    let value = |bins: &SizeBins, index| bins.bin(index)?.percentile(panel.percentile);
    let mut orders = Vec::new();
    for (region, points) in regions(panel) {
        let common: Vec<usize> = points
            .clone()
            .filter(|&index| ours.iter().all(|(_, bins)| value(bins, index).is_some()))
            .collect();
        let mut means: Vec<(&str, f64)> = ours
            .iter()
            .filter_map(|(scheme, bins)| {
                let values: Vec<f64> = common
                    .iter()
                    .filter_map(|&index| value(bins, index))
                    .collect();
                Some((*scheme, geometric_mean(values.into_iter())?))
            })
            .collect();
        if means.is_empty() {
            continue;
        }
        means.sort_by(|a, b| a.1.total_cmp(&b.1));
        let ranked = means
            .iter()
            .enumerate()
            .map(|(place, (scheme, mean))| Ranked {
                scheme: (*scheme).to_owned(),
                slowdown: *mean,
                tied_with_next: means
                    .get(place + 1)
                    .is_some_and(|(_, next)| next / mean - 1.0 < TIE),
            });
        orders.push((region, points, ranked.collect()));
    }
    orders
}

/// Ranks the schemes of `panel` that are also in `ours`, region by region.
///
/// Each of `ours` is a scheme and its flows, cut at the panel's [edges](PublishedPanel::edges). A
/// region is left out if no point has a slowdown of every scheme.
///
/// Means are geometric, so that a difference of a tenth has the same weight everywhere. Two
/// published means are no evidence of an order if they are within 1% or within the panel's reading
/// error, or if one of the curves overlaps others at half of the region's points or more. Two
/// simulated means are tied within the same distance.
#[must_use]
pub fn order(panel: &PublishedPanel, ours: &[(&str, &SizeBins)]) -> Vec<RegionOrder> {
    let tie = panel.reading_error.max(TIE);
    regions(panel)
        .into_iter()
        .filter_map(|(region, points)| region_order(panel, ours, tie, region, points))
        .collect()
}

fn regions(panel: &PublishedPanel) -> Vec<(Region, Range<usize>)> {
    let above = |size: Bytes| panel.axis.partition_point(|point| point.size <= size);
    let end = panel.axis.len();
    let mut long = above(LONG);
    if end - long < ENOUGH {
        long = panel
            .axis
            .partition_point(|point| point.size_pct <= TOP_DECADE_PCT);
    }
    let middle = above(SHORT).min(long);
    vec![
        (Region::Short, 0..middle),
        (Region::Middle, middle..long),
        (Region::Long, long..end),
    ]
}

fn region_order(
    panel: &PublishedPanel,
    ours: &[(&str, &SizeBins)],
    tie: f64,
    region: Region,
    points: Range<usize>,
) -> Option<RegionOrder> {
    let first = points.start;
    let upto = panel.axis.get(points.end.checked_sub(1)?)?;
    let known: Vec<_> = ours
        .iter()
        .filter_map(|(scheme, bins)| Some((*scheme, panel.curve(scheme)?, *bins)))
        .collect();
    let value = |bins: &SizeBins, index| bins.bin(index)?.percentile(panel.percentile);

    // Only points that every scheme has, published and here, are fair to all.
    let common: Vec<usize> = points
        .filter(|&index| {
            known.iter().all(|(_, curve, bins)| {
                curve.points[index].slowdown().is_some() && value(bins, index).is_some()
            })
        })
        .collect();
    let mut means: Vec<Means<'_>> = known
        .iter()
        .filter_map(|(scheme, curve, bins)| {
            let published: Vec<f64> = common
                .iter()
                .filter_map(|&index| curve.points[index].slowdown())
                .collect();
            let ours: Vec<f64> = common
                .iter()
                .filter_map(|&index| value(bins, index))
                .collect();
            let is_clear = |index: &&usize| curve.points[**index].is_clear();
            Some(Means {
                scheme,
                published: geometric_mean(published.into_iter())?,
                ours: geometric_mean(ours.into_iter())?,
                clear: 2 * common.iter().filter(is_clear).count() > common.len(),
            })
        })
        .collect();
    if means.is_empty() {
        return None;
    }

    // Overlapping published curves are no evidence, no matter how different their means are.
    let decided = |ratio: f64| (ratio - 1.0).abs() >= tie;
    let tied_here = |a: &Means<'_>, b: &Means<'_>| !decided(b.ours / a.ours);
    let tied_there =
        |a: &Means<'_>, b: &Means<'_>| !decided(b.published / a.published) || !a.clear || !b.clear;

    means.sort_by(|a, b| a.ours.total_cmp(&b.ours));
    let ours = ranked(&means, |means| means.ours, tied_here);
    means.sort_by(|a, b| a.published.total_cmp(&b.published));
    let published = ranked(&means, |means| means.published, tied_there);
    let pairs = pairs_of(&means, |a, b| {
        if tied_there(a, b) {
            Verdict::NoEvidence
        } else if tied_here(a, b) {
            Verdict::TiedHere
        } else if b.ours / a.ours > 1.0 {
            Verdict::Agrees
        } else {
            Verdict::Contradicts
        }
    });
    Some(RegionOrder {
        region,
        from_pct: first
            .checked_sub(1)
            .map_or(0.0, |before| panel.axis[before].size_pct),
        upto_pct: upto.size_pct,
        upto_bytes: upto.size.get(),
        points: common.len(),
        published,
        ours,
        pairs,
    })
}

/// Returns every pair of schemes of `sorted`, in increasing order of published means, with its
/// `verdict`.
fn pairs_of(
    sorted: &[Means<'_>],
    verdict: impl Fn(&Means<'_>, &Means<'_>) -> Verdict,
) -> Vec<PairOrder> {
    let mut pairs = Vec::new();
    for (place, a) in sorted.iter().enumerate() {
        for b in &sorted[place + 1..] {
            pairs.push(PairOrder {
                lower: a.scheme.to_owned(),
                higher: b.scheme.to_owned(),
                published_ratio: b.published / a.published,
                our_ratio: b.ours / a.ours,
                verdict: verdict(a, b),
            });
        }
    }
    pairs
}

fn ranked(
    sorted: &[Means<'_>],
    slowdown: impl Fn(&Means<'_>) -> f64,
    tied: impl Fn(&Means<'_>, &Means<'_>) -> bool,
) -> Vec<Ranked> {
    sorted
        .iter()
        .enumerate()
        .map(|(place, means)| Ranked {
            scheme: means.scheme.to_owned(),
            slowdown: slowdown(means),
            tied_with_next: sorted.get(place + 1).is_some_and(|next| tied(means, next)),
        })
        .collect()
}

/// Formats schemes from the lowest slowdown to the highest: `A < B = C`, with `=` for ties.
#[must_use]
pub fn chain(ranked: &[Ranked]) -> String {
    let mut text = String::new();
    for (place, one) in ranked.iter().enumerate() {
        write!(text, "{} {:.2}", one.scheme, one.slowdown).expect("a string takes everything");
        if place + 1 < ranked.len() {
            text.push_str(if one.tied_with_next { " = " } else { " < " });
        }
    }
    text
}

#[cfg(test)]
mod tests;
