mod shortcuts;

use fabricsim_base::flow::{FlowRequest, PathInfo};
use fabricsim_base::id::{FlowId, NodeId};
use fabricsim_base::priority::Priority;
use fabricsim_base::units::{Bytes, Duration};
use fabricsim_core::packet::PacketKind;
use fabricsim_core::plugin::CcContext;

use super::*;
use crate::cc::NoneConfig;
use crate::rdma::{BaseReference, RdmaConfig};
use crate::tcp::{ClassConfig, Opening, TcpConfig, TcpHeader, TcpProfile};

const RATE: Rate = Rate::from_gbps(100);
const NIC: PortId = PortId(0);
/// Passed instead of a reply function if the wire is busy, so that replies wait.
const NO_REPLY: Option<fn(&Packet<TcpHeader>) -> Time> = None;
const RDMA: ClassId = ClassId(0);
const TCP: ClassId = ClassId(1);

type Host = DualStackHost<TcpHeader, NoneConfig>;

fn host() -> Host {
    host_of(ClassConfig::default())
}

/// Returns a host with open connections of `class`.
fn host_of(class: ClassConfig) -> Host {
    let rdma = RdmaSettings::new(
        RdmaConfig::default(),
        NoneConfig::default(),
        CcContext::of_nics(RATE),
        BaseReference::Pair,
    );
    let config = TcpConfig {
        profile: TcpProfile::Datacenter,
        ..TcpConfig::default()
    };
    let class = ClassConfig {
        opening: Opening::Open,
        ..class
    };
    let settings = HostSettings {
        transports: ClassTransports::new(Transport::Rdma, [(TCP, Transport::Tcp)]),
        rdma: Arc::new(rdma),
        tcp: Arc::new(TcpSettings::new(&config, class, [])),
    };
    DualStackHost::new(&settings, vec![RATE])
}

fn start(host: &mut Host, id: u32, ends: (u32, u32), class: ClassId) {
    let flow = flow(Time::ZERO, id, ends, class, 50_000);
    host.start(Time::ZERO, &flow, NIC);
}

fn flow(now: Time, id: u32, (src, dst): (u32, u32), class: ClassId, size: u64) -> Flow {
    let request = FlowRequest {
        src: NodeId(src),
        dst: NodeId(dst),
        size: Bytes::new(size),
        start: now,
        class,
        priority: if class == TCP {
            Priority::new(1)
        } else {
            Priority::new(3)
        },
        src_port: Some(10_000),
        dst_port: 100,
    };
    let path = PathInfo {
        base_rtt: Duration::from_us(4),
        bottleneck: RATE,
        switches: 1,
    };
    Flow::new(FlowId(id), request, path)
}

/// Returns the packets that leave back to back starting at `now`, over a wire that is free
/// immediately after each.
fn sent(
    host: &mut Host,
    mut now: Time,
    paused: PrioritySet,
    most: usize,
) -> Vec<Packet<TcpHeader>> {
    let mut packets = Vec::new();
    while packets.len() < most {
        let next = host.next_send(now, NIC, paused);
        if next == Time::MAX {
            break;
        }
        now = now.max(next);
        let mut free = now;
        assert!(host.poll(now, NIC, paused, |packet| {
            packets.push(*packet);
            free += RATE.transmission(packet.size());
            free
        }));
        now = free;
    }
    packets
}

fn flows(packets: &[Packet<TcpHeader>]) -> Vec<u32> {
    packets.iter().map(|packet| packet.flow.0).collect()
}

#[test]
fn transports_take_turns_and_a_pause_holds_back_its_own() {
    let mut host = host();
    start(&mut host, 0, (0, 1), RDMA);
    start(&mut host, 1, (0, 1), TCP);
    let none = PrioritySet::default();
    assert_eq!(
        flows(&sent(&mut host, Time::ZERO, none, 6)),
        [0, 1, 0, 1, 0, 1]
    );

    let later = Time::from_ns(1_000);
    for (paused, other) in [(3, 1), (1, 0)] {
        let mut pause = PrioritySet::default();
        pause.insert(Priority::new(paused));
        let flows = flows(&sent(&mut host, later, pause, 3));
        assert_eq!(flows, [other; 3], "priority {paused} is paused");
    }
    assert_eq!(host.unfinished().len(), 2);
}

#[test]
fn flows_of_both_end_at_the_other_host_and_acks_go_first() {
    let (mut near, mut far) = (host(), host());
    start(&mut near, 0, (0, 1), RDMA);
    start(&mut near, 1, (0, 1), TCP);
    // The far host has its own data, but ACKs have priority over it.
    start(&mut far, 2, (1, 0), TCP);
    start(&mut far, 3, (1, 0), RDMA);
    let none = PrioritySet::default();
    let (mut now, mut done) = (Time::ZERO, Vec::new());
    for _ in 0..2_000 {
        now += Duration::from_us(10);
        let due = near.deadline() <= now;
        if due {
            near.on_deadline(now, &mut done);
        }
        if far.deadline() <= now {
            far.on_deadline(now, &mut done);
        }
        for packet in sent(&mut near, now, none, 4) {
            far.on_packet(now, NIC, &packet, &mut done, NO_REPLY);
        }
        let back = sent(&mut far, now, none, 4);
        let kinds: Vec<bool> = back.iter().map(|p| p.kind() != PacketKind::Data).collect();
        assert!(kinds.is_sorted_by(|first, next| first >= next), "{kinds:?}");
        for packet in back {
            near.on_packet(now, NIC, &packet, &mut done, NO_REPLY);
        }
        if done.len() == 4 {
            break;
        }
    }
    let mut ended: Vec<u32> = done.iter().map(|done| done.flow.id.0).collect();
    ended.sort_unstable();
    assert_eq!(ended, [0, 1, 2, 3]);
    let counters = near.counters();
    assert_eq!(counters.acknowledged, Bytes::new(100_000));
    assert!(near.unfinished().is_empty() && far.unfinished().is_empty());
}

#[test]
fn a_reply_leaves_at_once_where_no_other_waits() {
    let (mut near, mut far) = (host(), host());
    start(&mut near, 0, (0, 1), RDMA);
    let none = PrioritySet::default();
    let data = sent(&mut near, Time::ZERO, none, 3);
    let (now, mut done) = (Time::from_ns(2_000), Vec::new());
    let mut left = Vec::new();
    let free = now + Duration::from_ns(10);
    for (packet, may_leave) in data.iter().zip([false, true, true]) {
        let send = may_leave.then_some(|ack: &Packet<TcpHeader>| {
            left.push(*ack);
            free
        });
        let update = far.on_packet(now, NIC, packet, &mut done, send);
        // The second ACK must wait behind the first.
        let replied = packet.seq == data[2].seq;
        assert_eq!(update == PortUpdate::Replied, replied, "{update:?}");
        if !replied && may_leave {
            assert_eq!(flows(&sent(&mut far, now, none, 9)), [0, 0]);
        }
    }
    assert_eq!(far.waiting_acks(), 0);
    assert_eq!(left.len(), 1);
    assert_eq!(left[0].kind(), PacketKind::Ack);
    let update = near.on_packet(now, NIC, &left[0], &mut done, NO_REPLY);
    assert!(
        matches!(update, PortUpdate::Flow { nic: NIC, .. }),
        "{update:?}"
    );
}

#[test]
fn classes_without_their_own_transport_have_the_default() {
    let transports = ClassTransports::new(Transport::Tcp, [(ClassId(2), Transport::Rdma)]);
    let of = |class| transports.of(ClassId(class));
    assert_eq!(
        [of(0), of(2), of(9)],
        [Transport::Tcp, Transport::Rdma, Transport::Tcp]
    );
}
