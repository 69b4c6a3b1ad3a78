use super::*;
use crate::units::{Bytes, Duration, Rate};

crate::choices! {
    /// Way in which something is done.
    enum Way {
        /// One way.
        Fast = "fast",
        /// Another way.
        Safe = "safe" ("as in the paper"),
        /// A third one.
        Odd = "odd",
    }
}

crate::settings! {
    /// A table of all kinds.
    struct Table {
        /// Share of the
        /// link.
        ///
        /// A second paragraph is not part of the meaning.
        #[range(above 0.0, to 1.0)]
        share: f64 = 0.5,
        /// PFC's priority.
        #[range(from 1, to 7)]
        #[refused("there is no priority {value}", "choose 1 to 7")]
        priority: u8 = 3,
        /// How it is done.
        way: Way = "fast",
        /// Longest packet.
        #[range(from "64B")]
        size: Bytes = "1KB",
        /// Lowest rate.
        #[note("(default: none); slower flows wait")]
        rate: Option<Rate> = none,
        /// Time.
        #[range(below "1s")]
        time: Option<Duration> = null,
        /// Quantiles.
        quantiles: Vec<f64> = [0.5, 0.99],
        /// Ports.
        ports: Vec<u16> = [],
        /// More ports.
        more: Vec<u16> = empty,
        /// Whether it is on.
        on: bool = true,
    }
}

crate::settings! {
    /// A table with required keys.
    struct Needy {
        /// Payload of a flow.
        size: Bytes = required,
        /// Rounds.
        count: u32 = 1,
        /// Way.
        way: Way = required,
    }
}

crate::settings! {
    /// A table in a table, and a key with a separate reader.
    struct Outer {
        /// Table of all kinds.
        inner: Table = default,
        /// Names that are read apart.
        names: Vec<String> = apart,
    }
}

#[test]
fn keys_can_be_tables_and_can_be_read_apart() {
    assert_eq!(Outer::KEYS[0].kind, ValueKind::Table(Table::KEYS));
    assert_eq!(Outer::KIND.keys(), Outer::KEYS);
    assert_eq!(Outer::KEYS[0].meaning, "table of all kinds");
    let read = serde_json::from_str::<Outer>(r#"{"inner": {"on": false}}"#).expect("a table");
    assert_eq!((read.inner.on, read.names), (false, Vec::new()));
    let refused = serde_json::from_str::<Outer>(r#"{"names": ["a"]}"#).expect_err("a name");
    assert!(refused.to_string().contains("read apart"), "{refused}");
}

#[test]
fn meanings_are_put_together() {
    let meanings: Vec<&str> = Table::KEYS.iter().map(|key| key.meaning).collect();
    assert_eq!(
        meanings,
        [
            "share of the link, above 0, up to 1 (default 0.5)",
            "PFC's priority, 1 to 7 (default 3)",
            "how it is done: \"fast\" (default), \"safe\" (as in the paper) or \"odd\"",
            "longest packet, at least \"64B\" (default \"1KB\")",
            "lowest rate (default: none); slower flows wait",
            "time, below \"1s\"",
            "quantiles (default [0.5, 0.99])",
            "ports (default [])",
            "more ports",
            "whether it is on (default true)",
        ]
    );
    let kinds: Vec<String> = Table::KEYS.iter().map(|key| key.kind.to_string()).collect();
    assert_eq!(
        kinds,
        [
            "number",
            "whole number",
            "name",
            "size",
            "rate",
            "time",
            "list of numbers",
            "list of whole numbers",
            "list of whole numbers",
            "true or false"
        ]
    );
    assert_eq!(Needy::KEYS[0].meaning, "payload of a flow (required)");
    assert_eq!(Needy::KEYS[2].default, DefaultValue::Required);
}

#[test]
fn defaults_are_those_of_the_description() {
    let table = Table::default();
    assert_eq!((table.share, table.priority), (0.5, 3));
    assert_eq!((table.way, table.size), (Way::Fast, Bytes::new(1_000)));
    assert_eq!((table.rate, table.time, table.on), (None, None, true));
    assert_eq!(table.quantiles, [0.5, 0.99]);
    let needy = Needy::with_required(Bytes::new(5), Way::Odd);
    assert_eq!(
        (needy.size, needy.count, needy.way),
        (Bytes::new(5), 1, Way::Odd)
    );
}

#[test]
fn values_beyond_their_limits_are_refused() {
    let refused = |change: fn(&mut Table)| {
        let mut table = Table::default();
        change(&mut table);
        table.validate_ranges().expect_err("a value out of range")
    };
    assert_eq!(Table::default().validate_ranges(), Ok(()));
    for wrong in [0.0, 1.5, f64::NAN, f64::INFINITY] {
        let table = Table {
            share: wrong,
            ..Table::default()
        };
        assert_eq!(
            table.validate_ranges().map_err(|error| error.key),
            Err("share")
        );
    }
    let error = refused(|table| table.share = 2.0);
    assert_eq!(error.message, "2 is out of range");
    assert_eq!(error.help, "allowed is above 0, up to 1, such as 0.5");
    let error = refused(|table| table.priority = 8);
    assert_eq!(error.message, "there is no priority 8");
    assert_eq!(refused(|table| table.size = Bytes::new(63)).key, "size");
    assert_eq!(
        refused(|table| table.time = Some(Duration::from_ms(1_000))).key,
        "time"
    );
}

#[test]
fn tables_are_read_and_written() {
    let written = serde_json::to_string(&Table::default()).expect("a table");
    assert_eq!(
        written,
        "{\"share\":0.5,\"priority\":3,\"way\":\"fast\",\"size\":\"1KB\",\"time\":null,\
         \"quantiles\":[0.5,0.99],\"ports\":[],\"on\":true}"
    );
    assert_eq!(
        serde_json::from_str::<Table>(&written).ok(),
        Some(Table::default())
    );
    let needy = serde_json::from_str::<Needy>(r#"{"size": "5B", "way": "odd"}"#);
    assert_eq!(
        needy.ok(),
        Some(Needy::with_required(Bytes::new(5), Way::Odd))
    );
    let refused = |text| {
        serde_json::from_str::<Needy>(text)
            .expect_err(text)
            .to_string()
    };
    assert!(refused(r#"{"way": "odd"}"#).starts_with("missing field `size`"));
    assert!(refused(r#"{"sise": "5B"}"#).starts_with("unknown field `sise`"));
}
