mod passing;

use std::num::NonZeroU16;

use fabricsim_base::priority::Priority;
use fabricsim_base::units::{Duration, Rate};
use fabricsim_core::packet::Flags;
use fabricsim_engine::Message;
use proptest::prelude::*;

use super::*;
use crate::testing::{packet, with};
use crate::{DisciplineContext, EcnConfig, PriorityQueues, RedEcn};

const CONTEXT: DisciplineContext = DisciplineContext {
    seed: 3,
    entity: 1,
    rate: Rate::from_gbps(25),
    packet: Bytes::new(1_514),
};

fn discipline(text: &str) -> AnyDiscipline<()> {
    AnyDiscipline::new(&text.parse().expect("a good description"), &CONTEXT)
}

fn weights(weights: [u16; 8]) -> Weights {
    Weights(weights.map(|weight| NonZeroU16::new(weight).expect("weights are above zero")))
}

fn markers() -> Box<Markers> {
    let config = EcnConfig {
        kmin: Bytes::new(1_000),
        kmax: Bytes::new(6_000),
        pmax: 0.5,
    };
    let mut markers = Markers::default();
    for (marker, entity) in markers.iter_mut().zip(0..).step_by(2) {
        *marker = Some(RedEcn::new(&config, 1, entity));
    }
    Box::new(markers)
}

/// Operation on a port.
#[derive(Clone, Debug)]
enum Step {
    Arrive(u8, u16),
    Leave,
    Pause(u8),
    Resume(u8),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        5 => (0u8..8, 40u16..1_515).prop_map(|(priority, wire)| Step::Arrive(priority, wire)),
        4 => Just(Step::Leave),
        1 => (0u8..8).prop_map(Step::Pause),
        2 => (0u8..8).prop_map(Step::Resume),
    ];
    proptest::collection::vec(step, 0..300)
}

proptest! {
    /// Plain queues behave like the queues without disciplines, packet by packet.
    #[test]
    fn plain_queues_are_priority_queues(steps in steps(), marked in any::<bool>()) {
        let mut ours = ClassQueues::<()>::new(marked.then(markers));
        let mut theirs = PriorityQueues::<()>::new(marked.then(markers));
        let mut paused = PrioritySet::default();
        let mut dropped = Vec::new();
        for (step, number) in steps.iter().zip(0u64..) {
            let now = Time::from_ns(number);
            match *step {
                Step::Arrive(priority, wire) => {
                    let mut packet = packet(priority, wire);
                    packet.seq = number;
                    if ours.bytes() == Bytes::ZERO && !paused.contains(Priority::new(priority)) && number % 2 == 0 {
                        let waits = number % 4 == 0;
                        prop_assert_eq!(ours.bypass(waits, &packet), theirs.bypass(waits, &packet));
                    } else {
                        let stored = ours.enqueue(now, &packet).map(|stored| stored.seq);
                        let expected = theirs.enqueue(now, &packet).map(|stored| stored.seq);
                        prop_assert_eq!(stored, expected);
                    }
                }
                Step::Leave => {
                    let head = ours.head(now, paused, &mut dropped).map(|head| head.seq);
                    let expected = theirs.head(now, paused, &mut dropped).map(|head| head.seq);
                    prop_assert_eq!(head, expected);
                    if head.is_some() {
                        prop_assert_eq!(ours.pop(now), theirs.pop(now));
                    }
                }
                Step::Pause(priority) => paused.insert(Priority::new(priority)),
                Step::Resume(priority) => paused.remove(Priority::new(priority)),
            }
            prop_assert_eq!(ours.bytes(), theirs.bytes());
            prop_assert_eq!(ours.is_ready(paused), theirs.is_ready(paused));
            for priority in Priority::all() {
                prop_assert_eq!(ours.queue_bytes(priority), theirs.queue_bytes(priority));
            }
            let (mut shown, mut expected) = (Vec::new(), Vec::new());
            ours.for_each(|packet| shown.push(packet.seq));
            theirs.for_each(|packet| expected.push(packet.seq));
            prop_assert_eq!(shown, expected);
        }
        prop_assert!(dropped.is_empty());
    }

    /// For all disciplines and weights: every packet leaves, is dropped or waits; no packet of a
    /// paused priority leaves; and a packet leaves whenever a queue is ready.
    #[test]
    fn packets_are_conserved(steps in steps(), weighted in any::<bool>()) {
        let mut queues = ClassQueues::<()>::new(None)
            .with_discipline(Priority::new(1), discipline("fq_codel flows 2 limit 2 target 20ns interval 40ns"))
            .with_discipline(Priority::new(2), discipline("codel limit 9 target 20ns interval 40ns noecn"))
            .with_discipline(Priority::new(3), discipline("dualpi2 limit 12"))
            .with_discipline(Priority::new(4), discipline("red limit 9KB min 2KB max 4KB weight 1"))
            .with_discipline(Priority::new(5), discipline("pfifo limit 3"));
        if weighted {
            queues = queues.with_weights(&weights([1, 1, 9, 2, 100, 5, 1, 7]));
        }
        let mut paused = PrioritySet::default();
        let (mut came, mut left, mut lost) = (0, 0, 0);
        let mut dropped = Vec::new();
        for (step, number) in steps.iter().zip(0u64..) {
            let now = Time::from_ns(10 * number);
            match *step {
                Step::Arrive(priority, wire) => {
                    let packet = with(packet(priority, wire), Flags::ECT1);
                    came += 1;
                    lost += usize::from(queues.enqueue(now, &packet).is_none());
                }
                Step::Leave => {
                    dropped.clear();
                    let ready = queues.is_ready(paused);
                    let head = queues.head(now, paused, &mut dropped).copied();
                    lost += dropped.len();
                    if let Some(head) = head {
                        let priority = head.priority();
                        prop_assert!(priority.is_control() || !paused.contains(priority));
                        prop_assert!(head.arrival() <= now);
                        queues.pop(now);
                        left += 1;
                    }
                    prop_assert_eq!(ready, head.is_some() || !dropped.is_empty());
                }
                Step::Pause(priority) => paused.insert(Priority::new(priority)),
                Step::Resume(priority) => paused.remove(Priority::new(priority)),
            }
            let (mut waiting, mut bytes) = (0, 0);
            queues.for_each(|packet| {
                waiting += 1;
                bytes += u64::from(packet.wire);
            });
            prop_assert_eq!(queues.bytes().get(), bytes);
            prop_assert_eq!(came, left + lost + waiting + queues.given_up.len());
        }
    }
}

/// Returns the bytes sent of each priority if all `priorities` always have packets of the given
/// size waiting.
fn shares(mut queues: ClassQueues<()>, priorities: &[(u8, u16)]) -> [f64; 8] {
    let mut sent = [0.0; 8];
    for round in 0..40_000u64 {
        let now = Time::ZERO + Duration::from_ns(round);
        for &(priority, wire) in priorities {
            while queues.queue_bytes(Priority::new(priority)).get() < 20_000 {
                assert!(queues.enqueue(now, &packet(priority, wire)).is_some());
            }
        }
        let head = queues.head(now, PrioritySet::default(), &mut Vec::new());
        let head = head.copied().expect("some wait");
        sent[head.priority().index()] += f64::from(head.wire);
        queues.pop(now);
    }
    let total: f64 = sent.iter().sum();
    sent.map(|bytes| bytes / total)
}

#[test]
fn data_has_a_turn_after_a_number_of_control_packets() {
    let mut queues: ClassQueues<()> = ClassQueues::new(None).with_control_turns(3);
    for priority in [0, 0, 0, 0, 0, 0, 0, 0, 3, 3, 5] {
        let mut packet = packet(1, 100);
        packet = Packet::new(
            packet.kind(),
            Priority::new(priority),
            packet.key,
            packet.flow,
        );
        packet.wire = 100;
        assert!(queues.enqueue(Time::ZERO, &packet).is_some());
    }
    let mut order = Vec::new();
    while let Some(packet) = queues.head(Time::ZERO, PrioritySet::EMPTY, &mut Vec::new()) {
        order.push(packet.priority().get());
        queues.pop(Time::ZERO);
    }
    assert_eq!(order, [0, 0, 0, 3, 0, 0, 0, 5, 0, 0, 3]);
}

#[test]
fn weights_are_of_bytes() {
    let queues = ClassQueues::new(None).with_weights(&weights([1, 30, 10, 1, 1, 60, 1, 1]));
    let shares = shares(queues, &[(1, 1_514), (2, 9_000), (5, 300)]);
    for (share, expected) in [(shares[1], 0.3), (shares[2], 0.1), (shares[5], 0.6)] {
        assert!((share - expected).abs() < 0.003, "{shares:?}");
    }
}

#[test]
fn a_small_weight_is_no_hindrance_where_nobody_else_sends() {
    let mut queues =
        ClassQueues::<()>::new(None).with_weights(&weights([1, 1, u16::MAX, 1, 1, 1, 1, 1]));
    for _ in 0..3 {
        for _ in 0..10 {
            assert!(queues.enqueue(Time::ZERO, &packet(1, 9_000)).is_some());
        }
        // The queue with the large weight then gets its turn immediately, and continues.
        for _ in 0..5 {
            assert!(queues.enqueue(Time::ZERO, &packet(2, 9_000)).is_some());
        }
        let mut order = Vec::new();
        while let Some(head) = queues.head(Time::ZERO, PrioritySet::default(), &mut Vec::new()) {
            order.push(head.priority().get());
            queues.pop(Time::ZERO);
        }
        assert_eq!(order.len(), 15);
        let first = order
            .iter()
            .position(|&priority| priority == 2)
            .expect("it sends");
        assert!(first <= 1, "{order:?}");
        assert_eq!(order[first..first + 5], [2; 5]);
    }
}

#[test]
fn without_weights_turns_are_of_packets() {
    let shares = shares(ClassQueues::new(None), &[(1, 1_500), (3, 500)]);
    assert!((shares[1] - 0.75).abs() < 0.001, "{shares:?}");
}

#[test]
fn a_paused_priority_leaves_its_share_to_the_others() {
    let mut queues = ClassQueues::<()>::new(None).with_weights(&weights([1, 1, 1, 9, 1, 1, 1, 1]));
    let mut paused = PrioritySet::default();
    paused.insert(Priority::new(3));
    for priority in [1, 2, 3] {
        for _ in 0..4 {
            assert!(
                queues
                    .enqueue(Time::ZERO, &packet(priority, 1_000))
                    .is_some()
            );
        }
    }
    let mut order = Vec::new();
    while let Some(head) = queues.head(Time::ZERO, paused, &mut Vec::new()) {
        order.push(head.priority().get());
        queues.pop(Time::ZERO);
    }
    order.sort_unstable();
    assert_eq!(order, [1, 1, 1, 1, 2, 2, 2, 2]);
    assert_eq!(queues.queue_bytes(Priority::new(3)).get(), 4_000);
}

#[test]
fn packets_that_made_room_are_handed_over_at_the_next_head() {
    let mut queues = ClassQueues::<()>::new(None).with_discipline(
        Priority::new(1),
        discipline("fq_codel flows 1 limit 4 drop_batch 2"),
    );
    for _ in 0..5 {
        assert!(queues.enqueue(Time::ZERO, &packet(1, 1_000)).is_some());
    }
    assert_eq!(queues.bytes(), Bytes::new(3_000));
    let mut dropped = Vec::new();
    let mut all_paused = PrioritySet::default();
    all_paused.insert(Priority::new(1));
    assert!(queues.is_ready(all_paused));
    assert!(queues.head(Time::ZERO, all_paused, &mut dropped).is_none());
    assert_eq!(dropped.len(), 2);
    assert!(!queues.is_ready(all_paused));
    assert_eq!(
        queues
            .counters(Priority::new(1))
            .expect("a rule")
            .overload_drops
            .packets,
        2
    );
}

#[test]
fn nothing_passes_packets_that_are_to_be_handed_over() {
    let mut queues = ClassQueues::<()>::new(None)
        .with_discipline(Priority::new(1), discipline("fq_codel flows 1 limit 2"));
    assert_eq!(queues.bypass(false, &packet(3, 100)), Some(Mark::None));
    // A queue with a discipline receives all its packets.
    assert_eq!(queues.bypass(false, &packet(1, 100)), None);
    // The third packet is most of the queue, which loses half of its bytes: everything.
    for (wire, stored) in [(40, true), (40, true), (82, false)] {
        let packet = packet(1, wire);
        assert_eq!(queues.enqueue(Time::ZERO, &packet).is_some(), stored);
    }
    assert_eq!(queues.bytes(), Bytes::ZERO);
    assert!(queues.is_ready(PrioritySet::default()));
    assert_eq!(queues.bypass(false, &packet(3, 100)), None);
    let mut dropped = Vec::new();
    assert!(
        queues
            .head(Time::ZERO, PrioritySet::default(), &mut dropped)
            .is_none()
    );
    assert_eq!(dropped.len(), 2);
    assert!(!queues.is_ready(PrioritySet::default()));
    assert_eq!(queues.bypass(false, &packet(3, 100)), Some(Mark::None));
}

#[test]
fn control_beyond_its_limit_is_refused_and_data_is_not() {
    let mut queues = ClassQueues::<()>::new(None).with_control_limit(Bytes::new(150));
    let mut taken = |packet| queues.enqueue(Time::ZERO, &packet).is_some();
    let control = [(0, 60), (0, 60), (0, 60), (0, 30), (0, 1)];
    assert_eq!(
        control.map(|(priority, wire)| taken(packet(priority, wire))),
        [true, true, false, true, false]
    );
    assert!(taken(packet(3, 1_500)));
    assert_eq!(queues.bytes(), Bytes::new(1_650));
}
