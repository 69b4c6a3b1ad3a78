//! Shapes in which nodes of one kind are linked to each other directly.

use fabricsim_base::choices;
use fabricsim_base::input::ConfigError;

use super::grid::{GridEnds, grid_links};

choices! {
    /// The shape in which hosts are linked directly.
    pub enum MeshShape {
        /// Each host is linked to the next one, and the last to the first.
        Ring = "ring",
        /// Each host is linked to every other.
        Full = "full",
        /// Hosts whose numbers differ in one bit are linked; a power of two of them.
        Hypercube = "hypercube",
        /// A grid of one or more dimensions, closed or open.
        Torus = "torus",
        /// Eight hosts as the GPUs of an NVIDIA DGX-1 with V100: a hybrid cube-mesh. Each has six
        /// links to four neighbors: one to each of two, and two to each of the others.
        Dgx1 = "dgx-1",
    }
}

/// The NVLinks between two GPUs of a DGX-1 with V100, as `nvidia-smi topo -m` prints them there
/// (reprinted in `tests/test_topologies.py` of microsoft/msccl-tools; the XML of NVIDIA/nccl issue
/// 671 has the first four GPUs): 16 pairs, 8 of them with two links.
const DGX_1: [(u32, u32, u32); 16] = [
    (0, 1, 1),
    (0, 2, 1),
    (0, 3, 2),
    (0, 4, 2),
    (1, 2, 2),
    (1, 3, 1),
    (1, 5, 2),
    (2, 3, 2),
    (2, 6, 1),
    (3, 7, 1),
    (4, 5, 1),
    (4, 6, 1),
    (4, 7, 2),
    (5, 6, 2),
    (5, 7, 1),
    (6, 7, 2),
];

/// Number of GPUs of a DGX-1.
pub(super) const DGX_1_HOSTS: u32 = 8;

impl MeshShape {
    /// Returns the links between `count` nodes, each with its ends and the number of parallel links
    /// in this shape; a torus has one dimension.
    ///
    /// # Errors
    /// Fails with the key `key` if the shape does not exist with this number.
    pub(super) fn links(
        self,
        key: &'static str,
        count: u32,
    ) -> Result<Vec<(u32, u32, u32)>, ConfigError> {
        let refused = |wrong: String, help: &str| Err(ConfigError::new(key, wrong, help));
        if count < 2 {
            return refused(format!("{count} is too few"), "write at least 2");
        }
        Ok(match self {
            Self::Ring | Self::Torus => grid_links(&[count], GridEnds::Joined),
            Self::Full => (0..count)
                .flat_map(|a| (a + 1..count).map(move |b| (a, b, 1)))
                .collect(),
            Self::Hypercube if !count.is_power_of_two() => {
                return refused(
                    format!("a hypercube of {count} does not exist"),
                    "write a power of two, such as 8",
                );
            }
            Self::Hypercube => (0..count)
                .flat_map(|a| (0..count.ilog2()).map(move |bit| (a, a ^ (1 << bit), 1)))
                .filter(|&(a, b, _)| a < b)
                .collect(),
            Self::Dgx1 if count != DGX_1_HOSTS => {
                return refused(
                    format!("a DGX-1 of {count} GPUs does not exist"),
                    "write 8, or choose another shape",
                );
            }
            Self::Dgx1 => DGX_1.to_vec(),
        })
    }
}
