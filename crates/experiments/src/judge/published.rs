//! Published slowdown curves, for comparison with simulated ones.

use fabricsim_base::input::InputError;
use fabricsim_base::units::Bytes;
use serde::{Serialize, Serializer};

use fabricsim_report::Percentile;
use fabricsim_report::columns::Word;
use fabricsim_report::table::Table;

/// Columns before the schemes.
const LEADING: [&str; 7] = [
    "workload",
    "load_pct",
    "percentile",
    "error_pct",
    "size_pct",
    "size_bytes",
    "tick",
];
const OVERLAP_MARK: char = '~';

/// A panel of a published figure: one percentile of the slowdown over flow size, a curve for each
/// scheme.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PublishedPanel {
    /// The flow-size algorithm, by the name that scenarios use.
    pub workload: String,
    /// Payload over the rate of the host links, in percent.
    pub load_pct: f64,
    /// Percentile of the slowdown.
    pub percentile: Percentile,
    /// Largest reading error of a slowdown on a clear part of a curve, as a share (0.005 is half a
    /// percent).
    pub reading_error: f64,
    /// The points along the axis of sizes, in increasing order; the same for every curve.
    pub axis: Vec<AxisPoint>,
    /// The curves, in the order of the file.
    pub curves: Vec<PublishedCurve>,
}

/// A point on the axis of sizes: a bin of flows, named by its upper end.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AxisPoint {
    /// The share of flows up to this point, in percent.
    pub size_pct: f64,
    /// The flow size at this percentile of the workload's distribution.
    #[serde(rename = "size_bytes", serialize_with = "as_bytes")]
    pub size: Bytes,
    /// Label of the axis at this point, if it has a tick.
    pub tick: Option<String>,
}

/// One scheme of a panel.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PublishedCurve {
    /// The scheme, by its name in the figure.
    pub scheme: String,
    /// A slowdown for each point of the axis.
    pub points: Vec<Reading>,
}

/// A slowdown read off a figure.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(tag = "quality", content = "slowdown", rename_all = "kebab-case")]
pub enum Reading {
    /// The curve is clear of other curves.
    Clear(f64),
    /// Another curve partly covers it. The value is less certain, and no evidence of an order.
    Overlap(f64),
    /// Other curves hide it.
    Hidden,
}

impl Reading {
    /// Returns the slowdown unless it is hidden.
    #[must_use]
    pub const fn slowdown(self) -> Option<f64> {
        match self {
            Self::Clear(slowdown) | Self::Overlap(slowdown) => Some(slowdown),
            Self::Hidden => None,
        }
    }

    /// Returns `true` if the curve is clear of other curves.
    #[must_use]
    pub const fn is_clear(self) -> bool {
        matches!(self, Self::Clear(_))
    }
}

impl PublishedPanel {
    /// Returns the curve of `scheme`.
    #[must_use]
    pub fn curve(&self, scheme: &str) -> Option<&PublishedCurve> {
        self.curves.iter().find(|curve| curve.scheme == scheme)
    }

    /// Returns the upper ends of the bins of flows, for
    /// [`SizeBins::between`](fabricsim_report::SizeBins::between).
    #[must_use]
    pub fn edges(&self) -> Vec<Bytes> {
        self.axis.iter().map(|point| point.size).collect()
    }
}

fn as_bytes<S: Serializer>(size: &Bytes, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(size.get())
}

/// Reads published curves from a CSV.
///
/// Its columns are `workload`, `load_pct`, `percentile`, `error_pct` (of a clear reading),
/// `size_pct`, `size_bytes` and `tick` (the label of the axis, or empty), then a column for each
/// scheme. A cell of a scheme is a slowdown, `~` and a slowdown if curves overlap, or empty if the
/// curve is hidden. Rows of one panel are consecutive.
///
/// # Errors
/// At the wrong word: a missing column, a row with another length than the header, a malformed
/// number, or sizes that do not increase.
pub fn read_published(text: &str) -> Result<Vec<PublishedPanel>, InputError> {
    let table = Table::new(text, "a file of published curves")?;
    let places = table.positions(LEADING)?;
    let schemes: Vec<(usize, String)> = table
        .names()
        .iter()
        .enumerate()
        .filter(|(_, name)| !LEADING.contains(&name.text))
        .map(|(place, name)| (place, name.text.to_owned()))
        .collect();
    let mut panels: Vec<PublishedPanel> = Vec::new();
    let rows = table.read(|_, line, fields| {
        let cells: Vec<Reading> = schemes
            .iter()
            .map(|(place, _)| reading(fields[*place]))
            .collect::<Result<_, _>>()?;
        Ok((line, places.map(|place| fields[place]), cells))
    })?;
    for (line, [workload, load, percentile, error, size_pct, size, tick], cells) in rows {
        let load_pct = load.number("load_pct")?;
        let percentile = percentile
            .text
            .parse()
            .map_err(|help: String| percentile.error("this is not a percentile", help))?;
        let point = AxisPoint {
            size_pct: size_pct.number("size_pct")?,
            size: Bytes::new(size.integer("size_bytes")?),
            tick: (!tick.text.is_empty()).then(|| tick.text.to_owned()),
        };
        let same = panels.last_mut().filter(|panel| {
            (panel.workload.as_str(), panel.percentile) == (workload.text, percentile)
                && panel.load_pct.total_cmp(&load_pct).is_eq()
        });
        if let Some(panel) = same {
            let increases = panel
                .axis
                .last()
                .is_some_and(|last| last.size < point.size && last.size_pct < point.size_pct);
            if !increases {
                return Err(line.error(
                    "the size is not above the size of the previous row",
                    "sort the rows of a panel by size",
                ));
            }
            panel.axis.push(point);
            for (curve, cell) in panel.curves.iter_mut().zip(cells) {
                curve.points.push(cell);
            }
        } else {
            let curve = |((_, scheme), cell): (&(usize, String), Reading)| PublishedCurve {
                scheme: scheme.clone(),
                points: vec![cell],
            };
            panels.push(PublishedPanel {
                workload: workload.text.to_owned(),
                load_pct,
                percentile,
                reading_error: error.number("error_pct")? / 100.0,
                axis: vec![point],
                curves: schemes.iter().zip(cells).map(curve).collect(),
            });
        }
    }
    Ok(panels)
}

fn reading(cell: Word<'_>) -> Result<Reading, InputError> {
    if cell.text.is_empty() {
        return Ok(Reading::Hidden);
    }
    let (number, overlaps) = match cell.text.strip_prefix(OVERLAP_MARK) {
        Some(number) => (number, true),
        None => (cell.text, false),
    };
    let slowdown = Word {
        text: number,
        offset: cell.offset + (cell.text.len() - number.len()),
    }
    .number("a slowdown")?;
    if slowdown <= 0.0 {
        return Err(cell.error("a slowdown is above 0", "write a number such as 1.25"));
    }
    Ok(if overlaps {
        Reading::Overlap(slowdown)
    } else {
        Reading::Clear(slowdown)
    })
}

#[cfg(test)]
pub(crate) mod testing {
    use super::*;

    /// Two schemes over five sizes.
    pub(crate) const CURVES: &str = "\
# made up
workload,load_pct,percentile,error_pct,size_pct,size_bytes,tick,A,B+w
websearch,50,99,0.5,20,1000,1K,2,4
websearch,50,99,0.5,40,2000,,2,~4.5
websearch,50,99,0.5,60,4000,4K,3,5
websearch,50,99,0.5,80,8000,,,6
websearch,50,99,0.5,100,16000,16K,~4,8
";

    pub(crate) fn panel() -> PublishedPanel {
        let mut panels = read_published(CURVES).expect("the curves can be read");
        assert_eq!(panels.len(), 1);
        panels.remove(0)
    }
}

#[cfg(test)]
mod tests {
    use super::testing::{CURVES, panel};
    use super::*;

    #[test]
    fn curves_are_read_column_by_column() {
        let panel = panel();
        assert_eq!(panel.workload, "websearch");
        assert_eq!(panel.percentile, Percentile::P99);
        assert!((panel.reading_error - 0.005).abs() < 1e-12);
        let names: Vec<_> = panel.curves.iter().map(|c| c.scheme.as_str()).collect();
        assert_eq!(names, ["A", "B+w"]);
        let first = panel.curve("A").expect("a curve");
        assert_eq!(first.points[3], Reading::Hidden);
        assert_eq!(first.points[4], Reading::Overlap(4.0));
        assert_eq!(panel.axis[2].tick.as_deref(), Some("4K"));
        assert_eq!(panel.axis[1].tick, None);
        assert_eq!(panel.edges()[4], Bytes::new(16_000));
        assert_eq!(panel.curve("C"), None);
    }

    #[test]
    fn another_percentile_is_another_panel() {
        let rest = CURVES.split_once("B+w\n").expect("a header").1;
        let more = rest.replace(",99,", ",95,");
        let panels = read_published(&format!("{CURVES}{more}")).expect("two panels");
        let percentiles: Vec<_> = panels.iter().map(|panel| panel.percentile).collect();
        assert_eq!(percentiles, [Percentile::P99, Percentile::P95]);
        assert_eq!(panels[0].axis, panels[1].axis);
    }

    #[test]
    fn errors_are_placed() {
        let place = |from: &str, to: &str| {
            let text = CURVES.replace(from, to);
            let error = read_published(&text).expect_err("refused");
            text[error.span].to_owned()
        };
        assert_eq!(place("~4.5", "~x"), "x");
        assert_eq!(place(",3,5\n", ",-3,5\n"), "-3");
        assert_eq!(place(",99,0.5,20", ",100,0.5,20"), "100");
        assert_eq!(
            place("60,4000", "60,2000"),
            "websearch,50,99,0.5,60,2000,4K,3,5"
        );
        assert_eq!(
            place("tick", "tock"),
            "workload,load_pct,percentile,error_pct,size_pct,size_bytes,tock,A,B+w"
        );
    }

    #[test]
    fn curves_go_into_json() {
        let json = serde_json::to_value(panel()).expect("JSON");
        assert_eq!(json["axis"][0]["size_bytes"], 1_000);
        assert_eq!(json["percentile"], 99.0);
        let points = &json["curves"][0]["points"];
        assert_eq!(
            points[4],
            serde_json::json!({"quality": "overlap", "slowdown": 4.0})
        );
        assert_eq!(points[3], serde_json::json!({"quality": "hidden"}));
    }
}
