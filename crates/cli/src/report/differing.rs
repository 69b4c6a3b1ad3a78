//! The settings in which runs differ: a row for each key, with columns for the values of the axis
//! on which it depends.

use std::collections::BTreeMap;

use fabricsim_plot::html::{Cell, Page};

use super::differences::{differences, flatten};
use super::layout::Layout;
use super::read::Results;

/// Columns of values in a table, at most, so that it fits a printed page.
const COLUMNS: usize = 5;

/// Keys that depend on one thing alone: its name and values, and each key with its values there.
#[derive(Debug, Eq, PartialEq)]
struct Block {
    name: String,
    values: Vec<String>,
    rows: Vec<(String, Vec<String>)>,
}

/// Adds the settings in which the runs differ.
pub(super) fn settings_that_differ(page: &mut Page, results: &Results) {
    let runs = results.runs.iter().enumerate();
    let known: Vec<(usize, BTreeMap<String, String>)> = runs
        .filter_map(|(run, own)| Some((run, flatten(own.summary.get("scenario")?))))
        .collect();
    if known.len() < 2 {
        return;
    }
    page.section("Settings that differ");
    let blocks = blocks(&results.layout, &known);
    if blocks.is_empty() {
        page.paragraph("None: all runs have the same settings.");
    }
    for block in &blocks {
        let all: Vec<usize> = (0..block.values.len()).collect();
        for columns in all.chunks(COLUMNS) {
            let mut headers = vec![block.name.as_str()];
            headers.extend(columns.iter().map(|&column| block.values[column].as_str()));
            let row = |(key, values): &(String, Vec<String>)| {
                let values = columns
                    .iter()
                    .map(|&column| Cell::from(values[column].as_str()));
                std::iter::once(Cell::from(key.as_str()))
                    .chain(values)
                    .collect()
            };
            let rows: Vec<Vec<Cell>> = block.rows.iter().map(row).collect();
            page.table(&headers, &rows);
        }
    }
}

/// Divides the keys in which the runs `known` differ by the axis on which they depend, then by the
/// seed, then by the setting.
fn blocks(layout: &Layout, known: &[(usize, BTreeMap<String, String>)]) -> Vec<Block> {
    let settings: Vec<BTreeMap<String, String>> =
        known.iter().map(|(_, settings)| settings.clone()).collect();
    let mut left = differences(&settings);
    // Where a run stands in the layout.
    let place = |run: usize| {
        let all = layout.settings.iter().enumerate();
        let mut all = all.filter_map(|(place, setting)| {
            let seed = setting.runs.iter().position(|own| *own == Some(run))?;
            Some((place, seed))
        });
        all.next().expect("every run is of a setting")
    };
    let places: Vec<(usize, usize)> = known.iter().map(|(run, _)| place(*run)).collect();
    let mut blocks = Vec::new();
    let mut take = |name: &str, values: &[String], of: &dyn Fn(&(usize, usize)) -> usize| {
        let columns: Vec<usize> = places.iter().map(of).collect();
        let (own, others) = std::mem::take(&mut left)
            .into_iter()
            .partition::<Vec<_>, _>(|(_, values)| depends_only_on(values, &columns));
        left = others;
        let value_in = |row: &[String], column: usize| {
            let run = columns.iter().position(|own| *own == column);
            run.map_or_else(|| "-".to_owned(), |run| row[run].clone())
        };
        let rows: Vec<(String, Vec<String>)> = own
            .into_iter()
            .map(|(key, row)| {
                let values = (0..values.len()).map(|column| value_in(&row, column));
                (key, values.collect())
            })
            .collect();
        if !rows.is_empty() {
            blocks.push(Block {
                name: name.to_owned(),
                values: values.to_vec(),
                rows,
            });
        }
    };
    for (axis, own) in layout.axes.iter().enumerate() {
        take(&own.name, &own.values, &|(setting, _)| {
            layout.settings[*setting].at[axis]
        });
    }
    if !layout.seeds.is_empty() {
        take("seed", &layout.seeds, &|(_, seed)| *seed);
    }
    let names: Vec<String> = layout.settings.iter().map(|own| own.name.clone()).collect();
    take("setting", &names, &|(setting, _)| *setting);
    // What is left depends on the setting and the seed.
    if !left.is_empty() {
        blocks.push(Block {
            name: "run".to_owned(),
            values: known
                .iter()
                .map(|(run, _)| format!("run {}", run + 1))
                .collect(),
            rows: left,
        });
    }
    blocks
}

/// Returns `true` if runs in the same column have the same value.
fn depends_only_on(values: &[String], columns: &[usize]) -> bool {
    let mut first: BTreeMap<usize, &String> = BTreeMap::new();
    let mut all = values.iter().zip(columns);
    all.all(|(value, column)| *first.entry(*column).or_insert(value) == value)
}

#[cfg(test)]
mod tests {
    use super::super::layout::testing::layout;
    use super::*;

    #[test]
    fn each_key_is_beside_the_axis_on_which_it_depends() {
        let names = [
            "load=0.3,scheme=a,seed=1",
            "load=0.3,scheme=b,seed=2",
            "load=0.5,scheme=a,seed=1",
            "load=0.5,scheme=b,seed=1",
        ];
        let of = |load: &str, cc: &str, seed: &str, both: &str| {
            let pairs = [
                ("workload.0.load", load),
                ("cc.kind", cc),
                ("seed", seed),
                ("both", both),
            ];
            let pairs = pairs.map(|(key, value)| (key.to_owned(), value.to_owned()));
            BTreeMap::from(pairs)
        };
        let settings = [
            of("0.3", "hpcc", "1", "x"),
            of("0.3", "dcqcn", "2", "y"),
            of("0.5", "hpcc", "1", "y"),
            of("0.5", "dcqcn", "1", "z"),
        ];
        let known: Vec<(usize, _)> = settings.into_iter().enumerate().collect();
        let blocks = blocks(&layout(&names), &known);
        let found: Vec<(&str, &str, &[String])> = blocks
            .iter()
            .map(|block| {
                let (key, values) = &block.rows[0];
                (block.name.as_str(), key.as_str(), values.as_slice())
            })
            .collect();
        let text = |list: &[&str]| list.iter().map(|own| (*own).to_owned()).collect::<Vec<_>>();
        assert_eq!(
            found,
            [
                ("load", "workload.0.load", &text(&["0.3", "0.5"])[..]),
                ("scheme", "cc.kind", &text(&["hpcc", "dcqcn"])),
                ("seed", "seed", &text(&["1", "2"])),
                ("setting", "both", &text(&["x", "y", "y", "z"])),
            ]
        );
    }
}
