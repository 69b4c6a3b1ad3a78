//! Check that a graph is connected.

use std::ops::Range;

use fabricsim_base::input::InputError;

/// Rejects a graph in several parts, with an error at a node of a smaller part. `places` are the
/// positions of the nodes in the file, `graph` is the position of the whole graph.
pub(super) fn refuse_parts(
    graph: Range<usize>,
    places: &[Range<usize>],
    links: &[(u32, u32)],
) -> Result<(), InputError> {
    let parts = parts(places.len(), links);
    let Some(largest) = parts.iter().rev().max_by_key(|part| part.len()) else {
        return Ok(());
    };
    let Some(other) = parts.iter().find(|part| part[0] != largest[0]) else {
        return Ok(());
    };
    let mut sizes: Vec<usize> = parts.iter().map(Vec::len).collect();
    sizes.sort_unstable_by(|a, b| b.cmp(a));
    let more = match sizes.len() {
        0..=5 => String::new(),
        count => format!(" and {} smaller parts", count - 5),
    };
    let listed: Vec<String> = sizes.iter().take(5).map(ToString::to_string).collect();
    let message = format!(
        "the graph is in {} parts without links between them, of {} nodes{more}; this node is not in the \
         largest",
        sizes.len(),
        listed.join(", "),
    );
    let place = places.get(other[0]).cloned().unwrap_or(graph);
    Err(InputError::new(
        place,
        message,
        "add links that join the parts, or leave out the nodes of the smaller parts",
    ))
}

/// Returns the nodes of each connected part, in the order of their first node.
fn parts(nodes: usize, links: &[(u32, u32)]) -> Vec<Vec<usize>> {
    let mut neighbors = vec![Vec::new(); nodes];
    for &(a, b) in links {
        neighbors[a as usize].push(b as usize);
        neighbors[b as usize].push(a as usize);
    }
    let mut seen = vec![false; nodes];
    let mut parts = Vec::new();
    for start in 0..nodes {
        if std::mem::replace(&mut seen[start], true) {
            continue;
        }
        let mut part = vec![start];
        let mut head = 0;
        while let Some(&node) = part.get(head) {
            head += 1;
            for &next in &neighbors[node] {
                if !std::mem::replace(&mut seen[next], true) {
                    part.push(next);
                }
            }
        }
        parts.push(part);
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::parts;

    #[test]
    fn parts_are_what_links_join() {
        assert_eq!(parts(0, &[]), Vec::<Vec<usize>>::new());
        assert_eq!(parts(3, &[(2, 1), (0, 1)]), [vec![0, 1, 2]]);
        let found = parts(5, &[(4, 0), (1, 3)]);
        assert_eq!(found, [vec![0, 4], vec![1, 3], vec![2]]);
    }
}
