//! Mutants of every kind of input. The command either uses an input or refuses it with a place and
//! a help, quickly and with little memory. The mutants are the same on every machine.

mod batch;
mod bytes;
#[cfg(unix)]
mod command;
mod draw;
#[path = "../../../../fuzz/src/entry.rs"]
mod entry;
mod properties;
mod seeds;
mod structure;
mod targets;

use std::ops::Range;

use peak_alloc::PeakAlloc;

use batch::{Batch, check, in_processes};
#[cfg(unix)]
use command::through_the_command;
use seeds::{Seed, seeds};
use targets::{Kind, Verdict, judge};

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

/// Mutants of the quick test, and the number of them that the command itself reads.
const SAMPLE: Range<u64> = 0..3_000;
const COMMANDS: u64 = 60;

/// Mutants of the long test; the command itself reads every n-th of them.
const ALL: u64 = 100_000;
const EVERY: u64 = 50;

/// Returns mutant `number` as bytes, because it may not be text.
pub(crate) fn mutant(seeds: &[Seed], number: u64) -> (&Seed, Vec<u8>) {
    let mut draw = draw::Draw::of(number);
    let seed = draw.one(seeds);
    let other = draw.one(seeds).text.as_bytes();
    let is_toml = matches!(seed.kind, Kind::Scenario | Kind::Sweep | Kind::Harm);
    let bytes = match draw.below(4) {
        0..=2 if is_toml => structure::mutant(&seed.text, &mut draw).into_bytes(),
        _ => bytes::mutant(seed.text.as_bytes(), other, &mut draw),
    };
    (seed, bytes)
}

#[test]
fn every_seed_is_used() {
    let seeds = seeds();
    let folder = tempfile::tempdir().expect("a folder");
    seeds::write_beside(folder.path(), &seeds);
    // Only the scenario of this graph has the models of its computing times.
    let alone = seeds.iter().filter(|seed| seed.name != "modeled.graph.csv");
    for seed in alone {
        let verdict = judge(seed.kind, &seed.text, folder.path());
        assert_eq!(verdict, Ok(Verdict::Used), "{}: {}", seed.name, seed.text);
    }
}

#[test]
fn a_sample_of_mutants_is_used_or_refused() {
    let found = check(SAMPLE);
    assert_eq!(found.bad, Vec::<String>::new());
    let shares = (found.used, found.refused);
    assert!(shares.0 > 400 && shares.1 > 400, "{shares:?}");
}

#[test]
#[cfg(unix)]
fn a_sample_of_mutants_through_the_command() {
    let bad = through_the_command((0..COMMANDS).map(|number| number * EVERY));
    assert_eq!(bad, Vec::<String>::new());
}

/// A part of the long test, in its own process.
#[test]
#[ignore = "a part of `a_hundred_thousand_mutants_are_used_or_refused`"]
fn a_batch_of_mutants() {
    if let Some(batch) = Batch::of_environment() {
        batch.run();
    }
}

#[test]
#[cfg(unix)]
#[ignore = "takes a minute or more"]
fn a_hundred_thousand_mutants_are_used_or_refused() {
    let mut bad = in_processes(ALL);
    bad.extend(through_the_command(
        (0..ALL / EVERY).map(|number| number * EVERY),
    ));
    assert!(bad.is_empty(), "{}:\n{}", bad.len(), bad.join("\n"));
}
