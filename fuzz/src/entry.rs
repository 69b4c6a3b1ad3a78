//! The entry function of the fuzz targets. The tests with mutants call it, too
//! (`crates/cli/tests/mutants/properties.rs`), so that a stable compiler runs the same code.

use std::path::Path;

use crate::targets::{Kind, RAW, judge, judge_bytes};

/// The fuzz targets: the name and the kind of input of each.
pub(crate) const TARGETS: [(&str, Kind); 20] = [
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
    ("kineto", Kind::Kineto),
    ("observed", Kind::Observed),
    ("overrides", Kind::Override),
    ("profile", Kind::Profile),
    ("published", Kind::Published),
    ("scenario", Kind::Scenario),
    ("sweep", Kind::Sweep),
    ("topology", Kind::Topology),
    ("trace_json", Kind::TraceJson),
];

/// Reads `data` as an input of this kind and processes it like the command. Kinds of text skip
/// bytes that are not text, because the command reads files as text first.
///
/// # Panics
/// If the error for an input has no position or no help.
pub(crate) fn read(kind: Kind, data: &[u8]) {
    if kind.is_binary() {
        let judged = judge_bytes(kind, data);
        // Messages quote names from the file, which may contain such words.
        let quoted = RAW
            .iter()
            .any(|words| String::from_utf8_lossy(data).contains(words));
        assert!(quoted || judged.is_ok(), "{judged:?}");
        return;
    }
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    // A fuzzer finds these words in the binary and tries them, and messages then quote them.
    if RAW.iter().any(|words| text.contains(words)) {
        return;
    }
    if let Err(problem) = judge(kind, text, Path::new("/nonexistent")) {
        panic!("{problem}");
    }
}
