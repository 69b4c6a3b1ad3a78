//! Hosts without switches, linked to each other: rings, cubes and grids of GPUs.

use fabricsim_base::id::NodeId;
use fabricsim_base::input::ConfigError;
use fabricsim_base::settings;
use fabricsim_base::units::{Duration, Rate};

use super::grid::{GridEnds, check_dims, grid_links, place};
use super::mesh_shape::{DGX_1_HOSTS, MeshShape};
use super::plan::{Plan, fits_ports, some_delay};
use crate::graph::Topology;
use crate::limits::MAX_LINKS;

settings! {
    /// Hosts that are linked to each other, without switches.
    ///
    /// Neighbors exchange packets over their link alone. Other hosts reach each other only if hosts
    /// forward: `[host] forward = true`. Packets then take the shortest paths, and
    /// [`RoutingPolicy`](crate::RoutingPolicy) chooses among them. A loaded ring with PFC can
    /// deadlock, and so can every shape whose shortest paths close a cycle of links; the run
    /// reports this. A full mesh cannot, because no packet is forwarded.
    ///
    /// The defaults are the links of an NVIDIA V100: NVLink of the second generation, 25 GB/s in
    /// each direction (NVIDIA DGX-1 with Tesla V100, system architecture). The delay has no
    /// published source: it is an assumption.
    ///
    /// Names are numbers, `host3`, and on a grid coordinates, `host2-0-1`.
    pub struct MeshConfig {
        /// Shape of the mesh.
        pub shape: MeshShape = "ring",
        /// Number of hosts, except on a torus; 8 if left out.
        pub hosts: Option<u32> = none,
        /// Hosts along each dimension of a torus, such as [4, 4, 2].
        pub dims: Option<Vec<u32>> = none,
        /// Ends of each dimension of a torus.
        pub ends: GridEnds = "joined",
        /// Parallel links for each link of the shape.
        #[range(from 1)]
        #[refused("{value} is too few", "write at least 1")]
        pub links: u32 = 1,
        /// Rate of each link.
        pub rate: Rate = "200Gbps",
        /// One-way delay of each link.
        pub delay: Duration = "250ns",
    }
}

impl MeshConfig {
    /// Builds the mesh. Links are listed host by host, each at its end with the lower number,
    /// except the ones that close a dimension.
    ///
    /// # Errors
    /// Fails if the shape does not exist with this number of hosts, a key belongs to another shape,
    /// the delay is zero, or there are more nodes, links or ports than the simulator supports.
    pub fn build(&self) -> Result<Topology, ConfigError> {
        self.validate_ranges()?;
        some_delay("delay", self.delay)?;
        match (self.shape, &self.dims, self.hosts) {
            (MeshShape::Torus, None, _) => Err(ConfigError::new(
                "dims",
                "a torus has no dimensions",
                "write the hosts along each dimension, such as dims = [4, 4]",
            )),
            (MeshShape::Torus, Some(_), Some(_)) => Err(ConfigError::new(
                "hosts",
                "the dimensions of a torus say how many hosts it has",
                "leave the key out",
            )),
            (MeshShape::Torus, Some(dims), None) => self.torus(dims),
            (_, Some(_), _) => Err(ConfigError::new(
                "dims",
                "only a torus has dimensions",
                "write shape = \"torus\", or leave the key out",
            )),
            (_, None, hosts) => self.numbered(hosts.unwrap_or(DGX_1_HOSTS)),
        }
    }

    fn torus(&self, dims: &[u32]) -> Result<Topology, ConfigError> {
        let hosts = check_dims(dims)?;
        let plan = Plan::new("dims", hosts, 0)?;
        if hosts < 2 {
            return Err(ConfigError::new(
                "dims",
                "a single host has no neighbor",
                "write at least 2 hosts",
            ));
        }
        let mesh = self.linked("dims", plan, &grid_links(dims, self.ends))?;
        let hosts = u32::try_from(hosts).expect("a plan has as many nodes as can be numbered");
        let names: Vec<String> = (0..hosts).map(|host| place("host", dims, host)).collect();
        let named = mesh.with_names(&names);
        Ok(named.expect("each place has a name of its own"))
    }

    fn numbered(&self, hosts: u32) -> Result<Topology, ConfigError> {
        let plan = Plan::new("hosts", hosts.into(), 0)?;
        let degree = match self.shape {
            MeshShape::Full => u64::from(hosts.saturating_sub(1)),
            _ => 2,
        };
        fits_ports("hosts", "a host", degree)?;
        if self.shape == MeshShape::Full && u64::from(hosts) * degree / 2 > u64::from(MAX_LINKS) {
            return Err(ConfigError::new(
                "hosts",
                format!(
                    "a full mesh of {hosts} has more links than the {MAX_LINKS} that can be simulated"
                ),
                "choose a smaller value",
            ));
        }
        self.linked("hosts", plan, &self.shape.links("hosts", hosts)?)
    }

    /// Adds `links` to `plan` and builds it.
    fn linked(
        &self,
        key: &'static str,
        mut plan: Plan,
        links: &[(u32, u32, u32)],
    ) -> Result<Topology, ConfigError> {
        let mut degrees = std::collections::BTreeMap::new();
        for &(a, b, parallel) in links {
            for end in [a, b] {
                *degrees.entry(end).or_insert(0u64) += u64::from(parallel);
            }
        }
        let most = degrees.into_values().max().unwrap_or(0);
        fits_ports("links", "a host", most.saturating_mul(self.links.into()))?;
        for &(a, b, parallel) in links {
            for _ in 0..parallel * self.links {
                plan.link(NodeId(a), NodeId(b), self.rate, self.delay);
            }
        }
        plan.finish(key)
    }
}

#[cfg(test)]
mod tests {
    use fabricsim_base::units::Bytes;

    use super::*;
    use crate::{EcmpHash, NextHopOrder, Routes};

    fn mesh(shape: MeshShape, hosts: u32) -> Topology {
        MeshConfig {
            shape,
            hosts: Some(hosts),
            ..MeshConfig::default()
        }
        .build()
        .unwrap()
    }

    fn torus(dims: &[u32], ends: GridEnds) -> Topology {
        MeshConfig {
            shape: MeshShape::Torus,
            dims: Some(dims.to_vec()),
            ends,
            ..MeshConfig::default()
        }
        .build()
        .unwrap()
    }

    /// Returns the largest number of links between two hosts if hosts forward.
    fn diameter(topology: Topology) -> u16 {
        let forwarding = topology.with_forwarding(Duration::ZERO);
        let routes = Routes::compute(
            &forwarding,
            NextHopOrder::AscendingNode,
            EcmpHash::Seeded(1),
        );
        routes.path_stats(Bytes::new(1_000)).switches + 1
    }

    fn degrees(topology: &Topology) -> Vec<usize> {
        let hosts = topology.hosts().iter();
        hosts.map(|&host| topology.ports(host).len()).collect()
    }

    #[test]
    fn a_dgx_1_has_six_links_at_each_gpu_and_two_steps_at_most() {
        let server = mesh(MeshShape::Dgx1, 8);
        assert_eq!(degrees(&server), [6; 8]);
        assert_eq!(server.links().len(), 24);
        // Each GPU has four neighbors, two of them by two links.
        for &gpu in server.hosts() {
            let mut peers: Vec<u32> = server.ports(gpu).iter().map(|port| port.peer.0).collect();
            peers.sort_unstable();
            let parallel = peers.chunk_by(|a, b| a == b).map(<[u32]>::len);
            let mut parallel: Vec<usize> = parallel.collect();
            parallel.sort_unstable();
            assert_eq!(parallel, [1, 1, 2, 2]);
            // A half of the server, and one GPU of the other half.
            let across = peers.iter().filter(|&&peer| peer / 4 != gpu.0 / 4);
            assert!(across.clone().all(|&peer| peer % 4 == gpu.0 % 4));
        }
        assert_eq!(diameter(server), 2);
    }

    #[test]
    fn rings_cubes_and_full_meshes_have_their_degrees_and_diameters() {
        assert_eq!(degrees(&mesh(MeshShape::Ring, 8)), [2; 8]);
        assert_eq!(diameter(mesh(MeshShape::Ring, 8)), 4);
        assert_eq!(diameter(mesh(MeshShape::Ring, 5)), 2);
        assert_eq!(degrees(&mesh(MeshShape::Ring, 2)), [1; 2]);
        assert_eq!(degrees(&mesh(MeshShape::Full, 5)), [4; 5]);
        assert_eq!(diameter(mesh(MeshShape::Full, 5)), 1);
        assert_eq!(degrees(&mesh(MeshShape::Hypercube, 16)), [4; 16]);
        assert_eq!(diameter(mesh(MeshShape::Hypercube, 16)), 4);
    }

    #[test]
    fn a_torus_of_hosts_is_the_grid_of_its_dimensions() {
        let closed = torus(&[4, 3], GridEnds::Joined);
        assert_eq!((closed.len(), closed.links().len()), (12, 24));
        assert_eq!(degrees(&closed), [4; 12]);
        assert_eq!(closed.name(NodeId(5)), "host1-1");
        assert_eq!(diameter(closed), 2 + 1);
        let open = torus(&[4, 3], GridEnds::Open);
        assert_eq!(open.links().len(), 3 * 3 + 4 * 2);
        assert_eq!(diameter(open), 3 + 2);
    }

    #[test]
    fn impossible_meshes_are_refused_by_key() {
        let refused = |config: MeshConfig| config.build().unwrap_err().key;
        let of = |shape, hosts| MeshConfig {
            shape,
            hosts: Some(hosts),
            ..MeshConfig::default()
        };
        assert_eq!(refused(of(MeshShape::Ring, 1)), "hosts");
        assert_eq!(refused(of(MeshShape::Hypercube, 6)), "hosts");
        assert_eq!(refused(of(MeshShape::Dgx1, 4)), "hosts");
        assert_eq!(refused(of(MeshShape::Full, 60_000)), "hosts");
        assert_eq!(refused(of(MeshShape::Full, u32::MAX)), "hosts");
        assert_eq!(refused(of(MeshShape::Torus, 4)), "dims");
        let both = MeshConfig {
            dims: Some(vec![4, 4]),
            ..of(MeshShape::Torus, 16)
        };
        assert_eq!(refused(both), "hosts");
        let grid = |dims: &[u32]| MeshConfig {
            shape: MeshShape::Torus,
            dims: Some(dims.to_vec()),
            ..MeshConfig::default()
        };
        assert_eq!(refused(grid(&[])), "dims");
        assert_eq!(refused(grid(&[1, 1])), "dims");
        assert_eq!(refused(grid(&[4, 0])), "dims");
        assert_eq!(refused(grid(&[1 << 31, 1 << 31])), "dims");
        let ring = MeshConfig {
            dims: Some(vec![4]),
            ..MeshConfig::default()
        };
        assert_eq!(refused(ring), "dims");
        let wide = MeshConfig {
            links: 40_000,
            ..MeshConfig::default()
        };
        assert_eq!(refused(wide), "links");
        let still = MeshConfig {
            delay: Duration::ZERO,
            ..MeshConfig::default()
        };
        assert_eq!(refused(still), "delay");
    }
}
