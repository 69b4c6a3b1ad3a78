//! Packets that pass queues leave no other trace than those that are stored and leave.

use std::collections::VecDeque;

use super::*;

#[test]
fn a_packet_that_passes_is_one_that_is_stored_and_leaves() {
    for rule in [
        "pfifo limit 10",
        "bfifo limit 1000",
        "step bytes 0 limit 10",
        "step sojourn 0ns",
    ] {
        let mut stored =
            ClassQueues::<()>::new(None).with_discipline(Priority::new(1), discipline(rule));
        let mut passed = stored.clone();
        for (size, number) in [400u16, 1_000, 1_001].into_iter().zip(1u64..) {
            let now = Time::from_ns(number);
            let packet = packet(1, size);
            let mark = stored.enqueue(now, &packet).is_some().then(|| {
                let mut dropped = Vec::new();
                let head = stored.head(now, PrioritySet::default(), &mut dropped);
                assert_eq!(head.map(|head| head.wire), Some(size), "{rule}");
                stored.pop(now)
            });
            let seen = passed.bypass(false, &packet);
            assert_eq!(seen, mark, "{rule}, {size} bytes");
            if seen.is_none() {
                assert!(passed.enqueue(now, &packet).is_none());
            }
            let counters = |queues: &ClassQueues<()>| queues.counters(Priority::new(1)).clone();
            assert_eq!(counters(&passed), counters(&stored), "{rule}, {size} bytes");
        }
    }
}

/// Control and data that wait alone, each until it leaves, and then contend, leave no trace that they
/// have passed the queue in place of being stored.
#[test]
fn a_packet_that_waits_alone_and_passes_is_one_that_is_stored_and_leaves() {
    let plain = || ClassQueues::<()>::new(None);
    let of = |rule| plain().with_discipline(Priority::new(3), discipline(rule));
    let weights = weights([1, 1, 1, 9, 1, 1, 1, 1]);
    let kinds = [
        ("plain", plain()),
        ("marked", ClassQueues::new(Some(markers()))),
        ("weights", plain().with_weights(&weights)),
        ("turns of control", plain().with_control_turns(2)),
        (
            "little control",
            plain().with_control_limit(Bytes::new(500)),
        ),
        ("tail drop", of("pfifo limit 10")),
        ("marks by time", of("step sojourn 5ns")),
        ("marks by bytes", of("step bytes 0 limit 10")),
        ("codel", of("codel")),
    ];
    for (name, queues) in kinds {
        let (mut stored, mut passed) = (queues.clone(), queues);
        let leave = |queues: &mut ClassQueues<()>, now| {
            let mut dropped = Vec::new();
            let left = queues.head(now, PrioritySet::default(), &mut dropped);
            left.map(|packet| (packet.priority(), packet.seq))
                .map(|packet| (packet, queues.pop(now)))
        };
        let arrivals = [
            (0, 600),
            (3, 1_000),
            (0, 100),
            (1, 1_500),
            (0, 100),
            (3, 60),
        ];
        for (&(priority, wire), number) in arrivals.iter().zip(0u64..) {
            let (now, free) = (Time::from_ns(20 * number), Time::from_ns(20 * number + 10));
            let packet = packet(priority, wire);
            let mark = (stored.enqueue(now, &packet).is_some())
                .then(|| leave(&mut stored, free).expect("it has just come").1);
            let seen = passed.bypass(true, &packet).or_else(|| {
                (passed.enqueue(now, &packet).is_some())
                    .then(|| leave(&mut passed, free).expect("it has just come").1)
            });
            assert_eq!(seen, mark, "{name}, packet {number}");
        }
        let order = |queues: &mut ClassQueues<()>| {
            let now = Time::from_ns(1_000);
            for (priority, seq) in [(3, 0), (0, 1), (1, 2), (0, 3), (0, 4), (3, 5), (1, 6)] {
                let mut packet = packet(priority, 100);
                packet.seq = seq;
                assert!(queues.enqueue(now, &packet).is_some(), "{name}");
            }
            std::iter::from_fn(|| leave(queues, now)).collect::<Vec<_>>()
        };
        assert_eq!(order(&mut passed), order(&mut stored), "{name}");
        let counters = |queues: &ClassQueues<()>| queues.counters(Priority::new(3));
        assert_eq!(counters(&passed), counters(&stored), "{name}");
        assert_eq!(
            format!("{:?}", passed.turns),
            format!("{:?}", stored.turns),
            "{name}"
        );
    }
}

/// Serves what waits in queues: the first packet that is there.
fn serve<Q: Qdisc<()>>(queues: &mut Q) -> Option<(u64, Mark)> {
    let now = Time::ZERO;
    let head = queues.head(now, PrioritySet::default(), &mut Vec::new());
    head.map(|packet| packet.seq)
        .map(|seq| (seq, queues.pop(now)))
}

/// Stores packets of control and of priority 4 in `stored`, and lets them wait elsewhere for `queues`;
/// `steps` are packets that come, or `None` where one leaves. They leave in the same order with the same
/// marks, and later packets of several priorities do, too.
fn wait_elsewhere<Q: Qdisc<()>>(queues: Q, steps: &[Option<(bool, u16)>]) {
    let (mut stored, mut elsewhere) = (queues.clone(), queues);
    let (mut control, mut data) = (VecDeque::new(), VecDeque::new());
    let leaves = steps.iter().map(|_| &None);
    for (step, seq) in steps.iter().chain(leaves).zip(0u64..) {
        if let &Some((is_control, wire)) = step {
            let mut packet = packet(if is_control { 0 } else { 4 }, wire);
            packet.seq = seq;
            assert!(elsewhere.is_plain(packet.priority()));
            assert!(stored.enqueue(Time::ZERO, &packet).is_some());
            (if is_control { &mut control } else { &mut data }).push_back(packet);
            continue;
        }
        let next = control.pop_front().or_else(|| data.pop_front());
        let left = data.iter().map(Packet::size).sum();
        let seen = next.map(|packet| (packet.seq, elsewhere.leave_behind(&packet, left)));
        assert_eq!(seen, serve(&mut stored));
    }
    for (priority, seq) in [(4, 0), (0, 1), (1, 2), (4, 3), (5, 4), (1, 5), (4, 6)] {
        let mut packet = packet(priority, 400);
        packet.seq = seq;
        for queues in [&mut stored, &mut elsewhere] {
            assert!(queues.enqueue(Time::ZERO, &packet).is_some());
        }
    }
    for _ in 0..8 {
        assert_eq!(serve(&mut elsewhere), serve(&mut stored));
    }
}

proptest::proptest! {
    #[test]
    fn packets_of_plain_queues_may_wait_elsewhere(steps in proptest::collection::vec(proptest::option::weighted(0.6, (proptest::bool::weighted(0.3), 60u16..1_500)), 0..80)) {
        wait_elsewhere(ClassQueues::new(None), &steps);
        wait_elsewhere(ClassQueues::new(Some(markers())), &steps);
        wait_elsewhere(PriorityQueues::new(None), &steps);
        wait_elsewhere(PriorityQueues::new(Some(markers())), &steps);
    }
}

#[test]
fn queues_that_count_or_have_a_rule_or_little_room_want_their_packets() {
    let (control, data) = (Priority::CONTROL, Priority::new(3));
    let plain = || ClassQueues::<()>::new(None);
    assert!(plain().is_plain(control) && plain().is_plain(data));
    for queues in [
        plain().with_weights(&weights([1; 8])),
        plain().with_control_turns(2),
        plain().with_control_limit(Bytes::new(500)),
    ] {
        assert!(!queues.is_plain(control) && !queues.is_plain(data));
    }
    let ruled = plain().with_discipline(data, discipline("pfifo limit 10"));
    assert!(ruled.is_plain(control) && !ruled.is_plain(data));
}
