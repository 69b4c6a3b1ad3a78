//! The nodes of the published simulator's `trace.txt`.

use fabricsim_core::input::InputError;

/// Reads a `trace.txt`: a count, and the numbers of so many nodes. Those from `nodes` on are left
/// out, as the published simulator does; what follows them is not read.
///
/// # Errors
/// At a word that is no number, and at the end of a list that stops too soon.
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
