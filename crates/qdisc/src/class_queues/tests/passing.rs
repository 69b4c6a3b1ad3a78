//! Packets that bypass queues have the same effect as packets that are stored and leave.

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

/// Control and data packets wait alone until they leave, and then compete. A bypass of the queue
/// has the same effect as storing.
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
        // Alone: a discipline may reject the bypass, so that the packet is stored.
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
        // Competing: the order shows hidden state, such as the next turn and deficits.
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
