mod config;
mod nccl;
mod programs;
mod sizes;
mod uneven;

use std::collections::{BTreeMap, VecDeque};

use fabricsim_base::id::ClassId;

use super::transfers::{Transfers, Use};
use super::*;
use crate::context::testing::context;
use crate::graph::{OF_A_COLLECTIVE, Operation, Program, ProgramBuilder};
use crate::workload::Workload;

/// The rate of hosts, which only NCCL's choice needs.
const RATE: Rate = Rate::from_gbps(100);

/// For each block, the members that have contributed to it.
type Buffer = Vec<Vec<bool>>;

/// A step of a member, in the order in which it is posted.
#[derive(Clone, Debug)]
enum Step {
    Send(u32, std::ops::Range<u32>),
    Receive(u32, std::ops::Range<u32>, Use),
    Forward((u32, u32), std::ops::Range<u32>),
    Wait,
}

#[derive(Default)]
struct Steps(VecDeque<Step>);

impl Transfers for Steps {
    fn send(&mut self, to: u32, blocks: std::ops::Range<u32>) {
        self.0.push_back(Step::Send(to, blocks));
    }

    fn receive(&mut self, from: u32, blocks: std::ops::Range<u32>, used: Use) {
        self.0.push_back(Step::Receive(from, blocks, used));
    }

    fn forward(&mut self, ends: (u32, u32), blocks: std::ops::Range<u32>) {
        self.0.push_back(Step::Forward(ends, blocks));
    }

    fn wait(&mut self) {
        self.0.push_back(Step::Wait);
    }
}

/// Delivers the data: each member does its steps in order, and a receipt waits for its message.
/// Returns the contents of the members' own buffers and of their buffers for [`Use::Apart`].
fn carried(shape: &Shape, mut own: Vec<Buffer>) -> (Vec<Buffer>, Vec<Buffer>) {
    let ranks = shape.ranks as usize;
    let mut steps: Vec<Steps> = (0..ranks).map(|_| Steps::default()).collect();
    for (member, steps) in (0..).zip(&mut steps) {
        algorithm::transfer(shape, member, steps);
    }
    let empty = vec![vec![false; ranks]; shape.unit_blocks() as usize];
    let mut apart = vec![empty; ranks];
    let mut wire: BTreeMap<(usize, usize, u32), VecDeque<Buffer>> = BTreeMap::new();
    // Members take turns until none can proceed, because a receipt blocks only its own member.
    loop {
        let mut moved = false;
        for member in 0..ranks {
            while let Some(step) = steps[member].0.front().cloned() {
                match step {
                    Step::Wait => {}
                    Step::Send(to, blocks) => {
                        let data = own[member][blocks.start as usize..blocks.end as usize].to_vec();
                        let key = (member, to as usize, blocks.start);
                        wire.entry(key).or_default().push_back(data);
                    }
                    Step::Forward((from, to), blocks) => {
                        let key = (from as usize, member, blocks.start);
                        let Some(data) = wire.get_mut(&key).and_then(VecDeque::pop_front) else {
                            break;
                        };
                        let key = (member, to as usize, blocks.start);
                        wire.entry(key).or_default().push_back(data);
                    }
                    Step::Receive(from, blocks, used) => {
                        let key = (from as usize, member, blocks.start);
                        let Some(data) = wire.get_mut(&key).and_then(VecDeque::pop_front) else {
                            break;
                        };
                        assert_eq!(data.len(), blocks.len());
                        for (block, data) in blocks.zip(data) {
                            let block = block as usize;
                            match used {
                                Use::Replace => own[member][block] = data,
                                Use::Apart => apart[member][block] = data,
                                Use::Reduce => {
                                    for (mine, theirs) in own[member][block].iter_mut().zip(data) {
                                        assert!(!(*mine && theirs), "added twice");
                                        *mine |= theirs;
                                    }
                                }
                            }
                        }
                    }
                }
                steps[member].0.pop_front();
                moved = true;
            }
        }
        if !moved {
            break;
        }
    }
    // A step that is left over means a deadlock; a message that is left over has no receipt.
    assert!(steps.iter().all(|left| left.0.is_empty()), "{shape:?}");
    assert!(wire.values().all(VecDeque::is_empty), "{shape:?}");
    (own, apart)
}

fn shape(operation: CollectiveOperation, algorithm: CollectiveAlgorithm, ranks: u32) -> Shape {
    Shape {
        operation,
        algorithm,
        size: Bytes::new(1_000_003),
        ranks,
        channels: 1,
        chunks: 1,
        division: None,
        local_size: 4,
        root: u32::from(ranks > 1),
        detail: match operation {
            CollectiveOperation::AllToAllV => {
                Detail::Parts(Parts::skewed(Bytes::new(1_000_003), ranks, 0.7))
            }
            _ => Detail::None,
        },
    }
}

/// Returns all possible shapes of groups of `counts` members.
fn shapes(counts: &[u32]) -> Vec<Shape> {
    use CollectiveOperation as O;
    let mut all = Vec::new();
    for operation in [
        O::AllReduce,
        O::AllGather,
        O::ReduceScatter,
        O::AllToAll,
        O::AllToAllV,
        O::Broadcast,
        O::SendReceive,
    ] {
        // `tree/tests.rs` has the algorithms of switches.
        let is_here =
            |one: &&CollectiveAlgorithm| !one.is_in_network() && **one != CollectiveAlgorithm::Nccl;
        for &algorithm in operation.algorithms().iter().filter(is_here) {
            for &ranks in counts {
                all.extend(shape(operation, algorithm, ranks).checked().ok());
            }
        }
    }
    all
}

/// Returns the member that owns a block.
fn owner(shape: &Shape, block: usize) -> usize {
    let place = block % shape.ranks as usize;
    match &shape.division {
        None => place,
        // The ring of a channel begins in each node with another host.
        Some(division) => {
            let channel = division.channel(u32::try_from(block).unwrap());
            let place = u32::try_from(place).unwrap();
            Rails::of(shape).member(channel, place) as usize
        }
    }
}

fn expect_data(shape: &Shape) {
    let ranks = shape.ranks as usize;
    let blocks = shape.unit_blocks() as usize;
    let only = |member: usize| -> Vec<bool> { (0..ranks).map(|one| one == member).collect() };
    let all = vec![true; ranks];
    // The contribution of each member: a gather begins with one block of each.
    let brings = |member: usize, block: usize| match shape.operation {
        CollectiveOperation::AllGather if owner(shape, block) != member => vec![false; ranks],
        CollectiveOperation::Broadcast if member != 1 => vec![false; ranks],
        _ => only(member),
    };
    let start = (0..ranks)
        .map(|member| (0..blocks).map(|block| brings(member, block)).collect())
        .collect();
    let (own, apart) = carried(shape, start);
    for member in 0..ranks {
        for (block, found) in own[member].iter().enumerate() {
            match shape.operation {
                CollectiveOperation::AllReduce => assert_eq!(found, &all, "{shape:?}"),
                CollectiveOperation::ReduceScatter if owner(shape, block) == member => {
                    assert_eq!(found, &all, "{shape:?} {member} {block}");
                }
                CollectiveOperation::AllGather => {
                    assert_eq!(found, &only(owner(shape, block)), "{shape:?}");
                }
                CollectiveOperation::Broadcast => assert_eq!(found, &only(1), "{shape:?}"),
                _ => {}
            }
        }
        match shape.operation {
            CollectiveOperation::AllToAll | CollectiveOperation::AllToAllV => {
                // Blocks for this member have arrived from all other members, one after the other.
                // With `pxn` they have the numbers of the senders' places.
                let is_empty = |block: &usize| apart[member][*block] == vec![false; ranks];
                let local = shape.local_size as usize;
                let node = member / local * local..(member / local + 1) * local;
                match shape.algorithm {
                    CollectiveAlgorithm::Pxn => {
                        assert!(!node.filter(|one| *one != member).any(|one| is_empty(&one)));
                    }
                    _ => assert!(!is_empty(&member)),
                }
            }
            CollectiveOperation::SendReceive => {
                assert_eq!(apart[member][0], only((member + ranks - 1) % ranks));
            }
            _ => {}
        }
    }
}

#[test]
fn each_algorithm_leaves_the_data_of_its_operation() {
    let counts: Vec<u32> = (2..34).chain([64]).collect();
    let shapes = shapes(&counts);
    for shape in &shapes {
        expect_data(shape);
    }
    let algorithms: std::collections::BTreeSet<_> = (shapes.iter())
        .map(|shape| (shape.operation.name(), shape.algorithm.name()))
        .collect();
    assert_eq!(algorithms.len(), 19);
}

/// Each member of an optimal algorithm sends the fewest bytes possible, the amount from which
/// NCCL-tests computes the bus bandwidth.
#[test]
fn rings_and_halving_send_the_least_bytes() {
    use CollectiveAlgorithm as A;
    for shape in shapes(&[2, 8, 16]) {
        let (messages, bytes) = shape.traffic();
        let factor = shape.operation.bus_factor(shape.ranks);
        let least = factor * shape.size.as_f64();
        let each = bytes / f64::from(shape.ranks);
        let optimal = matches!(
            shape.algorithm,
            A::Ring | A::BidirectionalRing | A::HalvingDoubling | A::Direct | A::Pairwise
        );
        assert!(messages > 0.0);
        if optimal || shape.algorithm == A::Hierarchical {
            // Parts of different sizes are each rounded down.
            let room = match shape.operation {
                CollectiveOperation::AllToAllV => f64::from(shape.ranks),
                _ => 1.0,
            };
            assert!((each - least).abs() < room, "{shape:?}: {each} for {least}");
        }
    }
}

/// Returns the program of a form, and the operations of `member` in it.
fn program_of(shape: &Shape, member: u32) -> (Program, Vec<Operation>) {
    let mut builder = ProgramBuilder::default();
    let form = shape.form(member, Vec::new());
    shape.append(&mut builder, 0, &form, &|step| step);
    let program = builder.finish(0).unwrap();
    let own = Member {
        shape,
        member,
        first_tag: 0,
        rank_of: &|member| member,
    };
    let operations = program.steps().map(|step| own.operation(step)).collect();
    (program, operations)
}

/// Returns messages and bytes of the programs of all members.
fn of_programs(shape: &Shape) -> (f64, f64) {
    let (mut messages, mut bytes, mut receipts) = (0u32, 0.0, 0u32);
    for member in 0..shape.ranks {
        for operation in program_of(shape, member).1 {
            match operation {
                Operation::Send { size, .. } => {
                    assert!(size > Bytes::ZERO);
                    messages += 1;
                    bytes += size.as_f64();
                }
                Operation::Receive { .. } => receipts += 1,
                _ => {}
            }
        }
    }
    assert_eq!(messages, receipts, "{shape:?}");
    (f64::from(messages), bytes)
}

/// A collective has as many steps for zero bytes as for many.
#[test]
fn a_few_bytes_take_all_messages_of_many() {
    let counts: Vec<u32> = (1..34).collect();
    for shape in shapes(&counts) {
        for (channels, chunks) in [(1, 1), (2, 3)] {
            let with = |size| {
                let mut small = Shape {
                    size: Bytes::new(size),
                    channels,
                    chunks,
                    ..shape.clone()
                };
                if let Detail::Parts(parts) = &mut small.detail {
                    *parts = Parts::skewed(small.size, small.ranks, 0.7);
                }
                let expected = small.traffic();
                let found = of_programs(&small);
                assert!((expected.0 - found.0).abs() < 1e-6, "{small:?}");
                assert!(found.1 >= found.0, "{small:?}");
                found.0
            };
            let many = with(1_000_003);
            for size in [0, 1, u64::from(shape.ranks) - 1, 40] {
                assert!((with(size) - many).abs() < 1e-6, "{size} {shape:?}");
            }
        }
    }
}

#[test]
fn a_pipeline_sends_each_micro_batch_forward_and_back() {
    let mut config = CollectiveConfig::new(CollectiveOperation::Pipeline, Bytes::new(1_001));
    config.chunks = 4;
    config.forward = Some(vec![Duration::from_us(3)]);
    for algorithm in [
        CollectiveAlgorithm::Gpipe,
        CollectiveAlgorithm::OneForwardOneBackward,
    ] {
        config.algorithm = Some(algorithm);
        let shape = config.shape(3, RATE).unwrap();
        assert_eq!(shape.traffic(), (16.0, 4_004.0));
        assert_eq!(of_programs(&shape), (16.0, 4_004.0));
    }
    config.size = Bytes::new(1);
    assert_eq!(of_programs(&config.shape(3, RATE).unwrap()), (16.0, 16.0));
    assert_eq!(config.shape(3, RATE).unwrap().traffic(), (16.0, 16.0));
    config.channels = Some(2);
    assert_eq!(config.shape(3, RATE).unwrap_err().key, "channels");
    config.channels = None;
    config.backward = Some(vec![Duration::from_us(3); 2]);
    assert_eq!(config.shape(3, RATE).unwrap_err().key, "backward");
}

#[test]
fn parts_cover_the_buffer_and_differ_by_a_byte() {
    for (channels, chunks) in [(1, 1), (3, 2), (2, 5)] {
        let shape = Shape {
            channels,
            chunks,
            ..shape(CollectiveOperation::AllReduce, CollectiveAlgorithm::Ring, 7)
        };
        let sizes: Vec<u64> = (0..shape.blocks())
            .map(|block| shape.offset(block + 1) - shape.offset(block))
            .collect();
        assert_eq!(sizes.iter().sum::<u64>(), shape.size.get());
        let least = shape.size.get() / shape.blocks();
        assert!(sizes.iter().all(|size| (least..=least + 1).contains(size)));
    }
}
