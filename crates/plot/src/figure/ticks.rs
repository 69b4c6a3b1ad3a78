//! Ticks of an axis and their labels.

use super::axis::{Axis, Ends, Scale, Unit};

/// A position on an axis. A tick without a label is only a line.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Tick {
    pub(super) value: f64,
    pub(super) label: String,
}

/// Returns the ticks of `axis` between its ends; about `wanted` of them have a label.
pub(super) fn ticks(axis: &Axis, ends: Ends, wanted: usize) -> Vec<Tick> {
    let mut ticks = match &axis.scale {
        Scale::Linear => with_start(axis, linear(ends.low, ends.high, wanted, axis.unit), ends),
        Scale::Log => log(ends.low, ends.high, wanted, axis.unit),
        Scale::FlowShare(sizes) => sizes
            .iter()
            .map(|&(share, size)| Tick {
                value: share,
                label: number(size as f64),
            })
            .collect(),
        Scale::Names(names) => (0u32..)
            .zip(names)
            .map(|(place, name)| Tick {
                value: f64::from(place),
                label: name.clone(),
            })
            .collect(),
    };
    let margin = (ends.high - ends.low) * 1e-9;
    ticks.retain(|tick| tick.value >= ends.low - margin && tick.value <= ends.high + margin);
    ticks
}

/// Adds a tick at the lower end if the axis fixes that end, such as at the minimum slowdown, 1.
fn with_start(axis: &Axis, mut ticks: Vec<Tick>, ends: Ends) -> Vec<Tick> {
    if let (Some(low), [first, second, ..]) = (axis.range.0, &ticks[..])
        && first.value - ends.low > (second.value - first.value) * 0.4
    {
        ticks.insert(
            0,
            Tick {
                value: low,
                label: quantity(low, axis.unit),
            },
        );
    }
    ticks
}

/// Returns multiples of 1, 2 or 5 times a power of ten.
fn linear(low: f64, high: f64, wanted: usize, unit: Unit) -> Vec<Tick> {
    // The unit in which steps are round.
    let whole = match unit {
        Unit::BinaryBytes => binary_unit(low.abs().max(high.abs())).0,
        _ => 1.0,
    };
    let (low, high) = (low / whole, high / whole);
    let rough = (high - low) / wanted.max(1) as f64;
    let power = 10f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .map(|factor| factor * power)
        .find(|step| *step >= rough * 0.75)
        .unwrap_or(10.0 * power);
    let step = if unit == Unit::Count {
        step.max(1.0)
    } else {
        step
    };
    let first = (low / step - 1e-9).ceil();
    let count = ((high / step + 1e-9).floor() - first).max(0.0);
    // Rounding errors must not produce endless ticks.
    let places = (0..100u32).map(f64::from).take_while(|k| *k <= count);
    places
        .map(|k| (first + k) * step)
        // Rounding to the step turns 0.30000000000000004 into 0.3; adding zero turns -0 into 0.
        .map(|value| ((value / step).round() * step + 0.0) * whole)
        .map(|value| Tick {
            value,
            label: quantity(value, unit),
        })
        .collect()
}

/// Returns powers of ten, also 2 and 5 times each if there is room; 2 to 9 are lines otherwise.
fn log(low: f64, high: f64, wanted: usize, unit: Unit) -> Vec<Tick> {
    let decades = (high / low).log10();
    if decades < 0.9 {
        return linear(low, high, wanted, unit);
    }
    let first = low.log10().floor();
    let count = high.log10().ceil() - first;
    let every = (decades / wanted.max(1) as f64).ceil().max(1.0);
    let labeled: &[u32] = if decades * 3.0 <= wanted as f64 * 1.3 {
        &[1, 2, 5]
    } else {
        &[1]
    };
    let mut ticks = Vec::new();
    for k in (0..700u32).map(f64::from).take_while(|k| *k <= count) {
        let exponent = first + k;
        let power = 10f64.powf(exponent);
        for factor in 1..10u32 {
            let value = f64::from(factor) * power;
            let label = if labeled.contains(&factor) && exponent.rem_euclid(every) < 0.5 {
                quantity(value, unit)
            } else if decades <= 4.0 || factor == 1 {
                String::new()
            } else {
                continue;
            };
            ticks.push(Tick { value, label });
        }
    }
    ticks
}

/// Formats a number with at most three significant digits, with K, M, G or T for thousands:
/// `27.5K`, `1M`, `0.25`, `1e-6`.
#[must_use]
pub(super) fn number(value: f64) -> String {
    scaled(value, &[(1e3, "K"), (1e6, "M"), (1e9, "G"), (1e12, "T")])
}

/// Formats a value with its unit and at most three significant digits: `1.2 ms`, `40 KB`,
/// `25 Gbps`.
#[must_use]
pub fn quantity(value: f64, unit: Unit) -> String {
    let steps: [(f64, &str); 5] = match unit {
        Unit::None | Unit::Count => return number(value),
        Unit::BinaryBytes => {
            let (size, name) = binary_unit(value.abs());
            return match value.abs() < f64::MIN_POSITIVE {
                true => "0".to_owned(),
                false => format!("{} {name}", number(value / size)),
            };
        }
        Unit::Nanoseconds => [
            (0.0, " ns"),
            (1e3, " us"),
            (1e6, " ms"),
            (1e9, " s"),
            (1e12, "K s"),
        ],
        Unit::Bytes => [
            (0.0, " B"),
            (1e3, " KB"),
            (1e6, " MB"),
            (1e9, " GB"),
            (1e12, " TB"),
        ],
        Unit::BitsPerSecond => [
            (0.0, " bps"),
            (1e3, " Kbps"),
            (1e6, " Mbps"),
            (1e9, " Gbps"),
            (1e12, " Tbps"),
        ],
    };
    if value.abs() < f64::MIN_POSITIVE {
        return "0".to_owned();
    }
    scaled(value, &steps)
}

/// Returns the largest binary unit of sizes up to `bytes`, with its name.
fn binary_unit(bytes: f64) -> (f64, &'static str) {
    let units = [(40, "TiB"), (30, "GiB"), (20, "MiB"), (10, "KiB")];
    let units = units.map(|(power, name)| (2f64.powi(power), name));
    let fitting = units.into_iter().find(|(size, _)| bytes >= *size);
    fitting.unwrap_or((1.0, "B"))
}

/// Formats `value` in the largest of `steps` that it reaches, with the suffix of that step.
fn scaled(value: f64, steps: &[(f64, &str)]) -> String {
    let size = value.abs();
    if size > 0.0 && size < 1e-4 || size >= 1e15 {
        return format!("{value:e}").replace("0000000001e", "e");
    }
    let (mut scaled, mut unit) = (value, "");
    for &(limit, letters) in steps {
        if size >= limit * 0.9995 {
            let divisor = if limit > 0.0 { limit } else { 1.0 };
            (scaled, unit) = (value / divisor, letters);
        }
    }
    let digits = match scaled.abs() {
        shown if shown >= 99.95 => 0,
        shown if shown >= 9.995 => 1,
        shown if shown >= 0.9995 => 2,
        _ => 4,
    };
    let text = format!("{scaled:.digits$}");
    let text = if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.')
    } else {
        &text
    };
    format!("{text}{unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(axis: &Axis, low: f64, high: f64, wanted: usize) -> Vec<String> {
        let axis = axis.clone().from(low).upto(high);
        let ticks = ticks(&axis, axis.ends([].into_iter()), wanted).into_iter();
        let labels = ticks.map(|tick| tick.label);
        labels.filter(|label| !label.is_empty()).collect()
    }

    #[test]
    fn numbers_are_short() {
        for (value, text) in [
            (0.0, "0"),
            (1.0, "1"),
            (2.5, "2.5"),
            (999.0, "999"),
            (999.6, "1K"),
            (1_000.0, "1K"),
            (27_477.0, "27.5K"),
            (999_999.0, "1M"),
            (1_020_000.0, "1.02M"),
            (30_000_000.0, "30M"),
            (1e11, "100G"),
            (0.25, "0.25"),
            (-1_500.0, "-1.5K"),
            (1e-6, "1e-6"),
        ] {
            assert_eq!(number(value), text, "{value}");
        }
    }

    #[test]
    fn quantities_read_well() {
        for (value, unit, text) in [
            (0.0, Unit::Nanoseconds, "0"),
            (250.0, Unit::Nanoseconds, "250 ns"),
            (200_000.0, Unit::Nanoseconds, "200 us"),
            (1_200_000.0, Unit::Nanoseconds, "1.2 ms"),
            (3e9, Unit::Nanoseconds, "3 s"),
            (40_000.0, Unit::Bytes, "40 KB"),
            (40_960.0, Unit::BinaryBytes, "40 KiB"),
            (0.0, Unit::BinaryBytes, "0"),
            (25e9, Unit::BitsPerSecond, "25 Gbps"),
            (1_500.0, Unit::None, "1.5K"),
        ] {
            assert_eq!(quantity(value, unit), text);
        }
    }

    #[test]
    fn linear_ticks_are_round() {
        let axis = Axis::linear("");
        assert_eq!(
            labels(&axis, 0.0, 1.0, 5),
            ["0", "0.2", "0.4", "0.6", "0.8", "1"]
        );
        assert_eq!(labels(&axis, 1.0, 9.7, 5), ["1", "2", "4", "6", "8"]);
        assert_eq!(labels(&axis, 1.8, 9.7, 5), ["2", "4", "6", "8"]);
        assert_eq!(labels(&axis, -200.0, 300.0, 3), ["-200", "0", "200"]);
    }

    #[test]
    fn ticks_are_round_in_the_unit_of_the_axis() {
        let sizes = Axis::linear("").in_unit(Unit::BinaryBytes);
        let mib = f64::from(1 << 20);
        assert_eq!(
            labels(&sizes, 0.0, 6.0 * mib, 3),
            ["0", "2 MiB", "4 MiB", "6 MiB"]
        );
        let iterations = Axis::linear("").in_unit(Unit::Count);
        assert_eq!(labels(&iterations, 0.0, 3.0, 8), ["0", "1", "2", "3"]);
    }

    #[test]
    fn log_ticks_are_powers_with_steps_between_where_there_is_room() {
        let axis = Axis::log("");
        assert_eq!(
            labels(&axis, 1.0, 100.0, 6),
            ["1", "2", "5", "10", "20", "50", "100"]
        );
        assert_eq!(
            labels(&axis, 1e3, 3e7, 6),
            ["1K", "10K", "100K", "1M", "10M"]
        );
        assert_eq!(labels(&axis, 1.0, 4.0, 4), ["1", "2", "3", "4"]);
        // If there are many decades, every third one has a label.
        assert_eq!(labels(&axis, 1.0, 1e12, 4), ["1", "1K", "1M", "1G", "1T"]);
    }

    #[test]
    fn shares_of_flows_are_labeled_with_sizes() {
        let scale = Scale::FlowShare(vec![(0.1, 2_467), (0.5, 27_477), (1.0, 30_000_000)]);
        let axis = Axis::new("", scale);
        let ticks = ticks(&axis, axis.ends([].into_iter()), 5);
        let places: Vec<f64> = ticks.iter().map(|tick| tick.value).collect();
        assert_eq!(places, [0.1, 0.5, 1.0]);
        let labels: Vec<&str> = ticks.iter().map(|tick| tick.label.as_str()).collect();
        assert_eq!(labels, ["2.47K", "27.5K", "30M"]);
    }
}
