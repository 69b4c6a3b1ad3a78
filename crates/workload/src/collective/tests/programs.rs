//! Programs that members share, and the operations that they are for each member.

use std::collections::BTreeSet;
use std::ops::Range;

use super::*;
use crate::graph::Step;

/// Builds the operations of a member without any symmetry: a reference for the shared programs.
struct Reference<'s> {
    shape: &'s Shape,
    member: u32,
    unit: u32,
    operations: Vec<Operation>,
    /// The operations for which each operation waits.
    before: Vec<BTreeSet<u32>>,
    /// For each block, the receipts that wrote it.
    writers: Vec<Vec<u32>>,
    after: u32,
    since: Vec<u32>,
}

impl Reference<'_> {
    fn add(&mut self, operation: Operation, before: BTreeSet<u32>) -> u32 {
        self.operations.push(operation);
        self.before.push(before);
        u32::try_from(self.operations.len() - 1).unwrap()
    }

    fn tag(&self, blocks: &Range<u32>) -> u64 {
        let unit_blocks = u64::from(self.shape.unit_blocks());
        OF_A_COLLECTIVE | (u64::from(self.unit) * unit_blocks + u64::from(blocks.start))
    }
}

impl Transfers for Reference<'_> {
    fn send(&mut self, to: u32, blocks: Range<u32>) {
        let written = &self.writers[blocks.start as usize..blocks.end as usize];
        let mut before: BTreeSet<u32> = written.iter().flatten().copied().collect();
        if before.is_empty() {
            before.insert(self.after);
        }
        let send = Operation::Send {
            channel: u16::try_from(self.unit % self.shape.channels).unwrap(),
            to,
            size: self.shape.message(self.unit, (self.member, to), &blocks),
            tag: self.tag(&blocks),
        };
        let number = self.add(send, before);
        self.since.push(number);
    }

    fn receive(&mut self, from: u32, blocks: Range<u32>, used: Use) {
        let tag = self.tag(&blocks);
        let number = self.add(Operation::Receive { from, tag }, [self.after].into());
        self.since.push(number);
        for block in blocks {
            let writers = &mut self.writers[block as usize];
            match used {
                Use::Reduce => writers.push(number),
                Use::Replace => *writers = vec![number],
                Use::Apart => {}
            }
        }
    }

    fn forward(&mut self, (from, to): (u32, u32), blocks: Range<u32>) {
        let tag = self.tag(&blocks);
        let receipt = self.add(Operation::Receive { from, tag }, [0].into());
        let channel = u16::try_from(self.unit % self.shape.channels).unwrap();
        let size = (self.shape).message(self.unit, (self.member, to), &blocks);
        let send = Operation::Send {
            channel,
            to,
            size,
            tag,
        };
        let send = self.add(send, [receipt].into());
        self.since.extend([receipt, send]);
    }

    fn wait(&mut self) {
        let before = self.since.drain(..).collect();
        self.after = self.add(Operation::Join, before);
        self.writers.iter_mut().for_each(Vec::clear);
    }
}

fn reference(shape: &Shape, member: u32) -> (Vec<Operation>, Vec<BTreeSet<u32>>) {
    let mut all = Reference {
        shape,
        member,
        unit: 0,
        operations: Vec::new(),
        before: Vec::new(),
        writers: Vec::new(),
        after: 0,
        since: Vec::new(),
    };
    all.add(Operation::Join, BTreeSet::new());
    for unit in 0..shape.units() {
        (all.unit, all.after) = (unit, 0);
        all.writers = vec![Vec::new(); shape.unit_blocks() as usize];
        all.since.clear();
        algorithm::transfer(shape, member, &mut all);
    }
    all.add(Operation::Join, BTreeSet::new());
    (all.operations, all.before)
}

/// Returns the shapes of all exchanges in groups of several sizes.
fn exchanges() -> Vec<Shape> {
    let counts: Vec<u32> = (1..18).chain([32]).collect();
    let mut all = shapes(&counts);
    for shape in shapes(&[5, 8]) {
        all.push(Shape {
            channels: 2,
            chunks: 3,
            ..shape
        });
    }
    let mut config = CollectiveConfig::new(CollectiveOperation::AllToAllV, Bytes::new(1_000));
    config.weights = Some(vec![
        vec![0.0, 7.0, 3.0],
        vec![0.0, 9.0, 0.0],
        vec![5.0, 1.0, 0.0],
    ]);
    all.push(config.shape(3, RATE).unwrap());
    all
}

#[test]
fn shared_programs_are_the_operations_of_each_member() {
    for shape in exchanges() {
        for member in 0..shape.ranks {
            let (program, operations) = program_of(&shape, member);
            let (expected, before) = reference(&shape, member);
            assert_eq!(operations, expected, "{shape:?} {member}");
            let mut found = vec![BTreeSet::new(); operations.len()];
            for (number, waiting) in (0u32..).zip(program.waiting()) {
                for waiting in waiting {
                    found[waiting as usize].insert(number);
                }
            }
            assert_eq!(found, before, "{shape:?} {member}");
        }
    }
}

/// A message leads to a receipt of its receiver. Its operation expects just this message.
#[test]
fn messages_lead_to_their_receipts() {
    for shape in exchanges().into_iter().chain(nccl::some()) {
        let member = |member| Member {
            shape: &shape,
            member,
            first_tag: 0,
            rank_of: &|member| member,
        };
        let programs: Vec<_> = (0..shape.ranks)
            .map(|member| program_of(&shape, member))
            .collect();
        for (from, (_, operations)) in (0..).zip(&programs) {
            for operation in operations {
                let Operation::Send { to, tag, .. } = *operation else {
                    continue;
                };
                let key = member(to).begun(from, tag).unwrap();
                let mut receipts = 0;
                for step in programs[to as usize].0.steps() {
                    if let Step::Receive(blocks) = step
                        && (blocks.peer, blocks.tag()) == (key.peer, key.tag())
                    {
                        let expected = Operation::Receive { from, tag };
                        assert_eq!(member(to).operation(step), expected);
                        receipts += 1;
                    }
                }
                assert!(receipts > 0, "{shape:?} {from} {operation:?}");
            }
        }
    }
}
