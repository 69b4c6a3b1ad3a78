use fabricsim_base::units::Duration;
use proptest::prelude::*;

use super::*;

const LOSSY: Priority = Priority::new(1);
const LOSSLESS: Priority = Priority::new(3);
const PACKET: Bytes = Bytes::new(1_538);

fn ports() -> [PortBuffer; 3] {
    [PortBuffer {
        rate: Rate::from_gbps(100),
        delay: Duration::from_us(1),
    }; 3]
}

fn buffer(size: u64, alpha: f64) -> MixedBuffer {
    limited(size, alpha, None)
}

fn limited(size: u64, alpha: f64, limit: Option<Bytes>) -> MixedBuffer {
    let config = BufferConfig {
        size: Bytes::new(size),
        ..BufferConfig::default()
    };
    let lossy = LossyConfig {
        priorities: PrioritySet::from_iter([LOSSY]),
        alpha,
        limit,
        trimmed: PrioritySet::EMPTY,
        trim_above: Bytes::ZERO,
    };
    MixedBuffer::new(&config, lossy, Rate::from_gbps(100), &ports())
}

fn fill(buffer: &mut MixedBuffer, egress: u16) -> u64 {
    let mut stored = 0;
    while buffer.admit(PortId(0), PortId(egress), LOSSY, PACKET) == Admit::Accept {
        stored += PACKET.get();
    }
    stored
}

#[test]
fn a_queue_grows_to_its_share_of_what_it_leaves_free() {
    for (alpha, share) in [(1.0, 0.5), (0.25, 0.2), (4.0, 0.8)] {
        let mut buffer = buffer(2 << 20, alpha);
        let room = buffer.lossless.shared_capacity().as_f64();
        let stored = fill(&mut buffer, 1);
        #[expect(clippy::cast_precision_loss, reason = "megabytes")]
        let taken = stored as f64 / room;
        assert!((taken - share).abs() < 0.01, "{alpha}: {taken}");
        // Another queue has its share of the rest.
        assert!(fill(&mut buffer, 2) > 0, "{alpha}");
    }
}

/// A single congested queue has alpha B / (1 + alpha): with alpha = 256 KiB / (B - 256 KiB) it has
/// 256 KiB, for every B.
#[test]
fn a_share_can_stand_for_a_length() {
    const LENGTH: u64 = 256 << 10;
    for size in [12u64 << 20, 32 << 20, 1 << 30] {
        let room = buffer(size, 1.0).lossless.shared_capacity().get();
        #[expect(clippy::cast_precision_loss, reason = "a gigabyte")]
        let alpha = LENGTH as f64 / (room - LENGTH) as f64;
        let stored = fill(&mut buffer(size, alpha), 1);
        assert!(
            stored.abs_diff(LENGTH) <= PACKET.get() + 64,
            "{size}: {stored}"
        );
    }
}

#[test]
fn a_queue_with_a_limit_never_exceeds_it() {
    let limit = Bytes::new(256_000);
    let mut buffer = limited(32 << 20, 1.0, Some(limit));
    for egress in [1, 2] {
        let stored = fill(&mut buffer, egress);
        assert!(stored <= limit.get() && stored + PACKET.get() > limit.get());
    }
    // Departing packets make room for the same number of bytes.
    buffer.release(PortId(0), PortId(1), LOSSY, PACKET);
    assert_eq!(
        fill(&mut buffer, 1),
        fill(&mut limited(32 << 20, 1.0, Some(PACKET)), 1)
    );
}

#[test]
fn what_a_trimmed_queue_has_no_room_for_is_cut() {
    let lossy = LossyConfig {
        priorities: PrioritySet::DATA,
        alpha: 1.0,
        limit: None,
        trimmed: PrioritySet::from_iter([LOSSLESS]),
        trim_above: Bytes::new(3 * 1_048),
    };
    let config = BufferConfig::default();
    let mut buffer = MixedBuffer::new(&config, lossy, Rate::from_gbps(100), &ports());
    let mut admit = |priority| buffer.admit(PortId(0), PortId(1), priority, Bytes::new(1_048));
    assert_eq!([(); 3].map(|()| admit(LOSSLESS)), [Admit::Accept; 3]);
    assert_eq!(admit(LOSSLESS), Admit::Trim);
    assert_eq!(admit(LOSSY), Admit::Accept);
    buffer.release(PortId(0), PortId(1), LOSSLESS, Bytes::new(1_048));
    let again = buffer.admit(PortId(2), PortId(1), LOSSLESS, Bytes::new(1_048));
    assert_eq!(again, Admit::Accept);
}

#[test]
fn lossy_packets_pause_nobody_and_lossless_ones_are_paused_in_time() {
    let mut buffer = buffer(1 << 20, 256.0);
    fill(&mut buffer, 1);
    assert!(!buffer.has_paused(PortId(0), LOSSY));
    // The shared part is used up: the reserve is left, then the headroom for packets in flight.
    let mut pauses = 0;
    for _ in 0..20 {
        match buffer.admit(PortId(0), PortId(2), LOSSLESS, Bytes::new(1_048)) {
            Admit::Drop | Admit::Trim => panic!("a lossless packet is dropped"),
            Admit::AcceptAndPause => pauses += 1,
            Admit::Accept => {}
        }
    }
    assert_eq!(pauses, 1);
}

proptest! {
    /// After any arrivals and departures, the accounts match the stored packets, lossy packets
    /// never pause, and a lossless neighbor that obeys pauses loses no packet.
    #[test]
    fn accounts_balance_and_lossless_packets_are_never_dropped(
        steps in prop::collection::vec((0u16..3, 0u16..3, any::<bool>(), 60u64..1_600, any::<bool>()), 1..600)
    ) {
        let mut buffer = buffer(200 << 10, 1.0);
        let mut held: Vec<(u16, u16, Priority, u64)> = Vec::new();
        for (ingress, egress, lossy, size, leave) in steps {
            let priority = if lossy { LOSSY } else { LOSSLESS };
            if leave && !held.is_empty() {
                let (ingress, egress, priority, size) = held.remove(0);
                buffer.release(PortId(ingress), PortId(egress), priority, Bytes::new(size));
            } else if !buffer.has_paused(PortId(ingress), priority) {
                let verdict = buffer.admit(PortId(ingress), PortId(egress), priority, Bytes::new(size));
                prop_assert!(lossy || verdict != Admit::Drop);
                prop_assert!(!lossy || verdict != Admit::AcceptAndPause);
                if verdict != Admit::Drop {
                    held.push((ingress, egress, priority, size));
                }
            }
            let sum: u64 = held.iter().map(|h| h.3).sum();
            prop_assert_eq!(buffer.used().get(), sum);
            prop_assert!(sum <= 200 << 10);
        }
        for (ingress, egress, priority, size) in held {
            buffer.release(PortId(ingress), PortId(egress), priority, Bytes::new(size));
        }
        prop_assert_eq!(buffer.used().get(), 0);
        prop_assert_eq!(buffer.lossless.free_shared(), buffer.lossless.shared_capacity().get());
    }
}

#[test]
fn a_packet_beyond_the_limit_is_not_within_the_slack() {
    let buffer = limited(32 << 20, 1.0, Some(Bytes::new(1_000)));
    assert_eq!(buffer.slack().packet, Bytes::new(1_000));
}

#[test]
fn a_usual_buffer_is_calm_until_it_fills() {
    let mut buffer = buffer(8 << 20, 1.0);
    let mut stored = 0;
    while buffer.slack().is_calm() {
        let verdict = buffer.admit(PortId(0), PortId(1), LOSSY, PACKET);
        assert_eq!(verdict, Admit::Accept);
        stored += PACKET.get();
    }
    assert!(stored > 100_000, "{stored} bytes");
}

proptest! {
    /// A packet within the slack changes nothing. While the buffer is calm, the verdict on a packet
    /// is the same if other ports have not yet released the bytes of departed packets.
    #[test]
    fn shortcuts_change_no_verdict(
        size in prop::sample::select(vec![200u64 << 10, 600 << 10, 2 << 20]),
        alpha in prop::sample::select(vec![1.0 / 16.0, 1.0, 8.0]),
        limit in prop::sample::select(vec![None, Some(Bytes::new(9_000)), Some(Bytes::new(60_000))]),
        steps in prop::collection::vec((0u16..3, 0u16..3, 0u8..4, 60u64..9_100, 0u8..3), 1..600),
    ) {
        let mut exact = limited(size, alpha, limit);
        let mut late = exact.clone();
        let mut held: Vec<(PortId, PortId, Priority, Bytes)> = Vec::new();
        let mut owed = Vec::new();
        for (ingress, egress, class, size, choice) in steps {
            if choice == 0 && !held.is_empty() {
                let packet = held.remove(0);
                let (ingress, egress, priority, size) = packet;
                exact.release(ingress, egress, priority, size);
                owed.push(packet);
                continue;
            }
            let (ingress, egress, size) = (PortId(ingress), PortId(egress), Bytes::new(size));
            let priority = if class == 0 { LOSSLESS } else { LOSSY };
            if exact.has_paused(ingress, priority) {
                continue;
            }
            let slack = late.slack();
            let is_empty = late.queues[usize::from(egress.0)][priority.index()] == 0;
            if is_empty && size <= slack.packet {
                let mut other = exact.clone();
                let verdict = other.admit(ingress, egress, priority, size);
                prop_assert_eq!(verdict, Admit::Accept);
                let released = other.release(ingress, egress, priority, size);
                prop_assert_eq!(released, Release::Quiet);
            }
            let is_calm = slack.is_calm();
            owed.retain(|&(ingress, own, priority, size)| {
                let stays = is_calm && own != egress;
                if !stays {
                    late.release(ingress, own, priority, size);
                }
                stays
            });
            let verdict = exact.admit(ingress, egress, priority, size);
            prop_assert_eq!(late.admit(ingress, egress, priority, size), verdict);
            if verdict == Admit::Accept || verdict == Admit::AcceptAndPause {
                held.push((ingress, egress, priority, size));
            }
        }
    }
}
