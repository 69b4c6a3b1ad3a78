use fabricsim_base::checkpoint::{Checkpointed, LoadError, Reader, Writer};
use fabricsim_base::input::{Key, ValueKind};
use fabricsim_core::packet::Flags;
use serde::Deserialize;

use super::queue::AqmQueue;
use super::*;
use crate::testing::{Served, counters, offer, packet, rule_queue, serve, with};

/// A rule with fixed verdicts: on a packet that arrives with `behind` packets before it, and on a
/// packet that leaves `left` packets behind.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
struct Says {
    behind: usize,
    left: usize,
    #[serde(skip, default = "pass")]
    comes: Verdict,
    #[serde(skip, default = "pass")]
    leaves: Verdict,
}

const fn pass() -> Verdict {
    Verdict::Pass
}

impl AqmKind for Says {
    const NAME: &'static str = "says";
    const ABOUT: &'static str = "decides by the number of packets";
    const KEYS: Keys = &[
        Key::new("behind", "packets before it (required)", ValueKind::COUNT),
        Key::new("left", "packets behind it (required)", ValueKind::COUNT),
    ];

    fn validate(&self) -> Result<(), ConfigError> {
        Ok(())
    }

    fn rule(&self, _: &DisciplineContext) -> Box<dyn Aqm> {
        Box::new(self.clone())
    }
}

impl Aqm for Says {
    fn on_arrival(&mut self, _: Time, packet: &AqmPacket<'_>) -> Verdict {
        match packet.others == self.behind {
            true => self.comes,
            false => Verdict::Pass,
        }
    }

    fn on_departure(&mut self, _: Time, packet: &AqmPacket<'_>) -> Verdict {
        match packet.others == self.left && packet.ecn != Ecn::Congestion {
            true => self.leaves,
            false => Verdict::Pass,
        }
    }

    fn boxed_clone(&self) -> Box<dyn Aqm> {
        Box::new(self.clone())
    }

    fabricsim_base::saves_state!();
}

impl Checkpointed for Says {
    fn save(&self, _: &mut Writer) {}

    fn load(&mut self, _: &mut Reader<'_>) -> Result<(), LoadError> {
        Ok(())
    }
}

fn queue(comes: (usize, Verdict), leaves: (usize, Verdict)) -> AqmQueue<()> {
    rule_queue(&Says {
        behind: comes.0,
        comes: comes.1,
        left: leaves.0,
        leaves: leaves.1,
    })
}

/// Sends four packets with `flags` that arrive at the same time. Returns `true` for each departing
/// packet with a mark; dropped packets are skipped.
fn marks(queue: &mut AqmQueue<()>, flags: Flags) -> Vec<bool> {
    for _ in 0..4 {
        offer(queue, Time::ZERO, &with(packet(1, 1_000), flags));
    }
    let served = std::iter::from_fn(|| {
        let served = serve(queue, Time::from_ns(800));
        served.packet.is_some().then_some(served)
    });
    served.map(|Served { marked, .. }| marked).collect()
}

const NOTHING: (usize, Verdict) = (0, Verdict::Pass);

#[test]
fn a_packet_that_is_marked_when_it_comes_leaves_with_the_mark() {
    for flags in [Flags::ECT0, Flags::ECT1] {
        let mut queue = queue((2, Verdict::Mark), NOTHING);
        assert_eq!(marks(&mut queue, flags), [false, false, true, false]);
        assert_eq!(counters(&queue).marked, 1);
        // The positions of marks depend on all earlier packets.
        assert_eq!(marks(&mut queue, flags), [false, false, true, false]);
        assert_eq!(counters(&queue).marked, 2);
    }
}

#[test]
fn a_packet_whose_sender_understands_no_marks_is_not_marked() {
    for verdicts in [[(2, Verdict::Mark), NOTHING], [NOTHING, (1, Verdict::Mark)]] {
        let mut queue = queue(verdicts[0], verdicts[1]);
        assert_eq!(marks(&mut queue, Flags::NONE), [false; 4]);
        assert_eq!(counters(&queue).marked, 0);
    }
}

#[test]
fn a_packet_that_is_marked_already_is_not_counted_again() {
    for verdicts in [[(2, Verdict::Mark), NOTHING], [NOTHING, (1, Verdict::Mark)]] {
        let mut queue = queue(verdicts[0], verdicts[1]);
        assert_eq!(marks(&mut queue, Flags::CONGESTION), [false; 4]);
        assert_eq!(counters(&queue).marked, 0);
    }
}

#[test]
fn a_mark_stays_with_its_packet_when_others_before_it_are_dropped() {
    // The first packet is dropped at its departure.
    let mut queue = queue((2, Verdict::Mark), (3, Verdict::DropEarly));
    assert_eq!(marks(&mut queue, Flags::ECT0), [false, true, false]);
    let counted = counters(&queue);
    assert_eq!((counted.marked, counted.aqm_drops.packets), (1, 1));
}

#[test]
fn the_rule_sees_its_own_mark_when_the_packet_leaves() {
    // The rule would drop the packet that leaves one behind if it were not marked.
    let mut queue = queue((2, Verdict::Mark), (1, Verdict::DropEarly));
    assert_eq!(marks(&mut queue, Flags::ECT0), [false, false, true, false]);
}

#[test]
fn a_checkpoint_holds_the_marks_of_waiting_packets() {
    let mut queue = queue((2, Verdict::Mark), NOTHING);
    for _ in 0..4 {
        offer(&mut queue, Time::ZERO, &with(packet(1, 1_000), Flags::ECT0));
    }
    serve(&mut queue, Time::from_ns(800));
    let mut out = Writer::default();
    queue.save(&mut out);
    let bytes = out.finish().expect("nothing is refused");
    let mut restored = self::queue((2, Verdict::Mark), NOTHING);
    restored
        .load(&mut Reader::new(&bytes))
        .expect("what was saved");
    for wanted in [false, true, false] {
        assert_eq!(serve(&mut restored, Time::from_ns(900)).marked, wanted);
    }
}
