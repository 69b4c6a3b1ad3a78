//! GOAL in the binary format that LogGOPSim reads, converted to text.
//!
//! The layout is written by `Graph::serialize_mmap` in `src/LogGOPSim/Parser.hpp` of LogGOPSim (in
//! ATLAHS `sim/LogGOPSim/Parser.hpp`), in the byte order of x86. It begins with a magic number of
//! 64 bits, the number of ranks, and the highest numbers of a `cpu` and a `nic`. The beginning and
//! end of each rank's part follow, counted from the end of the magic number. A part has the number
//! of its operations, the number of operations without dependencies and their positions, the
//! operations in 39 bytes each, and the positions of operations that wait for other operations.

use std::fmt::Write as _;

use fabricsim_base::input::InputError;

use super::assembly::MAX_RANKS;

/// The first bytes of a file in this format (`MAGIC_COOKIE`), and of a file that a run has used up
/// (`MAGIC_COOKIE_INVALID`).
const MAGIC: [u8; 8] = 4223u64.to_le_bytes();
const USED_UP: [u8; 8] = 2342u64.to_le_bytes();

/// Bytes of an operation.
const OPERATION: usize = 39;

/// The value for any source and for any tag.
const ANY: u32 = u32::MAX;

/// Returns `true` if a file that begins with `bytes` is GOAL in its binary format.
#[must_use]
pub fn is_goal_binary(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC) || bytes.starts_with(&USED_UP)
}

/// Converts a file in the binary format to text: `l0` is the first operation of a rank.
///
/// # Errors
/// Fails if the file has another format or has been used up by a run of LogGOPSim. The operations
/// themselves are not checked.
pub fn goal_binary_to_text(bytes: &[u8]) -> Result<String, InputError> {
    if bytes.starts_with(&USED_UP) {
        return Err(refused(
            "a run of LogGOPSim with --save-mem has used this GOAL file up",
            "make it again with txt2bin",
        ));
    }
    let Some(bytes) = bytes.strip_prefix(&MAGIC) else {
        return Err(refused(
            "the file is no binary GOAL",
            "give a file of txt2bin, or GOAL as text",
        ));
    };
    let ranks = number(bytes, 0)?;
    if ranks == 0 || ranks > MAX_RANKS {
        return Err(refused(
            format!("the GOAL file has {ranks} ranks"),
            format!("1 to {MAX_RANKS} are possible"),
        ));
    }
    let mut text = format!("num_ranks {ranks}\n");
    let mut last_end = 6 + 16 * ranks as usize;
    for rank in 0..ranks {
        let entry = 6 + 16 * rank as usize;
        let (begin, end) = (place(bytes, entry)?, place(bytes, entry + 8)?);
        // As the writer stores them: consecutively.
        let part = (begin >= last_end).then(|| bytes.get(begin..end)).flatten();
        let part = part.ok_or_else(|| broken(&format!("the part of rank {rank} is not in it")))?;
        writeln!(text, "rank {rank} {{").expect("a string takes everything");
        write_part(&mut text, rank, part)?;
        text.push_str("}\n");
        last_end = end;
    }
    Ok(text)
}

fn refused(message: impl Into<String>, help: impl Into<String>) -> InputError {
    InputError::new(0..0, message, help)
}

fn broken(what: &str) -> InputError {
    refused(
        format!("the binary GOAL file is damaged: {what}"),
        "make it again with txt2bin of LogGOPSim",
    )
}

fn field<const N: usize>(bytes: &[u8], at: usize) -> Result<[u8; N], InputError> {
    let field = at.checked_add(N).and_then(|end| bytes.get(at..end));
    let field = field.and_then(|field| field.try_into().ok());
    field.ok_or_else(|| broken("it ends too early"))
}

fn number(bytes: &[u8], at: usize) -> Result<u32, InputError> {
    field(bytes, at).map(u32::from_le_bytes)
}

fn place(bytes: &[u8], at: usize) -> Result<usize, InputError> {
    let place = u64::from_le_bytes(field(bytes, at)?);
    usize::try_from(place).map_err(|_| broken("it ends too early"))
}

/// Writes the operations of one rank, and their dependencies.
fn write_part(text: &mut String, rank: u32, part: &[u8]) -> Result<(), InputError> {
    let (count, free) = (number(part, 0)? as usize, number(part, 4)? as usize);
    let first = 8 + 4 * free;
    let rest = part.get(first..).unwrap_or(&[]);
    let operations = count.checked_mul(OPERATION).and_then(|end| rest.get(..end));
    let Some(operations) = operations else {
        return Err(broken(&format!(
            "rank {rank} has fewer than {count} operations"
        )));
    };
    let waiting = &rest[operations.len()..];
    // The number of dependencies of each operation that have not been written yet.
    let mut needs = Vec::with_capacity(count);
    for (at, operation) in operations.chunks_exact(OPERATION).enumerate() {
        needs.push(number(operation, 0)?);
        write_operation(text, rank, at, operation)?;
    }
    // Each entry belongs to one operation, which bounds the length of the output.
    let mut left = waiting.len() / 4;
    for (at, operation) in operations.chunks_exact(OPERATION).enumerate() {
        for (verb, of) in [("requires", 23), ("irequires", 31)] {
            let count = number(operation, of)? as usize;
            let begin = number(operation, of + 4)? as usize;
            left = (left.checked_sub(count))
                .ok_or_else(|| broken(&format!("rank {rank} lacks dependencies")))?;
            for entry in (begin..).take(count) {
                let waits = number(waiting, 4 * entry)?;
                let need = needs.get_mut(waits as usize);
                let need = need.and_then(|need| Some((need.checked_sub(1)?, need)));
                let Some((less, need)) = need else {
                    return Err(broken(&format!(
                        "rank {rank}: operation {waits} waits for others"
                    )));
                };
                *need = less;
                writeln!(text, "l{waits} {verb} l{at}").expect("a string takes everything");
            }
        }
    }
    match needs.iter().position(|&need| need > 0) {
        Some(at) => Err(broken(&format!(
            "rank {rank}: operation {at} waits for more than the file says"
        ))),
        None => Ok(()),
    }
}

fn write_operation(
    text: &mut String,
    rank: u32,
    at: usize,
    operation: &[u8],
) -> Result<(), InputError> {
    let [kind] = field(operation, 4)?;
    let size = u64::from_le_bytes(field(operation, 9)?);
    let [cpu, nic] = field(operation, 21)?;
    let or_any = |number: u32| match number {
        ANY => "-1".to_owned(),
        number => number.to_string(),
    };
    let (peer, tag) = (number(operation, 5)?, number(operation, 17)?);
    let (peer, tag) = (or_any(peer), or_any(tag));
    match kind {
        1 => writeln!(
            text,
            "l{at}: send {size}b to {peer} tag {tag} cpu {cpu} nic {nic}"
        ),
        2 => writeln!(
            text,
            "l{at}: recv {size}b from {peer} tag {tag} cpu {cpu} nic {nic}"
        ),
        3 => writeln!(text, "l{at}: calc {size} cpu {cpu}"),
        _ => {
            return Err(broken(&format!(
                "operation {at} of rank {rank} is of type {kind}"
            )));
        }
    }
    .expect("a string takes everything");
    Ok(())
}

#[cfg(test)]
mod tests;
