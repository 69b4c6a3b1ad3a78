//! The entry function of the fuzz targets. The tests with mutants call it, too
//! (`crates/cli/tests/mutants/properties.rs`), so that a stable compiler runs the same code.

use std::path::Path;

use crate::targets::{Kind, RAW, judge, judge_bytes};

/// The fuzz targets: the name of each, and the kind of input that it reads.
pub(crate) const TARGETS: [(&str, Kind); 17] = [
    ("cdf", Kind::Sizes),
    ("chakra", Kind::Chakra),
    ("fct_csv", Kind::FctCsv),
    ("fct_txt", Kind::FctTxt),
    ("flow_txt", Kind::FlowsTxt),
    ("flows_csv", Kind::FlowsCsv),
    ("goal_binary", Kind::GoalBinary),
    ("graph", Kind::Graph),
    ("graphml", Kind::Graphml),
    ("harm", Kind::Harm),
    ("harm_workload", Kind::HarmWorkload),
    ("observed", Kind::Observed),
    ("overrides", Kind::Override),
    ("published", Kind::Published),
    ("scenario", Kind::Scenario),
    ("sweep", Kind::Sweep),
    ("topology", Kind::Topology),
];

/// Reads `data` as an input of this kind and does with it what the command would. Bytes that are
/// not text are skipped for kinds of text: files are read as text before any of this.
///
/// # Panics
/// If the input is refused without a place in it or without help.
pub(crate) fn read(kind: Kind, data: &[u8]) {
    if kind.is_binary() {
        let judged = judge_bytes(kind, data);
        // Messages quote names out of the file.
        let quoted = RAW
            .iter()
            .any(|words| String::from_utf8_lossy(data).contains(words));
        assert!(quoted || judged.is_ok(), "{judged:?}");
        return;
    }
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    // A fuzzer finds these words in the program and tries them, and messages quote what they are
    // about.
    if RAW.iter().any(|words| text.contains(words)) {
        return;
    }
    if let Err(problem) = judge(kind, text, Path::new("/nonexistent")) {
        panic!("{problem}");
    }
}
