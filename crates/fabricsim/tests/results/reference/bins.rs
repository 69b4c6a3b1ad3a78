//! Slowdowns by flow size, as the published script computes them.

use std::collections::BTreeMap;
use std::fmt::Write;

use fabricsim_report::{BinRule, bins_csv, equal_count_bins};

use crate::reference::runs::{reference, table};

/// From the published completion times we compute the published table, to the byte.
#[test]
fn the_published_tables_are_reproduced() {
    let mut tables = 0;
    for network in ["mid64", "fat320"] {
        let text = table(&format!("{network}.bins.csv"));
        let mut lines = text.lines();
        let (_, header) = lines.next().unwrap().split_once(',').unwrap();
        let mut published: BTreeMap<&str, String> = BTreeMap::new();
        for line in lines {
            let (scheme, row) = line.split_once(',').unwrap();
            let text = published
                .entry(scheme)
                .or_insert_with(|| format!("{header}\n"));
            writeln!(text, "{row}").unwrap();
        }
        for (scheme, expected) in published {
            let bins = equal_count_bins(&reference(network, scheme), 20, BinRule::Published);
            assert_eq!(bins_csv(&bins), expected, "{network} {scheme}");
            tables += 1;
        }
    }
    assert_eq!(tables, 7);
}
