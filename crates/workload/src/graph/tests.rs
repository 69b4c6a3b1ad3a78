use fabricsim_base::id::FlowId;
use fabricsim_base::units::{Duration, Time};

use super::mailbox::Mailbox;
use super::rank_state::RankState;
use super::*;

const JOIN: Step = Step::Fixed(Operation::Join);

/// A rank that no test sends from.
const OWN: u32 = 99;

fn receipt(from: u32, tag: u64) -> Step {
    Step::Fixed(Operation::Receive { from, tag })
}

#[test]
fn a_cycle_is_found_with_its_operations() {
    let mut builder = ProgramBuilder::default();
    let all: Vec<u32> = (0..6).map(|_| builder.add(JOIN)).collect();
    builder.after_end(all[1], all[0]);
    builder.after_end(all[2], all[1]);
    builder.after_start(all[3], all[2]);
    builder.after_end(all[1], all[3]);
    builder.after_end(all[4], all[3]);
    let mut cycle = builder.finish(OWN).unwrap_err();
    cycle.operations.sort_unstable();
    assert_eq!(cycle.operations, [1, 2, 3]);
    assert_eq!(cycle.described.len(), 3);
}

#[test]
fn operations_start_when_all_that_they_wait_for_has_happened() {
    let mut builder = ProgramBuilder::default();
    let [first, after_start, after_both, other] = [0; 4].map(|_: u8| builder.add(JOIN));
    builder.after_start(after_start, first);
    builder.after_end(after_both, first);
    // A repeated dependency counts once.
    builder.after_end(after_both, first);
    builder.after_end(after_both, other);
    let program = builder.finish(OWN).unwrap();
    let mut state = RankState::default();
    state.reset(&program);
    let ready =
        |state: &mut RankState| -> Vec<u32> { std::iter::from_fn(|| state.next()).collect() };
    assert_eq!(ready(&mut state), [first, other]);
    state.started(&program, first);
    assert_eq!(ready(&mut state), [after_start]);
    assert!(state.ended(&program, first, Time::ZERO).is_none());
    assert_eq!(ready(&mut state), [0; 0]);
    assert!(state.ended(&program, other, Time::ZERO).is_none());
    assert_eq!(ready(&mut state), [after_both]);
    assert_eq!(state.left(&program), 2);
    assert!(state.ended(&program, after_both, Time::ZERO).is_none());
    assert!(!state.is_done(&program));
    assert!(state.ended(&program, after_start, Time::ZERO).is_none());
    assert!(state.is_done(&program));
}

#[test]
fn messages_of_a_sender_and_tag_are_matched_in_their_order() {
    let mut mailbox = Mailbox::default();
    assert_eq!(mailbox.deliver(1, 5, FlowId(10)), None);
    assert_eq!(mailbox.deliver(1, 5, FlowId(11)), None);
    assert_eq!(mailbox.deliver(1, 6, FlowId(12)), None);
    assert_eq!(mailbox.receive(1, 5, 0), Some(FlowId(10)));
    assert_eq!(mailbox.receive(1, 5, 1), Some(FlowId(11)));
    for operation in 2..5 {
        assert_eq!(mailbox.receive(1, 5, operation), None);
    }
    assert_eq!(mailbox.waiting(), (3, Some(((1, 5), 2))));
    for operation in 2..5 {
        assert_eq!(mailbox.deliver(1, 5, FlowId(20)), Some(operation));
    }
    assert_eq!(mailbox.waiting(), (0, None));
    assert_eq!(mailbox.receive(1, 6, 9), Some(FlowId(12)));
}

/// Returns the foreseen receipts of a program with receipts of the same message, two for each join
/// in `after`.
fn foreseen(from: u32, after: [u32; 2]) -> Vec<u32> {
    let mut builder = ProgramBuilder::default();
    let joins = [0; 2].map(|_: u8| builder.add(JOIN));
    for join in after {
        for _ in 0..2 {
            let receipt = builder.add(receipt(from, 7));
            builder.after_end(receipt, joins[join as usize]);
        }
    }
    let other = builder.add(receipt(from, 8));
    builder.after_end(other, joins[0]);
    let program = builder.finish(OWN).unwrap();
    let found = program.foreseen.iter().map(|receipt| receipt.operation);
    let found: Vec<u32> = found.collect();
    for number in 0u32..7 {
        let is_found = program.records[number as usize].is_foreseen();
        assert_eq!(is_found, found.contains(&number));
    }
    found
}

#[test]
fn receipts_that_wait_in_their_order_are_foreseen() {
    assert_eq!(foreseen(1, [0, 0]), [2, 3, 4, 5, 6]);
    // Either join may end first.
    assert_eq!(foreseen(1, [0, 1]), [6]);
    // A message of the rank to itself does not travel.
    assert_eq!(foreseen(OWN, [0, 0]), [0; 0]);
}

#[test]
fn a_foreseen_receipt_is_found_once_it_waits() {
    let mut builder = ProgramBuilder::default();
    let first = builder.add(JOIN);
    let receipts = [0; 2].map(|_: u8| builder.add(receipt(1, 7)));
    for receipt in receipts {
        builder.after_end(receipt, first);
    }
    let program = builder.finish(OWN).unwrap();
    let mut state = RankState::default();
    state.reset(&program);
    assert_eq!(state.next(), Some(first));
    assert_eq!(state.awaiting(&program, (1, 7)), None);
    assert!(state.ended(&program, first, Time::ZERO).is_none());
    // No receipt has an entry while no message waits.
    assert_eq!(state.next(), None);
    for receipt in receipts {
        assert_eq!(state.awaiting(&program, (1, 8)), None);
        assert_eq!(state.awaiting(&program, (1, 7)), Some(receipt));
        assert!(state.ended(&program, receipt, Time::ZERO).is_none());
    }
    assert_eq!(state.awaiting(&program, (1, 7)), None);
    // A message that was there first is received by the first of the receipts that start.
    assert_eq!(state.mailbox.deliver(1, 7, FlowId(5)), None);
    state.reset(&program);
    assert_eq!(state.next(), Some(first));
    assert!(state.ended(&program, first, Time::ZERO).is_none());
    assert_eq!([state.next(), state.next()], receipts.map(Some));
    assert_eq!(state.mailbox.take(1, 7), Some(FlowId(5)));
    assert_eq!(state.mailbox.take(1, 7), None);
    assert!(state.mailbox.is_empty());
}

/// An operation with two dependencies takes no more than 40 bytes, and none of them are a rank's
/// own.
#[test]
fn operations_are_small() {
    assert_eq!(size_of::<Step>(), 24);
    let count = 100_000;
    let mut builder = ProgramBuilder::default();
    for number in 0..count {
        let compute = builder.add(Step::Fixed(Operation::Compute {
            stream: 0,
            span: Duration::from_ns(1),
        }));
        assert_eq!(compute, number);
        for before in [1, 2] {
            if let Some(before) = compute.checked_sub(before) {
                builder.after_end(compute, before);
            }
        }
    }
    let program = builder.finish(OWN).unwrap();
    let edges = program.edges.len();
    assert_eq!(edges, 2 * count as usize - 3);
    let bytes = size_of_val(&*program.records) + size_of_val(&*program.edges);
    assert!(bytes <= 40 * count as usize, "{bytes}");
}
