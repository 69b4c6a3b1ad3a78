//! The queues of TCP at the ports of switches.

use crate::support;
use fabricsim::Simulation;
use fabricsim_base::flow::FlowRequest;
use fabricsim_base::id::{ClassId, NodeId};
use fabricsim_base::priority::Priority;
use fabricsim_base::units::{Bytes, Duration, Time};
use fabricsim_core::network::Stop;

use crate::tcp::{FABRIC, again, assert_conserved, contended, run, tcp_congestion_controls};

/// A larger share lets queues grow further before packets are dropped.
#[test]
fn the_lossy_share_bounds_queues() {
    let queue = |alpha: &str| {
        let text = format!(
            r#"
                {FABRIC}
                [switch]
                buffer = "2MiB"
                lossy_alpha = {alpha}
                [cc]
                kind = "newreno"
                [[workload]]
                kind = "incast"
                receiver = 7
                fan_in = 7
                size = "2MB"
                at = "0s"
            "#
        );
        run(&text, 1).1.counters().max_queue.get()
    };
    let (small, usual, large) = (queue("0.125"), queue("1"), queue("8"));
    assert!(
        small * 2 < usual && usual < large,
        "{small} {usual} {large}"
    );
}

/// A congested queue alone has 256 KB by the static limit, and by the equivalent share of 32 MiB.
/// It grows up to this length and no further.
#[test]
fn a_congested_queue_has_the_length_that_it_is_given() {
    let queue = |switch: &str| {
        let text = format!(
            r#"
                [topology]
                kind = "testbed"
                [switch]
                buffer = "32MiB"
                {switch}
                [cc]
                kind = "newreno"
                [routing]
                nics = [{{ class = 0, to = 0 }}]
                [[workload]]
                kind = "incast"
                receiver = 3
                fan_in = 7
                size = "2MB"
                at = "0s"
            "#
        );
        let simulation = run(&text, 1).1;
        assert!(simulation.counters().buffer_drops > 0);
        simulation.counters().max_queue.get()
    };
    let packet = 1_538;
    let limit = queue(r#"lossy_limit = "256000B""#);
    assert!(limit <= 256_000 && limit + 2 * packet > 256_000, "{limit}");
    // alpha = 256 KiB / (32 MiB - 256 KiB) = 1/127.
    let share = queue("lossy_alpha = 0.007874015748031496");
    assert!(share.abs_diff(256 << 10) < 2 * packet, "{share}");
}

/// DCTCP requests marks at K and keeps the queue there. CUBIC requests none and fills the buffer.
#[test]
fn marks_keep_queues_of_dctcp_short() {
    let queue = |cc: &str| {
        let text = format!(
            r#"
                [topology]
                kind = "star"
                hosts = 3
                [cc]
                kind = "{cc}"
                [[workload]]
                kind = "incast"
                receiver = 2
                fan_in = 2
                size = "10MB"
                at = "0s"
            "#
        );
        let (_, mut simulation) = run(&text, 1);
        let marked: u64 = simulation.ports().iter().map(|port| port.marked).sum();
        (simulation.counters().max_queue.get(), marked)
    };
    let (dctcp, marks) = queue("tcp-dctcp");
    let (newreno, none) = queue("newreno");
    // K is 300 KB at 100 Gbps; slow start exceeds it once.
    assert!(
        dctcp < 1_500_000 && newreno > 2 * dctcp,
        "{dctcp} {newreno}"
    );
    assert!(marks > 100 && none == 0, "{marks} {none}");
}

/// Checks that the reports of queues with their own discipline agree with the counters of the
/// switches.
fn assert_reported(simulation: &Simulation, ruled: bool) {
    let reports = simulation.queue_reports();
    // Algorithms that need marks have a rule at other ports, too.
    assert!(!ruled || !reports.is_empty());
    let mut dropped = 0;
    for (node, port, report) in &reports {
        let gone = report.dequeued + report.aqm_drops + report.overload_drops;
        assert!(
            gone <= report.enqueued + report.aqm_drops,
            "{node} {port:?} {report:?}"
        );
        assert!(report.marked <= report.dequeued);
        assert_eq!(report.sojourn.is_some(), report.dequeued > 0);
        if let Some([p50, p95, p99]) = report.sojourn {
            assert!(p50 <= p95 && p95 <= p99);
        }
        dropped += report.tail_drops + report.aqm_drops + report.overload_drops;
    }
    assert!(dropped <= simulation.counters().queue_drops, "{dropped}");
}

/// Returns the drops of CoDel if each packet that leaves has waited for longer than the target and
/// leaves one other behind: 1,538 bytes, which take a slot of 12.304 us at 1 Gbps.
fn drops_of_one_that_waits(mtu: &str) -> u64 {
    let text = format!(
        r#"
            [topology]
            kind = "star"
            hosts = 4
            rate = "1Gbps"
            [cc]
            kind = "newreno"
            opening = "open"
            [[queue]]
            discipline = {{ kind = "codel", target = "10us", interval = "100us"{mtu} }}
            [[workload]]
            kind = "incast"
            receiver = 3
            fan_in = 1
            size = "1448B"
            at = "1s"
        "#
    );
    let mut simulation = support::simulation(&text, 1);
    let slot = Duration::from_ps(1_538 * 8_000);
    // Two at once, then one in the middle of each slot.
    let mut starts = vec![(0, 0), (1, 0)];
    starts.extend((0..200u64).map(|number| ((number + 2) % 3, 2 * number + 1)));
    for (src, half_slots) in starts {
        let request = FlowRequest {
            src: NodeId(u32::try_from(src).unwrap()),
            dst: NodeId(3),
            size: Bytes::new(1_448),
            start: Time::from_ps(slot.as_ps() / 2 * half_slots),
            class: ClassId(0),
            priority: Priority::new(1),
            src_port: None,
            dst_port: 100,
        };
        simulation.inject(request).unwrap();
    }
    assert_eq!(simulation.run_until(Time::MAX), Stop::Finished);
    // At most two packets wait, besides the one that leaves.
    let longest = simulation.counters().max_queue.get();
    assert!((2 * 1_538..=3 * 1_538).contains(&longest), "{longest}");
    let reports = simulation.queue_reports();
    reports.iter().map(|(_, _, report)| report.aqm_drops).sum()
}

/// CoDel does not drop a single waiting packet, regardless of its size on the wire.
#[test]
fn codel_leaves_a_backlog_of_one_packet_of_the_datacenter_alone() {
    assert_eq!(drops_of_one_that_waits(""), 0);
    // After one drop no packet waits behind another any more.
    assert!(drops_of_one_that_waits(r#", mtu = "1514B""#) > 0);
}

/// Any discipline at any port of a fabric, for every algorithm, next to RDMA.
#[test]
fn any_queue_can_be_at_any_port() {
    let queues = [
        r#""fq_codel""#,
        r#""dualpi2""#,
        r#""codel limit 100 target 100us interval 1ms ecn""#,
        r#""bfifo limit 100KB""#,
        r#""red min 30KB max 90KB probability 0.1 ecn""#,
        r#"{ kind = "step", packets = 20 }"#,
        r#""shared-buffer""#,
    ];
    for cc in tcp_congestion_controls() {
        for queue in queues {
            for place in [
                r#"towards = "switches""#,
                r#"towards = "hosts""#,
                r#"rate = "100Gbps""#,
                "",
            ] {
                let text = format!(
                    "{}[[queue]]\ndiscipline = {queue}\n{place}\n",
                    contended(cc.name, r#"buffer = "4MiB""#).replace("300KB", "60KB")
                );
                let (done, simulation) = run(&text, 1);
                assert_conserved(&done, &simulation);
                assert_eq!(again(&done, 0), 0, "{text}");
                assert_reported(&simulation, queue != r#""shared-buffer""#);
            }
        }
    }
}
