//! The settings in which two results differ.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

/// Number of differences that a message lists.
const SHOWN: usize = 5;

/// Number of characters of a value that a message shows.
const LONGEST: usize = 60;

/// Returns the leaves of `settings`, by their dotted keys as for `--set`.
fn flatten(settings: &Value) -> BTreeMap<String, &Value> {
    let mut leaves = BTreeMap::new();
    let mut open = vec![(String::new(), settings)];
    while let Some((key, value)) = open.pop() {
        let below = |name: &str| match key.as_str() {
            "" => name.to_owned(),
            key => format!("{key}.{name}"),
        };
        match value {
            Value::Object(map) => {
                open.extend(map.iter().map(|(name, value)| (below(name), value)));
            }
            Value::Array(list) => {
                let numbered = list.iter().enumerate();
                open.extend(numbered.map(|(at, value)| (below(&at.to_string()), value)));
            }
            leaf => {
                leaves.insert(key, leaf);
            }
        }
    }
    leaves
}

/// Returns a value for a message: on one line, and shortened if necessary.
fn shown(value: Option<&&Value>) -> String {
    let Some(value) = value else {
        return "nothing".to_owned();
    };
    let text = value.to_string();
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text,
    }
}

/// Returns the keys in which `before` and `now` differ, each with both values; a missing value is
/// null.
pub(crate) fn different_keys(before: &Value, now: &Value) -> Vec<(String, Value, Value)> {
    let (before, now) = (flatten(before), flatten(now));
    let keys: BTreeSet<&String> = before.keys().chain(now.keys()).collect();
    let value = |of: &BTreeMap<String, &Value>, key| {
        let value: Option<&&Value> = of.get(key);
        value.map_or(Value::Null, |value| (*value).clone())
    };
    let keys = keys.into_iter();
    keys.map(|key| (key.clone(), value(&before, key), value(&now, key)))
        .filter(|(_, before, now)| before != now)
        .collect()
}

/// Returns the first keys in which `there` and `now` differ, each with both values, and the number
/// of further ones. Keys that exist in both are first, because the remaining ones often follow from
/// them, such as the keys of another algorithm.
pub(super) fn differences(there: &Value, now: &Value) -> Vec<String> {
    let (there, now) = (flatten(there), flatten(now));
    let keys: BTreeSet<&String> = there.keys().chain(now.keys()).collect();
    let (in_both, in_one): (Vec<&String>, Vec<&String>) = keys
        .into_iter()
        .filter(|key| there.get(*key) != now.get(*key))
        .partition(|key| there.contains_key(*key) && now.contains_key(*key));
    let mut lines: Vec<String> = in_both
        .into_iter()
        .chain(in_one)
        .map(|key| {
            let (there, now) = (shown(there.get(key)), shown(now.get(key)));
            format!("{key}: {there} there, {now} now")
        })
        .collect();
    let more = lines.len().saturating_sub(SHOWN);
    lines.truncate(SHOWN);
    if more > 0 {
        lines.push(format!("and {more} more"));
    }
    lines
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn keys_are_as_set_has_them_and_few() {
        let there = json!({"cc": {"kind": "hpcc", "eta": 0.95}, "workload": [{"load": 0.5}]});
        let now = json!({"cc": {"kind": "dctcp"}, "workload": [{"load": 0.5}], "seed": 2});
        assert_eq!(
            differences(&there, &now),
            [
                "cc.kind: \"hpcc\" there, \"dctcp\" now",
                "cc.eta: 0.95 there, nothing now",
                "seed: nothing there, 2 now"
            ]
        );
        assert!(differences(&there, &there).is_empty());
        let long = json!({"a": "x".repeat(500), "l": [1, 2, 3, 4, 5, 6, 7]});
        let lines = differences(&long, &json!({}));
        assert_eq!(lines.len(), SHOWN + 1);
        assert_eq!(lines[SHOWN], "and 3 more");
        assert!(lines[0].len() < 100, "{}", lines[0]);
    }
}
