//! Tests of the turns of a 100 Gbps pacer with grants of 4,000 bytes at 80 Gbps: one per 400 ns.

use fabricsim_base::id::NodeId;

use super::*;

fn pacer() -> Pacer {
    let rules = CreditRules {
        grant: Bytes::new(4_000),
        rate: 0.8,
        spare: Duration::from_us(1),
    };
    Pacer::new(&rules, Rate::from_gbps(100))
}

fn key(src: u32) -> FlowKey {
    FlowKey {
        src: NodeId(src),
        dst: NodeId(9),
        src_port: 1,
        dst_port: 2,
    }
}

fn ask(pacer: &mut Pacer, flow: u32, bytes: u64) {
    pacer.ask(FlowId(flow), &key(flow), CREDIT_BEGINS + bytes, false);
}

/// Returns the grants of the next `turns`, each at its earliest time: flow, number and time.
fn grants(pacer: &mut Pacer, turns: usize) -> Vec<(u32, u64, u64)> {
    let mut now = Time::ZERO;
    let mut grants = Vec::new();
    for _ in 0..turns {
        let Some(grant) = pacer.turn(now) else {
            break;
        };
        assert_eq!(grant.key.dst, NodeId(grant.flow.0));
        grants.push((
            grant.flow.0,
            grant.number - CREDIT_BEGINS,
            now.as_ps() / 1_000,
        ));
        now = pacer.next;
    }
    grants
}

#[test]
fn flows_take_turns_by_grants() {
    let mut pacer = pacer();
    for flow in 0..3 {
        ask(&mut pacer, flow, 8_000);
    }
    let expected = [
        (0, 4_000, 0),
        (1, 4_000, 400),
        (2, 4_000, 800),
        (0, 8_000, 1_200),
        (1, 8_000, 1_600),
        (2, 8_000, 2_000),
    ];
    assert_eq!(grants(&mut pacer, 6), expected);
}

#[test]
fn no_flow_gets_more_than_it_asks_for_while_others_ask() {
    let mut pacer = pacer();
    ask(&mut pacer, 0, 1_000);
    ask(&mut pacer, 1, 12_000);
    let expected = [
        (0, 1_000, 0),
        (1, 4_000, 100),
        (1, 8_000, 500),
        (1, 12_000, 900),
    ];
    assert_eq!(grants(&mut pacer, 4), expected);
}

#[test]
fn spare_credit_ends_at_the_limit() {
    let mut pacer = pacer();
    ask(&mut pacer, 0, 4_000);
    // The port sends 12,500 bytes in the time of the limit; the fourth spare grant exceeds it.
    let numbers: Vec<u64> = grants(&mut pacer, 20).iter().map(|grant| grant.1).collect();
    assert_eq!(numbers, [4_000, 8_000, 12_000, 16_000, 20_000]);
    assert!(pacer.is_free());
    // A number that was requested long ago is no new request.
    ask(&mut pacer, 0, 4_000);
    assert_eq!(pacer.turn(Time::ZERO), None);
}

#[test]
fn a_flow_that_asks_again_has_one_place_among_those_that_do_not() {
    let mut pacer = pacer();
    for number in 1..=5 {
        ask(&mut pacer, 0, number * 1_000);
        assert!(pacer.turn(Time::ZERO).is_some());
    }
    assert_eq!(pacer.content.len(), 1);
}

#[test]
fn an_urgent_flow_has_a_turn_without_asking_for_more() {
    let mut pacer = pacer();
    pacer.ask(FlowId(3), &key(3), CREDIT_BEGINS, true);
    let grant = pacer.turn(Time::ZERO).expect("a turn");
    assert_eq!(grant.number, CREDIT_BEGINS);
    // The time of 1,024 bytes.
    assert_eq!(pacer.next.as_ps(), 102_400);
}

#[test]
fn flows_that_have_ended_are_passed_over() {
    let mut pacer = pacer();
    for flow in 0..3 {
        ask(&mut pacer, flow, 4_000);
    }
    pacer.end(FlowId(0));
    pacer.end(FlowId(2));
    assert_eq!(grants(&mut pacer, 1), [(1, 4_000, 0)]);
    pacer.end(FlowId(1));
    assert_eq!(pacer.turn(Time::ZERO), None);
    assert!(pacer.is_free());
}
