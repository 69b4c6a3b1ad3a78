//! Traces of Kineto before `Record function id`: calls are matched by their order.
//!
//! Both traces have the calls of a thread in the order in which they begin, and the execution trace
//! often has fewer steps. For each thread of the execution trace, the longest match of names in a
//! thread of Kineto's trace counts. Differs from Chakra, which links no call of such traces.

use std::collections::BTreeMap;

use super::super::error::ChakraError;
use super::device::Device;
use super::host::HostTrace;

/// Largest number of places at which a match of two threads may begin.
const MOST_STARTS: usize = 4_096;

/// Calls of the execution trace after which a match without most of them is given up.
const TRIAL: usize = 50;

/// Calls of Kineto's trace that may be missing in the execution trace in one place.
const LONGEST_GAP: usize = 16;

/// Sets the numbers of record functions of all calls that the execution trace has.
///
/// # Errors
/// Fails unless 9 of 10 calls have the same names in both traces.
pub(super) fn align(host: &HostTrace, device: &mut Device) -> Result<(), ChakraError> {
    if device.calls.iter().any(|call| call.record.is_some()) {
        return Ok(());
    }
    let mut of_host: BTreeMap<i64, Vec<(i64, &str)>> = BTreeMap::new();
    let calls = host
        .nodes
        .iter()
        .filter(|node| !node.name.starts_with("[pytorch|profiler|"));
    for node in calls {
        if let Some(record) = node.record() {
            let thread = of_host.entry(node.thread().unwrap_or(0)).or_default();
            thread.push((record, &node.name));
        }
    }
    let mut of_device = vec![Vec::new(); device.threads];
    for (place, call) in device.calls.iter().enumerate() {
        of_device[call.thread].push(place);
    }
    for places in &mut of_device {
        places.sort_by_key(|&place| {
            let call = &device.calls[place];
            (call.start_ns, std::cmp::Reverse(call.duration_ns))
        });
    }
    let (mut count, mut matched) = (0, 0);
    for names in of_host.values_mut() {
        names.sort_unstable();
        count += names.len();
        let found = of_device
            .iter()
            .enumerate()
            .map(|(thread, places)| (best(names, places, device), thread))
            .max_by_key(|(found, thread)| (found.len(), std::cmp::Reverse(*thread)));
        let Some((found, thread)) = found.filter(|(found, _)| !found.is_empty()) else {
            continue;
        };
        // A thread is matched once.
        of_device[thread].clear();
        matched += found.len();
        for (place, record) in found {
            device.calls[place].record = Some(record);
        }
    }
    if matched * 10 >= count * 9 {
        return Ok(());
    }
    Err(ChakraError::new(
        format!(
            "Kineto's calls have no `Record function id`, and the order of their names is another \
             one than in the execution trace: {matched} of {count} calls match"
        ),
        "record both traces in the same steps of the same process",
    ))
}

/// Returns the longest match of `names` with the calls at `places`: the place and the record of
/// each matched call.
fn best(names: &[(i64, &str)], places: &[usize], device: &Device) -> Vec<(usize, i64)> {
    let Some((_, first)) = names.first() else {
        return Vec::new();
    };
    let starts = (0..places.len()).filter(|&at| device.calls[places[at]].name == *first);
    let mut longest = Vec::new();
    for start in starts.take(MOST_STARTS) {
        let found = from(names, &places[start..], device);
        if found.len() > longest.len() {
            longest = found;
        }
        if longest.len() == names.len() {
            break;
        }
    }
    longest
}

/// Returns the match that begins at the first of `places`.
fn from(names: &[(i64, &str)], places: &[usize], device: &Device) -> Vec<(usize, i64)> {
    let mut found = Vec::new();
    let mut next = 0;
    for (number, &(record, name)) in names.iter().enumerate() {
        let ahead = places.iter().enumerate().skip(next).take(LONGEST_GAP);
        let same = ahead
            .clone()
            .find(|(_, place)| device.calls[**place].name == name);
        if let Some((at, &place)) = same {
            found.push((place, record));
            next = at + 1;
        }
        if number == TRIAL && found.len() < TRIAL / 2 {
            return Vec::new();
        }
    }
    found
}
