use super::*;

#[test]
fn a_packet_without_telemetry_is_forty_eight_bytes() {
    assert_eq!(size_of::<Packet<()>>(), 48);
}

#[test]
fn a_report_of_a_gap_holds_far_distances() {
    let mut nack = Packet::<()>::pause(Priority::new(3), PauseChange::Resume);
    for (expected, beyond) in [
        (0, 0),
        (5_000, 1),
        (1 << 40, 65_535),
        (7, 65_536),
        (7, u32::MAX),
    ] {
        nack.report_gap(expected, beyond);
        assert_eq!((nack.cumulative(), nack.gap_distance()), (expected, beyond));
    }
}

#[test]
fn a_mark_hides_what_the_sender_had_set() {
    let ecn = |flags| {
        let mut packet = Packet::<()>::pause(Priority::new(3), PauseChange::Resume);
        packet.flags = flags;
        packet.ecn()
    };
    let both = |ect: Flags| ect.and_if(true, Flags::CONGESTION);
    assert_eq!(ecn(Flags::LAST), Ecn::NotCapable);
    assert_eq!(ecn(Flags::ECT0), Ecn::Ect0);
    assert_eq!(ecn(Flags::ECT1), Ecn::Ect1);
    assert_eq!(ecn(Flags::CONGESTION), Ecn::Congestion);
    assert_eq!(ecn(both(Flags::ECT0)), Ecn::Congestion);
    assert_eq!(ecn(both(Flags::ECT1)), Ecn::Congestion);
    assert!(!Flags::ECHO.has(Flags::ECT0) && !Flags::ECT0.has(Flags::ECT1));
}

#[test]
fn data_can_be_marked_once_and_nothing_else_can() {
    let key = Packet::<()>::pause(Priority::new(3), PauseChange::Pause).key;
    let packet = |kind| Packet::<()>::new(kind, Priority::new(3), key, FlowId(7));
    let mut data = packet(PacketKind::Data);
    assert!(data.takes_mark());
    data.flags.set(Flags::CONGESTION);
    assert!(!data.takes_mark());
    for kind in [
        PacketKind::Ack,
        PacketKind::Nack,
        PacketKind::Pause,
        PacketKind::Grant,
        PacketKind::Request,
    ] {
        assert!(!packet(kind).takes_mark(), "{kind:?}");
    }
}

#[test]
fn a_trimmed_packet_is_its_headers_as_control() {
    let mut packet = Packet::<()>::pause(Priority::new(3), PauseChange::Resume);
    packet = Packet::new(PacketKind::Data, Priority::new(3), packet.key, FlowId(7));
    (packet.seq, packet.payload, packet.wire) = (5_000, 1_000, 1_048);
    packet.flags = Flags::LAST;
    assert!(!packet.is_trimmed());
    let headers = packet.trimmed();
    assert!(headers.is_trimmed());
    assert_eq!((headers.wire, headers.payload_bytes()), (48, Bytes::ZERO));
    assert_eq!(
        (headers.kind(), headers.priority()),
        (PacketKind::Data, Priority::CONTROL)
    );
    assert_eq!((headers.seq, headers.flow), (5_000, FlowId(7)));
    assert!(headers.flags.has(Flags::LAST.and_if(true, Flags::TRIMMED)));
}

#[test]
fn a_pause_frame_names_its_priority() {
    let frame = Packet::<()>::pause(Priority::new(3), PauseChange::Pause);
    assert_eq!(
        (frame.kind(), frame.priority(), frame.paused_priority()),
        (PacketKind::Pause, Priority::CONTROL, Priority::new(3))
    );
    assert_eq!(frame.pause_change(), PauseChange::Pause);
}
