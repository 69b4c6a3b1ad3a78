//! Axes: their labels, and the mapping of values to positions.

/// An axis of a panel.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// Label of the axis, with the unit: `flow size (bytes)`.
    pub label: String,
    /// Mapping of values to positions.
    pub scale: Scale,
    /// The lower and the upper end; `None` takes the end from the data.
    pub range: (Option<f64>, Option<f64>),
    /// Unit of the values, printed with the numbers at the ticks.
    pub unit: Unit,
}

/// Unit of the values of an axis.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Unit {
    /// No unit, or one that is part of the label.
    #[default]
    None,
    /// Times: `200 us`, `1.2 ms`.
    Nanoseconds,
    /// Whole numbers without a unit, such as iterations: no ticks between them.
    Count,
    /// Sizes: `40 KB`.
    Bytes,
    /// Sizes in powers of 1,024: `3 MiB`.
    BinaryBytes,
    /// Rates: `25 Gbps`.
    BitsPerSecond,
}

/// Mapping of the values of an axis to positions.
#[derive(Clone, Debug, PartialEq)]
pub enum Scale {
    /// Equal differences have equal lengths.
    Linear,
    /// Equal ratios have equal lengths; values that are not positive have no position.
    Log,
    /// Flows in the order of their sizes, as on the results page of HPCC. A value is the share of
    /// flows (0 to 1) that are no larger. A tick is labeled with the size at its position.
    FlowShare(Vec<FlowTick>),
    /// Names side by side: name k is at position k, from 0.
    Names(Vec<String>),
}

/// A tick of [`Scale::FlowShare`]: a share of flows (0 to 1), and the largest size among them in
/// bytes.
pub type FlowTick = (f64, u64);

impl Axis {
    /// Creates an axis with equal steps.
    #[must_use]
    pub fn linear(label: impl Into<String>) -> Self {
        Self::new(label, Scale::Linear)
    }

    /// Creates a logarithmic axis.
    #[must_use]
    pub fn log(label: impl Into<String>) -> Self {
        Self::new(label, Scale::Log)
    }

    /// Creates an axis of any scale.
    #[must_use]
    pub fn new(label: impl Into<String>, scale: Scale) -> Self {
        Self {
            label: label.into(),
            scale,
            range: (None, None),
            unit: Unit::None,
        }
    }

    /// Sets the unit of the values.
    #[must_use]
    pub const fn in_unit(mut self, unit: Unit) -> Self {
        self.unit = unit;
        self
    }

    /// Fixes the lower end at `low`.
    #[must_use]
    pub const fn from(mut self, low: f64) -> Self {
        self.range.0 = Some(low);
        self
    }

    /// Fixes the upper end at `high`.
    #[must_use]
    pub const fn upto(mut self, high: f64) -> Self {
        self.range.1 = Some(high);
        self
    }

    /// Returns the ends of an axis that shows `values`; the lower end is always below the upper
    /// one.
    pub(super) fn ends(&self, values: impl Iterator<Item = f64>) -> Ends {
        let log = self.scale == Scale::Log;
        let shown = values.filter(|value| value.is_finite() && (!log || *value > 0.0));
        let (mut low, mut high) = shown.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| {
            (a.min(v), b.max(v))
        });
        match &self.scale {
            Scale::FlowShare(_) => (low, high) = (0.0, 1.0),
            Scale::Names(names) => (low, high) = (-0.5, names.len() as f64 - 0.5),
            Scale::Linear | Scale::Log => {}
        }
        if low > high {
            (low, high) = if log { (1.0, 10.0) } else { (0.0, 1.0) };
        }
        // A linear axis begins at zero unless this would leave half of it empty.
        if self.scale == Scale::Linear && low > 0.0 && low < high / 2.0 {
            low = 0.0;
        }
        low = self.range.0.unwrap_or(low);
        high = self.range.1.unwrap_or(high);
        let fixed = (self.range.0.is_some(), self.range.1.is_some());
        if log {
            low = if low > 0.0 { low } else { high.min(1.0) / 10.0 };
            if high < low * 1.05 {
                high = if fixed.1 {
                    high.max(low * 1.05)
                } else {
                    low * 2.0
                };
                low = if fixed.0 { low } else { low / 2.0 };
            }
        } else if high <= low {
            high = low + low.abs().max(1.0) * 0.5;
        }
        Ends { low, high, log }
    }
}

/// The ends of an axis and the scale between them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Ends {
    pub(super) low: f64,
    pub(super) high: f64,
    log: bool,
}

impl Ends {
    /// Maps `value` to its position: 0 is the lower end, 1 the upper one. Returns `None` if the
    /// value has no position, such as a negative one on a logarithmic axis.
    pub(super) fn place(&self, value: f64) -> Option<f64> {
        if !value.is_finite() || (self.log && value <= 0.0) {
            return None;
        }
        let share = if self.log {
            (value / self.low).ln() / (self.high / self.low).ln()
        } else {
            (value - self.low) / (self.high - self.low)
        };
        // Positions far outside are cut off anyway; clamping keeps the numbers in the SVG short.
        share.is_finite().then(|| share.clamp(-1.0, 2.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ends(axis: &Axis, values: &[f64]) -> (f64, f64) {
        let ends = axis.ends(values.iter().copied());
        (ends.low, ends.high)
    }

    #[test]
    fn the_ends_show_all_values() {
        let linear = Axis::linear("");
        assert_eq!(ends(&linear, &[3.0, f64::NAN, 10.0]), (0.0, 10.0));
        assert_eq!(ends(&linear, &[8.0, 10.0]), (8.0, 10.0));
        assert_eq!(ends(&linear, &[-4.0, 10.0]), (-4.0, 10.0));
        assert_eq!(ends(&linear, &[]), (0.0, 1.0));
        assert_eq!(ends(&linear.clone().from(1.0), &[3.0, 9.0]), (1.0, 9.0));
        assert_eq!(ends(&linear.upto(100.0), &[3.0, 9.0]), (0.0, 100.0));

        let log = Axis::log("");
        assert_eq!(ends(&log, &[0.0, 2.0, 500.0]), (2.0, 500.0));
        assert_eq!(ends(&log, &[]), (1.0, 10.0));
        assert_eq!(ends(&log, &[4.0]), (2.0, 8.0));
    }

    #[test]
    fn one_value_has_an_axis_too() {
        for axis in [Axis::linear(""), Axis::log(""), Axis::log("").from(1.0)] {
            for value in [0.0, 1.0, 3.0, -3.0] {
                let (low, high) = ends(&axis, &[value]);
                assert!(low < high, "{axis:?} {value}");
            }
        }
    }

    #[test]
    fn places_follow_the_scale() {
        let log = Axis::log("").ends([1.0, 100.0].into_iter());
        assert!((log.place(10.0).expect("positive") - 0.5).abs() < 1e-12);
        assert_eq!(log.place(0.0), None);
        let linear = Axis::linear("").ends([0.0, 100.0].into_iter());
        assert!((linear.place(10.0).expect("finite") - 0.1).abs() < 1e-12);
        assert_eq!(linear.place(f64::INFINITY), None);
        let share = Axis::new("", Scale::FlowShare(Vec::new())).ends([0.3].into_iter());
        assert!((share.place(0.3).expect("finite") - 0.3).abs() < 1e-12);
    }
}
