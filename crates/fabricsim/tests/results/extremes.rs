//! No value of any key, however absurd, causes a panic, an overflow or an endless run: the value is
//! simulated, or refused with its place and a suggested fix. Tests are built with overflow checks.

mod tables;
mod values;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use fabricsim::{Error, Simulation};
use fabricsim_base::input::Key;
use fabricsim_base::rng::{Purpose, Stream};
use fabricsim_base::units::Time;
use fabricsim_core::network::{Progress, Room, RunCallback};

use tables::{Line, Part, Scenario, Table, tables};
use values::{COUNTS, VALUES};

/// Time limit of a run, after which the watcher ends it.
const PATIENCE: Duration = Duration::from_millis(100);

struct Impatient(Instant);

impl RunCallback for Impatient {
    fn proceed(&mut self, _progress: &Progress) -> bool {
        self.0.elapsed() < PATIENCE
    }
}

/// Returns `true` if the case was simulated, or the reason why it is a failure.
fn verdict(text: &str, simulate: bool) -> Result<bool, String> {
    let scenario = match fabricsim::Scenario::from_toml(text) {
        Err(error) => return refused(&error).map(|()| false),
        Ok(scenario) => scenario,
    };
    let value = scenario.resolved().to_string();
    let is_named_so = text.lines().any(|line| {
        line.starts_with(r#"name = "18446744073709"#)
            || line.starts_with(r#"job = "18446744073709"#)
    });
    if value.contains("18446744073709") && !is_named_so {
        return Err(format!(
            "a setting has wrapped or is without a limit: {value}"
        ));
    }
    if !simulate {
        return Ok(false);
    }
    let mut simulation = match Simulation::new(&scenario, 1) {
        Err(error) => return refused(&error).map(|()| false),
        Ok(simulation) => simulation,
    };
    simulation.set_room(Room {
        live_flows: 20_000,
        waiting_acks: 20_000,
    });
    let until = scenario
        .run()
        .stop_at
        .map_or(Time::MAX, |after| Time::ZERO + after);
    simulation.run_with_callback(until, &mut Impatient(Instant::now()));
    let completions = simulation.take_completions();
    for record in completions.iter().map(|done| simulation.record(done)) {
        if !record.slowdown().is_finite() || record.slowdown() < 0.0 {
            return Err(format!("a slowdown of {}", record.slowdown()));
        }
    }
    drop(simulation.unfinished());
    let _ = simulation.counters();
    drop(simulation.live_flows());
    drop(simulation.ports());
    drop(simulation.query_results());
    Ok(true)
}

fn refused(error: &Error) -> Result<(), String> {
    match error {
        Error::Input(diagnostic) if diagnostic.help().is_empty() => {
            Err(format!("no help: {error}"))
        }
        Error::Input(diagnostic) if diagnostic.line() == 0 => Err(format!("no place: {error}")),
        Error::Input(_) | Error::Unsupported { .. } => Ok(()),
        Error::Several(all) => all.iter().try_for_each(refused),
        other => Err(format!("another kind of error: {other}")),
    }
}

/// Returns the outcome of a case, and turns a panic into a failure.
fn tried(text: &str, simulate: bool) -> Result<bool, String> {
    let begun = Instant::now();
    let outcome = catch_unwind(AssertUnwindSafe(|| verdict(text, simulate)))
        .unwrap_or_else(|_| Err("it panics, see above".to_owned()));
    if begun.elapsed() > Duration::from_secs(30) {
        return Err(format!("it takes {:?}: {text}", begun.elapsed()));
    }
    outcome.map_err(|why| format!("{why}\n{text}"))
}

/// Values worth trying for a key of a table.
fn values(table: &Table, key: &str) -> &'static [&'static str] {
    const NUMBERS_OF_NODES: &[&str] = &[
        "k",
        "hosts",
        "hosts_per_leaf",
        "leaves",
        "spines",
        "hosts_per_side",
        "switches",
        "longest_path",
        "hosts_per_switch",
        "routers_per_group",
        "global_links",
    ];
    match table.part {
        Part::Topology if NUMBERS_OF_NODES.contains(&key) => COUNTS,
        _ => VALUES,
    }
}

/// Tries every key of every table with every value. Returns the accepted ones, and the failures.
fn accepted() -> (Vec<(Table, Line)>, Vec<String>) {
    let (mut accepted, mut failures) = (Vec::new(), Vec::new());
    let mut count = 0;
    for table in tables() {
        for Key { name: key, .. } in table.keys {
            for value in values(&table, key) {
                let change = (table.clone(), ((*key).to_owned(), (*value).to_owned()));
                let text = Scenario {
                    changes: vec![change.clone()],
                }
                .text();
                count += 1;
                match tried(&text, false) {
                    Err(failure) => failures.push(failure),
                    Ok(_) if fabricsim::Scenario::from_toml(&text).is_ok() => accepted.push(change),
                    Ok(_) => {}
                }
            }
        }
    }
    println!("{count} cases, {} accepted", accepted.len());
    (accepted, failures)
}

fn report(failures: &[String]) {
    assert!(
        failures.is_empty(),
        "{} failures:\n{}",
        failures.len(),
        failures.join("\n----\n")
    );
}

/// Draws `count` scenarios with one to six accepted values and runs them.
fn run_combinations(count: u64, seed: u64) {
    let (accepted, mut failures) = accepted();
    let mut dice = Stream::new(seed, 0, Purpose::Arrivals);
    let mut draw =
        |below: usize| usize::try_from(dice.below(below as u64)).expect("less than a usize");
    let mut simulated = 0;
    for _ in 0..count {
        let changes = (0..=draw(6))
            .map(|_| accepted[draw(accepted.len())].clone())
            .collect();
        match tried(&Scenario { changes }.text(), true) {
            Ok(true) => simulated += 1,
            Ok(false) => {}
            Err(failure) => failures.push(failure),
        }
    }
    println!("{count} combinations, {simulated} simulated");
    report(&failures);
    assert!(
        simulated > count / 10,
        "{simulated} of {count} were simulated"
    );
}

/// Checks the assumption on which the other tests of this file rely.
#[test]
fn overflow_is_noticed_in_builds_with_assertions() {
    let sum = |a: u64, b: u64| catch_unwind(|| std::hint::black_box(a) + std::hint::black_box(b));
    assert_eq!(sum(u64::MAX, 1).is_err(), cfg!(debug_assertions));
}

#[test]
fn absurd_values_are_simulated_or_refused() {
    run_combinations(150, 1);
}

/// All accepted values one by one, and 10,000 combinations.
#[test]
#[ignore = "takes many minutes"]
fn absurd_values_of_all_keys_are_simulated_or_refused() {
    let (accepted, mut failures) = accepted();
    for change in accepted {
        let text = Scenario {
            changes: vec![change],
        }
        .text();
        failures.extend(tried(&text, true).err());
    }
    report(&failures);
    run_combinations(10_000, 2);
}
