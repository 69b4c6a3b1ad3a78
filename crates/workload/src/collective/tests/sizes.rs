//! Sizes that no algorithm can divide: fewer bytes than ranks, and rests.

use super::*;

/// Executes the programs of all members and returns the bytes on the way between each pair.
///
/// # Panics
/// If an operation never starts, or if a message has no receipt.
pub(super) fn executed(shape: &Shape) -> BTreeMap<(u32, u32), u64> {
    let mut members: Vec<_> = (0..shape.ranks)
        .map(|member| {
            let (program, operations) = program_of(shape, member);
            let waiting = program.waiting();
            let mut left = vec![0; operations.len()];
            for &next in waiting.iter().flatten() {
                left[next as usize] += 1;
            }
            let ready: Vec<usize> = (0..left.len()).filter(|&one| left[one] == 0).collect();
            (operations, waiting, left, ready)
        })
        .collect();
    let mut wire: BTreeMap<(u32, u32, u64), u32> = BTreeMap::new();
    let mut sent = BTreeMap::new();
    let mut moved = true;
    while std::mem::take(&mut moved) {
        for (member, (operations, waiting, left, ready)) in (0..).zip(&mut members) {
            for one in std::mem::take(ready) {
                let ends = match operations[one] {
                    Operation::Send { to, size, tag, .. } => {
                        assert!(size > Bytes::ZERO, "{shape:?}");
                        *wire.entry((member, to, tag)).or_default() += 1;
                        *sent.entry((member, to)).or_default() += size.get();
                        true
                    }
                    Operation::Receive { from, tag } => {
                        let message = wire.get_mut(&(from, member, tag));
                        message.filter(|count| **count > 0).is_some_and(|count| {
                            *count -= 1;
                            true
                        })
                    }
                    Operation::Compute { .. } | Operation::Join => true,
                };
                if !ends {
                    ready.push(one);
                    continue;
                }
                moved = true;
                left[one] = -1;
                for &next in &waiting[one] {
                    left[next as usize] -= 1;
                    if left[next as usize] == 0 {
                        ready.push(next as usize);
                    }
                }
            }
        }
    }
    for (_, _, left, _) in &members {
        assert!(left.iter().all(|left| *left == -1), "{shape:?}");
    }
    assert!(wire.values().all(|count| *count == 0), "{shape:?}");
    sent
}

/// Every algorithm ends for 2 to 9 ranks and 0 bytes to 3 for each rank, and each rank gets what
/// the operation gives it. An empty part is sent as one byte.
#[test]
fn every_size_ends_and_each_rank_gets_its_part() {
    let mut algorithms = std::collections::BTreeSet::new();
    for shape in shapes(&(2..=9).collect::<Vec<_>>()) {
        algorithms.insert((shape.operation.name(), shape.algorithm.name()));
        // Blocks carry the data, whatever their sizes.
        expect_data(&shape);
        for size in 0..=3 * u64::from(shape.ranks) {
            let mut shape = Shape {
                size: Bytes::new(size),
                ..shape.clone()
            };
            if let Detail::Parts(parts) = &mut shape.detail {
                *parts = Parts::skewed(shape.size, shape.ranks, 0.7);
            }
            let shape = shape.checked().unwrap();
            // The blocks are the whole buffer.
            let offsets: Vec<u64> = (0..=shape.blocks()).map(|one| shape.offset(one)).collect();
            assert!(offsets.is_sorted() && offsets[0] == 0, "{shape:?}");
            assert_eq!(offsets.last(), Some(&size), "{shape:?}");
            let sent = executed(&shape);
            let total: u64 = sent.values().sum();
            let (messages, _) = shape.traffic();
            assert!(total as f64 >= messages, "{shape:?}");
            if matches!(
                shape.operation,
                CollectiveOperation::Broadcast | CollectiveOperation::SendReceive
            ) {
                assert!(
                    sent.values().all(|bytes| *bytes == size.max(1)),
                    "{shape:?}"
                );
            }
        }
    }
    assert_eq!(algorithms.len(), 19);
}
