//! docs/public-api.txt lists the items that a program can name through the facade.
//!
//! `FABRICSIM_WRITE_TABLES=1 cargo test -p fabricsim-cli --test cli public_api` rewrites the list.

mod sources;

use std::env;
use std::fs;

use crate::support::{project, project_text};
use sources::Sources;

/// The largest number of items of the facade, so that it stays maintainable.
const MOST_ITEMS: usize = 350;

/// The list of public items, one per line.
const LIST: &str = "docs/public-api.txt";

#[test]
fn the_facade_has_the_items_of_the_list() {
    let sources = Sources::of("fabricsim");
    let items = sources.public_items();
    assert!(
        items.len() <= MOST_ITEMS,
        "{} items are public, {MOST_ITEMS} is the most",
        items.len()
    );
    let list: String = items.iter().map(|item| format!("{item}\n")).collect();
    if env::var_os("FABRICSIM_WRITE_TABLES").is_some() {
        fs::write(project(LIST), list).expect("the list is written");
        return;
    }
    let known = project_text(LIST);
    let news = items
        .iter()
        .filter(|item| !known.lines().any(|line| line == *item));
    let news: Vec<&String> = news.collect();
    let lost = known.lines().filter(|line| !items.contains(*line));
    let lost: Vec<&str> = lost.collect();
    assert!(
        news.is_empty() && lost.is_empty(),
        "{LIST} lacks {news:?} and has {lost:?}; FABRICSIM_WRITE_TABLES=1 and this test write it anew"
    );
}

/// Authors of plugins need packets and ports, but no part of the engine except the interrupt.
#[test]
fn the_engine_is_not_reachable() {
    let sources = Sources::of("fabricsim");
    let of_the_engine = sources.public_items_of("fabricsim_engine");
    assert_eq!(of_the_engine, ["simulation::Interrupt"]);
}
