//! Divisions, choices and rails of NCCL.

use super::sizes::executed;
use super::*;
use CollectiveAlgorithm as A;
use CollectiveOperation as O;

const KIB: u64 = 1 << 10;
const MIB: u64 = 1 << 20;

/// Returns NCCL's collective of `ranks` ranks in nodes of `local` ranks.
fn divided(
    (operation, algorithm, protocol): (O, A, Protocol),
    (ranks, local, channels): (u32, u32, u32),
    size: u64,
) -> Shape {
    let mut config = CollectiveConfig::new(operation, Bytes::new(size));
    (config.algorithm, config.protocol) = (Some(algorithm), Some(protocol));
    (config.local_size, config.channels) = (Some(local), Some(channels));
    config.root = u32::from(operation == O::Broadcast && ranks > 1);
    config.shape(ranks, RATE).unwrap()
}

const KINDS: [(O, A); 5] = [
    (O::AllReduce, A::Ring),
    (O::AllGather, A::Ring),
    (O::ReduceScatter, A::Ring),
    (O::AllReduce, A::DoubleBinaryTree),
    (O::Broadcast, A::Chain),
];

/// Returns collectives of all kinds and protocols, of single bytes to several rounds.
pub(super) fn some() -> Vec<Shape> {
    let mut all = Vec::new();
    for (operation, algorithm) in KINDS {
        for protocol in [Protocol::Simple, Protocol::Ll, Protocol::Ll128] {
            for (ranks, local) in [
                (2, 1),
                (3, 1),
                (5, 1),
                (8, 1),
                (8, 4),
                (6, 2),
                (4, 4),
                (9, 3),
            ] {
                for (channels, size) in [(1, 1), (2, 0), (4, 100_003), (3, 9_000_001)] {
                    let kind = (operation, algorithm, protocol);
                    all.push(divided(kind, (ranks, local, channels), size));
                }
            }
        }
    }
    all
}

#[test]
fn data_and_messages_arrive_for_any_size() {
    for shape in some() {
        expect_data(&shape);
        let sent = executed(&shape);
        let (messages, bytes) = of_programs(&shape);
        let total: u64 = sent.values().sum();
        assert!((bytes - total as f64).abs() < 0.5);
        let (expected, expected_bytes) = shape.traffic();
        assert!((messages - expected).abs() < 0.5, "{shape:?}");
        assert!((bytes - expected_bytes).abs() < 0.5, "{shape:?}");
    }
}

/// Each byte is in one block, so that rings send as much as NCCL-tests assume, and trees twice.
#[test]
fn blocks_cover_the_buffer() {
    for (operation, algorithm) in KINDS {
        for protocol in [Protocol::Simple, Protocol::Ll, Protocol::Ll128] {
            for size in [0, 1, 15, 16, 17, 1_000, 65_537, 3_000_017, 100_000_001] {
                for channels in [1, 2, 7, 16] {
                    let kind = (operation, algorithm, protocol);
                    let shape = divided(kind, (8, 2, channels), size);
                    let division = shape.division.as_ref().unwrap();
                    let mut covered = 0;
                    for unit in 0..shape.units() {
                        for block in 0..shape.unit_blocks() {
                            let data = division.data(unit, block);
                            assert!(data == 0 || division.has(unit, block), "{shape:?}");
                            covered += data;
                        }
                    }
                    assert_eq!(covered, size, "{shape:?}");
                    assert!(division.channels <= channels);
                }
            }
        }
    }
}

/// By hand: 64 MiB on 2 channels of 8 ranks are 2 rounds of chunks of 2 MiB, each of 2 slices. A
/// chunk of LL has 32 KiB of data in 64 KiB, a chunk of LL128 576,000 bytes.
#[test]
fn chunks_have_the_sizes_of_nccl() {
    let shape = |kind, channels, size| divided(kind, (8, 1, channels), size);
    let simple = shape((O::AllReduce, A::Ring, Protocol::Simple), 2, 64 * MIB);
    assert_eq!((simple.units(), simple.unit_blocks()), (4, 16));
    let bytes = |shape: &Shape, unit, block| {
        let ends = (0, 1);
        shape.message(unit, ends, &(block..block + 1)).get()
    };
    assert_eq!(bytes(&simple, 3, 15), MIB);
    // The last round of 1,000 bytes has chunks of 128 bytes, and a last one of 104. A slice has at
    // least 32 KiB, so the second one is empty.
    let rest = shape(
        (O::AllReduce, A::Ring, Protocol::Simple),
        1,
        16 * MIB + 1_000,
    );
    assert_eq!(rest.units(), 4);
    let blocks = [(2, 0), (2, 6), (2, 7), (3, 0)].map(|(unit, block)| bytes(&rest, unit, block));
    assert_eq!(blocks, [128, 128, 104, 1]);
    let ll = shape((O::AllReduce, A::Ring, Protocol::Ll), 1, MIB);
    assert_eq!((ll.units(), bytes(&ll, 0, 0)), (4, 64 * KIB));
    let ll128 = shape((O::AllGather, A::Ring, Protocol::Ll128), 1, 8 * 576_001);
    assert_eq!((ll128.units(), bytes(&ll128, 0, 0)), (2, 614_400));
    assert_eq!(bytes(&ll128, 1, 0), 2_048);
    let tree = shape(
        (O::AllReduce, A::DoubleBinaryTree, Protocol::Simple),
        2,
        4 * MIB,
    );
    assert_eq!((tree.units(), tree.unit_blocks()), (4, 2));
    // A tree of 8 nodes has 4.1 steps: chunks of 576,000 bytes are halved to 72,000 because fewer
    // than 4.1 * 64 fit, and to 36,000 because only 58 of at least 4.1 * 16 fit.
    let tree = shape(
        (O::AllReduce, A::DoubleBinaryTree, Protocol::Ll128),
        1,
        4 * MIB,
    );
    assert_eq!(bytes(&tree, 0, 0), 34_560 / 1_920 * 2_048);
    let chain = shape((O::Broadcast, A::Chain, Protocol::Simple), 2, 4 * MIB);
    assert_eq!((chain.units(), bytes(&chain, 3, 1)), (4, 512 * KIB));
}

/// A channel has at least 32 KiB of traffic: 16 KiB of an all-reduce, 4 KiB with LL.
#[test]
fn small_buffers_use_few_channels() {
    let used = |protocol, size| {
        let shape = divided((O::AllReduce, A::Ring, protocol), (8, 1, 4), size);
        shape.division.unwrap().channels
    };
    for (size, simple, ll) in [
        (1, 1, 1),
        (4 * KIB, 1, 1),
        (4 * KIB + 1, 1, 2),
        (16 * KIB, 1, 4),
        (16 * KIB + 1, 2, 3),
        (40 * KIB, 3, 4),
        (MIB, 4, 4),
    ] {
        assert_eq!(used(Protocol::Simple, size), simple, "{size}");
        assert_eq!(used(Protocol::Ll, size), ll, "{size}");
    }
}

#[test]
fn rings_of_channels_stay_on_the_rail_of_their_channel() {
    let kind = (O::AllReduce, A::Ring, Protocol::Simple);
    let shape = divided(kind, (16, 4, 4), 64 * MIB);
    let mut leaving = std::collections::BTreeSet::new();
    for (from, to) in executed(&shape).into_keys() {
        if from / 4 != to / 4 {
            assert_eq!(from % 4, to % 4);
            leaving.insert(from);
        }
    }
    assert_eq!(leaving.len(), 16);
}

/// Returns the label of NCCL's choice for an operation.
fn choice(operation: O, (ranks, local): (u32, u32), size: u64, rows: &[TunerRow]) -> Box<str> {
    let mut config = CollectiveConfig::new(operation, Bytes::new(size));
    (config.algorithm, config.local_size) = (Some(A::Nccl), Some(local));
    config.tuner = Some(rows.to_vec());
    let shape = config.shape(ranks, Rate::from_gbps(400)).unwrap();
    shape.algorithm_label()
}

/// Expected microseconds by hand for 8 nodes of 8 hosts with 400 Gbps, 400 GB/s and 16 channels.
///
/// 1 KiB: tree LL 6.8 + 2 (7 * 0.6 + 3 * 5) = 45.2 and 1024 / 10200, LL128 14 + 2 (7 * 1.25 + 3 *
/// 8.5) = 82.5; ring LL 6.6 + (126 - 14) 1 + 14 * 2.7 = 156.4. 1 GiB: tree Simple 8.4 + 2 (28 + 42)
/// and 2^30 / 184000 = 5835; ring Simple 1.4 (8.4 + 112 * 3.4 + 14 * 14) and 2^30 / 203175 = 5285;
/// ring LL128 14 + 112 * 1.9 + 14 * 4 and 2^30 / 186921 = 5744.
#[test]
fn choices_are_the_least_times_of_the_model() {
    let nodes = (64, 8);
    let label = |size| choice(O::AllReduce, nodes, size, &[]);
    assert_eq!(&*label(KIB), "double-binary-tree/ll/1");
    assert_eq!(&*label(1 << 30), "double-binary-tree/simple/16");
    // 2^34: tree 93368 + 148.4, ring 84557 + 821.
    assert_eq!(&*label(1 << 34), "ring/simple/16");
    assert_eq!(&*choice(O::AllGather, nodes, KIB, &[]), "ring/ll/1");
    // LL128 14 + 64 * 4 and 2^30 / 368000, Simple 8.4 + 64 * 14 and 2^30 / 400000.
    assert_eq!(
        &*choice(O::Broadcast, nodes, 1 << 30, &[]),
        "chain/ll128/16"
    );
    let two = choice(O::AllReduce, (2, 1), 64 * MIB, &[]);
    assert_eq!(&*two, "ring/simple/2");
}

/// NCCL itself printed 25.874907 us for 4,096 bytes and 26.549810 us for 8,192 bytes by the tree with
/// LL on two nodes of 8 H100 (`github.com/NVIDIA/nccl/issues/1453`, `NCCL_DEBUG_SUBSYS=TUNING`). The
/// first time without the bytes is 6.8 + 2 (7 * 0.6 + 5). NCCL found another bandwidth there.
#[test]
fn the_latency_of_the_model_is_the_one_that_nccl_prints() {
    let nodes = Nodes {
        ranks: 16,
        local_size: 8,
        rate: Rate::from_gbps(400),
        channels: 16,
    };
    let latency = 2.0 * nodes.tree(Bytes::new(4_096), 0) - nodes.tree(Bytes::new(8_192), 0);
    let printed = 2.0 * 25.874_907 - 26.549_810;
    assert!((latency - printed).abs() < 1e-5, "{latency} {printed}");
}

#[test]
fn the_first_row_for_the_collective_precedes_the_model() {
    let row = |most: Option<u64>, ranks, algorithm, channels| TunerRow {
        max_bytes: most.map(Bytes::new),
        ranks,
        channels,
        ..TunerRow::with_required(algorithm, Protocol::Ll128)
    };
    let rows = [
        row(Some(KIB), None, NcclAlgorithm::Ring, Some(1)),
        row(None, Some(3), NcclAlgorithm::Ring, Some(2)),
        row(Some(MIB), None, NcclAlgorithm::Tree, Some(4)),
    ];
    let label = |size| choice(O::AllReduce, (64, 8), size, &rows);
    assert_eq!(&*label(KIB), "ring/ll128/1");
    assert_eq!(&*label(MIB), "double-binary-tree/ll128/4");
    assert_eq!(&*label(1 << 34), "ring/simple/16");
    let label = |size| choice(O::AllReduce, (3, 1), size, &rows);
    assert_eq!(&*label(MIB), "ring/ll128/2");
}

/// Data for another rail pass one host of the own node, and each pair of nodes on a rail has one
/// message with the data of the whole node.
#[test]
fn data_cross_rails_inside_of_nodes() {
    for (nodes, local, size) in [
        (2u32, 4u32, 8_000u64),
        (3, 2, 6_001),
        (4, 1, 17),
        (1, 4, 400),
    ] {
        let mut config = CollectiveConfig::new(O::AllToAll, Bytes::new(size));
        (config.algorithm, config.local_size) = (Some(A::Pxn), Some(local));
        let shape = config.shape(nodes * local, RATE).unwrap();
        let sent = executed(&shape);
        let part = |member: u32| shape.offset(u64::from(member) + 1) - shape.offset(member.into());
        for (&(from, to), &bytes) in &sent {
            let inside = from / local == to / local;
            assert!(inside || from % local == to % local);
            let expected = if inside {
                (0..nodes)
                    .map(|node| part(node * local + to % local).max(1))
                    .sum()
            } else {
                (u64::from(local) * part(to)).max(1)
            };
            assert_eq!(bytes, expected, "{from} {to}");
        }
        assert_eq!(sent.len(), (nodes * local * (local + nodes - 2)) as usize);
        for member in 0..nodes * local {
            let mut steps = Steps::default();
            algorithm::transfer(&shape, member, &mut steps);
            let mut heard = BTreeMap::new();
            for step in steps.0 {
                match step {
                    Step::Receive(from, blocks, Use::Reduce) => {
                        assert_eq!(from / local, member / local);
                        *heard.entry(blocks.start / local).or_insert(0) += 1;
                    }
                    Step::Send(to, _) if to / local != member / local => {
                        let others = heard.get(&(to / local)).copied().unwrap_or(0);
                        assert_eq!(others, local - 1);
                    }
                    _ => {}
                }
            }
        }
    }
}
