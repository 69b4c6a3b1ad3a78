use fabricsim_base::input::{InputError, Key};
use fabricsim_base::units::{Bytes, Duration};

use super::*;
use crate::discipline::EcnSelector;
use crate::dualpi2::DualScheduler;

fn read(text: &str) -> DisciplineConfig {
    text.parse().unwrap_or_else(|error: InputError| {
        panic!("{text}: {error}");
    })
}

#[test]
fn every_kind_has_a_default_its_name_and_its_keys() {
    for (name, about, keys) in KINDS {
        let config: DisciplineConfig =
            serde_json::from_value(serde_json::json!({ "kind": name })).expect(name);
        assert_eq!(config.name(), *name);
        config.validate().expect(name);
        assert!(!about.is_empty());
        // Each key is known: with a value of a wrong type, the error is about the type.
        for Key {
            name: key, meaning, ..
        } in *keys
        {
            let wrong = serde_json::json!({ "kind": name, *key: ["none"] });
            let error = serde_json::from_value::<DisciplineConfig>(wrong).expect_err(key);
            assert!(
                !error.to_string().contains("unknown field"),
                "{name}: {error}"
            );
            assert!(meaning.contains("default"), "{name}, {key}: {meaning}");
        }
        // All keys that are written, or named in the error for an unknown key, are listed.
        let unknown = serde_json::json!({ "kind": name, "color": 1 });
        let error = serde_json::from_value::<DisciplineConfig>(unknown).expect_err(name);
        let error = error.to_string();
        assert!(error.contains("unknown field `color`"), "{error}");
        let named = error.matches('`').count() / 2 - 1;
        assert_eq!(named, keys.len(), "{error}");
    }
}

#[test]
fn tables_are_written_as_they_are_read() {
    for text in [
        "shared-buffer",
        "bfifo limit 256KB",
        "red min 10KB max 20KB ecn",
        "step packets 20 ect1",
        "codel ce_threshold 1ms",
        "fq_codel flows 1",
        "dualpi2 scheduler time-shifted",
    ] {
        let config = read(text);
        let written = serde_json::to_value(&config).expect("it can be written");
        let again: DisciplineConfig = serde_json::from_value(written).expect("it can be read");
        assert_eq!(again, config);
    }
}

#[test]
fn lines_mean_what_linux_means() {
    assert_eq!(read("fq_codel"), FqCodelConfig::default().into_config());
    assert_eq!(
        read("fq_codel flows 1"),
        FqCodelConfig {
            flows: 1,
            ..FqCodelConfig::default()
        }
        .into_config()
    );
    assert_eq!(
        read("codel limit 1000 target 4.5ms interval 90ms ecn ce_threshold 1ms ce_threshold_ect1"),
        CodelConfig {
            limit: Some(1_000),
            target: Duration::from_us(4_500),
            interval: Duration::from_ms(90),
            ecn: true,
            ce_threshold: Some(Duration::from_ms(1)),
            ce_threshold_marks: EcnSelector::Ect1,
            ..CodelConfig::default()
        }
        .into_config()
    );
    assert_eq!(
        read("  pfifo   limit 100 "),
        TailDropConfig {
            limit: Some(100),
            limit_bytes: None,
        }
        .into_config()
    );
    for limit in ["256KB", "256000", "0.256MB"] {
        assert_eq!(
            read(&format!("bfifo limit {limit}")),
            TailDropConfig {
                limit: None,
                limit_bytes: Some(Bytes::new(256_000)),
            }
            .into_config()
        );
    }
    assert_eq!(
        read(
            "dualpi2 target 20ms coupling_factor 3 step_thresh 2ms c_protection 5% scheduler time-shifted overflow"
        ),
        DualPi2Config {
            target: Duration::from_ms(20),
            coupling: 3.0,
            step: Duration::from_ms(2),
            c_protection: 5,
            scheduler: DualScheduler::TimeShifted,
            drop_overload: false,
            ..DualPi2Config::default()
        }
        .into_config()
    );
    // As in Linux, RED and CoDel drop unless they are configured to mark.
    for text in ["red", "codel"] {
        let (plain, told) = (read(text), read(&format!("{text} ecn")));
        assert_ne!(plain, told);
    }
}

#[test]
fn errors_are_shown_where_they_are() {
    for (text, at, message) in [
        ("", "", "no queue discipline is named"),
        ("fqcodel", "fqcodel", "`fqcodel` is not a queue discipline"),
        ("codel flows 3", "flows", "`codel` has no option `flows`"),
        ("codel target", "", "`target` has no value"),
        (
            "codel target 5",
            "5",
            "`5` is no value of `target`: `5` has no unit",
        ),
        (
            "fq_codel flows many",
            "many",
            "`many` is no value of `flows`",
        ),
        (
            "fq_codel flows 0 ecn",
            "flows 0",
            "0 queues are not possible",
        ),
        ("bfifo", "bfifo", "`bfifo` has no limit"),
        ("pfifo limit 0", "limit 0", "a queue of 0 packets"),
        ("shared-buffer 3", "3", "`shared-buffer` has no options"),
        (
            "dualpi2 scheduler fair",
            "fair",
            "`fair` is no value of `scheduler`: it is not `wrr` or `time-shifted`",
        ),
        (
            "step packets 3 bytes 30KB",
            "packets 3",
            "there is a threshold already: `bytes`",
        ),
    ] {
        let error = text.parse::<DisciplineConfig>().expect_err(text);
        assert!(error.message.starts_with(message), "{text}: {error}");
        assert_eq!(&text[error.span.clone()], at, "{text}: {error}");
        assert!(!error.help.is_empty());
    }
}
