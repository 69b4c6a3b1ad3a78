use std::time::Instant;

use fabricsim_base::rng::{Purpose, Stream};
use proptest::prelude::*;

use crate::tracing::{Choice, Layers, SchemeConfig};

use super::*;

fn scheme(config: SchemeConfig) -> Arc<Scheme> {
    Arc::new(Scheme::new(config).unwrap())
}

fn universe(switches: u64) -> Arc<Universe> {
    Arc::new(Universe::new((0..switches).collect()).unwrap())
}

fn digest(scheme: &Scheme, packet: u64, path: &[u64]) -> TraceDigest {
    let hops = (1..=u8::MAX).zip(path);
    hops.fold(TraceDigest::default(), |digest, (hop, &switch)| {
        scheme.encode(digest, packet, hop, switch)
    })
}

/// Records packets of `path`, numbered by `packets`, until the path is known.
fn decode(
    decoder: &mut PathDecoder,
    scheme: &Scheme,
    path: &[u64],
    packets: impl IntoIterator<Item = u64>,
) -> u64 {
    let hops = u8::try_from(path.len()).unwrap();
    for packet in packets {
        match decoder.record(packet, hops, digest(scheme, packet, path)) {
            Progress::Undecided => assert!(decoder.path().is_none()),
            Progress::Decoded => {
                assert_eq!(decoder.path(), Some(path));
                return decoder.packets();
            }
            Progress::Contradiction(contradiction) => panic!("{contradiction}"),
        }
    }
    panic!("{} hops are missing", decoder.missing());
}

#[test]
fn whole_numbers_are_known_from_one_digest_each() {
    let scheme = scheme(SchemeConfig {
        digest_bits: 10,
        values: Values::Whole,
        ..SchemeConfig::new(Layers::baseline())
    });
    let path = [900, 7, 512];
    let mut decoder = PathDecoder::new(Arc::clone(&scheme), universe(1_000), 3).unwrap();
    let mut seen = HopSet::default();
    for packet in 0.. {
        let hop = scheme.acting(0, packet, 3).only().unwrap();
        seen.insert(hop);
        decoder.record(packet, 3, digest(&scheme, packet, &path));
        assert_eq!(decoder.switch_at(hop), Some(path[usize::from(hop) - 1]));
        assert_eq!(decoder.missing(), 3 - seen.len());
        if seen.len() == 3 {
            break;
        }
    }
    assert_eq!(decoder.path(), Some(&path[..]));
    assert_eq!(decoder.decoded_after(), Some(decoder.packets()));
    assert_eq!((decoder.switch_at(0), decoder.switch_at(4)), (None, None));
}

#[test]
fn whole_numbers_have_to_fit() {
    let scheme = scheme(SchemeConfig {
        values: Values::Whole,
        ..SchemeConfig::new(Layers::baseline())
    });
    let refused = PathDecoder::new(Arc::clone(&scheme), universe(257), 3).unwrap_err();
    assert_eq!(refused.key, "digest_bits");
    assert_eq!(refused.help, "give 9 bits, or hash the numbers");
    assert!(PathDecoder::new(scheme, universe(256), 3).is_ok());
}

#[test]
fn a_path_of_no_switches_is_known_at_once() {
    let scheme = scheme(SchemeConfig::new(Layers::mininet()));
    let mut decoder = PathDecoder::new(scheme, universe(9), 0).unwrap();
    assert_eq!(decoder.path(), Some(&[][..]));
    let progress = decoder.record(1, 0, TraceDigest::default());
    assert_eq!(progress, Progress::Decoded);
    let progress = decoder.record(2, 0, TraceDigest(1));
    let digest = Contradiction::Digest { packet: 2 };
    assert_eq!(progress, Progress::Contradiction(digest));
}

#[test]
fn another_length_is_another_path() {
    let scheme = scheme(SchemeConfig::new(Layers::mininet()));
    let mut decoder = PathDecoder::new(Arc::clone(&scheme), universe(80), 5).unwrap();
    decode(&mut decoder, &scheme, &[1, 2, 3, 4, 5], 0..);
    let path = [1, 2, 9, 8, 4, 5];
    let progress = decoder.record(1_000, 6, digest(&scheme, 1_000, &path));
    let length = Contradiction::Length { before: 5, now: 6 };
    assert_eq!(progress, Progress::Contradiction(length));
    assert_eq!((decoder.packets(), decoder.restarts()), (1, 1));
    decode(&mut decoder, &scheme, &path, 1_001..);
}

/// With 8 bits, a change is noticed after about as many packets as it takes to observe a hop.
#[test]
fn a_changed_hop_is_noticed() {
    for layers in [Layers::baseline(), Layers::multilayer(10).unwrap()] {
        let scheme = scheme(SchemeConfig::new(layers));
        let old: Vec<u64> = (20..30).collect();
        let mut latest = 0;
        for changed in 0..10 {
            let mut decoder = PathDecoder::new(Arc::clone(&scheme), universe(80), 10).unwrap();
            let needed = decode(&mut decoder, &scheme, &old, 0..);
            let mut new = old.clone();
            new[changed] = 70;
            let noticed = (needed..)
                .find(|&packet| {
                    let progress = decoder.record(packet, 10, digest(&scheme, packet, &new));
                    matches!(progress, Progress::Contradiction(_))
                })
                .expect("an end");
            latest = latest.max(noticed - needed);
            decode(&mut decoder, &scheme, &new, noticed + 1..);
        }
        assert!(latest < 75, "noticed after {latest} packets");
    }
}

#[test]
fn contradictions_say_what_is_wrong() {
    assert_eq!(
        Contradiction::NoCandidate { hop: 3 }.to_string(),
        "no switch fits the digests of hop 3"
    );
    assert_eq!(
        Contradiction::Length { before: 5, now: 6 }.to_string(),
        "a packet passed 6 switches, those before 5"
    );
    assert_eq!(
        Contradiction::Digest { packet: 7 }.to_string(),
        "the digest of packet 7 does not fit the path known"
    );
}

fn layers() -> impl Strategy<Value = Layers> {
    prop_oneof![
        Just(Layers::baseline()),
        Just(Layers::mininet()),
        (3u8..=60).prop_map(|hops| Layers::interleaved(hops).unwrap()),
        (3u8..=60).prop_map(|hops| Layers::multilayer(hops).unwrap()),
        (0.3f64..1.0, prop::collection::vec(0.02f64..0.6, 1..4)).prop_map(
            |(baseline_share, xor)| Layers {
                baseline_share,
                xor
            }
        ),
    ]
}

fn configs() -> impl Strategy<Value = SchemeConfig> {
    let bits = prop_oneof![
        Just((1, 1)),
        Just((4, 1)),
        Just((8, 2)),
        Just((4, 2)),
        Just((20, 3))
    ];
    let choice = prop_oneof![Just(Choice::EachHop), Just(Choice::BitVectors { bits: 8 })];
    (layers(), bits, choice, any::<u64>()).prop_map(
        |(layers, (digest_bits, instances), choice, seed)| SchemeConfig {
            layers,
            digest_bits,
            instances,
            choice,
            seed,
            ..SchemeConfig::new(Layers::baseline())
        },
    )
}

/// Links of a connected network of `parents.len() + 1` switches, and a walk through it.
#[derive(Clone, Debug)]
struct Walk {
    links: Vec<(u64, u64)>,
    switches: u64,
    path: Vec<u64>,
}

impl Walk {
    fn joins(&self, a: u64, b: u64) -> bool {
        let joins = |&(c, d): &(u64, u64)| (a, b) == (c, d) || (b, a) == (c, d);
        self.links.iter().any(joins)
    }

    fn decoder(&self, scheme: &Arc<Scheme>) -> PathDecoder {
        let switches = (0..self.switches).collect();
        let universe = Arc::new(Universe::with_links(switches, &self.links).unwrap());
        let hops = u8::try_from(self.path.len()).unwrap();
        PathDecoder::new(Arc::clone(scheme), universe, hops).unwrap()
    }
}

/// A random tree, mostly chains, with a few additional links, and a walk that may return.
fn walks() -> impl Strategy<Value = Walk> {
    let index = any::<prop::sample::Index>;
    let parents = prop::collection::vec((any::<bool>(), index()), 1..60);
    let more = prop::collection::vec((index(), index()), 0..8);
    let steps = prop::collection::vec(index(), 1..30);
    (parents, more, steps).prop_map(|(parents, more, steps)| {
        let mut links = Vec::new();
        for (switch, (chain, parent)) in (1..).zip(&parents) {
            let parent = if *chain {
                switch - 1
            } else {
                parent.index(switch)
            };
            links.push((switch as u64, parent as u64));
        }
        let count = parents.len() + 1;
        for (a, b) in more {
            let (a, b) = (a.index(count) as u64, b.index(count) as u64);
            if a != b {
                links.push((a, b));
            }
        }
        let mut path = vec![steps[0].index(count) as u64];
        for step in &steps[1..] {
            let at = path[path.len() - 1];
            let ends = links.iter().filter_map(|&(a, b)| match at {
                _ if a == at => Some(b),
                _ if b == at => Some(a),
                _ => None,
            });
            path.push(*step.get(&ends.collect::<Vec<u64>>()));
        }
        Walk {
            links,
            switches: count as u64,
            path,
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// If the links are known, the true path is never eliminated, and it is found with no more
    /// packets.
    #[test]
    fn links_help_to_find_the_path(config in configs(), walk in walks()) {
        let scheme = scheme(config);
        let mut decoder = walk.decoder(&scheme);
        let packets = decode(&mut decoder, &scheme, &walk.path, 0..20_000);
        let hops = u8::try_from(walk.path.len()).unwrap();
        let mut blind = PathDecoder::new(Arc::clone(&scheme), universe(walk.switches), hops).unwrap();
        prop_assert!(packets <= decode(&mut blind, &scheme, &walk.path, 0..20_000));
    }

    /// For arbitrary digests, the decoded path is always a walk over links.
    #[test]
    fn with_links_a_path_is_a_walk(
        bits in 1u32..4,
        walk in walks(),
        digests in prop::collection::vec(any::<u64>(), 600),
    ) {
        let scheme = scheme(SchemeConfig {
            digest_bits: bits,
            ..SchemeConfig::new(Layers::multilayer(5).unwrap())
        });
        let mut decoder = walk.decoder(&scheme);
        let hops = u8::try_from(walk.path.len()).unwrap();
        for (packet, digest) in (0..).zip(digests) {
            let digest = TraceDigest(digest & scheme.mask());
            let progress = decoder.record(packet, hops, digest);
            prop_assert_eq!(progress == Progress::Decoded, decoder.path().is_some());
            for pair in decoder.path().unwrap_or(&[]).windows(2) {
                prop_assert!(walk.joins(pair[0], pair[1]));
            }
        }
    }

    /// Also with repeated switches, as in a loop, and with packets in any order.
    #[test]
    fn a_decoded_path_is_the_path(
        config in configs(),
        path in prop::collection::vec(0u64..100, 1..40),
        first in any::<u32>(),
    ) {
        let scheme = scheme(config);
        let hops = u8::try_from(path.len()).unwrap();
        let mut decoder = PathDecoder::new(Arc::clone(&scheme), universe(100), hops).unwrap();
        let first = u64::from(first);
        decode(&mut decoder, &scheme, &path, (first..first + 20_000).rev());
        for packet in 0..200 {
            let progress = decoder.record(packet, hops, digest(&scheme, packet, &path));
            prop_assert_eq!(progress, Progress::Decoded);
        }
    }

    /// If the path changes, then after enough packets the decoder has the new path and has reported
    /// the change.
    #[test]
    fn a_changed_path_is_found(
        config in configs(),
        old in prop::collection::vec(0u64..100, 12),
        new in prop::collection::vec(0u64..100, 12),
        change in 0u64..300,
    ) {
        let scheme = scheme(config);
        let mut decoder = PathDecoder::new(Arc::clone(&scheme), universe(100), 12).unwrap();
        for packet in 0..change + 3_000 {
            let path = if packet < change { &old } else { &new };
            let progress = decoder.record(packet, 12, digest(&scheme, packet, path));
            if packet < change {
                prop_assert!(!matches!(progress, Progress::Contradiction(_)));
            }
            if packet < change && progress == Progress::Decoded {
                prop_assert_eq!(decoder.path(), Some(&old[..]));
            }
        }
        prop_assert_eq!(decoder.path(), Some(&new[..]));
        prop_assert!(decoder.restarts() > 0 || change < 60 || old == new);
    }

    /// A damaged digest of a known path is reported, unless the damage is as likely as the truth.
    #[test]
    fn a_damaged_digest_is_noticed(
        damage in 1u64..1 << 32,
        path in prop::collection::vec(0u64..100, 1..20),
    ) {
        let scheme = scheme(SchemeConfig {
            digest_bits: 32,
            ..SchemeConfig::new(Layers::mininet())
        });
        let hops = u8::try_from(path.len()).unwrap();
        let mut decoder = PathDecoder::new(Arc::clone(&scheme), universe(100), hops).unwrap();
        let packet = decode(&mut decoder, &scheme, &path, 0..);
        let TraceDigest(right) = digest(&scheme, packet, &path);
        let progress = decoder.record(packet, hops, TraceDigest(right ^ damage));
        prop_assert!(matches!(progress, Progress::Contradiction(_)));
        prop_assert_eq!((decoder.path(), decoder.packets()), (None, 0));
    }
}

/// Returns the seconds it takes to record `count` digests of paths of `hops`, in flows of 500
/// packets.
fn seconds(choice: Choice, hops: u8, count: usize) -> f64 {
    let scheme = scheme(SchemeConfig {
        choice,
        digest_bits: 8,
        instances: 2,
        ..SchemeConfig::new(Layers::multilayer(hops).unwrap())
    });
    let switches = universe(754);
    let mut stream = Stream::new(1, u64::from(hops), Purpose::Custom(0));
    let flow: Vec<TraceDigest> = {
        let path: Vec<u64> = (0..hops).map(|_| stream.below(754)).collect();
        (0..500)
            .map(|packet| digest(&scheme, packet, &path))
            .collect()
    };
    let begin = Instant::now();
    for _ in 0..count / flow.len() {
        let mut decoder =
            PathDecoder::new(Arc::clone(&scheme), Arc::clone(&switches), hops).unwrap();
        for (packet, &digest) in (0..).zip(&flow) {
            decoder.record(packet, hops, digest);
        }
        assert!(decoder.path().is_some());
    }
    begin.elapsed().as_secs_f64()
}

#[test]
#[ignore = "measures time: cargo test --release -p fabricsim-pint -- --ignored --nocapture a_million"]
fn a_million_digests_of_59_hops_are_decoded_in_seconds() {
    for choice in [Choice::EachHop, Choice::BitVectors { bits: 8 }] {
        let took = seconds(choice, 59, 1_000_000);
        let longer = seconds(choice, 236, 1_000_000) / took;
        println!("{choice:?}: {took:.2} s, paths four times as long {longer:.1} times as long");
        assert!(took < 2.0);
        assert!(longer < 8.0);
    }
}
