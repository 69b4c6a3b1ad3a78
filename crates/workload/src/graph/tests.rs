use fabricsim_base::id::FlowId;
use fabricsim_base::units::{Bytes, Duration, Time};

use super::mailbox::Mailbox;
use super::rank_state::RankState;
use super::*;

fn join() -> Operation {
    Operation::Join
}

#[test]
fn a_cycle_is_found_with_its_operations() {
    let mut builder = ProgramBuilder::default();
    let all: Vec<u32> = (0..6).map(|_| builder.add(join())).collect();
    builder.after_end(all[1], all[0]);
    builder.after_end(all[2], all[1]);
    builder.after_start(all[3], all[2]);
    builder.after_end(all[1], all[3]);
    builder.after_end(all[4], all[3]);
    let mut cycle = builder.finish().unwrap_err();
    cycle.operations.sort_unstable();
    assert_eq!(cycle.operations, [1, 2, 3]);
    assert_eq!(cycle.described.len(), 3);
}

#[test]
fn operations_start_when_all_that_they_wait_for_has_happened() {
    let mut builder = ProgramBuilder::default();
    let [first, after_start, after_both, other] = [0; 4].map(|_: u8| builder.add(join()));
    builder.after_start(after_start, first);
    builder.after_end(after_both, first);
    // A repeated dependency counts once.
    builder.after_end(after_both, first);
    builder.after_end(after_both, other);
    let program = builder.finish().unwrap();
    let mut state = RankState::default();
    state.reset(&program);
    let ready = |state: &mut RankState| state.ready.drain(..).collect::<Vec<_>>();
    assert_eq!(ready(&mut state), [first, other]);
    state.started(&program, first);
    assert_eq!(ready(&mut state), [after_start]);
    state.ended(&program, first, Time::ZERO);
    assert_eq!(ready(&mut state), [0; 0]);
    state.ended(&program, other, Time::ZERO);
    assert_eq!(ready(&mut state), [after_both]);
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
    assert_eq!(mailbox.waiting(), (3, Some(2)));
    for operation in 2..5 {
        assert_eq!(mailbox.deliver(1, 5, FlowId(20)), Some(operation));
    }
    assert_eq!(mailbox.waiting(), (0, None));
    assert_eq!(mailbox.receive(1, 6, 9), Some(FlowId(12)));
}

/// An operation takes no more than 48 bytes with two dependencies, while it runs.
#[test]
fn operations_are_small() {
    assert_eq!(size_of::<Operation>(), 24);
    let count = 100_000;
    let mut builder = ProgramBuilder::default();
    for number in 0..count {
        let compute = builder.add(Operation::Compute {
            stream: 0,
            span: Duration::from_ns(1),
        });
        assert_eq!(compute, number);
        for before in [1, 2] {
            if let Some(before) = compute.checked_sub(before) {
                builder.after_end(compute, before);
            }
        }
    }
    let program = builder.finish().unwrap();
    let edges = program.edges.len();
    assert_eq!(edges, 2 * count as usize - 3);
    let bytes = size_of_val(&*program.operations)
        + size_of_val(&*program.first_edge)
        + size_of_val(&*program.edges)
        + 2 * size_of_val(&*program.needs);
    assert!(bytes <= 48 * count as usize, "{bytes}");
    let send = Operation::Send {
        channel: 0,
        to: 1,
        size: Bytes::new(1),
        tag: 0,
    };
    assert_ne!(send, join());
}
