//! Collectives that switches reduce and multicast, on idle fabrics, against closed forms that are
//! exact to the nanosecond.
//!
//! The link of an aggregator is four times as fast as all links of hosts together, so the link of
//! the last host is the bottleneck: from the first copy on it never waits, and carries each packet
//! once and the ACKs of this host's own packets.

use crate::collectives::row::run;
use crate::collectives::star::{Link, Star};

/// Headers of a data packet, and bytes of an ACK.
const HEADER: u64 = 48;
const ACK: u64 = 60;
const MTU: u64 = 9_000;
const APART: u64 = 100_000;

/// A link rate.
#[derive(Clone, Copy)]
struct Gbps(u64);

impl Gbps {
    /// Returns the picoseconds that so many bytes take, rounded up.
    fn ps(self, bytes: u64) -> u64 {
        (bytes * 8_000).div_ceil(self.0)
    }
}

/// A star, with times in picoseconds.
#[derive(Clone, Copy)]
struct Fabric {
    hosts: u64,
    rate: Gbps,
    delay: u64,
}

impl Fabric {
    fn aggregator(self) -> Gbps {
        Gbps(4 * self.hosts * self.rate.0)
    }

    /// Returns the duration of `operation` of `size` bytes by `algorithm`.
    fn duration(self, operation: &str, algorithm: &str, (size, segment): (u64, u64)) -> u64 {
        let Self { hosts, rate, delay } = self;
        let text = format!(
            r#"
                [topology]
                kind = "star"
                hosts = {hosts}
                rate = "{}Gbps"
                delay = "{delay}ps"
                [switch]
                buffer = "1TB"
                reduction_trees = 1
                reduction_rate = "{}Gbps"
                reduction_delay = "{APART}ps"
                [rdma]
                mtu = "{MTU}B"
                [cc]
                kind = "none"
                window_bdp = 0
                [[workload]]
                kind = "collective"
                operation = "{operation}"
                algorithm = "{algorithm}"
                size = "{size}B"
                segment = "{segment}B"
            "#,
            rate.0,
            self.aggregator().0
        );
        let (_, _, rows) = run(&text, 1);
        assert_eq!((rows.len(), rows[0].start), (1, 0));
        rows[0].duration
    }

    /// Returns the time of an all-reduce of segments with the packets `segments`, in bytes on the
    /// wire.
    fn all_reduce(self, segments: &[Vec<u64>]) -> u64 {
        let (n, up, inner) = (self.hosts, self.rate, self.aggregator());
        let (first, all) = (&segments[0], segments.concat());
        // All contributions to the first segment follow one another to the aggregator.
        let last = first[first.len() - 1];
        let reduced = up.ps(first.iter().sum()) + self.delay + n * inner.ps(last) + APART;
        // The last host's copy follows all ACKs, which may be longer than the contributions, and the
        // copies of all other hosts.
        let acknowledged = reduced + inner.ps(ACK);
        let acknowledged = acknowledged + (n - 1) * inner.ps(ACK).saturating_sub(inner.ps(last));
        let copy = acknowledged + APART + (n * inner.ps(first[0])).max(up.ps(ACK));
        let acks = (all.len() - first.len()) as u64 * up.ps(ACK);
        copy + all.iter().map(|&packet| up.ps(packet)).sum::<u64>() + acks + self.delay
    }

    /// Returns the independent model.
    fn model(self) -> Star {
        let aggregator = Link {
            gbps: self.aggregator().0,
            delay: APART,
        };
        let host = Link {
            gbps: self.rate.0,
            delay: self.delay,
        };
        let mut star = Star::new(self.hosts, host, MTU);
        star.links.push(aggregator);
        star
    }
}

/// Divides `bytes` into `parts` that differ by at most a byte, and each into packets on the wire. An
/// empty part is sent as one byte.
fn packets(bytes: u64, parts: u64) -> Vec<Vec<u64>> {
    let at = |part: u64| bytes * part / parts;
    let part = |number: u64| {
        let size = (at(number + 1) - at(number)).max(1);
        let full = (0..size / MTU).map(|_| MTU + HEADER);
        let rest = Some(size % MTU).filter(|&rest| rest > 0);
        full.chain(rest.map(|rest| rest + HEADER)).collect()
    };
    (0..parts).map(part).collect()
}

fn near(found: u64, expected: u64, most: u64, case: &str) {
    let off = found.abs_diff(expected);
    assert!(off < most, "{case}: {found} ps instead of {expected}");
}

fn fabric(hosts: u64) -> Fabric {
    Fabric {
        hosts,
        // The link of the aggregator of 512 hosts is then 51.2 Tbps fast.
        rate: Gbps(if hosts > 200 { 25 } else { 100 }),
        delay: 1_000_000,
    }
}

fn expect_all_reduce(hosts: u64, size: u64, segment: u64) {
    let fabric = fabric(hosts);
    let found = fabric.duration("all-reduce", "sharp", (size, segment));
    let expected = fabric.all_reduce(&packets(size, size.div_ceil(segment).max(1)));
    near(
        found,
        expected,
        1_000,
        &format!("{hosts} hosts, {size} bytes"),
    );
}

#[test]
fn an_all_reduce_takes_one_step() {
    for hosts in [2, 3, 8, 64, 512] {
        for size in [1, 7, 511, 4_099, 9_000, 100_003, 1_000_000] {
            if hosts * size <= 64_000_000 {
                expect_all_reduce(hosts, size, MTU);
            }
        }
    }
}

#[test]
#[ignore = "a gigabyte of each of 8 ranks takes a minute"]
fn an_all_reduce_of_a_gigabyte_takes_one_step() {
    for hosts in [2, 3, 8] {
        expect_all_reduce(hosts, 1_000_000_000, 4 * MTU);
    }
    for hosts in [64, 512] {
        expect_all_reduce(hosts, 8_000_000, MTU);
    }
}

/// Of one segment for each rank. The delay of links is `delay` if it is given; otherwise it is longer
/// than the buffer, so that the reductions end before the first multicast begins.
fn expect_nvls(hosts: u64, size: u64, delay: Option<u64>) {
    let fabric = fabric(hosts);
    let long = 1_000_000 + fabric.rate.ps(2 * size + 100 * hosts);
    let fabric = Fabric {
        delay: delay.unwrap_or(long),
        ..fabric
    };
    let found = fabric.duration("all-reduce", "nvls", (size, size));
    let expected = fabric.model().nvls(size);
    assert_eq!(found, expected, "{hosts} hosts, {size} bytes by nvls");
}

#[test]
fn nvls_takes_a_reduction_and_a_multicast() {
    for hosts in [2, 3, 8, 64] {
        for shard in [12, 700, 8_999, 9_100, 44_990] {
            // Also a number of bytes that does not divide.
            for delay in [None, Some(1_000_000)] {
                expect_nvls(hosts, hosts * shard, delay);
                expect_nvls(hosts, hosts * shard + hosts / 2, delay);
            }
        }
        // Fewer bytes than ranks.
        expect_nvls(hosts, 1, None);
        expect_nvls(hosts, hosts - 1, None);
    }
}

#[test]
#[ignore = "512 ranks take minutes"]
fn nvls_takes_a_reduction_and_a_multicast_of_512_ranks() {
    for size in [1, 511, 512 * 12, 512 * 700 + 256] {
        expect_nvls(512, size, None);
    }
}

#[test]
#[ignore = "a gigabyte of each of 512 ranks takes minutes"]
fn nvls_takes_a_reduction_and_a_multicast_of_a_gigabyte() {
    for hosts in [2, 3, 8, 64] {
        expect_nvls(hosts, 1_000_000_000, None);
    }
    expect_nvls(512, 1_000_000_000, Some(1_000_000));
}
