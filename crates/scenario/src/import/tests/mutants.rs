//! Configurations with added, misspelled and damaged keys.

use proptest::prelude::*;
use proptest::sample::subsequence;

use super::*;

/// A change of one line of a configuration that makes it wrong.
#[derive(Clone, Copy, Debug)]
enum Damage {
    /// The line is followed by a line with a key of no simulator.
    Added,
    /// A letter of the key is doubled.
    Misspelt,
    /// The values are followed by more words.
    WordsBehind,
    /// The values are missing.
    NoValue,
}

fn damages() -> impl Strategy<Value = Damage> {
    prop_oneof![
        Just(Damage::Added),
        Just(Damage::Misspelt),
        Just(Damage::WordsBehind),
        Just(Damage::NoValue),
    ]
}

/// Returns the changed line, or both lines, and the word that an error must name.
fn damaged(line: &str, number: usize, damage: Damage) -> (Vec<String>, String) {
    let (key, values) = line.split_once(' ').expect("a key and a value");
    match damage {
        Damage::Added => {
            let added = format!("OF_NOBODY_{number}");
            (vec![line.to_owned(), format!("{added} {number}")], added)
        }
        Damage::Misspelt => {
            let twice = format!("{key}{}", &key[key.len() - 1..]);
            (vec![format!("{twice} {values}")], twice)
        }
        Damage::WordsBehind => {
            let word = format!("x{number}");
            (vec![format!("{line} {word}")], word)
        }
        Damage::NoValue => (vec![key.to_owned()], key.to_owned()),
    }
}

/// Returns `true` if `error` says that `word` is in this line, counted from one.
fn says(error: &InputError, text: &str, word: &str, line: usize) -> bool {
    let listed = |said: &str| {
        said.contains(&format!("line {line}: `")) && said.contains(&format!("`{word}"))
            || said.contains(&format!("line {line}: `{word}"))
    };
    let at = error.line_column(text).0;
    error.message.lines().any(listed) || (at == line && error.message.contains(word))
}

proptest! {
    /// One message names all wrong lines with their numbers.
    #[test]
    fn every_wrong_line_is_named(
        chosen in subsequence((0..50).collect::<Vec<usize>>(), 1..20),
        damage in proptest::collection::vec(damages(), 20),
    ) {
        let lines: Vec<&str> = HPCC.lines().filter(|line| !line.is_empty()).collect();
        prop_assert_eq!(lines.len(), 50);
        let (mut text, mut wanted, mut number) = (String::new(), Vec::new(), 0);
        for (index, line) in lines.iter().enumerate() {
            let place = chosen.iter().position(|&it| it == index);
            let (new, word) = match place {
                Some(place) => damaged(line, index, damage[place]),
                None => (vec![(*line).to_owned()], String::new()),
            };
            number += new.len();
            text.push_str(&(new.join("\n") + "\n"));
            if place.is_some() {
                wanted.push((word, number));
            }
        }
        let errors = Configuration::parse(&text).expect_err("lines are wrong");
        for (word, line) in &wanted {
            let is_said = errors.iter().any(|error| says(error, &text, word, *line));
            prop_assert!(is_said, "{} of line {} is not in {:#?}", word, line, errors);
        }
    }

    /// Words that are not keys change only the list of ignored words.
    #[test]
    fn unknown_keys_can_be_passed_over(places in subsequence((0..50).collect::<Vec<usize>>(), 1..9)) {
        let mut text = String::new();
        let mut added = Vec::new();
        for (index, line) in HPCC.lines().filter(|line| !line.is_empty()).enumerate() {
            text.push_str(&format!("{line}\n"));
            if places.contains(&index) {
                text.push_str(&format!("OF_NOBODY_{index} mix/{index}.txt {index}\n"));
                added.push(format!("line {}: `OF_NOBODY_{index} ", text.lines().count()));
            }
        }
        let passed = made_with(&text, &[], UnknownKeys::PassedOver).expect("a scenario");
        let tables = |text: &str| text.parse::<toml::Table>().expect("TOML");
        let whole = made(HPCC, &[]).expect("a scenario");
        prop_assert_eq!(tables(&passed.text), tables(&whole.text));
        for line in added {
            let keys = passed.left_out.iter().flat_map(|left| &left.keys);
            prop_assert_eq!(keys.filter(|key| key.starts_with(&line)).count(), 1, "{}", line);
        }
    }
}

/// Several unknown keys result in one message with a line for each.
#[test]
fn unknown_keys_are_listed_in_one_message() {
    let text = "DIR2 mix/data\nENABLE_PBTX 0\nU_TARGT 0.9 0.8\nCC_MODE 3 4\nLB_MODE 6\n";
    let errors = Configuration::parse(text).expect_err("they are unknown");
    let [error] = errors.as_slice() else {
        panic!("{errors:?}");
    };
    let lines: Vec<&str> = error.message.lines().collect();
    assert_eq!(
        lines[1..],
        [
            "  line 1: `DIR2 mix/data` (did you mean `DIR`?)",
            "  line 2: `ENABLE_PBTX 0` (did you mean `ENABLE_PBT`?)",
            "  line 3: `U_TARGT 0.9 0.8` (did you mean `U_TARGET`?)",
            "  line 4: `4` (behind the values of CC_MODE)",
            "  line 5: `LB_MODE 6` (ConWeave's simulator reads it)",
        ]
    );
}

/// The keys of related simulators have no effect while the features that they enable are off.
#[test]
fn keys_of_relatives_are_left_out_or_refused_by_what_they_ask_for() {
    let off = format!("{HPCC}ENABLE_PBT 0\nPBT_MIN 40000\nGPUT_OUTPUT_FILE x\nENABLE_QBB 1\n");
    let made = made(&off, &[]).expect("a scenario");
    let keys: Vec<&str> = made
        .left_out
        .iter()
        .flat_map(|left| &left.keys)
        .map(AsRef::as_ref)
        .collect();
    for key in ["ENABLE_PBT", "PBT_MIN", "GPUT_OUTPUT_FILE", "ENABLE_QBB"] {
        assert!(keys.contains(&key), "{keys:?}");
    }
    let on = off.replace("ENABLE_PBT 0", "ENABLE_PBT 1");
    let (_, message) = refused(&on);
    for said in [
        "`ENABLE_PBT 1` (PBT is not simulated)",
        "`PBT_MIN 40000` (a setting of ENABLE_PBT)",
    ] {
        assert!(message.contains(said), "{message}");
    }
    assert!(!message.contains("GPUT"), "{message}");
    let passed = made_with(&on, &[], UnknownKeys::PassedOver).expect("a scenario");
    let again = made_with(&on, &[], UnknownKeys::PassedOver).expect("a scenario");
    assert_eq!(passed.text, again.text);
    let said = |key: &str| {
        passed
            .left_out
            .iter()
            .find(|left| left.keys.iter().any(|it| it.contains(key)))
    };
    assert!(said("ENABLE_PBT 1").is_some_and(|left| left.reason.contains("--ignore-unknown")));
    let without = format!("{HPCC}ENABLE_PFC 0\n");
    assert_eq!(
        settings(&without, &[])["switch"]["pfc"].as_bool(),
        Some(false)
    );
}

/// A configuration belongs to the simulator that reads most of its keys.
#[test]
fn one_key_does_not_decide_what_a_configuration_is_for() {
    let is = |more: &str, dialect: Dialect| {
        assert_eq!(
            Dialect::of(&format!("{HPCC}{more}")),
            Some(dialect),
            "{more}"
        );
    };
    is("", Dialect::Published);
    is("NIC_TOTAL_PAUSE_TIME 0\n", Dialect::Published);
    is("ENABLE_PFC 0\n", Dialect::Published);
    is(
        "ENABLE_PFC 1\nENABLE_IRN 0\nENABLE_PBT 0\n",
        Dialect::Published,
    );
    is(
        "MON_START 0\nMON_END 0\nQP_MON_INTERVAL 1\n",
        Dialect::Published,
    );
    let astra = "TOPOLOGY_FILE t.txt\nFLOW_FILE f.txt\nCC_MODE 1\nNIC_TOTAL_PAUSE_TIME 0\n";
    assert_eq!(Dialect::of(astra), Some(Dialect::Published));
    let small = "TOPOLOGY_FILE t.txt\nFLOW_FILE f.txt\nCC_MODE 1\nENABLE_PFC 1\n";
    assert_eq!(Dialect::of(small), Some(Dialect::Published));
    assert_eq!(
        Dialect::of(&format!("{small}LB_MODE 6\n")),
        Some(Dialect::ConWeave)
    );
    assert_eq!(
        Dialect::of("CC_MODE 1\nMON_START 0\n"),
        Some(Dialect::SimAi)
    );
    assert_eq!(
        Dialect::of("TOPOLGY_FILE t.txt\nCC_MODE 1\n"),
        Some(Dialect::Published)
    );
    assert_eq!(Dialect::of("of nothing\n1 2 3\n"), None);
}

#[test]
fn keys_that_are_given_again_are_said() {
    let text = format!("{HPCC}U_TARGET 0.5\nKMAX_MAP 1 400000000000 7000\n");
    let made = made(&text.replace("CC_MODE 3", "CC_MODE 8"), &[]).expect("a scenario");
    assert!(made.text.contains("kmax = \"7000KB\"") && made.text.contains("kmax = \"1600KB\""));
    let said = |key: &str| {
        made.left_out
            .iter()
            .any(|left| left.keys[0].starts_with(key))
    };
    assert!(
        said("U_TARGET of line 35") && said("KMAX_MAP of line 46"),
        "{:?}",
        made.left_out
    );
}
