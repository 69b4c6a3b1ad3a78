//! Tests of one switch with handmade packets.

use fabricsim_base::checkpoint::Stored;
use fabricsim_base::flow::FlowKey;
use fabricsim_base::id::{FlowId, NodeId, PortId};
use fabricsim_base::priority::Priority;
use fabricsim_base::units::{Bytes, Rate, Time};
use fabricsim_core::packet::Header;
use fabricsim_core::plugin::Quirks;
use fabricsim_hpcc::{ExactStack, HasInt, IntHeader, IntScale, IntTelemetry};

use super::*;
use crate::arithmetic::Arithmetic;
use crate::c_rand::CRand;
use crate::digest::Digest;

const RATE: Rate = Rate::from_gbps(100);
const LINK: PortLink = PortLink {
    rate: RATE,
    delay: Duration::from_ns(1_000),
};

fn settings(config: &PintConfig, quirks: Quirks) -> PintSettings {
    PintSettings::new(
        config,
        &CcContext {
            // T carries 100,000 bytes.
            base_rtt: Duration::from_ns(8_000),
            quirks,
            ..CcContext::of_nics(RATE)
        },
    )
}

fn switch(quirks: Quirks) -> PintTelemetry {
    let settings = settings(&PintConfig::default(), quirks);
    PintTelemetry::new(&settings, &[LINK, LINK], 1, NodeId(9))
}

fn packet<H: Header>(kind: PacketKind, size: u16) -> Packet<H> {
    let key = FlowKey {
        src: NodeId(0),
        dst: NodeId(1),
        src_port: 10_000,
        dst_port: 100,
    };
    let mut packet = Packet::new(kind, Priority::new(3), key, FlowId(0));
    packet.wire = size;
    packet
}

fn hop(port: u16, ns: u64, queue: u64) -> Hop {
    Hop {
        now: Time::from_ns(ns),
        arrived: Time::from_ns(ns),
        ingress: PortId(0),
        port: PortId(port),
        rate: RATE,
        queue: Bytes::new(queue),
        sent: Bytes::ZERO,
    }
}

/// Lets a data packet of 1,000 bytes with a digest leave and returns its code.
fn leave(switch: &mut PintTelemetry, hop: &Hop) -> Option<u16> {
    let mut sent = packet::<Digest>(PacketKind::Data, 1_000);
    sent.telemetry.carry_digest();
    switch.on_dequeue(&mut sent, hop);
    sent.telemetry.digest()
}

/// Returns the code of `utilization`, without rounding.
fn code_of(utilization: f64) -> f64 {
    (utilization * 512.0).ln() / 1.05f64.ln()
}

#[test]
fn a_digest_tells_how_busy_the_port_is() {
    let mut switch = switch(Quirks::EXACT);
    leave(&mut switch, &hop(0, 9_000, 0));
    // An interval of T, with a queue of half a bandwidth-delay product.
    let code = leave(&mut switch, &hop(0, 17_000, 50_000)).expect("it carries a digest");
    let want = code_of(0.51);
    assert!((f64::from(code) - want).abs() < 1.0, "{code} {want}");
    // The other port is not affected.
    assert_eq!(leave(&mut switch, &hop(1, 17_000, 0)), Some(0));
}

#[test]
fn a_packet_keeps_the_code_of_its_busiest_port() {
    let mut switch = switch(Quirks::EXACT);
    let mut sent = packet::<Digest>(PacketKind::Data, 1_000);
    sent.telemetry.carry_digest();
    let mut codes = [0; 3];
    for (code, (ns, queue)) in
        codes
            .iter_mut()
            .zip([(9_000, 10_000), (18_000, 100_000), (27_000, 0)])
    {
        switch.on_dequeue(&mut sent, &hop(0, ns, queue));
        *code = sent.telemetry.digest().expect("it carries a digest");
    }
    assert!(codes[0] < codes[1], "{codes:?}");
    assert_eq!(codes[1], codes[2]);
}

#[test]
fn packets_without_a_digest_are_measured_and_left_alone() {
    let mut switch = switch(Quirks::EXACT);
    let mut plain = packet::<Digest>(PacketKind::Data, 1_000);
    switch.on_dequeue(&mut plain, &hop(0, 9_000, 0));
    assert_eq!(plain.telemetry.digest(), None);
    // An ACK carries the digest that it echoes.
    let mut ack = packet::<Digest>(PacketKind::Ack, 60);
    ack.telemetry.carry_digest();
    switch.on_dequeue(&mut ack, &hop(0, 9_800, 100_000));
    assert_eq!(ack.telemetry.digest(), Some(0));
    assert!(
        (switch.ports[0].measure(
            Time::from_ns(9_800),
            Bytes::ZERO,
            Bytes::ZERO,
            &mut Stream::new(1, 0, Purpose::Rounding)
        ) - (0.1 + 0.01 + 0.0006))
            .abs()
            < 1e-9
    );
}

#[test]
fn the_published_switch_loses_what_an_ack_follows() {
    let config = PintConfig {
        arithmetic: Some(Arithmetic::Exact),
        log_base: Some(1.05),
        ..PintConfig::default()
    };
    let [ours, theirs] = [Quirks::EXACT, Quirks::PUBLISHED].map(|quirks| {
        let mut switch = PintTelemetry::new(&settings(&config, quirks), &[LINK], 1, NodeId(0));
        // A saturated link: data, then an acknowledgement.
        for round in 0..20_000 {
            let ns = 9_000 + round * 85;
            leave(&mut switch, &hop(0, ns, 0));
            let mut ack = packet::<Digest>(PacketKind::Ack, 60);
            switch.on_dequeue(&mut ack, &hop(0, ns + 80, 0));
        }
        let code = leave(&mut switch, &hop(0, 9_000 + 20_000 * 85, 0));
        f64::from(code.expect("it carries a digest"))
    });
    assert!(
        (ours - code_of(1_060.0 / (85.0 * 12.5))).abs() < 1.0,
        "{ours}"
    );
    // It measures only the ACKs and the time after them: here 60 bytes in 5 ns.
    assert!(
        (theirs - code_of(60.0 / (5.0 * 12.5))).abs() < 1.01,
        "{theirs}"
    );
}

#[test]
fn switches_draw_for_themselves() {
    let settings = settings(&PintConfig::default(), Quirks::EXACT);
    let codes = |seed, node| {
        let mut switch = PintTelemetry::new(&settings, &[LINK], seed, NodeId(node));
        leave(&mut switch, &hop(0, 9_000, 0));
        let busy = (1..200).map(|round| hop(0, 9_000 + round * 80, 0));
        busy.map(|hop| leave(&mut switch, &hop)).collect::<Vec<_>>()
    };
    assert_eq!(codes(1, 4), codes(1, 4));
    assert_ne!(codes(1, 4), codes(1, 5));
    assert_ne!(codes(1, 4), codes(2, 4));
}

/// Returns the codes of `rounds` data packets of a saturated port. After every fourth one, an ACK
/// of 60 bytes leaves through the other port, with or without a digest.
fn published_codes(rounds: u64, acked: bool) -> Vec<u16> {
    let settings = settings(&PintConfig::default(), Quirks::PUBLISHED);
    let mut switch = PintTelemetry::published(&settings, &[LINK, LINK]);
    let mut codes = Vec::new();
    for round in 0..rounds {
        let ns = 9_000 + round * 80;
        codes.extend(leave(&mut switch, &hop(0, ns, 0)));
        let mut ack = packet::<Digest>(PacketKind::Ack, 60);
        if acked {
            ack.telemetry.carry_digest();
        }
        if round % 4 == 0 {
            switch.on_dequeue(&mut ack, &hop(1, ns, 0));
        }
    }
    codes
}

#[test]
fn the_published_switch_draws_from_the_published_sequence() {
    // Each packet draws once for its code. ACKs that left with packet 0, 4, 8... arrive 1,004 ns
    // later, so before packet 13, 17, 21...
    for acked in [false, true] {
        let mut rand = CRand::unseeded();
        let settings = settings(&PintConfig::default(), Quirks::PUBLISHED);
        let mut port =
            PortUtilization::new(Link::new(RATE, settings.base_rtt, settings.tables.as_ref()));
        let want = (0..200u64).map(|round| {
            if acked && round >= 13 && (round - 13) % 4 == 0 {
                rand.draw();
            }
            let now = Time::from_ns(9_000 + round * 80);
            let busy = port.measure(now, Bytes::new(1_000), Bytes::ZERO, &mut rand);
            settings.code.encode(busy, &mut rand)
        });
        let want: Vec<u16> = want.collect();
        assert_eq!(published_codes(200, acked), want, "{acked}");
    }
    assert_ne!(published_codes(200, false), published_codes(200, true));
}

#[test]
fn tables_lead_to_about_the_same_codes() {
    let config = PintConfig {
        arithmetic: Some(Arithmetic::Tables),
        ..PintConfig::default()
    };
    let [exact, tables] = [PintConfig::default(), config].map(|config| {
        let settings = settings(&config, Quirks::EXACT);
        let mut switch = PintTelemetry::new(&settings, &[LINK], 1, NodeId(0));
        let codes = (0..4_000).map(|round| {
            let ns = 9_000 + round * 80;
            leave(&mut switch, &hop(0, ns, 20_000)).map_or(0.0, f64::from)
        });
        codes.skip(3_000).sum::<f64>() / 1_000.0
    });
    assert!((exact - code_of(1.2)).abs() < 0.1, "{exact}");
    assert!((tables - exact).abs() < 0.5, "{tables} {exact}");
    assert!((tables - exact).abs() > 0.0, "the tables were not used");
}

#[test]
fn both_kinds_of_telemetry_run_side_by_side() {
    #[derive(Clone, Copy, Debug, Default, Stored)]
    #[checkpoint(absolute)]
    struct Both(ExactStack<5>, Digest);
    impl Header for Both {}
    impl HasInt for Both {
        type Int = ExactStack<5>;
        fn int(&self) -> &ExactStack<5> {
            &self.0
        }
        fn int_mut(&mut self) -> &mut ExactStack<5> {
            &mut self.0
        }
    }
    impl HasDigest for Both {
        fn digest(&self) -> Option<u16> {
            self.1.digest()
        }
        fn carry_digest(&mut self) {
            self.1.carry_digest();
        }
        fn raise_digest(&mut self, code: u16) {
            self.1.raise_digest(code);
        }
    }
    let scale = IntScale::exact(vec![RATE]);
    let int = IntTelemetry::new(&scale, NodeId(0), &[RATE]).expect("a known rate");
    let settings = settings(&PintConfig::default(), Quirks::EXACT);
    let pint = PintTelemetry::new(&settings, &[LINK], 1, NodeId(0));
    let mut alone = pint.clone();
    let mut both = (int, pint);
    let mut sent = packet::<Both>(PacketKind::Data, 1_000);
    sent.telemetry.carry_digest();
    both.on_dequeue(&mut sent, &hop(0, 9_000, 48_000));
    assert_eq!(sent.telemetry.int().hops(), 1);
    assert_eq!(sent.telemetry.int().queue(0, &scale), Bytes::new(48_000));
    assert_eq!(
        sent.telemetry.digest(),
        leave(&mut alone, &hop(0, 9_000, 48_000))
    );
}
