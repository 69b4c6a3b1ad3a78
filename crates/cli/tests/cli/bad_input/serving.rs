//! Keys and traces of requests to language models.

use super::{Case, FILES};

/// Keys after a model and a rate, from line 9 on.
macro_rules! serving {
    ($model:literal, $keys:literal) => {
        concat!(
            "[topology]\nkind = \"star\"\nhosts = 4\n\n[[workload]]\nkind = \"serving\"\nmodel = \"",
            $model,
            "\"\nrate = 10\n",
            $keys,
            "\n[cc]\nkind = \"hpcc\"\n"
        )
    };
}

/// Requests of a trace.
const TRACE: &str = star!(
    "",
    "kind = \"serving\"\nmodel = \"llama-3-8b\"\nrequests = \"trace.csv\"",
    "kind = \"hpcc\""
);

pub(super) const CASES: &[Case] = &[
    Case {
        name: "a model of an unknown shape",
        files: FILES,
        scenario: serving!("llama-4", ""),
        args: &[],
        place: "t.toml:7:9",
        says: &["[[workload]] 0, key `model`", "llama-4"],
        help: "deepseek-v3",
    },
    Case {
        name: "requests without a rate",
        files: FILES,
        scenario: star!(
            "",
            "kind = \"serving\"\nmodel = \"llama-3-8b\"",
            "kind = \"hpcc\""
        ),
        args: &[],
        place: "t.toml:5:1",
        says: &["key `rate`", "nothing says how often requests arrive"],
        help: "or the file of a trace as `requests`",
    },
    Case {
        name: "no request in any second",
        files: FILES,
        scenario: serving!("llama-3-8b", "count = 0"),
        args: &[],
        place: "t.toml:9:9",
        says: &["key `count`", "0 requests are outside the range"],
        help: "write for example 1000",
    },
    Case {
        name: "ranks that cannot share the heads",
        files: FILES,
        scenario: serving!("llama-3-8b", "tp = 3"),
        args: &[],
        place: "t.toml:9:6",
        says: &["key `tp`", "3 ranks cannot share 8 heads"],
        help: "write a divisor of them",
    },
    Case {
        name: "stages of a model whose first layers differ",
        files: FILES,
        scenario: serving!("deepseek-v3", "pp = 61"),
        args: &[],
        place: "t.toml:9:6",
        says: &["key `pp`", "the first 3 of 61 layers have no experts"],
        help: "write 1",
    },
    Case {
        name: "experts of a model without them",
        files: FILES,
        scenario: serving!("llama-3-8b", "ep = 2"),
        args: &[],
        place: "t.toml:9:6",
        says: &["key `ep`", "the model has no experts"],
        help: "or 1",
    },
    Case {
        name: "a tensor of the prefilling instances only",
        files: FILES,
        scenario: serving!("llama-3-8b", "prefill_instances = 2\nprefill_tp = 2"),
        args: &[],
        place: "t.toml:10:1",
        says: &["[[workload]] 0 has no key `prefill_tp`"],
        help: "prefill_instances",
    },
    Case {
        name: "instances that only prefill",
        files: FILES,
        scenario: serving!("llama-3-8b", "prefill_instances = 4"),
        args: &[],
        place: "t.toml:9:21",
        says: &[
            "key `prefill_instances`",
            "of 4 instances, 4 that only prefill leave none to decode",
        ],
        help: "write fewer, or 0",
    },
    Case {
        name: "the fewest open requests without a front end",
        files: FILES,
        scenario: serving!("llama-3-8b", "routing = \"least-outstanding\""),
        args: &[],
        place: "t.toml:9:11",
        says: &["key `routing`", "without a front end"],
        help: "write `front_end`",
    },
    Case {
        name: "a time of prompts beside the times of a device",
        files: FILES,
        scenario: serving!("llama-3-8b", "prefill_token_time = \"10us\""),
        args: &[],
        place: "t.toml:9:22",
        says: &["`prefill_token_time` has no effect with the other keys here"],
        help: "it is a key of timing = \"linear\"",
    },
    Case {
        name: "a trace that goes back in time",
        files: &[(
            "trace.csv",
            "arrival_s,input_tokens,output_tokens\n1,5,5\n0.5,5,5\n",
        )],
        scenario: TRACE,
        args: &[],
        place: "trace.csv:3:1",
        says: &["earlier than the request before it"],
        help: "sort the requests by time",
    },
    Case {
        name: "a trace without tokens of responses",
        files: &[("trace.csv", "TIMESTAMP,ContextTokens\n")],
        scenario: TRACE,
        args: &[],
        place: "trace.csv:1:1",
        says: &["the header has no column `GeneratedTokens`"],
        help: "begin with TIMESTAMP,ContextTokens,GeneratedTokens",
    },
];
