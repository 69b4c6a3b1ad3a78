//! The numbers in the paper, and the bands that simulated values should be in.

const PUBLISHED: &str = include_str!("../../../data/buffer-sizing/published.csv");

/// A row of published values.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Published {
    /// Identifier: A for the flood, B for the storage benchmark.
    pub(super) id: &'static str,
    pub(super) quantity: &'static str,
    pub(super) unit: &'static str,
    /// The published value; `None` if the paper states it only in words.
    pub(super) published: Option<f64>,
    pub(super) low: Option<f64>,
    pub(super) high: Option<f64>,
    pub(super) section: &'static str,
}

impl Published {
    /// Returns `true` if the figure is a ratio and `measured` is on the other side of 1.
    pub(super) fn is_contrary(&self, measured: f64) -> bool {
        let published = self.published.filter(|_| self.unit == "ratio");
        published.is_some_and(|published| (published - 1.0) * (measured - 1.0) < 0.0)
    }
}

/// Returns all rows, in the order of the file.
pub(super) fn rows() -> Vec<Published> {
    let rows = PUBLISHED.lines().filter(|line| !line.starts_with('#'));
    rows.skip(1).map(row).collect()
}

fn row(line: &'static str) -> Published {
    let fields: Vec<&'static str> = line.split(',').collect();
    let [id, quantity, unit, published, low, high, section] = fields[..] else {
        panic!("a row of published figures has seven fields: {line}");
    };
    let number = |text: &str| (!text.is_empty()).then(|| text.parse().expect("a number"));
    Published {
        id,
        quantity,
        unit,
        published: number(published),
        low: number(low),
        high: number(high),
        section,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_of_the_paper_is_there() {
        let rows = rows();
        for id in [
            "A1", "A2", "A3", "A4", "A5", "B1", "B2", "B3", "B4", "B5", "B6", "B7",
        ] {
            assert!(rows.iter().any(|row| row.id.starts_with(id)), "{id}");
        }
        assert!(rows.iter().all(|row| ["2.2", "2.3"].contains(&row.section)));
        let both = |row: &&Published| row.low.zip(row.high).is_some_and(|(low, high)| low >= high);
        assert_eq!(rows.iter().find(both), None);
    }

    /// No band contains a value that is opposite to the paper.
    #[test]
    fn no_band_has_values_on_the_other_side_of_one() {
        for row in rows() {
            let Some(published) = row.published.filter(|_| row.unit == "ratio") else {
                continue;
            };
            if published > 1.0 {
                assert!(row.low.is_some_and(|low| low >= 1.0), "{row:?}");
            } else if published < 1.0 {
                assert!(row.high.is_some_and(|high| high <= 1.0), "{row:?}");
            }
        }
    }
}
