//! Retired words do not return: `retired_words.txt` lists each with its replacement, and the
//! guide's glossary explains the replacements.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::{project, project_text};

const LIST: &str = "crates/cli/tests/cli/retired_words.txt";

/// Adds the sources and documents below `folder` to `files`.
pub(crate) fn add_texts(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of the project") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            if !path.ends_with("target") && !path.ends_with("artifacts") {
                add_texts(&path, files);
            }
        } else if path
            .extension()
            .is_some_and(|end| end == "rs" || end == "md")
        {
            files.push(path);
        }
    }
}

/// Returns `true` if `word` occurs in `text` without a letter, a digit or an underscore next to it.
fn has_word(text: &str, word: &str) -> bool {
    let joins = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.match_indices(word).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + word.len()..].chars().next();
        !before.is_some_and(joins) && !after.is_some_and(joins)
    })
}

#[test]
fn no_retired_word_comes_back() {
    let mut files = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"]
        .map(project)
        .to_vec();
    for folder in ["crates", "docs", "examples"] {
        add_texts(&project(folder), &mut files);
    }
    assert!(files.len() > 300, "{}", files.len());
    let list = project_text(LIST);
    let words: Vec<(&str, &str)> = list
        .lines()
        .map(|line| line.split_once('\t').expect("a word, a tab, a word"))
        .collect();
    assert!(words.len() > 80, "{}", words.len());
    for path in files {
        // A theorem keeps its name.
        let text = fs::read_to_string(&path).expect("a text");
        let text = text.replace("Little's law", "");
        for (word, instead) in &words {
            assert!(
                !has_word(&text, word),
                "{}: `{word}` is retired; write `{instead}`",
                path.display()
            );
        }
    }
}

#[test]
fn words_end_at_letters_and_underscores() {
    assert!(has_word("the cat.", "cat"));
    assert!(!has_word("cats and cat_s", "cat"));
}
