//! Comparisons of the values of one axis at equal values of all others.

use fabricsim_report::{Confidence, Ratio, RatioCell};

use super::super::layout::{Layout, Role};
use super::subject::{Metric, Subject};

/// Differences whose interval is within this factor of 1 count as none.
const ALIKE: f64 = 1.05;
/// Significant differences below this factor count as none.
const NEGLIGIBLE: f64 = 1.01;

/// Two values of an axis, compared at the points with the `fixed` values on other axes.
#[derive(Clone, Debug)]
pub(super) struct Pair<'l> {
    pub(super) layout: &'l Layout,
    pub(super) axis: usize,
    pub(super) values: [usize; 2],
    /// Axes and their values.
    pub(super) fixed: Vec<(usize, usize)>,
}

/// The difference of two values, as far as the runs show it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Outcome {
    /// The first value is better.
    First,
    /// The second value is better.
    Second,
    /// The difference is small.
    Alike,
    /// The runs cannot tell.
    Open,
}

/// The ratio of a metric between two values, below 1 if the first is better.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Compared {
    pub(super) ratio: Ratio,
    /// Level of the interval.
    pub(super) confidence: Confidence,
    /// Number of places at which both values have results, and of all places.
    pub(super) covered: [usize; 2],
}

impl Compared {
    pub(super) fn outcome(&self) -> Outcome {
        let Some(interval) = self.ratio.interval else {
            return Outcome::Open;
        };
        let within = |factor: f64| interval.low > 1.0 / factor && interval.high < factor;
        match (interval.high < 1.0, interval.low > 1.0) {
            _ if within(NEGLIGIBLE) => Outcome::Alike,
            (true, _) => Outcome::First,
            (_, true) => Outcome::Second,
            _ if within(ALIKE) => Outcome::Alike,
            _ => Outcome::Open,
        }
    }

    /// Returns `true` if the point estimate favors the first value.
    pub(super) fn favors_first(&self) -> bool {
        self.ratio.ratio <= 1.0
    }
}

impl Pair<'_> {
    /// Returns the settings with both values at each place of the other axes.
    pub(super) fn places(&self) -> Vec<[usize; 2]> {
        let settings = &self.layout.settings;
        let with = |at: &[usize], value: usize| {
            let mut wanted = at.to_vec();
            wanted[self.axis] = value;
            settings.iter().position(|own| own.at == wanted)
        };
        let fits = |at: &[usize]| self.fixed.iter().all(|(axis, value)| at[*axis] == *value);
        let first = settings.iter().enumerate();
        first
            .filter(|(_, own)| own.at[self.axis] == self.values[0] && fits(&own.at))
            .filter_map(|(place, own)| Some([place, with(&own.at, self.values[1])?]))
            .collect()
    }

    /// Compares `metric` over all places.
    pub(super) fn compare(&self, metric: &Metric, confidence: Confidence) -> Option<Compared> {
        let places = self.places();
        let cell = |pair: &[usize; 2]| -> RatioCell {
            let [first, second] = pair.map(|setting| metric.values[setting].clone());
            match metric.lower {
                true => [first, second],
                false => [second, first],
            }
        };
        let cells: Vec<RatioCell> = places.iter().map(cell).collect();
        let (ratio, covered) = Ratio::over(&cells, confidence)?;
        Some(Compared {
            ratio,
            confidence,
            covered: [covered, cells.len()],
        })
    }

    /// Returns the factor between the percentiles of the flows of all seeds together, with 1 / it if
    /// the second value is better; `None` if a place has too few flows.
    pub(super) fn pooled(&self, metric: &Metric) -> Option<f64> {
        let pooled = &metric.flows.as_ref()?.pooled;
        let places = self.places();
        let logs: Option<Vec<f64>> = places
            .iter()
            .map(|[first, second]| Some((pooled[*first]? / pooled[*second]?).ln()))
            .collect();
        let logs = logs.filter(|logs| !logs.is_empty())?;
        Some((logs.iter().sum::<f64>() / logs.len() as f64).exp())
    }

    /// Returns the same comparison at each value of `axis`, which has an order if they are numbers.
    /// Intervals hold together: the error is divided among them.
    pub(super) fn along(
        &self,
        axis: usize,
        metric: &Metric,
        confidence: Confidence,
    ) -> Vec<(usize, Compared)> {
        let values = self.layout.axes[axis].increasing();
        let each = confidence.among(values.len());
        let at = |value: usize| {
            let mut pair = self.clone();
            pair.fixed.push((axis, value));
            Some((value, pair.compare(metric, each)?))
        };
        values.into_iter().filter_map(at).collect()
    }

    /// Returns the axes that have several values at the places of this comparison.
    pub(super) fn others(&self) -> Vec<usize> {
        let places = self.places();
        let at = |axis: usize| places.iter().map(move |pair| (pair[0], axis));
        let several = |axis: &usize| {
            let mut values =
                at(*axis).map(|(setting, axis)| self.layout.settings[setting].at[axis]);
            let first = values.next();
            values.any(|value| Some(value) != first)
        };
        let axes = 0..self.layout.axes.len();
        axes.filter(|axis| *axis != self.axis)
            .filter(several)
            .collect()
    }
}

/// Returns the place of the metric that decides a comparison of `pairs`: the last one for which all
/// of them have an interval, or else any of them, or else for which any has a value.
pub(super) fn deciding(subject: &Subject, pairs: &[Pair<'_>]) -> Option<usize> {
    let known = |place: usize, wanted: fn(&Compared) -> bool| {
        let metric = &subject.metrics[place];
        let compared = pairs
            .iter()
            .map(|pair| pair.compare(metric, Confidence::P95));
        compared
            .map(|own| own.is_some_and(|own| wanted(&own)))
            .collect::<Vec<bool>>()
    };
    let places = || (0..subject.metrics.len()).rev();
    let has_interval = |own: &Compared| own.ratio.interval.is_some();
    let with_all = places().find(|&place| known(place, has_interval).iter().all(|own| *own));
    let with_any = || places().find(|&place| known(place, has_interval).contains(&true));
    let any = || places().find(|&place| known(place, |_| true).contains(&true));
    with_all.or_else(with_any).or_else(any)
}

/// Returns the combinations of the values of the axes of alternatives, except `axis`; one without
/// any if there are more than `most`.
pub(super) fn contexts(layout: &Layout, axis: usize, most: usize) -> Vec<Vec<(usize, usize)>> {
    let mut found: Vec<Vec<(usize, usize)>> = vec![Vec::new()];
    for other in layout.of_role(|role| *role == Role::Alternatives) {
        if other != axis {
            let values = 0..layout.axes[other].values.len();
            found = found
                .iter()
                .flat_map(|own| {
                    let with = |value| [own.as_slice(), &[(other, value)]].concat();
                    values.clone().map(with)
                })
                .collect();
        }
    }
    match found.len() > most {
        true => vec![Vec::new()],
        false => found,
    }
}
