//! A result of a sweep over one of its axes.

use crate::interval::ReplicaMean;

/// A result of a sweep over one of its axes, pooled over seeds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SweepCurves {
    /// The values of the axis, in the order of the table.
    pub xs: Vec<String>,
    /// Name of each curve, and its mean over seeds at each of `xs`.
    pub curves: Vec<(String, Vec<Option<ReplicaMean>>)>,
    /// Number of points without a value: failed, not yet run or empty.
    pub without: usize,
    /// Points with too few flows for the percentile.
    pub too_few: usize,
    /// The most flows that such a point has, and the number that the percentile needs.
    pub most_flows: (usize, usize),
    /// Places at which each point alone has too few flows: the number of the curve, the place among
    /// `xs`, and the names of the points.
    pub lacking: Vec<(usize, usize, Vec<String>)>,
    /// Number of values of the flows of all seeds together, which have no interval.
    pub pooled: usize,
    /// Number of points with an unfinished run; values of their finished flows count.
    pub unfinished: usize,
}

impl SweepCurves {
    /// Merges the curves of two sweeps, over the values of both.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        let places: Vec<usize> = other
            .xs
            .iter()
            .map(|x| position_or_push(&mut self.xs, x))
            .collect();
        let count = self.xs.len();
        for (_, means) in &mut self.curves {
            means.resize(count, None);
        }
        for (curve, place, points) in other.lacking {
            self.lacking
                .push((self.curves.len() + curve, places[place], points));
        }
        for (name, means) in other.curves {
            let mut at = vec![None; count];
            for (place, mean) in places.iter().zip(means) {
                at[*place] = mean;
            }
            self.curves.push((name, at));
        }
        self.without += other.without;
        self.too_few += other.too_few;
        self.most_flows = self.most_flows.max(other.most_flows);
        self.pooled += other.pooled;
        self.unfinished += other.unfinished;
        self
    }
}

/// Returns the place of `value` in `list`. A new value is added at the end.
pub(crate) fn position_or_push(list: &mut Vec<String>, value: &str) -> usize {
    if let Some(place) = list.iter().position(|own| own == value) {
        return place;
    }
    list.push(value.to_owned());
    list.len() - 1
}
