//! The settings in which a run may differ from the run that took its checkpoint.

use fabricsim_base::units::Time;
use fabricsim_scenario::text::error::Error;
use serde_json::{Map, Value, json};

use crate::output::different_keys;

/// The settings that may change after a checkpoint, each with the effect of the change. A key
/// includes all keys below it.
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
    ("event", "events after the checkpoint"),
    (
        "rdma.rto_min",
        "timeouts follow; where it is not given it depends on whether packets can be lost",
    ),
    ("run.stop_at", "not before the checkpoint"),
    ("name", "names the results"),
];

/// The changes from the scenario of a checkpoint to the scenario that continues from it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Changes {
    /// Changed keys with their old and new values.
    pub(crate) keys: Vec<(String, Value, Value)>,
    /// The changes include congestion control or its timeouts.
    pub(crate) control: bool,
}

/// The reason why a scenario cannot continue from a checkpoint: it contradicts the past of the run.
#[derive(Debug)]
pub struct Contradiction {
    key: Option<String>,
    error: Error,
}

impl Contradiction {
    fn new(key: Option<&str>, message: String, help: &str) -> Self {
        Self {
            key: key.map(str::to_owned),
            error: Error::Unsupported {
                scenario: "the checkpoint".to_owned(),
                message,
                help: help.to_owned(),
            },
        }
    }

    /// Returns the contradiction for a file that has changed.
    pub(super) fn of_file(path: &str) -> Self {
        Self::new(
            None,
            format!("`{path}`, which its scenario names, has changed since"),
            "restore the file as it was, or run the scenario from the start",
        )
    }

    /// Returns the setting that must not change, with dots and as in `summary.json`, or `None` if
    /// the cause is not a setting.
    #[must_use]
    pub fn key(&self) -> Option<&str> {
        self.key.as_deref()
    }

    /// Returns the error that describes the contradiction.
    #[must_use]
    pub fn into_error(self) -> Error {
        self.error
    }
}

impl From<Error> for Contradiction {
    fn from(error: Error) -> Self {
        Self { key: None, error }
    }
}

impl Changes {
    /// Returns the contradiction for a run that would end before the checkpoint.
    pub(super) fn stops_before(time: Time) -> Contradiction {
        Contradiction::new(
            Some("run.stop_at"),
            format!("`run.stop_at` is before {time}, the time of the checkpoint"),
            "give a later time, such as --set run.stop_at=1s, or continue from an earlier checkpoint",
        )
    }

    /// Returns the changed settings that affect results, each with its old and its new value.
    pub(super) fn of_results(&self) -> Map<String, Value> {
        let keys = self
            .keys
            .iter()
            .filter(|(key, ..)| key != "name" && key != "run.stop_at");
        keys.map(|(key, before, now)| (key.clone(), json!({"before": before, "after": now})))
            .collect()
    }

    /// Returns the changes from the settings `before` to the settings `now`, at `time`; `same_past`
    /// is `true` if all events before are the same.
    ///
    /// # Errors
    /// Fails if a changed key is not in [`CHANGEABLE`].
    pub(super) fn between(
        before: &Value,
        now: &Value,
        time: Time,
        same_past: bool,
    ) -> Result<Self, Contradiction> {
        let mut changes = Self::default();
        let different = different_keys(before, now);
        // A default that follows another setting has a deeper key, so the shortest key names the
        // cause.
        let refused = different.iter().filter(|(key, ..)| !may_change(key));
        if let Some((key, before, now)) = refused.min_by_key(|(key, ..)| key.matches('.').count()) {
            return Err(Contradiction::new(
                Some(key),
                format!("`{key}` was {before} at the checkpoint, and is {now} now"),
                &format!("leave it unchanged; you may change {}", changeable()),
            ));
        }
        for (key, before, now) in different {
            let below = |table: &str| is_below(&key, table);
            if below("event") && !same_past {
                return Err(Contradiction::new(
                    Some(&key),
                    format!("events before {time}, the time of the checkpoint, have changed"),
                    "change only later events",
                ));
            }
            changes.control |= ["cc", "class", "rdma.rto_min"].into_iter().any(below);
            changes.keys.push((key, before, now));
        }
        Ok(changes)
    }
}

/// Returns `true` if `key` is `table`, or a key in it.
fn is_below(key: &str, table: &str) -> bool {
    let rest = key.strip_prefix(table);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// Returns `true` if `key` is in [`CHANGEABLE`].
fn may_change(key: &str) -> bool {
    CHANGEABLE.iter().any(|(table, _)| is_below(key, table))
}

/// Returns the names of the settings that may change, for messages.
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
        Changes::between(&before, now, time, same_past)
            .map_err(|contradiction| contradiction.into_error().to_string())
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

    /// The scenario's seed is the default for the seed of its routing.
    #[test]
    fn a_setting_is_named_rather_than_what_follows_it() {
        let settings = |seed: u64| json!({"routing": {"seed": seed}, "seed": seed});
        let changes = Changes::between(&settings(1), &settings(2), Time::ZERO, true);
        let contradiction = changes.expect_err("it has drawn numbers");
        assert_eq!(contradiction.key(), Some("seed"));
    }

    #[test]
    fn others_are_refused_by_name() {
        let load = json!({"cc": {"kind": "dcqcn", "g": 0.5}, "event": [{"at": "1us"}],
                          "workload": [{"load": 0.75}]});
        assert_eq!(
            changed(&load).expect_err("it would have sent more"),
            "the checkpoint: `workload.0.load` was 0.5 at the checkpoint, and is 0.75 now"
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
