//! The settings in which a run may differ from the one whose checkpoint it goes on from.

use fabricsim_core::units::Time;
use fabricsim_scenario::text::error::Error;
use serde_json::{Map, Value, json};

use crate::output::different_keys;

/// Settings that may be others after a checkpoint, each with what becomes of it. A key stands for
/// all keys below it.
pub const CHANGEABLE: &[(&str, &str)] = &[
    (
        "cc",
        "flows that are under way keep what their controllers know where the algorithm stays, and \
         get new ones of another algorithm of RDMA that reads the same telemetry",
    ),
    ("class", "the same, for algorithms of classes"),
    (
        "switch.ecn_rules",
        "marking thresholds follow the algorithm, or `[switch.ecn]`",
    ),
    ("event", "events that are still to come"),
    (
        "rdma.rto_min",
        "timeouts follow; where it is not given it depends on whether packets can be lost",
    ),
    ("run.stop_at", "not before the checkpoint"),
    ("name", "names the results"),
];

/// The changes from the scenario of a checkpoint to the one that goes on.
#[derive(Clone, Debug, Default)]
pub(crate) struct Changes {
    /// Keys with both values.
    pub(crate) keys: Vec<(String, Value, Value)>,
    /// Congestion control or its timeouts are among them.
    pub(crate) control: bool,
}

fn refuse(message: String, help: &str) -> Error {
    Error::Unsupported {
        scenario: "the checkpoint".to_owned(),
        message,
        help: help.to_owned(),
    }
}

/// Returns the error of a file that is not what it was.
pub(super) fn different_file(path: &str) -> Error {
    refuse(
        format!("`{path}`, which its scenario names, has changed since"),
        "restore the file as it was, or run the scenario from the start",
    )
}

impl Changes {
    /// Returns the error of a run that would be over.
    pub(super) fn stops_before(time: Time) -> Error {
        refuse(
            format!("`run.stop_at` is before {time}, when it was taken"),
            "give a later time, such as --set run.stop_at=1s, or go on from an earlier checkpoint",
        )
    }

    /// Returns what results say of a run that has gone on from `time` with other settings, if it has.
    pub(crate) fn branch(&self, time: Time) -> Option<Value> {
        let keys = self
            .keys
            .iter()
            .filter(|(key, ..)| key != "name" && key != "run.stop_at");
        let changed: Map<String, Value> = keys
            .map(|(key, before, now)| (key.clone(), json!({"before": before, "after": now})))
            .collect();
        let time_ns = time.as_ps() as f64 / 1e3;
        (!changed.is_empty()).then(|| json!({"time_ns": time_ns, "changed": changed}))
    }

    /// Returns the changes from the settings `before` to those of `now`, at `time`; `same_past`
    /// says whether all events before are the same.
    ///
    /// # Errors
    /// When a key may not change.
    pub(super) fn between(
        before: &Value,
        now: &Value,
        time: Time,
        same_past: bool,
    ) -> Result<Self, Error> {
        let mut changes = Self::default();
        for (key, before, now) in different_keys(before, now) {
            let below = |table: &str| {
                let rest = key.strip_prefix(table);
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
            };
            if !CHANGEABLE.iter().any(|(table, _)| below(table)) {
                return Err(refuse(
                    format!("`{key}` was {before} when it was taken, and is {now} now"),
                    &format!("leave it as it was; what may change is {}", changeable()),
                ));
            }
            if below("event") && !same_past {
                return Err(refuse(
                    format!("events before {time}, when it was taken, are not the same"),
                    "change only events that are still to come",
                ));
            }
            changes.control |= ["cc", "class", "rdma.rto_min"].into_iter().any(below);
            changes.keys.push((key, before, now));
        }
        Ok(changes)
    }
}

/// The names of settings that may change, for messages.
fn changeable() -> String {
    let names: Vec<String> = CHANGEABLE
        .iter()
        .map(|(key, _)| format!("`{key}`"))
        .collect();
    match names.split_last() {
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn changed(now: &Value) -> Result<Changes, String> {
        let before = json!({
            "cc": {"kind": "dcqcn", "g": 0.5},
            "event": [{"at": "1us"}],
            "workload": [{"load": 0.5}]
        });
        let time = Time::from_ns(2_000);
        let same_past = now["event"][0]["at"] == "1us";
        Changes::between(&before, now, time, same_past).map_err(|error| error.to_string())
    }

    #[test]
    fn some_settings_may_change() {
        let same = json!({"cc": {"kind": "dcqcn", "g": 0.5}, "event": [{"at": "1us"}],
                          "workload": [{"load": 0.5}]});
        assert!(changed(&same).expect("nothing has changed").keys.is_empty());
        let other = json!({"cc": {"kind": "timely"}, "event": [{"at": "1us"}, {"at": "1ms"}],
                           "workload": [{"load": 0.5}], "run": {"stop_at": "2s"}});
        let changes = changed(&other).expect("all may change");
        assert!(changes.control);
        let keys: Vec<&str> = changes.keys.iter().map(|(key, ..)| key.as_str()).collect();
        assert_eq!(keys, ["cc.g", "cc.kind", "event.1.at", "run.stop_at"]);
    }

    #[test]
    fn others_are_refused_by_name() {
        let load = json!({"cc": {"kind": "dcqcn", "g": 0.5}, "event": [{"at": "1us"}],
                          "workload": [{"load": 0.75}]});
        assert_eq!(
            changed(&load).expect_err("it would have sent more"),
            "the checkpoint: `workload.0.load` was 0.5 when it was taken, and is 0.75 now"
        );
        let past = json!({"cc": {"kind": "dcqcn", "g": 0.5}, "event": [{"at": "1ns"}],
                          "workload": [{"load": 0.5}]});
        assert!(
            changed(&past)
                .expect_err("it has happened")
                .contains("events before")
        );
    }
}
