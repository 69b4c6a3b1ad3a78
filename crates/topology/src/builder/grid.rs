//! Grids of one or more dimensions: numbers, names and links of their nodes. The first coordinate
//! varies fastest.

use fabricsim_base::choices;
use fabricsim_base::input::ConfigError;

use super::plan::at_least;

/// Maximum number of dimensions of a grid.
const MAX_DIMENSIONS: usize = 8;

choices! {
    /// Links between the first and the last node along a dimension.
    pub enum GridEnds {
        /// The last node is linked to the first one: a torus. Two nodes are already neighbors,
        /// so a dimension of two has only one link between them.
        Joined = "joined",
        /// No such link: a mesh.
        Open = "open",
    }
}

/// Returns the number of nodes of a grid with the key `dims`, at most [`u64::MAX`].
///
/// # Errors
/// Fails if there are no or too many dimensions, or if one has no nodes.
pub(super) fn check_dims(dims: &[u32]) -> Result<u64, ConfigError> {
    if dims.is_empty() || dims.len() > MAX_DIMENSIONS {
        return Err(ConfigError::new(
            "dims",
            format!("a grid of {} dimensions cannot be built", dims.len()),
            format!("write 1 to {MAX_DIMENSIONS} numbers, such as [4, 4, 2]"),
        ));
    }
    for &size in dims {
        at_least("dims", size, 1)?;
    }
    let product = |count: u64, &size: &u32| count.saturating_mul(u64::from(size));
    Ok(dims.iter().fold(1, product))
}

/// Returns `word` with the coordinates of node number `node`, such as `switch2-0-1`.
pub(super) fn place(word: &str, dims: &[u32], node: u32) -> String {
    let mut rest = node;
    let coordinates: Vec<String> = dims
        .iter()
        .map(|&size| {
            let at = rest % size;
            rest /= size;
            at.to_string()
        })
        .collect();
    format!("{word}{}", coordinates.join("-"))
}

/// Returns the links of a grid with `dims` nodes along each dimension; the first coordinate varies
/// fastest. If `ends` are joined, the last node along a dimension is linked to the first; two
/// nodes are already neighbors, and a single one would be its own neighbor.
pub(super) fn grid_links(dims: &[u32], ends: GridEnds) -> Vec<(u32, u32, u32)> {
    let count: u32 = dims.iter().product();
    let mut links = Vec::new();
    for node in 0..count {
        let mut stride = 1;
        for &size in dims {
            let at = node / stride % size;
            if at + 1 < size {
                links.push((node, node + stride, 1));
            } else if ends == GridEnds::Joined && size > 2 {
                links.push((node, node - at * stride, 1));
            }
            stride *= size;
        }
    }
    links
}
