//! Receipts that are found for their messages through the program.
//!
//! A ring has thousands of receipts that wait from the beginning. Most receipts wait in the order
//! of their numbers, so the program itself says which one is next, and no record is kept that they
//! wait.

use super::program::{Edge, Program, Receipt};

/// The dependency of an operation.
#[derive(Clone, Copy)]
enum Before {
    /// None.
    Nothing,
    /// The end of one operation.
    End(u32),
    /// More than one end, the start of an operation, or an operation that waits for its start.
    More,
}

/// Finds the receipts of `program` that wait in the order of their numbers if they have the same
/// sender and tag: each waits for nothing, or all of them for the end of the same operation.
/// Receipts of messages from the rank itself, which is `own`, are left out, because such a message
/// may be delivered between the end of that operation and the start of the receipt.
pub(super) fn index(program: &mut Program, own: u32) {
    let mut before = vec![Before::Nothing; program.len()];
    for operation in (0..).take(program.len()) {
        for edge in program.edges(operation) {
            match edge {
                Edge::AfterEnd(waiting) => {
                    let found = &mut before[waiting as usize];
                    *found = match found {
                        Before::Nothing => Before::End(operation),
                        _ => Before::More,
                    };
                }
                Edge::AfterStart(waiting) => {
                    before[waiting as usize] = Before::More;
                    before[operation as usize] = Before::More;
                }
            }
        }
    }
    let mut all: Vec<(Receipt, bool)> = (0..)
        .zip(&program.records)
        .filter_map(|(operation, record)| {
            let (from, tag) = record.step.receipt()?;
            let (after, is_simple) = match before[operation as usize] {
                Before::Nothing => (None, true),
                Before::End(after) => (Some(after), true),
                Before::More => (None, false),
            };
            let receipt = Receipt {
                from,
                tag,
                operation,
                after,
            };
            Some((receipt, is_simple && from != own))
        })
        .collect();
    all.sort_unstable();
    let groups = all.chunk_by(|(one, _), (next, _)| (one.from, one.tag) == (next.from, next.tag));
    let in_order = groups.filter(|group| {
        let after = group[0].0.after;
        (group.iter()).all(|(receipt, is_simple)| *is_simple && receipt.after == after)
    });
    program.foreseen = in_order.flatten().map(|(receipt, _)| *receipt).collect();
    for receipt in &program.foreseen {
        program.records[receipt.operation as usize].foresee();
    }
}
