//! Closed forms of the messages of a step on an idle star.

use super::{ACK, DELAY, MTU, PROMPT, chain, message, packet, run, star, wire};

/// The time from the beginning of the first step of a single request to its first token.
fn prefill(hosts: u32, keys: &str) -> u64 {
    let keys = format!("rate = 1\ncount = 1\ninput_tokens = 1\noutput_tokens = 1\n{keys}");
    let (_, _, rows) = run(&star(hosts, &keys), 1);
    assert_eq!(rows.len(), 1);
    rows[0].prefill.as_ps()
}

/// Bytes of an activation of Llama 3 8B, and its all-reduces.
const ACTIVATION: u64 = 4_096 * 2;
const REDUCES: u64 = 2 * 32;

/// Two ranks that send each other two blocks of `bytes`. The second one begins when a message of 64
/// bytes has arrived, at the time at which packets of the first one begin to arrive. So it sends its
/// blocks without a gap, between them the ACKs of the packets of one block.
fn pair(bytes: u64) -> u64 {
    let acks = bytes.div_ceil(MTU) * ACK;
    message(64) + 2 * wire(bytes) + acks + 2 * DELAY + packet(bytes.min(MTU))
}

/// The first rank sends a message of 64 bytes to each other one when the step begins. The block
/// that returns to it last comes from the rank 2 (n - 1) steps before it on the ring: itself if
/// there are two, otherwise the one to which it sends its second message.
#[test]
fn all_reduces_of_a_tensor_take_the_steps_of_a_ring() {
    for tp in [2, 4, 8] {
        let keys = format!("model = \"llama-3-8b\"\ntp = {tp}");
        let block = REDUCES * ACTIVATION / tp;
        let ring = match tp {
            2 => pair(block),
            _ => message(64) + packet(64) + chain(2 * (tp - 1), block),
        };
        let hosts = u32::try_from(tp).unwrap();
        assert_eq!(prefill(hosts, &keys), PROMPT + ring, "{tp}");
    }
}

/// Two ranks, layer by layer: the all-reduce of a layer begins when the slower rank is ready.
#[test]
fn layers_take_their_all_reduces_one_by_one() {
    let keys = "model = \"llama-3-8b\"\ntp = 2\ncollectives = \"per-layer\"";
    let found = prefill(2, keys);
    let least = PROMPT + REDUCES * chain(2, ACTIVATION / 2);
    let late = message(64) + REDUCES * ACK;
    assert!((least..=least + late).contains(&found), "{least} {found}");
}

/// In a scale-up network, a formula: 2 (n - 1) steps of 600 ns and of the n-th part at 3.6 Tbps.
#[test]
fn a_scale_up_network_takes_its_formula() {
    let keys = "model = \"llama-3-8b\"\ntp = 8\ntensor_network = \"scale-up\"";
    let bits = ACTIVATION * 14 / 8 * 8;
    let once = (bits * 1_000).div_ceil(3_600) + 14 * 600_000;
    let expected = PROMPT + REDUCES * once / 1_000 * 1_000;
    assert_eq!(prefill(8, keys), expected);
}

/// Two stages: half of the computation, the activation, the other half, and the sampled token.
#[test]
fn stages_pass_activations_on_and_return_the_token() {
    let expected = PROMPT + message(ACTIVATION) + message(64);
    assert_eq!(prefill(2, "model = \"llama-3-8b\"\npp = 2"), expected);
}

/// Two ranks with four experts each. A token goes to two experts, a quarter of all tokens from each
/// rank to each rank, in 32 layers, there and back.
#[test]
fn experts_are_reached_by_two_exchanges() {
    let bytes = 2 * 32 * ACTIVATION / 4;
    let found = prefill(2, "model = \"mixtral-8x7b\"\nep = 2");
    assert_eq!(found, PROMPT + pair(bytes));
}

/// A front end: the prompt travels there, the first token back; both count.
#[test]
fn a_front_end_adds_its_messages() {
    let keys = r#"
        model = "llama-3-8b"
        rate = 1
        count = 1
        input_tokens = 100
        output_tokens = 3
        front_end = 1
    "#;
    let (_, _, rows) = run(&star(2, keys), 1);
    let row = rows[0];
    assert_eq!(row.queueing.as_ps(), message(400));
    let first = message(400) + 100 * PROMPT + message(4);
    assert_eq!(row.ttft.as_ps(), first);
    assert_eq!(
        row.e2e().as_ps(),
        first - message(4) + 2 * super::DECODE + message(8)
    );
}
