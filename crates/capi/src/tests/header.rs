//! The header declares all functions, constants and fields of the library.

use std::fs;
use std::path::Path;

/// Returns the names that follow `before` and end at `after` in `text`, sorted.
fn names<'a>(text: &'a str, before: &str, after: char) -> Vec<&'a str> {
    let rest = text.split(before).skip(1);
    let mut names: Vec<&str> = rest.filter_map(|rest| rest.split(after).next()).collect();
    names.sort_unstable();
    names
}

/// Returns the functions that a line of the header declares.
fn declared(line: &str) -> impl Iterator<Item = &str> {
    let is_comment = line.trim_start().starts_with(['/', '*']);
    let words = line.split(|letter: char| !letter.is_alphanumeric() && !"_(".contains(letter));
    let calls = words.filter_map(|word| word.split_once('(').map(|(name, _)| name));
    calls.filter(move |name| !is_comment && name.starts_with("fabricsim_"))
}

#[test]
fn the_header_has_what_the_sources_have() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let header = fs::read_to_string(root.join("include/fabricsim.h")).unwrap();
    let mut functions = Vec::new();
    for entry in fs::read_dir(root.join("src")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "rs") {
            continue;
        }
        let source = fs::read_to_string(&path).unwrap();
        let own = names(&source, "extern \"C\" fn ", '(').into_iter();
        functions.extend(own.map(str::to_owned));
        if !path.ends_with("types.rs") {
            continue;
        }
        for name in names(&source, "pub const ", ':') {
            assert!(header.contains(&format!("#define {name} ")), "no {name}");
        }
        for line in source.lines().filter(|line| line.starts_with("    pub ")) {
            let Some((name, _)) = line.trim_start_matches("    pub ").split_once(':') else {
                continue;
            };
            let field = |end: &str| header.contains(&format!(" {name}{end}"));
            assert!(field(";") || field("["), "no field {name}");
        }
    }
    functions.sort_unstable();
    let mut known: Vec<&str> = header.lines().flat_map(declared).collect();
    known.sort_unstable();
    assert_eq!(
        known, functions,
        "crates/capi/header.sh makes the header anew"
    );
}
