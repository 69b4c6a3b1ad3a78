//! Tests that write and read entries of switches.

use fabricsim_base::id::{NodeId, PortId};
use fabricsim_base::units::{Duration, Rate, Time};
use fabricsim_core::packet::Packet;
use fabricsim_core::plugin::CcContext;
use proptest::prelude::*;

use super::*;
use crate::published_stack::PublishedStack;

fn hop(ps: u64, sent: u64, queue: u64) -> Hop {
    Hop {
        now: Time::from_ps(ps),
        arrived: Time::from_ps(ps),
        ingress: PortId(0),
        port: PortId(0),
        rate: Rate::from_gbps(100),
        queue: Bytes::new(queue),
        sent: Bytes::new(sent),
    }
}

fn label(rate_code: u8) -> PortLabel {
    PortLabel::new(NodeId(9), PortId(0), rate_code)
}

#[test]
fn stacks_go_to_other_ranks_as_they_are() {
    let scale = IntScale::exact(vec![Rate::from_gbps(100)]);
    let mut stack = ExactStack::<5>::default();
    for passed in 0..7u64 {
        let mut out = Writer::default();
        stack.pack(&mut out);
        let bytes = out.finish().expect("stacks are never refused");
        assert_eq!(bytes.len(), 4 + 12 * stack.hops().min(5));
        let mut input = Reader::new(&bytes);
        let again = ExactStack::<5>::unpack(&mut input).expect("it was packed");
        assert!(input.rest().is_empty());
        assert_eq!((again.path, again.hops), (stack.path, stack.hops));
        stack.push(
            &hop(1_000_000 * passed, 1 << passed, 16 * passed),
            label(0),
            &scale,
        );
    }
}

#[test]
fn packets_stay_small() {
    assert_eq!(size_of::<Packet<ExactStack<5>>>(), 112);
    assert_eq!(size_of::<Packet<PublishedStack>>(), 96);
}

#[test]
fn large_stacks_are_copied_as_far_as_they_are_filled() {
    let scale = IntScale::exact(vec![Rate::from_gbps(100)]);
    let filled = |hops: u64, queue: u64| {
        let mut stack = ExactStack::<128>::default();
        (0..hops).for_each(|i| stack.push(&hop(i * 1_000, i, queue), label(0), &scale));
        stack
    };
    // 130 switches: two more than the capacity.
    let mut slot = filled(130, 1_600);
    slot.assign(&filled(3, 800));
    assert_eq!(slot.hops(), 3);
    assert!((0..3).all(|i| slot.queue(i, &scale).get() == 800));
    slot.push(&hop(9_000, 9, 320), label(0), &scale);
    assert_eq!((slot.hops(), slot.queue(3, &scale).get()), (4, 320));
    slot.assign(&filled(130, 160));
    assert!((0..128).all(|i| slot.queue(i, &scale).get() == 160));
}

#[test]
fn exact_entries_tell_paths_apart_and_published_ones_only_lengths() {
    fn trip<S: IntHeader>(ports: &[(u32, u16)]) -> S {
        let scale = IntScale::exact(vec![Rate::from_gbps(100)]);
        let mut stack = S::default();
        for &(node, port) in ports {
            let label = PortLabel::new(NodeId(node), PortId(port), 0);
            stack.push(&hop(1_000, 0, 0), label, &scale);
        }
        stack
    }
    let same = |one: &[_], other: &[_]| {
        (
            trip::<ExactStack<3>>(one).same_path(&trip(other)),
            trip::<PublishedStack>(one).same_path(&trip(other)),
        )
    };
    let path = [(8, 4), (10, 1)];
    assert_eq!(same(&path, &path), (true, true));
    // A parallel link, another spine, and a path with two more switches.
    assert_eq!(same(&path, &[(8, 5), (10, 1)]), (false, true));
    assert_eq!(same(&path, &[(8, 5), (11, 1)]), (false, true));
    assert_eq!(
        same(&path, &[(8, 4), (10, 1), (9, 0), (7, 0)]),
        (false, false)
    );
}

#[test]
fn published_fields_are_quantized() {
    let scale = IntScale::published(vec![Rate::from_gbps(100)], 4);
    let mut stack = PublishedStack::default();
    stack.push(&hop(1_999_999, 1_090, 1_000), label(0), &scale);
    let earlier = PublishedStack {
        len: 1,
        ..PublishedStack::default()
    };
    assert!((stack.interval_ns(0, &earlier) - 1_999.0).abs() < f64::EPSILON);
    assert_eq!(stack.sent_since(0, &earlier, &scale), 1_024);
    assert_eq!(stack.queue(0, &scale).get(), 960);
}

#[test]
fn the_published_header_has_no_code_for_other_rates() {
    let rates = [10, 25, 40, 100].map(Rate::from_gbps);
    let scale = IntScale::published(rates.to_vec(), 1);
    let read = rates.map(|rate| scale.rate(scale.code(rate).unwrap()));
    assert_eq!(read, [25, 25, 25, 100].map(Rate::from_gbps));
    assert_eq!((scale.sent_unit, scale.queue_unit), (128, 80));
}

#[test]
fn units_grow_with_what_a_round_trip_carries() {
    let rate = Rate::from_gbps(100);
    let context = |base_rtt| CcContext {
        base_rtt,
        link_rates: [].into(),
        ..CcContext::of_nics(rate)
    };
    let fabric = IntScale::new(&context(Duration::from_us(12)));
    assert_eq!((fabric.sent_unit, fabric.queue_unit), (1, 16));
    // 160 ms at 100 Gbps are 2 GB.
    let wan = IntScale::new(&context(Duration::from_ms(160)));
    assert_eq!((wan.sent_unit, wan.queue_unit), (8, 512));
    let mut stack = ExactStack::<1>::default();
    stack.push(&hop(0, 0, 3_000_000_000), label(0), &wan);
    let error = 3_000_000_000 - stack.queue(0, &wan).get();
    assert!(error < 512, "{error}");
}

#[test]
fn a_queue_beyond_its_field_is_shown_as_the_longest_one() {
    let scale = IntScale::exact(vec![Rate::from_gbps(100)]);
    for queue in [16 * ((1 << 24) - 1), 1 << 28, (1 << 28) + 16, 1 << 40] {
        let mut stack = ExactStack::<1>::default();
        stack.push(&hop(7_000, 0, queue), label(33), &scale);
        assert_eq!(stack.queue(0, &scale).get(), 16 * ((1 << 24) - 1));
        assert_eq!(stack.rate_code(0), 33);
    }
}

#[test]
fn units_follow_the_fastest_link() {
    let context = CcContext {
        base_rtt: Duration::from_ms(160),
        link_rates: [10, 100].map(Rate::from_gbps).into(),
        ..CcContext::of_nics(Rate::from_gbps(10))
    };
    let scale = IntScale::new(&context);
    assert_eq!((scale.sent_unit, scale.queue_unit), (8, 512));
}

#[test]
fn published_units_are_multiples_of_128_and_80_bytes() {
    for multiple in [1, 4] {
        let scale = IntScale::published(vec![Rate::from_gbps(100)], multiple);
        let units = (scale.sent_unit, scale.queue_unit);
        assert_eq!(units, (128 * u64::from(multiple), 80 * u64::from(multiple)));
    }
}

/// Returns the entry of a stack of two hops, decoded at `now`. There is no third entry.
fn decoded<S: IntHeader>(at: Time, sent: u64, queue: u64, now: Time, scale: &IntScale) -> IntHop {
    let mut stack = S::default();
    stack.push(&hop(1, 2, 3), label(0), scale);
    stack.push(&hop(at.as_ps(), sent, queue), label(1), scale);
    assert_eq!(stack.hop(2, now, scale), None);
    stack.hop(1, now, scale).expect("two switches were passed")
}

proptest! {
    /// Decoded entries are equal to the written ones, even if fields have wrapped around.
    #[test]
    fn decoded_entries_are_what_switches_wrote(
        at_ns in 0u64..40_000_000_000, age_ns in 0u64..4_000_000_000,
        sent in 0u64..1 << 40, more in 0u64..1 << 32, queue in 0u64..200_000_000,
    ) {
        let rates = vec![Rate::from_gbps(25), Rate::from_gbps(400)];
        let scale = IntScale::exact(rates);
        let (at, now) = (Time::from_ns(at_ns), Time::from_ns(at_ns + age_ns));
        let first = decoded::<ExactStack<2>>(at, sent, queue, now, &scale);
        prop_assert!(first.at <= at && at.since(first.at).as_ps() < 256);
        prop_assert_eq!(first.rate, Rate::from_gbps(400));
        prop_assert!(queue - first.queue.get() < 16);
        let later = decoded::<ExactStack<2>>(at, sent + more, queue, now, &scale);
        prop_assert_eq!(later.sent.since(first.sent).get(), more);
    }

    #[test]
    fn decoded_entries_of_the_published_header_are_what_switches_wrote(
        at_ns in 0u64..4_000_000_000, age_ns in 0u64..1 << 24,
        sent in 0u64..1 << 40, more in 0u64..1 << 20, queue in 0u64..10_000_000,
    ) {
        let rates = vec![Rate::from_gbps(10), Rate::from_gbps(25)];
        let scale = IntScale::published(rates, 1);
        let (at, now) = (Time::from_ns(at_ns), Time::from_ns(at_ns + age_ns));
        let first = decoded::<PublishedStack>(at, 128 * sent, queue, now, &scale);
        prop_assert_eq!(first.at, at);
        prop_assert_eq!(first.rate, Rate::from_gbps(25));
        prop_assert_eq!(first.queue.get(), queue / 80 * 80);
        let later = decoded::<PublishedStack>(at, 128 * (sent + more), queue, now, &scale);
        prop_assert_eq!(later.sent.since(first.sent).get(), 128 * more);
    }

    #[test]
    fn exact_fields_keep_their_resolution(
        start in 0u64..1 << 50, span in 0u64..4_000_000_000_000,
        sent in 0u64..1 << 40, more in 0u64..1 << 32, queue in 0u64..200_000_000, code in 0u8..64,
    ) {
        let scale = IntScale::exact(vec![Rate::from_gbps(100)]);
        let (mut a, mut b) = (ExactStack::<3>::default(), ExactStack::<3>::default());
        a.push(&hop(start, sent, 0), label(code), &scale);
        b.push(&hop(start + span, sent + more, queue), label(code), &scale);
        prop_assert!((b.interval_ns(0, &a) - span as f64 / 1e3).abs() <= 0.256);
        prop_assert_eq!(b.sent_since(0, &a, &scale), more);
        prop_assert!(queue - b.queue(0, &scale).get() < 16);
        prop_assert_eq!(b.rate_code(0), code);
    }

    #[test]
    fn published_differences_wrap(start in 0u64..1 << 40, span in 0u64..1 << 24) {
        let scale = IntScale::published(vec![Rate::from_gbps(100)], 4);
        let (mut a, mut b) = (PublishedStack::default(), PublishedStack::default());
        a.push(&hop(start * 1_000, start * 512, 0), label(0), &scale);
        b.push(&hop((start + span) * 1_000, (start + (span & 0xfffff)) * 512, 0), label(0), &scale);
        prop_assert!((b.interval_ns(0, &a) - span as f64).abs() < f64::EPSILON);
        prop_assert_eq!(b.sent_since(0, &a, &scale), (span & 0xfffff) * 512);
    }
}
