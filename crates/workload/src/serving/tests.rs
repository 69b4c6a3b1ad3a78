use fabricsim_base::id::ClassId;

use super::*;
use crate::context::testing::context;
use crate::workload::Workload;

fn config() -> ServingConfig {
    ServingConfig::new(ServedModel::Llama3Of8B, 10.0)
}

#[test]
fn errors_name_their_key() {
    let key = |change: &dyn Fn(&mut ServingConfig)| {
        let mut config = config();
        change(&mut config);
        let refused = config.applications(&context(8, 1), ClassId(0));
        refused.err().map(|error| error.key).unwrap_or_default()
    };
    assert_eq!(key(&|_| {}), "");
    assert_eq!(key(&|c| c.rate = None), "rate");
    assert_eq!(key(&|c| c.count = Some(0)), "count");
    assert_eq!(key(&|c| c.tp = 3), "tp");
    assert_eq!(key(&|c| c.tp = 16), "tp");
    assert_eq!(key(&|c| c.pp = 3), "pp");
    assert_eq!(key(&|c| c.ep = 2), "ep");
    let latent = |c: &mut ServingConfig| c.model = ServedModel::DeepSeekV3;
    assert_eq!(key(&|c| (latent(c), c.tp = 8).1), "");
    assert_eq!(key(&|c| (latent(c), c.pp = 1).1), "");
    assert_eq!(key(&|c| (latent(c), c.pp = 61).1), "pp");
    assert_eq!(key(&|c| (c.tp, c.pp) = (8, 2)), "tp");
    assert_eq!(key(&|c| c.instances = Some(9)), "instances");
    assert_eq!(key(&|c| c.prefill_instances = 8), "prefill_instances");
    assert_eq!(key(&|c| c.front_end = Some(NodeId(8))), "front_end");
    let ranges: Vec<HostRange> = vec!["0..2".parse().expect("a range")];
    assert_eq!(
        key(&|c| (c.front_end, c.hosts) = (Some(NodeId(1)), Some(ranges.clone()))),
        "front_end"
    );
    assert_eq!(
        key(&|c| c.routing = ServingRouting::LeastOutstanding),
        "routing"
    );
    assert_eq!(key(&|c| c.input_tokens = Some(9_000)), "batch_tokens");
    assert_eq!(
        key(&|c| (c.input_tokens, c.chunk_tokens) = (Some(9_000), Some(512))),
        ""
    );
    assert_eq!(key(&|c| c.chunk_tokens = Some(9_000)), "chunk_tokens");
    assert_eq!(key(&|c| c.kv_tokens = Some(512 + 126)), "kv_tokens");
    assert_eq!(key(&|c| c.kv_tokens = Some(512 + 127)), "");
    assert_eq!(
        key(&|c| c.decode_token_time = Some(Duration::from_ns(1))),
        "decode_token_time"
    );
    assert_eq!(key(&|c| c.timing = StepTiming::Linear), "timing");
    assert_eq!(
        key(&|c| c.scale_up_latency = Some(Duration::ZERO)),
        "scale_up_latency"
    );
    assert_eq!(key(&|c| c.control_size = Bytes::ZERO), "control_size");
    assert_eq!(
        key(&|c| c.step_time = Duration::from_ms(300_000)),
        "batch_tokens"
    );
    assert_eq!(key(&|c| c.requests = "trace.csv".to_owned().into()), "rate");
    assert_eq!(
        key(&|c| (c.rate, c.requests) = (None, "trace.csv".to_owned().into())),
        "requests"
    );
}

#[test]
fn experts_are_shared_by_groups_of_a_tensor() {
    let mut config = ServingConfig::new(ServedModel::Mixtral8x7B, 10.0);
    (config.tp, config.ep) = (2, 8);
    let hosts = |config: &ServingConfig| {
        let all = config.applications(&context(16, 1), ClassId(0));
        all.map(|all| all.len()).map_err(|error| error.key)
    };
    assert_eq!(hosts(&config), Ok(16));
    config.tp = 4;
    config.ep = 2;
    assert_eq!(hosts(&config), Err("ep"));
}
