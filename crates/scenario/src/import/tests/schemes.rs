//! Replacing the algorithm of a file by another one.

use super::*;

/// Returns the scenario of `text`, read with `--cc name`.
fn switched(text: &str, name: &str) -> toml::Table {
    let scenario = made(text, &[]).expect("a scenario").text;
    let change = format!("cc={name}");
    let changed = crate::text::overrides::apply("s.toml", &scenario, &[change]).expect("changed");
    changed.parse().expect("TOML")
}

/// Choosing another algorithm after an import is the same as changing CC_MODE before it.
#[test]
fn another_algorithm_runs_with_the_values_of_the_file() {
    let names = [
        ("1", "dcqcn"),
        ("3", "hpcc"),
        ("7", "timely"),
        ("8", "dctcp"),
        ("10", "hpcc-pint"),
    ];
    for (from, _) in names {
        let text = HPCC.replace("CC_MODE 3", &format!("CC_MODE {from}"));
        for (to, name) in names {
            let changed = HPCC.replace("CC_MODE 3", &format!("CC_MODE {to}"));
            let imported: toml::Table = made(&changed, &[])
                .expect("a scenario")
                .text
                .parse()
                .expect("TOML");
            let switched = switched(&text, name);
            for table in ["cc", "switch", "rdma"] {
                assert_eq!(switched[table], imported[table], "{from} to {to}: {table}");
            }
        }
    }
}

/// Messages list algorithms without values in the file; all other algorithms are available.
#[test]
fn algorithms_without_values_are_said() {
    let text = HPCC
        .replace("RP_TIMER 300\n", "")
        .replace("CC_MODE 3", "CC_MODE 8");
    let text = text.replace("HAS_WIN 1", "HAS_WIN 0");
    let made = made(&text, &[]).expect("a scenario");
    let said = |name: &str, why: &str| {
        let found = made.left_out.iter().find(|left| left.keys[0] == name);
        assert!(
            found.is_some_and(|left| left.reason.contains(why)),
            "{:?}",
            made.left_out
        );
    };
    said("--cc dcqcn", "has no `RP_TIMER`");
    said("--cc hpcc", "cannot be without");
    let table: toml::Table = made.text.parse().expect("TOML");
    let kinds: Vec<&str> = (table["scheme"].as_array().expect("tables").iter())
        .filter_map(|scheme| scheme["kind"].as_str())
        .collect();
    assert_eq!(kinds, ["timely", "hpcc-pint"]);
    let unusable = HPCC
        .replace("CC_MODE 3", "CC_MODE 1")
        .replace("U_TARGET 0.95", "U_TARGET 95");
    let unusable = self::made(&unusable, &[]).expect("DCQCN has no target");
    let found = unusable
        .left_out
        .iter()
        .find(|left| left.keys[0] == "--cc hpcc-pint");
    assert!(found.is_some_and(|left| left.reason.contains("target utilization of 95")));
    // As in the published simulator, which does not read the window.
    let pint = &table["scheme"][1];
    assert_eq!(pint["window"].as_bool(), Some(false));
}

/// Windows that do not follow the rate, losses of all links, and intervals with which every packet
/// is acknowledged.
#[test]
fn what_the_published_simulator_runs_is_taken_over() {
    for mode in ["1", "3", "7", "8", "10"] {
        let text = HPCC.replace("CC_MODE 3", &format!("CC_MODE {mode}"));
        let cc = &settings(&text.replace("VAR_WIN 1", "VAR_WIN 0"), &[])["cc"];
        assert_eq!(cc["fixed_window"].as_bool(), Some(true), "{mode}");
    }
    let pint = HPCC
        .replace("CC_MODE 3", "CC_MODE 10")
        .replace("HAS_WIN 1", "HAS_WIN 0");
    assert_eq!(settings(&pint, &[])["cc"]["window"].as_bool(), Some(false));
    let lossy = HPCC.replace("ERROR_RATE_PER_LINK 0.0000", "ERROR_RATE_PER_LINK 0.001");
    let lossy: toml::Table = made(&lossy, &[])
        .expect("a scenario")
        .text
        .parse()
        .expect("TOML");
    assert_eq!(lossy["topology"]["loss"].as_float(), Some(0.001));
    let every =
        |interval: &str| HPCC.replace("L2_ACK_INTERVAL 1", &format!("L2_ACK_INTERVAL {interval}"));
    assert_eq!(settings(&every("1000"), &[]), settings(HPCC, &[]));
    // The smallest flow has 5,000 bytes.
    let large = every("6000").replace("PACKET_PAYLOAD_SIZE 1000", "PACKET_PAYLOAD_SIZE 8000");
    assert!(refused(&large).1.contains("such as the one of 5000 B"));
    let buffer = settings(&HPCC.replace("BUFFER_SIZE 32", "BUFFER_SIZE 32.0"), &[]);
    assert_eq!(buffer["switch"]["buffer"].as_str(), Some("32MiB"));
}
