use std::collections::HashMap;

use fabricsim_base::checkpoint::{Reader, Writer};
use fabricsim_base::units::Duration;

use super::*;

const PACKET: Bytes = Bytes::new(1_048);

fn port(gbps: u64) -> PortBuffer {
    PortBuffer {
        rate: Rate::from_gbps(gbps),
        delay: Duration::from_us(1),
    }
}

fn buffer(size: u64, pfc: Pfc) -> SharedBuffer {
    let config = BufferConfig {
        size: Bytes::new(size),
        pfc,
        ..BufferConfig::default()
    };
    SharedBuffer::new(&config, Rate::from_gbps(100), &[port(100), port(400)])
}

#[test]
fn a_faster_port_has_a_larger_share() {
    let nic = Rate::from_gbps(100);
    let share = |alpha, gbps| share_of(alpha, nic, Rate::from_gbps(gbps));
    assert_eq!(share(0.125, 100), ONE / 8);
    assert_eq!(share(0.125, 400), ONE / 2);
    assert_eq!(share(0.125, 1_600), ONE);
    assert_eq!(share(0.125, 40), ONE / 8);
    assert_eq!(share(0.3, 100), 4_915);
    assert_eq!(share(0.3, 200), 9_830);
    assert_eq!(share(0.3, 400), ONE);
}

/// A single queue pauses its sender when it has used the share `alpha` of the bytes that it leaves
/// free: alpha / (1 + alpha) of the whole. So "11% of the free buffer" is 9.9% of the buffer, and
/// 1/8 corresponds to a ninth (11.1%).
#[test]
fn a_single_queue_settles_at_its_share_of_what_it_leaves_free() {
    for (alpha, settled) in [
        (0.125, 1.0 / 9.0),
        (0.11, 0.11 / 1.11),
        (1.0, 0.5),
        (0.25, 0.2),
    ] {
        let config = BufferConfig {
            size: Bytes::new(32 << 20),
            reserve: Bytes::ZERO,
            alpha,
            ..BufferConfig::default()
        };
        let mut buffer = SharedBuffer::new(&config, Rate::from_gbps(100), &[port(100), port(100)]);
        let room = buffer.shared_capacity().as_f64();
        let mut stored = PACKET;
        while buffer.admit(PortId(0), PortId(1), Priority::new(3), PACKET) == Admit::Accept {
            stored += PACKET;
        }
        let share = stored.as_f64() / room;
        assert!((share - settled).abs() < 1e-4, "{alpha}: {share}");
        // Another priority of the port has its own share.
        let other = buffer.admit(PortId(0), PortId(1), Priority::new(4), PACKET);
        assert_eq!(other, Admit::Accept);
    }
}

#[test]
fn the_published_headroom_is_three_one_way_delays() {
    let config = BufferConfig {
        headroom: Headroom::Published,
        ..BufferConfig::default()
    };
    let buffer = SharedBuffer::new(&config, Rate::from_gbps(100), &[port(100)]);
    assert_eq!(buffer.shared_capacity().get(), (32 << 20) - 37_500 - 4_096);
}

#[test]
fn pauses_once_and_resumes_once() {
    let mut buffer = buffer(2 << 20, Pfc::On);
    let mut stored = 0;
    let paused_at = loop {
        stored += 1;
        match buffer.admit(PortId(0), PortId(1), Priority::new(3), PACKET) {
            Admit::Accept => {}
            Admit::AcceptAndPause => break stored,
            Admit::Drop | Admit::Trim => panic!("a lossless buffer pauses before it drops"),
        }
    };
    assert_eq!(
        buffer.admit(PortId(0), PortId(1), Priority::new(3), PACKET),
        Admit::Accept
    );
    stored += 1;
    let mut resumes = 0;
    for _ in 0..stored {
        if buffer.release(PortId(0), PortId(1), Priority::new(3), PACKET) == Release::Resume {
            resumes += 1;
        }
    }
    assert!(paused_at > 100, "{paused_at}");
    assert_eq!(resumes, 1);
    assert_eq!(buffer.used(), Bytes::ZERO);
}

#[test]
fn a_pause_that_is_forgotten_is_sent_again_and_not_resumed() {
    let mut buffer = buffer(2 << 20, Pfc::On);
    let fill = |buffer: &mut SharedBuffer| {
        (1..10_000).find(|_| {
            buffer.admit(PortId(0), PortId(1), Priority::new(3), PACKET) == Admit::AcceptAndPause
        })
    };
    let stored = fill(&mut buffer).unwrap();
    buffer.forget_pauses(PortId(0));
    assert_eq!(fill(&mut buffer), Some(1));
    buffer.forget_pauses(PortId(0));
    for _ in 0..=stored {
        let released = buffer.release(PortId(0), PortId(1), Priority::new(3), PACKET);
        assert_eq!(released, Release::Quiet);
    }
    assert_eq!(buffer.used(), Bytes::ZERO);
}

#[test]
fn without_pfc_packets_beyond_the_threshold_are_dropped() {
    let mut buffer = buffer(1 << 20, Pfc::Off);
    let verdicts: Vec<Admit> = (0..2_000)
        .map(|_| buffer.admit(PortId(0), PortId(1), Priority::new(3), PACKET))
        .collect();
    assert!(verdicts.contains(&Admit::Drop));
    assert!(!verdicts.contains(&Admit::AcceptAndPause));
    assert!(buffer.used().get() <= 1 << 20);
}

proptest::proptest! {
    #[test]
    fn accounting_balances_for_any_order(
        steps in proptest::collection::vec((0u16..2, 1u8..8, 60u64..1_600, proptest::bool::ANY), 1..400)
    ) {
        let mut buffer = buffer(300 << 10, Pfc::On);
        let mut held: Vec<(u16, u8, u64)> = Vec::new();
        for (ingress, priority, size, leave) in steps {
            if leave && !held.is_empty() {
                let (ingress, priority, size) = held.remove(0);
                buffer.release(PortId(ingress), PortId(1), Priority::new(priority), Bytes::new(size));
            } else if buffer.admit(PortId(ingress), PortId(1), Priority::new(priority), Bytes::new(size)) != Admit::Drop {
                held.push((ingress, priority, size));
            }
            let sum: u64 = held.iter().map(|h| h.2).sum();
            proptest::prop_assert_eq!(buffer.used().get(), sum);
        }
        for (ingress, priority, size) in held {
            buffer.release(PortId(ingress), PortId(1), Priority::new(priority), Bytes::new(size));
        }
        proptest::prop_assert_eq!(buffer.used().get(), 0);
        proptest::prop_assert_eq!(buffer.shared_used, 0);
    }
}

proptest::proptest! {
    /// A packet within the slack is admitted without a pause, and has no further effect if it is
    /// released immediately.
    #[test]
    fn a_packet_within_the_slack_leaves_no_trace(
        pfc in proptest::sample::select(vec![Pfc::On, Pfc::Off]),
        steps in proptest::collection::vec((0u16..2, 3u8..5, 60u64..1_600, proptest::bool::weighted(0.3)), 1..400)
    ) {
        let mut buffer = buffer(1 << 20, pfc);
        let mut held: Vec<(u16, u8, u64)> = Vec::new();
        let mut passed = 0;
        for (ingress, priority, size, leave) in steps {
            let (port, queue, bytes) = (PortId(ingress), Priority::new(priority), Bytes::new(size));
            if bytes <= buffer.slack().packet {
                let mut other = buffer.clone();
                proptest::prop_assert_eq!(other.admit(port, PortId(1), queue, bytes), Admit::Accept);
                proptest::prop_assert_eq!(other.release(port, PortId(1), queue, bytes), Release::Quiet);
                proptest::prop_assert_eq!(format!("{other:?}"), format!("{buffer:?}"));
                passed += 1;
            }
            if leave && !held.is_empty() {
                let (ingress, priority, size) = held.remove(0);
                buffer.release(PortId(ingress), PortId(1), Priority::new(priority), Bytes::new(size));
            } else if buffer.admit(port, PortId(1), queue, bytes) != Admit::Drop {
                held.push((ingress, priority, size));
            }
        }
        proptest::prop_assert!(passed > 0, "the first packet is within it");
    }
}

/// The rules of a shared buffer without fast paths, with plain numbers for each port and priority.
#[derive(Clone, Debug)]
struct Plain {
    like: SharedBuffer,
    /// Bytes in reserve and shared part, bytes in the headroom, `true` if paused.
    shares: HashMap<(u16, u8), (u64, u64, bool)>,
}

impl Plain {
    fn threshold(&self, port: u16, used: u64) -> u64 {
        let alpha = self.like.ingress[usize::from(port)].alpha;
        part_of(self.like.capacity.saturating_sub(used), alpha)
    }

    fn used(&self) -> u64 {
        let shared = |&(bytes, _, _): &(u64, u64, bool)| bytes.saturating_sub(self.like.reserve);
        self.shares.values().map(shared).sum()
    }

    fn admit(&mut self, port: u16, priority: u8, size: u64) -> Admit {
        let key = (port, priority);
        let (bytes, headroom, paused) = self.shares.get(&key).copied().unwrap_or_default();
        let threshold = self.threshold(port, self.used());
        let reserve = self.like.reserve;
        let room = self.like.ingress[usize::from(port)].headroom;
        let beyond = match self.like.usable_reserve {
            0 => bytes.saturating_sub(reserve) + size,
            _ => (bytes + size).saturating_sub(reserve),
        };
        if headroom + size > room && beyond > threshold {
            return Admit::Drop;
        }
        let stored = if (bytes + size).saturating_sub(reserve) > threshold {
            (bytes, headroom + size)
        } else {
            (bytes + size, headroom)
        };
        self.shares.insert(key, (stored.0, stored.1, paused));
        let is_full = stored.0.saturating_sub(reserve) >= self.threshold(port, self.used());
        let pauses = self.like.pfc == Pfc::On && !paused && (stored.1 > 0 || is_full);
        self.shares
            .insert(key, (stored.0, stored.1, paused || pauses));
        if pauses {
            Admit::AcceptAndPause
        } else {
            Admit::Accept
        }
    }

    fn release(&mut self, port: u16, priority: u8, size: u64) -> Release {
        let key = (port, priority);
        let (bytes, headroom, paused) = self.shares[&key];
        let from_headroom = headroom.min(size);
        let left = (bytes - (size - from_headroom), headroom - from_headroom);
        self.shares.insert(key, (left.0, left.1, paused));
        let shared = left.0.saturating_sub(self.like.reserve);
        let threshold = self.threshold(port, self.used());
        let low = shared == 0 || shared + self.like.resume_offset <= threshold;
        if paused && left.1 == 0 && low {
            self.shares.insert(key, (left.0, left.1, false));
            Release::Resume
        } else {
            Release::Quiet
        }
    }
}

proptest::proptest! {
    /// Verdicts equal the ones of the plain rules, and a calm buffer admits every packet without a
    /// pause.
    #[test]
    fn shortcuts_change_no_verdict(
        size in proptest::sample::select(vec![20_000u64, 300_000, 1 << 20, 8 << 20]),
        lossless: bool,
        headroom in proptest::sample::select(vec![Headroom::WorstCase, Headroom::Published]),
        alpha in proptest::sample::select(vec![0.125, 1.0 / 128.0, 1.0]),
        steps in proptest::collection::vec((0u16..2, 3u8..5, 1u64..10_000, 0u8..5), 1..600),
    ) {
        let config = BufferConfig {
            size: Bytes::new(size),
            pfc: if lossless { Pfc::On } else { Pfc::Off },
            headroom,
            alpha,
            ..BufferConfig::default()
        };
        let ports = [port(100), port(400)];
        let mut buffer = SharedBuffer::new(&config, Rate::from_gbps(100), &ports);
        let mut plain = Plain { like: buffer.clone(), shares: HashMap::new() };
        let mut stored: Vec<(u16, u8, u64)> = Vec::new();
        for (ingress, priority, size, choice) in steps {
            let (from, class) = (PortId(ingress), Priority::new(priority));
            if choice == 0 && !stored.is_empty() {
                let (ingress, priority, size) = stored.swap_remove(0);
                let class = Priority::new(priority);
                let released =
                    buffer.release(PortId(ingress), PortId(0), class, Bytes::new(size));
                proptest::prop_assert_eq!(released, plain.release(ingress, priority, size));
            } else {
                let (calm, bytes) = (buffer.is_calm(), Bytes::new(size));
                if calm {
                    let mut other = plain.clone();
                    proptest::prop_assert_eq!(other.admit(ingress, priority, size), Admit::Accept);
                    let released = other.release(ingress, priority, size);
                    proptest::prop_assert_eq!(released, Release::Quiet);
                }
                let verdict = buffer.admit(from, PortId(0), class, bytes);
                proptest::prop_assert_eq!(verdict, plain.admit(ingress, priority, size));
                proptest::prop_assert!(!calm || verdict == Admit::Accept);
                if verdict != Admit::Drop {
                    stored.push((ingress, priority, size));
                }
            }
            proptest::prop_assert_eq!(buffer.shared_used, plain.used());
        }
        for (ingress, priority, size) in stored {
            let class = Priority::new(priority);
            buffer.release(PortId(ingress), PortId(0), class, Bytes::new(size));
        }
        proptest::prop_assert_eq!((buffer.used(), buffer.tense), (Bytes::ZERO, 0));
    }
}

proptest::proptest! {
    /// A packet that fits into the unused reserve of its port is admitted, no matter how full the
    /// shared part is.
    #[test]
    fn a_reserve_is_its_ports_own(
        size in 9_000u64..40_000,
        steps in proptest::collection::vec((0u16..2, 3u8..5, 60u64..1_600, proptest::bool::weighted(0.2)), 1..300),
    ) {
        let config = BufferConfig {
            size: Bytes::new(size),
            pfc: Pfc::Off,
            priorities: 2,
            ..BufferConfig::default()
        };
        let reserve = config.reserve.get();
        let ports = [port(100), port(100)];
        let mut buffer = SharedBuffer::new(&config, Rate::from_gbps(100), &ports);
        let mut held: Vec<(u16, u8, u64)> = Vec::new();
        for (ingress, priority, size, leaves) in steps {
            if leaves && !held.is_empty() {
                let (ingress, priority, size) = held.remove(0);
                buffer.release(PortId(ingress), PortId(1), Priority::new(priority), Bytes::new(size));
                continue;
            }
            let own = held.iter().filter(|own| (own.0, own.1) == (ingress, priority));
            let own: u64 = own.map(|own| own.2).sum();
            let verdict =
                buffer.admit(PortId(ingress), PortId(1), Priority::new(priority), Bytes::new(size));
            proptest::prop_assert!(verdict == Admit::Accept || own + size > reserve, "{own} + {size}");
            if verdict == Admit::Accept {
                held.push((ingress, priority, size));
            }
        }
    }
}

#[test]
fn a_usual_buffer_is_calm_until_it_fills() {
    let mut buffer = buffer(8 << 20, Pfc::Off);
    let mut stored = 0;
    while buffer.is_calm() {
        assert_eq!(
            buffer.admit(PortId(0), PortId(1), Priority::new(3), PACKET),
            Admit::Accept
        );
        stored += PACKET.get();
    }
    assert!(stored > 800_000, "{stored} bytes");
}

#[test]
fn a_checkpoint_holds_what_is_in_the_headroom() {
    let fresh = buffer(8 << 20, Pfc::On);
    let (mut full, mut restored) = (fresh.clone(), fresh);
    let data = Priority::new(3);
    let mut stored = 0;
    while full.ingress[0].shares[3].headroom < 3 * PACKET.get() {
        full.admit(PortId(0), PortId(1), data, PACKET);
        stored += 1;
    }
    let mut out = Writer::default();
    full.save(&mut out);
    let bytes = out.finish().expect("nothing is refused");
    restored
        .load(&mut Reader::new(&bytes))
        .expect("what was saved");
    for _ in 0..stored {
        let expected = full.release(PortId(0), PortId(1), data, PACKET);
        assert_eq!(
            restored.release(PortId(0), PortId(1), data, PACKET),
            expected
        );
    }
    assert_eq!((restored.used(), full.used()), (Bytes::ZERO, Bytes::ZERO));
}
