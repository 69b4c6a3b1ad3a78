//! Groups of a job that drift apart.

use crate::collectives::row::run;

const DELAY: f64 = 1_000.0;
/// Transmission times at 100 Gbps in nanoseconds: a packet of 1,000 bytes with its headers, and an
/// ACK.
const PACKET: f64 = 83.84;
const ACK: f64 = 4.8;
const COMPUTE: f64 = 20_000.0;
const COUNT: u32 = 5;

/// One group is behind one switch, and the messages of the other cross a spine. Each group sends
/// one packet, waits for the ACK, computes and begins again, independently of the other group.
#[test]
fn an_iteration_takes_from_one_completion_to_the_next() {
    let text = format!(
        r#"
            [topology]
            kind = "leaf-spine"
            leaves = 2
            hosts_per_leaf = 3
            spines = 1
            host_rate = "100Gbps"
            fabric_rate = "100Gbps"
            link_delay = "1us"
            [cc]
            kind = "none"
            [[workload]]
            kind = "collective"
            operation = "send-receive"
            size = "1000B"
            hosts = ["0..4"]
            group_size = 2
            iterations = {COUNT}
            compute = "20us"
        "#
    );
    let (summary, _, rows) = run(&text, 1);
    let near = |one: f64, other: f64| assert!((one - other).abs() < 1e-3, "{one} {other}");
    // The time of one way over so many links, and the time from one beginning to the next.
    let delivered = |links: f64| links * (DELAY + PACKET);
    let cycle = |links: f64| delivered(links) + links * (DELAY + ACK) + COMPUTE;
    for (group, links) in [(0, 2.0), (1, 4.0)] {
        let own: Vec<_> = rows.iter().filter(|row| row.group == group).collect();
        assert_eq!(own.len(), 5);
        for row in own {
            near(row.duration as f64 / 1e3, delivered(links));
            let expected = match row.iteration {
                0 => delivered(links),
                _ => cycle(links),
            };
            near(row.since_last as f64 / 1e3, expected);
        }
    }
    let job = &summary.jobs[0];
    let whole = delivered(4.0) + f64::from(COUNT - 1) * cycle(4.0);
    near(job.completion_ns.unwrap(), whole);
    near(job.iteration_mean_ns.unwrap() * f64::from(COUNT), whole);
    near(job.iteration_p50_ns.unwrap(), cycle(4.0));
    near(job.iteration_max_ns.unwrap(), cycle(4.0));
    let gbps = |links: f64| 8_000.0 / delivered(links);
    near(job.busbw_slowest_gbps.unwrap(), gbps(4.0));
    near(job.busbw_gbps.unwrap(), (gbps(2.0) + gbps(4.0)) / 2.0);
}
