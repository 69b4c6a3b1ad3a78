//! A queue rule of a program works like a built-in one.

use fabricsim::input::{ConfigError, Keys};
use fabricsim::outcome::run_to_folder;
use fabricsim::plugin::{
    Aqm, AqmKind, AqmPacket, DisciplineContext, Ecn, ShortForm, ShortOption, Verdict,
};
use fabricsim::units::{Bytes, Time};
use fabricsim::{Registry, Scenario};
use fabricsim_base::settings;

settings! {
    /// Marks packets that come to `above` bytes, and drops them if they cannot be marked.
    struct ArrivalConfig {
        /// Bytes from which on packets are marked.
        above: Bytes = required,
        /// Packets that the queue holds.
        limit: u32 = 1000,
    }
}

impl AqmKind for ArrivalConfig {
    const NAME: &'static str = "arrival";
    const ABOUT: &'static str = "marks packets that come to a long queue";
    const KEYS: Keys = Self::KEYS;
    const SHORT_FORMS: &'static [ShortForm] = &[ShortForm::new(
        "arrival",
        &[ShortOption::required("above", "30KB")],
    )];

    fn validate(&self) -> Result<(), ConfigError> {
        self.validate_ranges()
    }

    fn rule(&self, _: &DisciplineContext) -> Box<dyn Aqm> {
        Box::new(Arrival(self.clone()))
    }
}

#[derive(Clone, Debug)]
struct Arrival(ArrivalConfig);

impl Aqm for Arrival {
    fn on_arrival(&mut self, _: Time, packet: &AqmPacket<'_>) -> Verdict {
        let long = packet.other_bytes >= self.0.above;
        if long && packet.ecn == Ecn::NotCapable {
            Verdict::DropEarly
        } else if packet.others >= self.0.limit as usize {
            Verdict::DropTail
        } else if long {
            Verdict::Mark
        } else {
            Verdict::Pass
        }
    }

    fn boxed_clone(&self) -> Box<dyn Aqm> {
        Box::new(self.clone())
    }
}

/// Returns the files of flows and queues of a run with `discipline` at its queues.
fn files(discipline: &str) -> [String; 2] {
    let mut registry = Registry::default();
    registry.add_discipline::<ArrivalConfig>();
    let text = format!(
        r#"
[topology]
kind = "star"
hosts = 5
[cc]
kind = "tcp-dctcp"
[[workload]]
kind = "incast"
at = "0s"
fan_in = 4
size = "300KB"
[[workload]]
kind = "incast"
at = "10us"
fan_in = 2
size = "300KB"
cc = {{ kind = "cubic" }}
[[queue]]
discipline = {discipline}
"#
    );
    let scenario = Scenario::from_toml_with(&text, &registry).unwrap();
    let dir = tempfile::tempdir().unwrap();
    run_to_folder(&scenario, dir.path(), 1, &mut ()).unwrap();
    ["fct.csv", "queue_stats.csv"]
        .map(|name| std::fs::read_to_string(dir.path().join(name)).unwrap())
}

#[test]
fn a_rule_from_outside_that_marks_on_arrival_is_the_built_in_one() {
    // With the present length as the average there is no length between these two thresholds.
    let [flows, queues] = files(
        r#"{ kind = "red", kmin = "29999B", kmax = "30000B", weight = 1.0, spread = false }"#,
    );
    let marked = |row: &str| row.split(',').nth(6).unwrap().parse::<u64>().unwrap();
    let dropped = |row: &str| row.split(',').nth(8).unwrap().parse::<u64>().unwrap();
    assert!(queues.lines().skip(1).any(|row| marked(row) > 10));
    assert!(queues.lines().skip(1).any(|row| dropped(row) > 10));
    for outside in [
        r#"{ kind = "arrival", above = "30KB" }"#,
        r#""arrival above 30KB""#,
    ] {
        let [own_flows, own_queues] = files(outside);
        assert_eq!(own_flows, flows);
        assert_eq!(own_queues.replace(",arrival,", ",red,"), queues);
    }
}
