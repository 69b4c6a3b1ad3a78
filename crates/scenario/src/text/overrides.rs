//! `--set key=value`: changes to a scenario's text before it is parsed.

use fabricsim_base::input::InputError;
use toml_edit::{Array, ArrayOfTables, DocumentMut, InlineTable, Item, Table, TableLike, Value};

use crate::json_schema::tables_of_settings;
use crate::schema::root::TABLES;
use crate::text::error::Error;

/// Maximum number of parts of a dotted key. No key of a scenario has more than five.
pub const MOST_PARTS: usize = 16;

/// Applies `overrides`, each `dotted.key=value`, to the TOML in `text`. A number in a key is an
/// index into a list, from 0: `workload.0.load=0.7`. A value that is not TOML is a string, so
/// `cc.additive_increase=50Mbps` needs no quotes. `cc=NAME` selects the algorithm `NAME`, with the
/// settings of its `[[scheme]]` if there is one.
///
/// # Errors
/// Fails if the text is not TOML, or a key leads nowhere.
pub fn apply(source: &str, text: &str, overrides: &[String]) -> Result<String, Error> {
    let mut document: DocumentMut = text.parse().map_err(|error: toml_edit::TomlError| {
        let span = error.span().unwrap_or(0..0);
        let help = "correct the TOML";
        Error::input(
            source,
            text,
            InputError::new(span, error.message().trim(), help),
        )
    })?;
    for change in overrides {
        set(document.as_item_mut(), change).map_err(|(message, help)| {
            Error::input(
                "--set",
                change,
                InputError::new(0..change.len(), message, help),
            )
        })?;
    }
    Ok(document.to_string())
}

fn set(root: &mut Item, change: &str) -> Result<(), (String, String)> {
    let example = "write it like --set cc.eta=0.99 or --set workload.0.load=0.7";
    let Some((path, text)) = change.split_once('=') else {
        return Err((format!("`{change}` has no `=`"), example.to_owned()));
    };
    let text = text.trim();
    let value: Value = text.parse().unwrap_or_else(|_| Value::from(text));
    let keys: Vec<&str> = path.trim().split('.').take(MOST_PARTS + 1).collect();
    if keys.len() > MOST_PARTS {
        return Err((
            format!("a key of {} parts leads nowhere", path.split('.').count()),
            format!("{example}; a key has at most {MOST_PARTS} parts between dots"),
        ));
    }
    let (last, tables) = keys.split_last().expect("a split has at least one part");
    if keys.iter().any(|key| key.is_empty()) {
        return Err((format!("`{path}` is not a key"), example.to_owned()));
    }
    // Walk to the table of the last part. A part that leads into a missing table creates it, so
    // that users can set keys of tables that the file omits.
    let mut item = root;
    for (key, next) in keys.iter().zip(&keys[1..]) {
        let is_inline = item.is_value();
        item = match key.parse::<usize>() {
            Ok(index) => {
                let tables = item.as_array_of_tables().map(ArrayOfTables::len);
                let inline = item.as_array().map(Array::len);
                let count = tables.or(inline).unwrap_or(0);
                item.get_mut(index).ok_or_else(|| {
                    (
                        format!("there is no `{key}` in `{path}`"),
                        format!("the list has {count} tables, counted from 0"),
                    )
                })?
            }
            Err(_) if item.is_table_like() => &mut item[*key],
            Err(_) => {
                return Err((
                    format!("`{key}` in `{path}` is no number of a table in the list"),
                    "name one by its number: workload.0.load".to_owned(),
                ));
            }
        };
        if item.is_none() {
            *item = missing(next, is_inline);
        }
        if !(item.is_table_like() || item.is_array_of_tables() || item.is_array()) {
            return Err((
                format!("`{key}` in `{path}` is not a table"),
                example.to_owned(),
            ));
        }
    }
    // The last part is a number: it replaces a whole table of a list.
    if !item.is_table_like() {
        return set_whole(item, path, last, value);
    }
    // A single part that no scenario has is most likely a key of some table, without the table's
    // name.
    if let ([], Some(places)) = (tables, other_places(last)) {
        return Err((
            format!("a scenario has no key or table `{last}`"),
            format!("did you mean {places}?"),
        ));
    }
    if let ([], &"cc", Value::String(name)) = (tables, last, &value) {
        choose_algorithm(item, name.value());
        return Ok(());
    }
    item[*last] = Item::Value(value);
    Ok(())
}

/// Returns an empty list if the key `next` is a number, otherwise an empty table.
fn missing(next: &str, is_inline: bool) -> Item {
    match (next.parse::<usize>(), is_inline) {
        (Ok(_), false) => Item::ArrayOfTables(ArrayOfTables::new()),
        (Ok(_), true) => Item::Value(Array::new().into()),
        (Err(_), false) => toml_edit::table(),
        (Err(_), true) => Item::Value(InlineTable::new().into()),
    }
}

/// Makes `name` the algorithm of the scenario `root`. If there is a `[[scheme]]` of this kind, its
/// table and the current one are exchanged; otherwise the new table has no settings.
fn choose_algorithm(root: &mut Item, name: &str) {
    let is_it = |table: &dyn TableLike| {
        let kind = table.get("kind").and_then(Item::as_str);
        kind == Some(name)
    };
    let current = root.get("cc").and_then(Item::as_table_like);
    if current.is_some_and(is_it) {
        return;
    }
    let former = root.get("cc").and_then(Item::as_table).cloned();
    let mut chosen = Table::new();
    chosen.insert("kind", toml_edit::value(name));
    let schemes = root
        .get_mut("scheme")
        .and_then(Item::as_array_of_tables_mut);
    let scheme = schemes.and_then(|schemes| schemes.iter_mut().find(|table| is_it(*table)));
    if let Some(scheme) = scheme {
        chosen = scheme.clone();
        if let Some(former) = former {
            *scheme = former;
        }
    }
    root["cc"] = Item::Table(chosen);
}

/// Replaces a whole table of `list`, or appends one.
fn set_whole(
    list: &mut Item,
    path: &str,
    number: &str,
    value: Value,
) -> Result<(), (String, String)> {
    let (name, _) = path.rsplit_once('.').unwrap_or((path, number));
    let count = (list.as_array_of_tables().map(ArrayOfTables::len))
        .or_else(|| list.as_array().map(Array::len))
        .unwrap_or(0);
    let index = number.parse().ok().filter(|&index: &usize| index <= count);
    let Some(index) = index else {
        return Err((
            format!("there is no `{path}`"),
            format!("`{name}` is a list of {count}, counted from 0; add one as `{name}.{count}`"),
        ));
    };
    if let Some(list) = list.as_array_mut() {
        match index < count {
            true => drop(list.replace(index, value)),
            false => list.push(value),
        }
        return Ok(());
    }
    let (Value::InlineTable(whole), Some(list)) = (value, list.as_array_of_tables_mut()) else {
        return Err((
            format!("`{path}` is a table"),
            format!(
                "give a whole one, {path}={{ kind = \"permutation\", size = \"1MB\" }}, or a key of it"
            ),
        ));
    };
    let whole = whole.into_table();
    match list.get_mut(index) {
        Some(table) => *table = whole,
        None => list.push(whole),
    }
    Ok(())
}

/// Returns the tables of a scenario that have a key `name`, by their names for `--set`; `None` if
/// the scenario itself has it.
fn other_places(name: &str) -> Option<String> {
    const MOST: usize = 4;
    if TABLES.contains(&name) {
        return None;
    }
    let mut places: Vec<String> = Vec::new();
    for (table, keys) in tables_of_settings() {
        let place = format!("`{table}.{name}`");
        if keys.iter().any(|key| key.name == name) && !places.contains(&place) {
            places.push(place);
        }
    }
    places.truncate(MOST);
    (!places.is_empty()).then(|| places.join(" or "))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "name = \"x\" # kept\n[[workload]]\nload = 0.5\n[cc]\nkind = \"hpcc\"\n";

    fn changed(change: &str) -> Result<String, String> {
        apply("x.toml", TEXT, &[change.to_owned()]).map_err(|error| error.to_string())
    }

    #[test]
    fn changes_keys_and_adds_tables() {
        assert_eq!(
            changed("workload.0.load=0.7"),
            Ok(TEXT.replace("0.5", "0.7"))
        );
        assert!(
            changed("cc.additive_increase=50Mbps")
                .is_ok_and(|t| t.contains("additive_increase = \"50Mbps\""))
        );
        assert!(changed("run.stop_at=1ms").is_ok_and(|t| t.contains("[run]\nstop_at = \"1ms\"")));
        assert!(changed("seed=7").is_ok_and(|t| t.contains("seed = 7")));
    }

    #[test]
    fn changes_tables_in_a_list_on_one_line() {
        let text = "[topology]\ntiers = [{ switches = 4 }, { switches = 2 }]\n";
        let change = |change: &str| apply("x.toml", text, &[change.to_owned()]);
        let changed = change("topology.tiers.1.switches=3").expect("a table");
        assert!(changed.contains("{ switches = 3 }]"), "{changed}");
        assert!(changed.contains("[{ switches = 4 }"), "{changed}");
        assert!(change("topology.tiers.2.switches=3").is_err());
    }

    #[test]
    fn a_key_of_many_parts_is_refused_at_once() {
        let begun = std::time::Instant::now();
        let change = format!("cc{}=1", ".x".repeat(10_000));
        let error = changed(&change).expect_err("too deep");
        assert!(
            error.contains("a key of 10001 parts leads nowhere"),
            "{error}"
        );
        assert!(begun.elapsed().as_secs() < 1);
        let deep = format!("cc{}=1", ".x".repeat(MOST_PARTS - 1));
        assert!(changed(&deep).is_ok());
    }

    #[test]
    fn an_algorithm_takes_the_place_of_the_whole_table() {
        let text = "[cc]\nkind = \"hpcc\"\neta = 0.9\n[[scheme]]\nkind = \"dcqcn\"\ng = 0.5\n";
        let with = |changes: &[&str]| -> toml::Table {
            let changes: Vec<String> = changes.iter().map(ToString::to_string).collect();
            let changed = apply("x.toml", text, &changes).expect("changed");
            changed.parse().expect("TOML")
        };
        let chosen = with(&["cc=dcqcn"]);
        assert_eq!(chosen["cc"].to_string(), "{ g = 0.5, kind = \"dcqcn\" }");
        assert_eq!(chosen["scheme"][0]["kind"].as_str(), Some("hpcc"));
        // Switching back restores the text, and the selected algorithm can be changed.
        assert_eq!(
            with(&["cc=dcqcn", "cc=\"hpcc\""]),
            text.parse().expect("TOML")
        );
        let changed = with(&["cc=dcqcn", "cc.g=0.25"]);
        assert_eq!(changed["cc"]["g"].as_float(), Some(0.25));
        // Without its own scheme, it has no keys.
        assert_eq!(
            with(&["cc=swift"])["cc"].to_string(),
            "{ kind = \"swift\" }"
        );
        assert_eq!(with(&["cc=hpcc"])["cc"]["eta"].as_float(), Some(0.9));
        let table = with(&["cc={ kind = \"dcqcn\" }"]);
        assert_eq!(table["cc"].to_string(), "{ kind = \"dcqcn\" }");
    }

    #[test]
    fn a_whole_table_of_a_list_is_replaced() {
        let tables = |changed: Result<String, String>| -> toml::Table {
            let text = changed.expect("a scenario");
            text.parse().expect("TOML")
        };
        let whole = tables(changed(
            "workload.0={ kind = \"permutation\", size = \"1MB\" }",
        ));
        let workload = whole["workload"][0].as_table().expect("a table");
        assert_eq!(workload["size"].as_str(), Some("1MB"));
        assert_eq!(workload.len(), 2, "{workload}");
        assert_eq!(whole["cc"]["kind"].as_str(), Some("hpcc"));
        let nested = tables(changed(
            "workload.0={ kind = \"x\", cc = { kind = \"dcqcn\" } }",
        ));
        assert_eq!(nested["workload"][0]["cc"]["kind"].as_str(), Some("dcqcn"));
        let added = changed("workload.1={ kind = \"x\" }").expect("one more");
        assert_eq!(added.matches("[[workload]]").count(), 2, "{added}");
        let error = changed("workload.2={ kind = \"x\" }").expect_err("there is one");
        assert!(error.contains("there is no `workload.2`"), "{error}");
        let error = changed("workload.0=3").expect_err("no table");
        assert!(error.contains("`workload.0` is a table"), "{error}");
    }

    #[test]
    fn a_table_is_added_to_a_list_that_has_none() {
        for list in ["event", "class", "query", "queue"] {
            let text = changed(&format!("{list}.0={{ kind = \"x\" }}")).expect("the first one");
            let tables: toml::Table = text.parse().expect("TOML");
            assert_eq!(tables[list][0]["kind"].as_str(), Some("x"), "{text}");
            assert_eq!(tables["cc"]["kind"].as_str(), Some("hpcc"), "{text}");
            let error = changed(&format!("{list}.1={{ kind = \"x\" }}")).expect_err("the second");
            assert!(
                error.contains(&format!("there is no `{list}.1`")),
                "{error}"
            );
            assert!(
                changed(&format!("{list}.0.kind=x")).is_err(),
                "no table to change"
            );
        }
        let add = |text: &str, change: &str| -> toml::Table {
            let changed = apply("x.toml", text, &[change.to_owned()]).expect("a scenario");
            changed.parse().expect("TOML")
        };
        let tables = add(
            "topology = { kind = \"clos\" }",
            "topology.tiers.0={ switches = 2 }",
        );
        assert_eq!(
            tables["topology"]["tiers"][0]["switches"].as_integer(),
            Some(2)
        );
        let tables = add("tiers = [{ switches = 4 }]", "tiers.1={ switches = 2 }");
        assert_eq!(tables["tiers"][1]["switches"].as_integer(), Some(2));
        let tables = add("rpc = { clients = [3] }", "rpc.clients.0=5");
        assert_eq!(tables["rpc"]["clients"][0].as_integer(), Some(5));
        let tables = add("class = [{ id = 1 }]", "class.0.cc.kind=hpcc");
        assert_eq!(tables["class"][0]["cc"]["kind"].as_str(), Some("hpcc"));
    }

    #[test]
    fn a_key_without_its_table_is_named_with_it() {
        let help = |change: &str| {
            let error = apply("x.toml", TEXT, &[change.to_owned()]).expect_err("no such key");
            let found = error.diagnostic().expect("a place");
            format!("{}: {}", found.message(), found.help())
        };
        assert_eq!(
            help("eta=0.9"),
            "a scenario has no key or table `eta`: did you mean `cc.eta`?"
        );
        assert!(
            help("load=0.9").contains("`workload.0.load`"),
            "{}",
            help("load=0.9")
        );
        assert!(help("buffer=1MB").contains("`switch.buffer`"));
        assert!(changed("seed=2").is_ok());
    }

    #[test]
    fn says_which_change_is_wrong() {
        for bad in [
            "seed",
            "workload.1.load=1",
            "workload.load=1",
            "workload.foo.load=1",
            "workload.-1.load=1",
            "name.x=1",
            ".=1",
        ] {
            assert!(
                changed(bad).is_err_and(|error| error.starts_with("--set:1:1")),
                "{bad}"
            );
        }
    }
}
