//! The fuzz targets without a fuzzer: proptest draws inputs, and shrinks failing ones.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;

use crate::entry::{TARGETS, read};
use crate::seeds::{Seed, seeds};

static SEEDS: LazyLock<Vec<Seed>> = LazyLock::new(seeds);

/// Returns the folder of the fuzz targets.
fn fuzz_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz")
}

/// Returns the name of the fuzz target that reads this seed.
fn target_of(seed: &Seed) -> &'static str {
    let target = TARGETS.iter().find(|(_, kind)| *kind == seed.kind);
    target.expect("a fuzz target for every kind").0
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn targets_take_any_bytes(data in vec(any::<u8>(), 0..100)) {
        for (_, kind) in TARGETS {
            read(kind, &data);
        }
    }

    #[test]
    fn targets_take_any_text(text in "[\\PC\n]{0,100}") {
        for (_, kind) in TARGETS {
            read(kind, text.as_bytes());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn targets_take_seeds_with_a_part_replaced(
        seed in any::<Index>(),
        from in any::<Index>(),
        length in 0..20_usize,
        new in "[\\PC\n]{0,20}",
    ) {
        let seed = seed.get(&SEEDS);
        let mut data = seed.text.clone().into_bytes();
        let from = from.index(data.len() + 1);
        let to = (from + length).min(data.len());
        data.splice(from..to, new.bytes());
        read(seed.kind, &data);
    }
}

#[test]
fn every_target_has_a_file_an_entry_and_seeds() {
    let names: BTreeSet<String> = TARGETS.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(names.len(), TARGETS.len());

    let files = fs::read_dir(fuzz_folder().join("fuzz_targets")).expect("the fuzz targets");
    let mut files_of = BTreeSet::new();
    for file in files {
        let path = file.expect("an entry").path();
        let name = path.file_stem().expect("a name").to_string_lossy();
        let text = fs::read_to_string(&path).expect("a fuzz target");
        let call = format!("fabricsim_fuzz::run(\"{name}\", data)");
        assert!(text.contains(&call), "{}: no `{call}`", path.display());
        files_of.insert(name.into_owned());
    }
    assert_eq!(files_of, names);

    let manifest = fs::read_to_string(fuzz_folder().join("Cargo.toml")).expect("its manifest");
    let manifest: toml::Table = manifest.parse().expect("a manifest is TOML");
    let binaries = manifest["bin"].as_array().expect("binaries").iter();
    let binaries: BTreeSet<String> = binaries
        .map(|binary| binary["name"].as_str().expect("a name").to_owned())
        .collect();
    assert_eq!(binaries, names);

    let with_seeds: BTreeSet<String> = SEEDS.iter().map(|s| target_of(s).to_owned()).collect();
    assert_eq!(with_seeds, names);
}

/// The tests here are compiled with the dependencies of the command, and the targets with their own.
#[test]
fn the_fuzz_targets_depend_on_each_crate_that_they_name() {
    let manifest = fs::read_to_string(fuzz_folder().join("Cargo.toml")).expect("its manifest");
    let manifest: toml::Table = manifest.parse().expect("a manifest is TOML");
    let dependencies = manifest["dependencies"].as_table().expect("dependencies");
    let dependencies: BTreeSet<String> = dependencies.keys().map(|n| n.replace('-', "_")).collect();

    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mutants/targets.rs");
    let text = fs::read_to_string(shared).expect("the code of the targets");
    let paths = text.match_indices("::").map(|(at, _)| &text[..at]);
    let named: BTreeSet<String> = paths
        .map(|before| before.rsplit(|c: char| !c.is_ascii_alphanumeric() && c != '_'))
        .filter_map(|mut words| words.next())
        .filter(|word| *word == "fabricsim" || word.starts_with("fabricsim_"))
        .map(str::to_owned)
        .collect();
    assert!(named.contains("fabricsim_workload"), "{named:?}");
    assert!(named.is_subset(&dependencies), "{named:?} {dependencies:?}");
}

/// Writes the seeds of each fuzz target into `fuzz/seeds/TARGET`, as a start for the fuzzer.
#[test]
#[ignore = "writes files for the fuzzer: see fuzz/run.sh"]
fn write_the_seeds_of_the_fuzz_targets() {
    let folder = fuzz_folder().join("seeds");
    for (number, seed) in SEEDS.iter().enumerate() {
        let folder = folder.join(target_of(seed));
        fs::create_dir_all(&folder).expect("a folder of seeds");
        fs::write(folder.join(format!("{number}-{}", seed.name)), &seed.text).expect("a seed");
    }
}
