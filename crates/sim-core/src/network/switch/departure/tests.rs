//! Departures from one port of a switch with plugins that record their calls.

use super::*;
use crate::network::switch::testing::{BY, DELAY, OUT, Simple, packet, switch};
use crate::packet::PacketKind;

const fn ns(ns: u64) -> Time {
    Time::from_ns(ns)
}

/// Tries to forward `packet`, which arrives at `at`, if the next event of the port is at `until`.
fn pass(
    switch: &mut Switch<Simple>,
    send_buffer: &mut Sends<Simple>,
    (at, until): (u64, u64),
    packet: &Packet<()>,
) -> bool {
    let lane = send_buffer.lane(OUT);
    switch.exit(OUT).pass((ns(at), ns(until)), BY, packet, lane)
}

/// Returns the packets on the wire: their sequence numbers and times of arrival at the other end.
fn sent(send_buffer: &mut Sends<Simple>) -> Vec<(u64, Time)> {
    let count = send_buffer.sent(OUT);
    let of = |place| {
        let packet = send_buffer.sent_mut(OUT, place);
        (packet.seq, packet.arrival())
    };
    (0..count).map(of).collect()
}

#[test]
fn a_packet_that_finds_the_port_idle_leaves_as_it_comes() {
    let (mut switch, mut send_buffer) = switch(None);
    assert!(pass(
        &mut switch,
        &mut send_buffer,
        (50, 50),
        &packet(7, 1_000)
    ));
    assert_eq!(sent(&mut send_buffer), [(7, ns(1_050) + DELAY)]);
    assert_eq!(switch.ports[OUT].open_after, ns(1_050));
    let counters = switch.counters();
    assert_eq!((counters.events, counters.max_queue), (0, Bytes::ZERO));
    assert_eq!(
        (counters.packet_hops, counters.wire_bytes.get()),
        (1, 1_000)
    );
    let (hop, leaving) = switch.telemetry.departures[0];
    assert_eq!((hop.now, hop.arrived), (ns(50), ns(50)));
    assert_eq!((hop.ingress, hop.port), (BY, PortId(1)));
    assert_eq!((hop.queue, hop.sent), (Bytes::ZERO, Bytes::ZERO));
    let leaving = leaving.expect("nobody watches");
    assert_eq!((leaving.place, leaving.by), (Some(0), Some(BY)));
}

#[test]
fn a_packet_that_waits_for_the_wire_alone_leaves_when_it_is_free() {
    let (mut switch, mut send_buffer) = switch(None);
    assert!(pass(
        &mut switch,
        &mut send_buffer,
        (1, 100),
        &packet(0, 999)
    ));
    // The wire is free at 1,000 ns: after the next packet arrives, at the same time, then before.
    assert!(!pass(
        &mut switch,
        &mut send_buffer,
        (100, 900),
        &packet(1, 500)
    ));
    assert!(!pass(
        &mut switch,
        &mut send_buffer,
        (100, 1_000),
        &packet(1, 500)
    ));
    assert!(pass(
        &mut switch,
        &mut send_buffer,
        (100, 1_001),
        &packet(1, 500)
    ));
    assert_eq!(
        sent(&mut send_buffer),
        [(0, ns(1_000) + DELAY), (1, ns(1_500) + DELAY)]
    );
    // The end of the first packet is an event, and the second packet has waited.
    let counters = switch.counters();
    assert_eq!((counters.events, counters.max_queue.get()), (1, 500));
    let (hop, leaving) = switch.telemetry.departures[1];
    assert_eq!((hop.now, hop.arrived), (ns(1_000), ns(100)));
    assert_eq!((hop.queue.get(), hop.sent.get()), (0, 999));
    let leaving = leaving.expect("nobody watches");
    assert_eq!((leaving.place, leaving.by), (Some(1), None));
}

#[test]
fn a_packet_of_the_queue_leaves_the_rest_behind() {
    let (mut switch, mut send_buffer) = switch(None);
    for (at, seq, wire) in [(1, 0, 999), (10, 1, 1_000), (20, 2, 1_000)] {
        switch.store(ns(at), OUT, BY, &packet(seq, wire), &mut send_buffer);
    }
    assert_eq!(switch.ports[OUT].open_after, Time::MAX);
    assert_eq!(switch.ports[OUT].due, ns(1_000));
    switch.wire_is_free(ns(1_000), OUT, &mut send_buffer);
    assert_eq!(
        sent(&mut send_buffer),
        [(0, ns(1_000) + DELAY), (1, ns(2_000) + DELAY)]
    );
    let (hop, leaving) = switch.telemetry.departures[1];
    assert_eq!((hop.now, hop.arrived), (ns(1_000), ns(10)));
    assert_eq!((hop.queue.get(), hop.sent.get()), (1_000, 999));
    assert_eq!(leaving.expect("nobody watches").by, None);
    switch.wire_is_free(ns(2_000), OUT, &mut send_buffer);
    let port = &switch.ports[OUT];
    assert_eq!((port.open_after, port.due), (ns(3_000), Time::MAX));
    let counters = switch.counters();
    assert_eq!((counters.events, counters.max_queue.get()), (2, 2_000));
}

#[test]
fn a_wire_that_becomes_free_for_nothing_is_an_event_and_opens_the_port() {
    let (mut switch, mut send_buffer) = switch(None);
    assert!(pass(&mut switch, &mut send_buffer, (1, 1), &packet(0, 999)));
    switch.arm(ns(10), OUT);
    let port = &switch.ports[OUT];
    assert_eq!((port.open_after, port.due), (Time::MAX, ns(1_000)));
    assert!(!pass(
        &mut switch,
        &mut send_buffer,
        (20, 5_000),
        &packet(1, 500)
    ));
    switch.wire_is_free(ns(1_000), OUT, &mut send_buffer);
    assert_eq!(switch.ports[OUT].open_after, ns(1_000));
    assert_eq!((switch.counters().events, send_buffer.sent(OUT)), (1, 1));
}

#[test]
fn marks_are_set_and_counted_however_a_packet_leaves() {
    let (mut switch, mut send_buffer) = switch(None);
    switch.ports[OUT].queue.marks = true;
    assert!(pass(&mut switch, &mut send_buffer, (1, 1), &packet(0, 999)));
    for (at, seq) in [(10, 1), (20, 2)] {
        switch.store(ns(at), OUT, BY, &packet(seq, 1_000), &mut send_buffer);
    }
    let mut deaf = packet(3, 1_000);
    deaf.flags = Flags::NONE;
    deaf.make_reply(PacketKind::Ack, Priority::new(3));
    switch.store(ns(30), OUT, BY, &deaf, &mut send_buffer);
    for at in [1_000, 2_000, 3_000] {
        switch.wire_is_free(ns(at), OUT, &mut send_buffer);
    }
    let marks: Vec<bool> = (0..4)
        .map(|place| {
            send_buffer
                .sent_mut(OUT, place)
                .flags
                .has(Flags::CONGESTION)
        })
        .collect();
    assert_eq!(marks, [true, true, true, false]);
    assert_eq!(switch.counters().marked, 3);
}

#[test]
fn a_packet_that_the_link_loses_takes_the_wire_and_arrives_nowhere() {
    let (mut switch, mut send_buffer) = switch(Some(1.0));
    switch.ports[OUT].queue.marks = true;
    assert!(pass(&mut switch, &mut send_buffer, (1, 1), &packet(0, 999)));
    switch.store(ns(10), OUT, BY, &packet(1, 500), &mut send_buffer);
    switch.wire_is_free(ns(1_000), OUT, &mut send_buffer);
    assert_eq!(send_buffer.sent(OUT), 0);
    let counters = switch.counters();
    assert_eq!((counters.link_losses, counters.packet_hops), (2, 2));
    assert_eq!((counters.marked, counters.events), (2, 1));
    assert_eq!(switch.ports[OUT].open_after, ns(1_500));
    assert_eq!(switch.observer.calls, ["lost", "queue", "queue", "lost"]);
    let places = switch
        .telemetry
        .departures
        .iter()
        .map(|(_, leaving)| leaving.and_then(|it| it.place));
    assert_eq!(places.collect::<Vec<_>>(), [None, None]);
}

#[test]
fn who_watches_sees_each_packet_with_its_telemetry() {
    let (mut switch, mut send_buffer) = switch(None);
    switch.observer.interest = Interest::EVERYTHING;
    assert!(pass(&mut switch, &mut send_buffer, (1, 1), &packet(0, 999)));
    switch.store(ns(10), OUT, BY, &packet(1, 500), &mut send_buffer);
    switch.wire_is_free(ns(1_000), OUT, &mut send_buffer);
    assert_eq!(
        switch.observer.calls,
        ["dequeue", "queue", "queue", "dequeue"]
    );
    assert!(
        switch
            .telemetry
            .departures
            .iter()
            .all(|(_, leaving)| leaving.is_none())
    );
}

proptest::proptest! {
    /// Each packet leaves when it has arrived and the previous one has left, no matter if all
    /// packets are queued or some are forwarded without queueing. Both paths tell the telemetry the
    /// same.
    #[test]
    fn passing_the_queue_makes_no_difference(packets in proptest::collection::vec((0u64..2_000, 60u16..1_500), 1..80)) {
        let (mut passing, mut sent_passing) = switch(None);
        let (mut queued, mut sent_queued) = switch(None);
        let (mut now, mut free, mut expected) = (1, 0, Vec::new());
        let arrivals: Vec<_> = packets.iter().zip(0u64..).map(|(&(gap, wire), seq)| {
            now += gap;
            free = now.max(free) + u64::from(wire);
            expected.push((seq, ns(free) + DELAY));
            (now, packet(seq, wire))
        }).collect();
        for (number, (at, packet)) in arrivals.iter().enumerate() {
            let until = arrivals.get(number + 1).map_or(now + 1_000_000, |next| next.0);
            for (switch, send_buffer) in [(&mut passing, &mut sent_passing), (&mut queued, &mut sent_queued)] {
                switch.serve_until(ns(*at), OUT, send_buffer);
            }
            if !pass(&mut passing, &mut sent_passing, (*at, until), packet) {
                passing.store(ns(*at), OUT, BY, packet, &mut sent_passing);
            }
            queued.store(ns(*at), OUT, BY, packet, &mut sent_queued);
        }
        passing.serve_until(Time::MAX, OUT, &mut sent_passing);
        queued.serve_until(Time::MAX, OUT, &mut sent_queued);
        proptest::prop_assert_eq!(sent(&mut sent_passing), expected.clone());
        proptest::prop_assert_eq!(sent(&mut sent_queued), expected);
        for ((passed, _), (left, _)) in passing.telemetry.departures.iter().zip(&queued.telemetry.departures) {
            proptest::prop_assert_eq!((passed.now, passed.arrived, passed.sent), (left.now, left.arrived, left.sent));
            proptest::prop_assert_eq!(passed.queue, left.queue);
        }
        let counts = [&passing, &queued].map(|switch| (switch.counters().events, switch.counters().max_queue));
        proptest::prop_assert_eq!(counts[0], counts[1]);
    }
}
