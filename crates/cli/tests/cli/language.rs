//! The language of documentation comments, as CONTRIBUTING.md describes it.

use std::fs;
use std::path::PathBuf;

use crate::glossary::add_texts;
use crate::support::{project, project_text};

/// Words of the quick start and the tour that README.md has at most.
const MOST_WORDS_OF_README: usize = 1_800;

/// A group of words with the range in which 10,000 words have them.
struct Rule {
    words: &'static [&'static str],
    least: f64,
    most: f64,
    /// The better way to say it.
    instead: &'static str,
}

/// Ten codebases of the field have 34 to 153 times "if", 4 to 19 times "where" and at most 3 times a
/// clause with "what" as its subject.
const RULES: [Rule; 5] = [
    Rule {
        words: &["if"],
        least: 40.0,
        most: f64::INFINITY,
        instead: "conditions begin with \"if\" or \"when\"",
    },
    Rule {
        words: &["where"],
        least: 0.0,
        most: 20.0,
        instead: "conditions begin with \"if\" or \"when\"",
    },
    Rule {
        words: &["what", "whatever", "whoever"],
        least: 0.0,
        most: 8.0,
        instead: "name the thing",
    },
    Rule {
        words: &["those", "whose"],
        least: 0.0,
        most: 8.0,
        instead: "one relative clause a sentence",
    },
    Rule {
        words: &[
            "asked for",
            "asks for",
            "ask for",
            "stands",
            "lies",
            "nobody",
            "somebody",
        ],
        least: 0.0,
        most: 2.0,
        instead: "an active verb with an actor",
    },
];

/// Returns the text of the documentation comments of `source`, without code and names of code.
fn prose(source: &str) -> String {
    let mut prose = String::new();
    let mut in_code = false;
    for line in source.lines().map(str::trim_start) {
        let text = line.strip_prefix("//!").or_else(|| {
            let text = line.strip_prefix("///")?;
            (!text.starts_with('/')).then_some(text)
        });
        let Some(text) = text else {
            in_code = false;
            continue;
        };
        if text.trim_start().starts_with("```") {
            in_code = !in_code;
        } else if !in_code {
            prose.push(' ');
            // Every second part is between backticks.
            prose.extend(text.split('`').step_by(2));
        }
    }
    prose
}

/// Returns the words of `prose` in small letters, with a blank around each.
fn words(prose: &str) -> (String, usize) {
    let is_mark = |c: char| !c.is_alphabetic() && c != '\'' && c != '-';
    let words: Vec<String> = prose
        .split(is_mark)
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    // Two blanks between two words, so that neighbors do not share one.
    (format!(" {} ", words.join("  ")), words.len())
}

/// Returns how often `text`, as [`words`] makes it, has `phrase`.
fn count(text: &str, phrase: &str) -> usize {
    let phrase = phrase.split(' ').collect::<Vec<_>>().join("  ");
    text.matches(&format!(" {phrase} ")).count()
}

/// Returns the sources of the project.
fn sources() -> Vec<PathBuf> {
    let mut files = Vec::new();
    for folder in ["crates", "benches", "examples", "fuzz"] {
        add_texts(&project(folder), &mut files);
    }
    files.retain(|path| path.extension().is_some_and(|end| end == "rs"));
    files
}

#[test]
fn documentation_comments_are_plain() {
    let comments = sources()
        .iter()
        .map(|path| prose(&fs::read_to_string(path).expect("a text")))
        .collect::<String>();
    let (text, all) = words(&comments);
    assert!(all > 100_000, "{all} words");
    #[expect(clippy::cast_precision_loss, reason = "fewer than 2^52 words")]
    let broken: Vec<String> = RULES
        .iter()
        .filter_map(|rule| {
            let found: usize = rule.words.iter().map(|word| count(&text, word)).sum();
            let share = found as f64 * 1e4 / all as f64;
            println!("{}: {found}, {share:.1} of 10,000", rule.words.join(", "));
            let Rule { least, most, .. } = *rule;
            (!(least..=most).contains(&share)).then(|| {
                let words = rule.words.join(", ");
                let instead = rule.instead;
                format!("{words}: {share:.1}, where {least} to {most} are allowed: {instead}")
            })
        })
        .collect();
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn comments_are_counted_without_code() {
    let source =
        "//! If it `lies`.\n/// ```\n/// if nobody\n/// ```\n/// Whose if, if?\nfn if_what() {}\n";
    let (text, all) = words(&prose(source));
    assert_eq!((count(&text, "if"), count(&text, "whose"), all), (3, 1, 5));
    assert_eq!(count(&text, "nobody") + count(&text, "lies"), 0);
    let (text, _) = words("it asks for more");
    assert_eq!(count(&text, "asks for"), 1);
}

#[test]
fn the_readme_is_short_and_begins_with_two_commands() {
    let readme = project_text("README.md");
    let all = readme.split_whitespace().count();
    assert!(all <= MOST_WORDS_OF_README, "{all} words");
    let commands: Vec<&str> = readme
        .split("```sh\n")
        .skip(1)
        .take(2)
        .map(|block| block.split("```").next().unwrap_or_default().trim())
        .collect();
    assert_eq!(commands, ["cargo run --release -- run", "cargo test"]);
    // Both work without naming a package.
    let workspace = project_text("Cargo.toml");
    assert!(workspace.contains("default-members = ["), "Cargo.toml");
    let command = project_text("crates/cli/Cargo.toml");
    assert!(
        command.contains("default-run = \"fabricsim\""),
        "crates/cli/Cargo.toml"
    );
}
