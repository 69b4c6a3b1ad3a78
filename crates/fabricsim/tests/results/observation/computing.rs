//! Computing times from a roofline and from a profile, in files beside a scenario.

use std::path::Path;

use fabricsim::outcome::{Existing, run_to_folder};
use fabricsim::output::Destination;
use fabricsim::{Error, Scenario};

/// 1e9 operations take 1,011 ns of an H100 in bfloat16, 2 MB 597 ns; a matmul of 15 takes 8 us.
const MODELED: &str = "rank,id,op,peer,bytes,duration_ns,flops,memory_bytes,operation,size,after
0,a,calc,,,,1000000000,1000,,,
0,b,calc,,,,1000,2000000,,,a
0,c,calc,,,,,,matmul,15,b
0,d,calc,,,77,1000000000,,matmul,15,c
0,e,send,1,40000,,,,,,c
1,f,recv,0,,,,,,,
1,g,calc,,,,1e9,,,,f
";

const STATED: &str = "rank,id,op,peer,bytes,duration_ns,after
0,a,calc,,,1011,
0,b,calc,,,597,a
0,c,calc,,,8000,b
0,d,calc,,,77,c
0,e,send,1,40000,,c
1,f,recv,0,,,
1,g,calc,,,1011,f
";

const PROFILE: &str = "operation,size,time_us\nmatmul,10,7\nmatmul,20,9\n";

const MODELS: &str = "roofline = { device = \"h100\" }\nprofile = \"h100.csv\"";

fn scenario(dir: &Path, keys: &str) -> String {
    std::fs::write(dir.join("modeled.csv"), MODELED).unwrap();
    std::fs::write(dir.join("stated.csv"), STATED).unwrap();
    std::fs::write(dir.join("h100.csv"), PROFILE).unwrap();
    format!(
        r#"
        [topology]
        kind = "star"
        hosts = 2
        [cc]
        kind = "none"
        [[workload]]
        kind = "graph"
        {keys}
        [observe]
        operations = true"#
    )
}

/// Slow ranks, jitter and overlap do the same to a time of any source.
#[test]
fn times_of_models_are_treated_like_stated_ones() {
    let dir = tempfile::tempdir().unwrap();
    let run = |keys: &str, threads| {
        let text = scenario(dir.path(), keys);
        let scenario = Scenario::from_text("t.toml", &text, dir.path(), &[]).unwrap();
        let out = dir.path().join("out");
        let place = Destination::new(&out, Existing::Replace);
        run_to_folder(&scenario, place, threads, &mut ()).unwrap();
        std::fs::read_to_string(dir.path().join("out/operations.csv")).unwrap()
    };
    let mut all = Vec::new();
    for vary in [
        "",
        "slow_ranks = [{ ranks = [\"1\"], factor = 2.5 }]",
        "compute_jitter = 0.3",
        "compute_jitter = 0.3\noverlap = { compute = 1.4 }\niterations = 3",
    ] {
        let stated = run(&format!("path = \"stated.csv\"\n{vary}"), 1);
        let modeled = format!("path = \"modeled.csv\"\n{MODELS}\n{vary}");
        for threads in [1, 2, 3] {
            assert_eq!(run(&modeled, threads), stated, "{vary}");
        }
        all.push(stated);
    }
    all.dedup();
    assert_eq!(all.len(), 4);
}

#[test]
fn errors_name_the_file_the_line_and_the_remedy() {
    let dir = tempfile::tempdir().unwrap();
    let refused = |keys: &str, profile: &str| {
        let text = scenario(dir.path(), keys);
        std::fs::write(dir.path().join("h100.csv"), profile).unwrap();
        let error = Scenario::from_text("t.toml", &text, dir.path(), &[]).unwrap_err();
        let help = match &error {
            Error::Input(input) => input.help().to_owned(),
            other => format!("{other:?}"),
        };
        format!("{error}\n{help}")
    };
    let keys = format!("path = \"modeled.csv\"\n{MODELS}");
    for (keys, profile, words) in [
        (
            &*keys,
            "operation,size,time_us\nmatmul,16,7\n",
            [
                "modeled.csv:4",
                "sizes from 16 to 16, not 15",
                "measure `matmul` at 15",
            ],
        ),
        (
            &*keys,
            "operation,size,time_us\nmatmul,16,fast\n",
            ["h100.csv:2", "not a time in microseconds", "12.5"],
        ),
        (
            "path = \"modeled.csv\"\nprofile = \"none.csv\"",
            PROFILE,
            ["t.toml", "cannot read the profile", "none.csv"],
        ),
        (
            "path = \"modeled.csv\"\nprofile = \"h100.csv\"",
            PROFILE,
            ["modeled.csv:2", "no `roofline`", "device = \"h100\""],
        ),
        (
            "path = \"stated.csv\"\nroofline = { device = \"h100\" }",
            PROFILE,
            ["t.toml", "no computation takes its time from it", "`flops`"],
        ),
        (
            "path = \"modeled.csv\"\nroofline = { device = \"h900\" }",
            PROFILE,
            ["t.toml", "h900", "\"h100\""],
        ),
        (
            "path = \"stated.csv\"\noverlap = { compute = 0.5 }",
            PROFILE,
            ["t.toml", "a factor of 0.5", "1.2"],
        ),
        (
            "path = \"stated.csv\"\noverlap = { receipts = true }",
            PROFILE,
            ["t.toml", "compute", "overlap"],
        ),
    ] {
        let message = refused(keys, profile);
        for one in words {
            assert!(message.contains(one), "{one}: {message}");
        }
    }
}
