//! The line of a point.

use crate::support::Folder;

/// One request at a time at one host: 4 tokens of a prompt, and 2 ms for each further token.
const SERVING: &str = "\
[scenario.topology]
kind = \"star\"
hosts = 2
[[scenario.workload]]
kind = \"serving\"
model = \"llama-3-8b\"
hosts = [\"0\"]
rate = 1
count = 20
input_tokens = 4
output_tokens = 3
timing = \"linear\"
prefill_token_time = \"1ms\"
decode_token_time = \"2ms\"
[scenario.cc]
kind = \"dcqcn\"
[[axis]]
key = \"workload.0.prefill_token_time\"
values = [\"1ms\", \"2ms\"]
";

#[test]
fn points_of_language_models_have_times_of_tokens() {
    let folder = Folder::new();
    folder.write("s.toml", SERVING);
    let said = folder
        .run(&["sweep", "s.toml", "--out", "results"])
        .succeeded()
        .stdout;
    for first in ["4 ms", "8 ms"] {
        let times = format!(", TTFT p50 {first} p99 -, TPOT p50 2 ms p99 -");
        assert!(said.contains(&times), "{said}");
    }
    assert!(!said.contains("slowdown"), "{said}");
}
