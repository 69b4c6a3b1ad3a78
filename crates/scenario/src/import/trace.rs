//! The nodes of the published simulator's `trace.txt`.

use fabricsim_base::input::InputError;

/// Reads a `trace.txt`: a count n, and n node numbers. Numbers of `nodes` or more are skipped, as
/// in the published simulator; text after the n numbers is ignored.
///
/// # Errors
/// Fails at a word that is not a number, and if there are fewer than n numbers.
pub fn read_trace_nodes(text: &str, nodes: u32) -> Result<Vec<u32>, InputError> {
    let mut words = text.split_ascii_whitespace();
    let mut next = || {
        let word = words.next();
        let start = word.map_or(text.len(), |word| {
            word.as_ptr().addr() - text.as_ptr().addr()
        });
        let word = word.unwrap_or("");
        word.parse::<u32>().map_err(|_| {
            InputError::new(
                start..start + word.len(),
                format!("`{word}` is no number of a node"),
                "write how many nodes follow, and then their numbers",
            )
        })
    };
    let count = next()?;
    let mut traced = Vec::new();
    for _ in 0..count {
        let node = next()?;
        if node < nodes {
            traced.push(node);
        }
    }
    Ok(traced)
}

/// Formats node numbers, ascending, as a list of ranges.
pub(super) fn ranges(nodes: &[u32]) -> String {
    let mut sorted = nodes.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for node in sorted {
        match ranges.last_mut() {
            Some((_, end)) if *end == node => *end += 1,
            _ => ranges.push((node, node.saturating_add(1))),
        }
    }
    let written: Vec<String> = ranges
        .iter()
        .map(|&(first, end)| match end - first {
            1 => format!("\"{first}\""),
            _ => format!("\"{first}..{end}\""),
        })
        .collect();
    format!("[{}]", written.join(", "))
}
