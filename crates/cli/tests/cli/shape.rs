//! Sources stay readable: `clippy.toml` bounds the size of functions, this test the size of files.

use std::fs;

use crate::glossary::add_texts;
use crate::support::project;

/// Lines of a source file at most, including tests.
const MOST_LINES: usize = 400;

#[test]
fn no_source_file_is_long() {
    let mut files = Vec::new();
    for folder in ["crates", "benches", "examples", "fuzz"] {
        add_texts(&project(folder), &mut files);
    }
    files.retain(|path| path.extension().is_some_and(|end| end == "rs"));
    assert!(files.len() > 300, "{}", files.len());
    let lines = |path| {
        let text = fs::read_to_string(path).expect("a text");
        text.lines().count()
    };
    let long: Vec<String> = files
        .iter()
        .map(|path| (path, lines(path)))
        .filter(|&(_, lines)| lines > MOST_LINES)
        .map(|(path, lines)| format!("{} has {lines} lines", path.display()))
        .collect();
    assert!(
        long.is_empty(),
        "more than {MOST_LINES} lines; split by what belongs together:\n{}",
        long.join("\n")
    );
}
