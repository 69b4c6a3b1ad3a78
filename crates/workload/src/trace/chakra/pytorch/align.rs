//! Traces of Kineto before `Record function id`: calls are matched by their order.
//!
//! PyTorch numbers the calls of both traces one after the other, in the execution trace as `rf_id`
//! and in Kineto's as `External id`, from different first numbers. Differs from Chakra, which links
//! no call of such traces.

use std::collections::BTreeMap;

use super::super::error::ChakraError;
use super::device::Device;
use super::host::HostTrace;

/// Largest number of offsets to try.
const MOST_OFFSETS: usize = 64;

/// Sets the numbers of record functions of all calls that the execution trace has.
///
/// # Errors
/// Fails unless 9 of 10 calls have the same names in both traces.
pub(super) fn align(host: &HostTrace, device: &mut Device) -> Result<(), ChakraError> {
    if device.calls.iter().any(|call| call.record.is_some()) {
        return Ok(());
    }
    let names: BTreeMap<i64, &str> = host
        .nodes
        .iter()
        .filter(|node| !node.name.starts_with("[pytorch|profiler|"))
        .filter_map(|node| Some((node.record()?, node.name.as_str())))
        .collect();
    let Some((&first, &name)) = names.iter().next() else {
        return Ok(());
    };
    let starts = device.calls.iter().filter(|call| call.name == name);
    let offsets: Vec<i64> = starts
        .filter_map(|call| call.external?.checked_sub(first))
        .take(MOST_OFFSETS)
        .collect();
    let matches = |offset: i64| {
        let same = device.calls.iter().filter(|call| {
            let record = call.external.and_then(|own| own.checked_sub(offset));
            record.is_some_and(|record| names.get(&record) == Some(&call.name.as_str()))
        });
        same.count()
    };
    let best = offsets
        .iter()
        .map(|&offset| (matches(offset), offset))
        .max_by_key(|&(count, offset)| (count, std::cmp::Reverse(offset)));
    let Some((count, offset)) = best.filter(|(count, _)| count * 10 >= names.len() * 9) else {
        return Err(ChakraError::new(
            format!(
                "Kineto's calls have no `Record function id`, and the order of their names is \
                 another one than in the execution trace: {} of {} calls match",
                best.map_or(0, |(count, _)| count),
                names.len()
            ),
            "record both traces in the same steps of the same process",
        ));
    };
    debug_assert!(count <= device.calls.len());
    for call in &mut device.calls {
        let record = call.external.and_then(|own| own.checked_sub(offset));
        call.record = record.filter(|record| names.get(record) == Some(&call.name.as_str()));
    }
    Ok(())
}
