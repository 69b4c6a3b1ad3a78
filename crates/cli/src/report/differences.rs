//! The settings in which runs differ.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

/// Returns the leaves of a tree of settings by their dotted keys, as in `--set`.
pub(crate) fn flatten(settings: &Value) -> BTreeMap<String, String> {
    let mut leaves = BTreeMap::new();
    add("", settings, &mut leaves);
    leaves
}

fn add(key: &str, value: &Value, leaves: &mut BTreeMap<String, String>) {
    let below = |name: &str| match key {
        "" => name.to_owned(),
        key => format!("{key}.{name}"),
    };
    match value {
        Value::Object(map) => {
            for (name, value) in map {
                add(&below(name), value, leaves);
            }
        }
        Value::Array(list) => {
            for (i, value) in list.iter().enumerate() {
                add(&below(&i.to_string()), value, leaves);
            }
        }
        Value::String(text) => {
            leaves.insert(key.to_owned(), text.clone());
        }
        Value::Null => {
            leaves.insert(key.to_owned(), "none".to_owned());
        }
        other => {
            leaves.insert(key.to_owned(), other.to_string());
        }
    }
}

/// Returns the keys that have different values in `runs`, in order, each with its value in every
/// run. A run without the setting has a dash.
pub(crate) fn differences(runs: &[BTreeMap<String, String>]) -> Vec<(String, Vec<String>)> {
    let keys: BTreeSet<&String> = runs.iter().flat_map(BTreeMap::keys).collect();
    let values = |key: &String| -> Vec<String> {
        let value = |run: &BTreeMap<String, String>| run.get(key).cloned();
        let values = runs.iter().map(value);
        values
            .map(|value| value.unwrap_or_else(|| "-".to_owned()))
            .collect()
    };
    keys.into_iter()
        .map(|key| (key.clone(), values(key)))
        .filter(|(_, values)| values.windows(2).any(|pair| pair[0] != pair[1]))
        .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_keys_that_differ_are_left() {
        let a = json!({"cc": {"kind": "hpcc", "eta": 0.95}, "seed": 1, "workload": [{"load": 0.5, "kind": "poisson"}]});
        let b = json!({"cc": {"kind": "dctcp"}, "seed": 1, "workload": [{"load": 0.7, "kind": "poisson"}]});
        let rows = differences(&[flatten(&a), flatten(&b)]);
        let rows: Vec<(&str, Vec<&str>)> = rows
            .iter()
            .map(|(key, values)| (key.as_str(), values.iter().map(String::as_str).collect()))
            .collect();
        assert_eq!(
            rows,
            [
                ("cc.eta", vec!["0.95", "-"]),
                ("cc.kind", vec!["hpcc", "dctcp"]),
                ("workload.0.load", vec!["0.5", "0.7"]),
            ]
        );
        assert_eq!(differences(&[flatten(&a), flatten(&a)]), []);
    }
}
