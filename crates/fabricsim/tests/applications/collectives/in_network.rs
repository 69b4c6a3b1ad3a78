//! Collectives that switches reduce and multicast, on idle fabrics, against closed forms that are
//! exact to the nanosecond.
//!
//! The link of an aggregator is four times as fast as all links of hosts together, so the link of
//! the last host is the bottleneck: from the first copy on it never waits, and carries each packet
//! once and the ACKs of this host's own packets.

use crate::collectives::row::run;

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
struct Star {
    hosts: u64,
    rate: Gbps,
    delay: u64,
}

impl Star {
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

    /// Returns the time of an all-reduce by "nvls" of one segment for each rank. It is shorter than
    /// the delays of links, so its phases do not meet.
    fn nvls(self, shards: &[Vec<u64>]) -> u64 {
        let (n, up, inner) = (self.hosts, self.rate, self.aggregator());
        let wire = |shard: &[u64]| shard.iter().map(|&packet| up.ps(packet)).sum::<u64>();
        let one = shards[0][0];
        if one < ACK {
            // ACKs are longer than packets, so the last host's reduced part is behind all of its
            // ACKs, and the hosts store their parts one after the other.
            let sent = up.ps(one) + self.delay + inner.ps(one) + APART;
            let acknowledged = sent + n * inner.ps(ACK) + APART + n * up.ps(ACK);
            let gathered = acknowledged + up.ps(one) + self.delay;
            let stored = gathered + up.ps(ACK) + up.ps(one) + self.delay + inner.ps(one) + APART;
            let copy = stored + inner.ps(ACK) + APART + (n * inner.ps(one)).max(up.ps(ACK));
            return copy + up.ps(one) + self.delay;
        }
        // The times at which the aggregator begins to get each shard back, and at which the last
        // host's port can send the first copy of it.
        let mut sent = 0;
        let times: Vec<(u64, u64)> = (0..shards.len())
            .map(|place| {
                let (shard, last) = (&shards[place], shards[place][shards[place].len() - 1]);
                sent += wire(shard);
                let reduced = sent + self.delay + n * inner.ps(last) + APART;
                // ACKs of the next shard's packets wait with the packets of the result, if they
                // arrive before the last of these.
                let arrival = (shard.len() as u64 + n - 1) * inner.ps(shard[0]);
                let between = arrival / (up.ps(shard[0]) - n * inner.ps(ACK));
                let acks = match place + 1 < shards.len() {
                    true => between * up.ps(ACK),
                    false => 0,
                };
                // The ACK of the owner's contribution, sent before the ACKs of later hosts, may
                // delay the result.
                let later = (n - 1 - place as u64) * inner.ps(last);
                let gap = inner.ps(shard[0]).max(up.ps(ACK).saturating_sub(later));
                let gathered = reduced + inner.ps(ACK) + APART + gap;
                let gathered = gathered + wire(shard) + acks + self.delay;
                let back = gathered + up.ps(ACK) + self.delay + inner.ps(last) + APART;
                let copy = inner.ps(ACK) + n * inner.ps(shard[0]) + APART;
                (back, back + wire(shard) + copy)
            })
            .collect();
        // The ACKs of the last host's own shard are between the copies, or before them.
        let own = &shards[shards.len() - 1];
        let first_ack = times[shards.len() - 1].0 + inner.ps(ACK) + APART;
        let acks: Vec<u64> = (1..=own.len())
            .map(|count| first_ack + wire(&own[..count]))
            .collect();
        let ends = (0..shards.len()).map(|place| {
            let before = acks.partition_point(|&ack| ack <= times[place].1);
            let busy = acks[..before].last().map_or(0, |&ack| ack + up.ps(ACK));
            let copies: u64 = shards[place..].iter().map(|shard| wire(shard)).sum();
            times[place].1.max(busy) + copies + (own.len() - before) as u64 * up.ps(ACK)
        });
        ends.max().unwrap() + self.delay
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

fn star(hosts: u64) -> Star {
    Star {
        hosts,
        // The link of the aggregator of 512 hosts is then 51.2 Tbps fast.
        rate: Gbps(if hosts > 200 { 25 } else { 100 }),
        delay: 1_000_000,
    }
}

fn expect_all_reduce(hosts: u64, size: u64, segment: u64) {
    let star = star(hosts);
    let found = star.duration("all-reduce", "sharp", (size, segment));
    let expected = star.all_reduce(&packets(size, size.div_ceil(segment).max(1)));
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

/// Of one segment for each rank, with links longer than the buffer. The time is less than `most`
/// picoseconds off.
fn expect_nvls(hosts: u64, size: u64, most: u64) {
    let long = Star {
        delay: 1_000_000 + star(hosts).rate.ps(2 * size + 100 * hosts),
        ..star(hosts)
    };
    let found = long.duration("all-reduce", "nvls", (size, size));
    let expected = long.nvls(&packets(size, hosts));
    near(
        found,
        expected,
        most,
        &format!("{hosts} hosts, {size} bytes by nvls"),
    );
}

#[test]
fn nvls_takes_a_reduction_and_a_multicast() {
    for hosts in [2, 3, 8, 64] {
        for shard in [12, 700, 8_999, 44_990] {
            // Also a number of bytes that does not divide.
            expect_nvls(hosts, hosts * shard, 1_000);
            expect_nvls(hosts, hosts * shard + hosts / 2, 1_000);
        }
        // Fewer bytes than ranks.
        expect_nvls(hosts, 1, 1_000);
        expect_nvls(hosts, hosts - 1, 1_000);
    }
}

#[test]
#[ignore = "512 ranks take minutes"]
fn nvls_takes_a_reduction_and_a_multicast_of_512_ranks() {
    for size in [1, 511, 512 * 12, 512 * 700 + 256] {
        expect_nvls(512, size, 1_000);
    }
}
