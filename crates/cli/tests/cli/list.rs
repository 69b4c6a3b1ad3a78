//! `fabricsim list`: one line per thing, and the keys of a named thing.

use crate::support::Folder;

fn listed(args: &[&str]) -> String {
    let args = [&["list"], args].concat();
    Folder::new().run(&args).succeeded().stdout
}

/// Returns `true` if a line of `text` is the thing `name`.
fn has_thing(text: &str, name: &str) -> bool {
    let names = text.lines().filter_map(|line| line.strip_prefix("  "));
    let mut names = names.map(|line| line.split(' ').next().unwrap_or_default());
    names.any(|own| own == name)
}

/// Returns `true` if a line of `text` is the key `name`.
fn has_key(text: &str, name: &str) -> bool {
    let mut keys = text.lines().filter_map(|line| line.strip_prefix("      "));
    keys.any(|line| line.split(' ').next() == Some(name))
}

#[test]
fn without_a_name_every_thing_has_one_line_and_no_keys() {
    let all = listed(&[]);
    for name in [
        "hpcc",
        "fat-tree",
        "poisson",
        "link-down",
        "codel",
        "flowlet",
        "[host]",
        "[[scheme]]",
    ] {
        assert!(has_thing(&all, name), "{name}: {all}");
    }
    assert!(!all.contains("\n      "), "{all}");
    assert!(all.contains("`fabricsim list NAME`"), "{all}");
}

#[test]
fn a_topic_has_its_things_and_with_all_their_keys() {
    let algorithms = listed(&["cc"]);
    assert!(has_thing(&algorithms, "hpcc"), "{algorithms}");
    assert!(!has_thing(&algorithms, "fat-tree"), "{algorithms}");
    assert!(!has_key(&algorithms, "max_stage"), "{algorithms}");
    assert!(has_key(&listed(&["cc", "--all"]), "max_stage"));
    assert_eq!(listed(&["[topology]"]), listed(&["topology"]));
    let settings = listed(&["settings"]);
    for name in ["link-down", "codel", "ecmp", "[host]"] {
        assert!(has_thing(&settings, name), "{name}: {settings}");
    }
}

#[test]
fn a_table_is_listed_with_its_keys() {
    let host = listed(&["host"]);
    assert!(has_key(&host, "stack_delay"), "{host}");
    assert_eq!(host.matches("\n  [").count(), 1, "{host}");
}

#[test]
fn shells_complete_names() {
    let folder = Folder::new();
    let script = folder.run(&["completions", "bash"]).succeeded().stdout;
    for name in ["fat-tree", "dcqcn", "buffer-sizing", "conweave"] {
        assert!(script.contains(name), "{name}");
    }
    let help = folder.run(&["list", "--help"]).succeeded().stdout;
    assert!(!help.contains("possible values"), "{help}");
}
