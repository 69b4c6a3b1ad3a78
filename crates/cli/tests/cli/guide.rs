//! The guide agrees with the command. The test writes its files, runs its commands in order, and
//! compares the printed output.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::support::{Folder, Outcome, project, project_text};

const GUIDE: &str = "docs/guide/src";

/// Lines that differ from run to run, by their first word.
const TIMED: [&str; 2] = ["simulated", "packet-hops"];

/// A fenced block of a chapter.
#[derive(Debug)]
struct Block<'a> {
    /// The language in the opening fence.
    language: &'a str,
    text: &'a str,
    /// The file that the sentence before the block names, as in "save this as `first.toml`:".
    file: Option<&'a str>,
    /// `true` if only blank lines separate the block from the block before it.
    follows_block: bool,
}

/// Returns the chapters in the order of SUMMARY.md, as paths within the project.
fn chapters() -> Vec<String> {
    let summary = project_text(&format!("{GUIDE}/SUMMARY.md"));
    links(&summary)
        .map(|link| format!("{GUIDE}/{link}"))
        .collect()
}

/// Returns the targets of all links and pictures of a text.
fn links(text: &str) -> impl Iterator<Item = &str> {
    text.split("](")
        .skip(1)
        .filter_map(|rest| rest.split(')').next())
}

fn blocks(chapter: &str) -> Vec<Block<'_>> {
    let mut blocks = Vec::new();
    let mut rest = chapter;
    while let Some((before, after)) = rest.split_once("```") {
        let (language, after) = after.split_once('\n').expect("a block has lines");
        let (text, after) = after.split_once("```").expect("a block is closed");
        let before = before.trim();
        let file = before.strip_suffix("`:").and_then(|rest| {
            let name = rest.rsplit('`').next()?;
            name.contains('.').then_some(name)
        });
        blocks.push(Block {
            language,
            text,
            file,
            follows_block: before.is_empty(),
        });
        rest = after;
    }
    blocks
}

/// Runs the commands of a block and returns their output.
fn run_commands(folder: &Folder, block: &Block<'_>) -> String {
    let mut printed = String::new();
    for line in block.text.lines() {
        let Some(args) = line.strip_prefix("fabricsim ") else {
            assert!(line.starts_with("cargo "), "not a command: {line}");
            continue;
        };
        let args: Vec<&str> = args.split_whitespace().collect();
        let outcome: Outcome = folder.run(&args);
        assert_eq!(outcome.code, Some(0), "{line}\n{}", outcome.stderr);
        printed.push_str(&outcome.stdout);
    }
    printed
}

/// Asserts that `printed` contains the lines of `shown`, in their order.
fn assert_printed(chapter: &str, shown: &str, printed: &str) {
    let mut rest = printed.lines();
    for line in shown.lines().map(str::trim_end) {
        let first = line.split_whitespace().next().unwrap_or_default();
        if line == "..." || TIMED.contains(&first) {
            continue;
        }
        let found = match line.strip_prefix("checksum") {
            Some(value) => rest.any(|printed| printed.ends_with(value.trim())),
            None => rest.any(|printed| printed.trim_end() == line),
        };
        assert!(found, "{chapter} shows\n{line}\nand printed was\n{printed}");
    }
}

#[test]
fn the_commands_of_the_guide_print_what_it_shows() {
    let folder = Folder::new();
    let mut commands = 0;
    for name in chapters() {
        let chapter = project_text(&name);
        let mut printed = None;
        for block in blocks(&chapter) {
            if let Some(file) = block.file {
                folder.write(file, block.text);
            }
            match (block.language, &printed) {
                ("sh", _) => {
                    printed = Some(run_commands(&folder, &block));
                    commands += 1;
                    continue;
                }
                ("text", Some(printed)) if block.follows_block => {
                    assert_printed(&name, block.text, printed);
                }
                _ => {}
            }
            printed = None;
        }
    }
    assert!(commands > 5, "{commands}");
}

/// The Rust code in the chapter on congestion controls equals the example that it explains.
#[test]
fn the_rust_of_the_guide_is_that_of_the_example() {
    let chapter = project_text(&format!("{GUIDE}/congestion_control.md"));
    let example = ["powertcp.rs", "main.rs"]
        .map(|file| project_text(&format!("examples/powertcp/src/{file}")))
        .concat();
    let blocks = blocks(&chapter);
    let rust = blocks.iter().filter(|block| block.language == "rust");
    for block in rust.clone() {
        assert!(
            example.contains(block.text),
            "not in the example:\n{}",
            block.text
        );
    }
    assert!(rust.count() >= 5);
}

#[test]
fn every_chapter_is_in_the_summary() {
    let listed: BTreeSet<String> = chapters().into_iter().collect();
    let mut found = BTreeSet::new();
    for entry in fs::read_dir(project(GUIDE)).expect("the chapters") {
        let name = entry.expect("an entry").file_name();
        let name = name.to_str().expect("a name in UTF-8").to_owned();
        if Path::new(&name).extension().is_some_and(|end| end == "md") && name != "SUMMARY.md" {
            found.insert(format!("{GUIDE}/{name}"));
        }
    }
    assert_eq!(listed, found);
}

#[test]
fn the_links_of_the_guide_lead_somewhere() {
    for name in chapters() {
        let text = project_text(&name);
        for link in links(&text).filter(|link| !link.starts_with("http")) {
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = project(&format!("{GUIDE}/{file}"));
            assert!(target.exists(), "{name} links to {link}");
            if !anchor.is_empty() {
                let text = fs::read_to_string(&target).expect("a document");
                let headings = text.lines().filter(|line| line.starts_with('#'));
                let anchors: Vec<String> = headings.map(anchor_of).collect();
                assert!(anchors.iter().any(|it| it == anchor), "{name}: {link}");
            }
        }
    }
}

/// Returns the anchor of a heading: lower case, with hyphens for blanks.
fn anchor_of(heading: &str) -> String {
    let kept = heading.trim_start_matches('#').trim().to_lowercase();
    kept.chars()
        .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'))
        .map(|c| if c == ' ' { '-' } else { c })
        .collect()
}

#[test]
fn prose_of_the_guide_is_wrapped_at_100_columns() {
    for name in chapters() {
        for (number, line) in (1..).zip(project_text(&name).lines()) {
            let may_be_wide = line.starts_with('|') || line.starts_with("cargo ");
            let wide = line.chars().count() > 100 && !may_be_wide;
            assert!(!wide, "{name}:{number} is longer than 100 columns");
        }
    }
}
