use fabricsim_base::units::{Duration, Rate};
use fabricsim_core::packet::{Ecn, Flags};
use proptest::prelude::*;

use super::*;
use crate::testing::flow_packet;

const CONTEXT: DisciplineContext = DisciplineContext {
    seed: 11,
    entity: 4,
    rate: Rate::from_mbps(50),
    packet: Bytes::new(1_514),
};

/// Returns every kind, with limits and times that random traffic reaches.
fn configs() -> Vec<DisciplineConfig> {
    [
        "shared-buffer",
        "pfifo limit 20",
        "bfifo limit 15KB",
        "red limit 40KB min 5KB max 15KB weight 0.1 probability 0.2 ecn",
        "red limit 40KB min 5KB max 15KB weight 1 noecn",
        "step packets 4 limit 30",
        "step sojourn 200us",
        "codel limit 50 target 200us interval 2ms ecn",
        "codel limit 50 target 200us interval 2ms noecn linux_newton",
        "fq_codel flows 1 limit 30 target 200us interval 2ms",
        "fq_codel flows 4 limit 25 target 200us interval 2ms noecn drop_batch 5",
        "fq_codel flows 1024 limit 40 memory_limit 20KB target 300us interval 3ms",
        "dualpi2 target 300us tupdate 500us alpha 20 beta 200 step_thresh 200us limit 60",
        "dualpi2 target 300us tupdate 500us alpha 20 beta 200 scheduler time-shifted limit 30",
    ]
    .iter()
    .map(|text| text.parse().expect("a good description"))
    .collect()
}

/// A step of random traffic: elapsed time, arriving packets, number of departing packets.
type Step = (u64, Vec<(u32, u16, u8)>, usize);

fn traffic() -> impl Strategy<Value = Vec<Step>> {
    let packets = proptest::collection::vec((0u32..6, 40u16..1_515, 0u8..4), 0..8);
    proptest::collection::vec((0u64..400, packets, 0usize..6), 1..60)
}

fn total(packets: &[Packet<()>]) -> (u64, u64) {
    let bytes = packets.iter().map(|packet| u64::from(packet.wire)).sum();
    (packets.len() as u64, bytes)
}

proptest! {
    /// Every arriving packet leaves once, is dropped once, or waits. The order within a flow and a
    /// kind of sender is kept. The counters agree.
    #[test]
    fn packets_are_conserved(steps in traffic()) {
        for config in configs() {
            let mut queue = AnyDiscipline::<()>::new(&config, &CONTEXT);
            let mut now = Time::ZERO;
            let (mut came, mut left, mut lost) = (Vec::new(), Vec::new(), Vec::new());
            let mut marks = 0;
            for (wait, packets, leave) in &steps {
                now += Duration::from_us(*wait);
                for &(flow, wire, ecn) in packets {
                    let mut packet = flow_packet(flow, wire);
                    packet.flags = [Flags::NONE, Flags::ECT0, Flags::ECT1, Flags::CONGESTION]
                        [usize::from(ecn)];
                    packet.seq = came.len() as u64;
                    packet.payload = u16::from(ecn);
                    came.push(packet);
                    if queue.enqueue(now, &packet, &mut lost).is_none() {
                        lost.push(packet);
                    }
                }
                for _ in 0..*leave {
                    let Some(head) = queue.head(now, &mut lost).copied() else {
                        prop_assert_eq!(queue.packets(), 0);
                        break;
                    };
                    left.push(head);
                    let marked = queue.pop(now) == Mark::Congestion;
                    prop_assert!(!marked || matches!(head.ecn(), Ecn::Ect0 | Ecn::Ect1));
                    marks += u64::from(marked);
                }
                // Each packet is in exactly one place.
                let mut waiting = Vec::new();
                queue.for_each(|packet| waiting.push(*packet));
                let (packets, bytes) = total(&waiting);
                prop_assert_eq!((queue.packets() as u64, queue.bytes().get()), (packets, bytes));
                let mut all: Vec<u64> =
                    left.iter().chain(&lost).chain(&waiting).map(|packet| packet.seq).collect();
                all.sort_unstable();
                prop_assert_eq!(all, (0..came.len() as u64).collect::<Vec<u64>>());

                let Some(counters) = queue.counters() else {
                    prop_assert_eq!(queue.rule(), None);
                    continue;
                };
                let tally = |tally: crate::Tally| (tally.packets, tally.bytes.get());
                prop_assert_eq!(tally(counters.offered), total(&came));
                prop_assert_eq!(tally(counters.dequeued), total(&left));
                prop_assert_eq!(tally(counters.dropped()), total(&lost));
                prop_assert_eq!(counters.marked, marks);
                prop_assert_eq!(counters.sojourn.count(), left.len() as u64);
                prop_assert!(counters.sojourn.longest() <= now.since(Time::ZERO));
            }
            // Disciplines may reorder flows, and L4S traffic within a flow, but nothing else.
            for (flow, ecn) in (0..6).flat_map(|flow| (0..4).map(move |ecn| (flow, ecn))) {
                let mut numbers = left
                    .iter()
                    .filter(|packet| packet.flow.0 == flow && packet.payload == ecn)
                    .map(|packet| packet.seq);
                let mut last = None;
                prop_assert!(numbers.all(|number| last.replace(number) < Some(number)));
            }
            // Drain the queue.
            while queue.head(now, &mut lost).is_some() {
                queue.pop(now);
            }
            prop_assert_eq!((queue.packets(), queue.bytes().get()), (0, 0));
        }
    }

    /// The same traffic and seed lead to the same decisions.
    #[test]
    fn decisions_are_repeated(steps in traffic()) {
        for config in configs() {
            let run = || {
                let mut queue = AnyDiscipline::<()>::new(&config, &CONTEXT);
                let mut now = Time::ZERO;
                let (mut log, mut lost) = (Vec::new(), Vec::new());
                for (wait, packets, leave) in &steps {
                    now += Duration::from_us(*wait);
                    for &(flow, wire, _) in packets {
                        let packet = flow_packet(flow, wire);
                        log.push(u32::from(queue.enqueue(now, &packet, &mut lost).is_some()));
                    }
                    for _ in 0..*leave {
                        if let Some(head) = queue.head(now, &mut lost) {
                            log.push(head.flow.0);
                            log.push(u32::from(queue.pop(now) == Mark::Congestion));
                        }
                    }
                }
                log.extend(lost.iter().map(|packet| packet.flow.0));
                log
            };
            prop_assert_eq!(run(), run());
        }
    }
}

#[test]
fn a_port_with_plain_queues_stays_small() {
    assert!(size_of::<AnyDiscipline<()>>() <= 48);
}
