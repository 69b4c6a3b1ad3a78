//! Mutants of TOML that are still TOML: other values, types and keys, fewer or more tables.

use toml::{Table, Value};

use crate::draw::Draw;

/// Values by type, most of them at the end of a range. A replacement mostly has the same type,
/// because a wrong type is refused early.
const NUMBERS: &[&str] = &[
    "0",
    "1",
    "-1",
    "2",
    "3",
    "8",
    "64",
    "255",
    "256",
    "1000",
    "65535",
    "65536",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "-9223372036854775808",
    "0.0",
    "0.001",
    "0.5",
    "0.999",
    "1.0",
    "-0.5",
    "2.5",
    "1e-300",
    "1e300",
    "inf",
    "nan",
];
const QUANTITIES: &[&str] = &[
    "\"0s\"",
    "\"1ps\"",
    "\"1ns\"",
    "\"1us\"",
    "\"33us\"",
    "\"10ms\"",
    "\"100s\"",
    "\"213s\"",
    "\"18446744s\"",
    "\"18446745s\"",
    "\"99999999999s\"",
    "\"-1us\"",
    "\"1us \"",
    "\"0bps\"",
    "\"1bps\"",
    "\"10Mbps\"",
    "\"1Gbps\"",
    "\"400Gbps\"",
    "\"18446744Tbps\"",
    "\"18446745Tbps\"",
    "\"0B\"",
    "\"1B\"",
    "\"64B\"",
    "\"1500B\"",
    "\"10KB\"",
    "\"1MiB\"",
    "\"1GB\"",
    "\"18446744073709551615B\"",
    "\"99999999TB\"",
    "\"0..2\"",
    "\"3..1\"",
    "\"0..4294967295\"",
];
const WORDS: &[&str] = &[
    "\"\"",
    "\"x\"",
    "\"websearch\"",
    "\"hadoop\"",
    "\"hpcc\"",
    "\"hpcc-pint\"",
    "\"dcqcn\"",
    "\"timely\"",
    "\"dctcp\"",
    "\"cubic\"",
    "\"bbr\"",
    "\"none\"",
    "\"fat-tree\"",
    "\"star\"",
    "\"chain\"",
    "\"poisson\"",
    "\"incast\"",
    "\"permutation\"",
    "\"ns3-hpcc\"",
    "\"fq_codel\"",
    "\"../x\"",
    "\"/dev/zero\"",
    "\"\\u001b[31m\"",
    "\"\\u0000\"",
];
const OTHERS: &[&str] = &[
    "true",
    "false",
    "1979-05-27T07:32:00Z",
    "[]",
    "[0]",
    "[\"0..2\"]",
    "[1, \"a\", true]",
    "[[]]",
    "[{}]",
    "{}",
    "{ kind = \"hpcc\" }",
    "{ a = 1 }",
];

/// Keys that are valid somewhere, and some that are not.
const KEYS: &[&str] = &[
    "kind",
    "name",
    "seed",
    "profile",
    "path",
    "load",
    "size",
    "sizes",
    "duration",
    "start",
    "priority",
    "rate",
    "hosts",
    "delay",
    "buffer",
    "pfc",
    "stop_at",
    "window",
    "cc",
    "value",
    "set",
    "values",
    "range",
    "x",
    "",
    "a b",
    "\u{1b}[1m",
    "é",
];

/// Returns a mutant of the TOML in `text`, with one to three changes, mostly one.
pub(crate) fn mutant(text: &str, draw: &mut Draw) -> String {
    let mut root = Value::Table(text.parse::<Table>().expect("a seed is TOML"));
    for _ in 0..=draw.below(6).saturating_sub(3) {
        let count = nodes(&root);
        let chosen = draw.below(count);
        change(&mut root, chosen, draw);
    }
    match root {
        Value::Table(root) => root.to_string(),
        other => other.to_string(),
    }
}

/// Returns the number of tables and lists in `value`.
fn nodes(value: &Value) -> usize {
    1 + match value {
        Value::Table(table) => table.values().map(nodes).sum::<usize>(),
        Value::Array(items) => items.iter().map(nodes).sum(),
        _ => 0,
    }
}

/// Changes the part of `value` with the number `chosen`, counted from the outside.
fn change(value: &mut Value, mut chosen: usize, draw: &mut Draw) {
    if chosen == 0 {
        return match value {
            Value::Table(table) => change_table(table, draw),
            Value::Array(items) => change_list(items, draw),
            other => *other = any(draw),
        };
    }
    chosen -= 1;
    let inner: Vec<&mut Value> = match value {
        Value::Table(table) => table.iter_mut().map(|(_, value)| value).collect(),
        Value::Array(items) => items.iter_mut().collect(),
        _ => Vec::new(),
    };
    for value in inner {
        let count = nodes(value);
        if chosen < count {
            return change(value, chosen, draw);
        }
        chosen -= count;
    }
}

fn any(draw: &mut Draw) -> Value {
    let all = [NUMBERS, QUANTITIES, WORDS, OTHERS];
    one(draw.one::<&[&str]>(&all), draw)
}

/// Returns a value, mostly of the type of `value`.
fn like(value: &Value, draw: &mut Draw) -> Value {
    if draw.below(8) == 0 {
        return any(draw);
    }
    match value {
        Value::Integer(number) if draw.below(2) == 0 => {
            Value::Integer(number.saturating_add(1 - 2 * (number & 1)))
        }
        Value::Integer(_) | Value::Float(_) => one(NUMBERS, draw),
        Value::Boolean(is) => Value::Boolean(!is),
        Value::String(text) if text.starts_with(|c: char| c.is_ascii_digit()) => {
            one(QUANTITIES, draw)
        }
        Value::String(_) => one(WORDS, draw),
        _ => any(draw),
    }
}

fn one(texts: &[&str], draw: &mut Draw) -> Value {
    let text = draw.one(texts);
    let table: Table = format!("x = {text}").parse().expect("a value");
    table["x"].clone()
}

fn change_table(table: &mut Table, draw: &mut Draw) {
    let keys: Vec<String> = table.keys().cloned().collect();
    if keys.is_empty() {
        table.insert((*draw.one(KEYS)).to_owned(), any(draw));
        return;
    }
    let key = draw.one(&keys).clone();
    let value = table.get(&key).cloned().expect("one of its keys");
    match draw.below(16) {
        0 | 5 => drop(table.remove(&key)),
        1 => drop(table.insert((*draw.one(KEYS)).to_owned(), any(draw))),
        2 => {
            table.remove(&key);
            table.insert((*draw.one(KEYS)).to_owned(), value);
        }
        3 => {
            let other = draw.one(&keys).clone();
            let taken = table.insert(other, value).expect("one of its keys");
            table.insert(key, taken);
        }
        4 => drop(table.insert(key, Value::Array(vec![value]))),
        _ => drop(table.insert(key, like(&value, draw))),
    }
}

fn change_list(items: &mut Vec<Value>, draw: &mut Draw) {
    if items.is_empty() {
        items.push(any(draw));
        return;
    }
    let at = draw.below(items.len());
    match draw.below(4) {
        0 => drop(items.remove(at)),
        1 => items.push(items[at].clone()),
        2 => items.insert(at, any(draw)),
        _ => {
            let other = draw.below(items.len());
            items.swap(at, other);
        }
    }
}
