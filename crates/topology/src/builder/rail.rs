//! Rail-optimized clusters: servers of GPUs with a switch or a mesh inside, and a leaf for each GPU number.

use fabricsim_base::id::NodeId;
use fabricsim_base::input::ConfigError;
use fabricsim_base::settings;
use fabricsim_base::units::{Duration, Rate};

use super::mesh_shape::MeshShape;
use super::plan::{Plan, fits_ports, some_delay};
use crate::graph::Topology;

settings! {
    /// A rail-optimized cluster: the hosts are GPUs. All GPUs of a server are linked to a switch
    /// inside it. Each GPU also has a NIC at the leaf of its rail, which has the GPU's number
    /// within the server. A unit of servers has a leaf for each rail, and every leaf is linked to
    /// every spine.
    ///
    /// The defaults are two units of an NVIDIA DGX SuperPOD with 64 servers, 16 leaves and 8 spines
    /// at 400 Gbps (reference architecture for DGX B200, table of component counts), and NVLink of
    /// the fourth generation, 450 GB/s in each direction (NVIDIA H100). The delay inside a server
    /// has no published source: it is an assumption.
    ///
    /// With several planes, each GPU has one NIC in the separate fabric of each plane.
    ///
    /// Nodes are numbered GPUs, the switches inside servers, leaves by plane, unit and rail, then
    /// spines by plane. The first port of a GPU leads into the server, or as many as it has links in the mesh; all
    /// other ports are NICs. Names are
    /// paths: `server3/gpu5`, `server3/nvswitch`, `unit0/rail5`, `spine1`; with several planes
    /// `plane1/unit0/rail5` and `plane1/spine1`. Loads and defaults depend only on the NICs.
    ///
    /// GPUs of a server reach each other inside it, other GPUs of the same unit and rail through
    /// their leaf, all remaining GPUs through a spine. With `server_mesh`, only neighbors in the mesh
    /// reach each other directly, the other GPUs of a server through leaves. GPUs forward traffic
    /// for each other only with `[host] forward = true`, and then also into and out of servers.
    pub struct RailConfig {
        /// Servers, in whole units.
        #[range(from 1)]
        #[refused("{value} is too few", "write at least 1")]
        pub servers: u32 = 64,
        /// GPUs of each server, and so rails.
        #[range(from 1)]
        #[refused("{value} is too few", "write at least 1")]
        pub gpus_per_server: u32 = 8,
        /// Servers of a unit, which share leaves; divides `servers`.
        #[range(from 1)]
        #[refused("{value} is too few", "write at least 1")]
        pub servers_per_unit: u32 = 32,
        /// Spines of each plane.
        #[range(from 1)]
        #[refused("{value} is too few", "write at least 1")]
        pub spines: u32 = 8,
        /// Parallel links from each leaf to each spine.
        #[range(from 1)]
        #[refused("{value} is too few", "write at least 1")]
        pub links_per_spine: u32 = 4,
        /// Planes: separate fabrics, each with a NIC of every GPU.
        #[range(from 1)]
        #[refused("{value} is too few", "write at least 1")]
        pub planes: u32 = 1,
        /// Shape of the links between the GPUs of a server, which then has no switch.
        ///
        /// A torus needs dimensions, which servers do not have.
        pub server_mesh: Option<MeshShape> = none,
        /// Rate of each link inside of servers.
        pub server_rate: Rate = "3600Gbps",
        /// One-way delay of the links inside of servers.
        pub server_delay: Duration = "250ns",
        /// Rate of NICs.
        pub nic_rate: Rate = "400Gbps",
        /// Rate of links between leaves and spines.
        pub fabric_rate: Rate = "400Gbps",
        /// One-way delay of links of leaves.
        pub link_delay: Duration = "1us",
    }
}

impl RailConfig {
    /// Builds the cluster. Links are listed server by server, then NIC by NIC, then leaf by leaf.
    ///
    /// # Errors
    /// Fails if a count is zero, the servers do not fill whole units, a delay is zero, or there are
    /// more nodes, links or ports than the simulator supports.
    pub fn build(&self) -> Result<Topology, ConfigError> {
        self.validate_ranges()?;
        some_delay("server_delay", self.server_delay)?;
        some_delay("link_delay", self.link_delay)?;
        self.check_counts()?;
        let per_plane = u64::from(self.units()) * u64::from(self.gpus_per_server);
        let fabric = (per_plane + u64::from(self.spines)) * u64::from(self.planes);
        let gpus = u64::from(self.servers) * u64::from(self.gpus_per_server);
        let inner = u64::from(self.inner_switches());
        let mut plan = Plan::new("servers", gpus, inner + fabric)?;
        self.wire_servers(&mut plan)?;
        for server in 0..self.servers {
            for rail in 0..self.gpus_per_server {
                let gpu = NodeId(server * self.gpus_per_server + rail);
                for plane in 0..self.planes {
                    let unit = server / self.servers_per_unit;
                    let leaf = plan.switch(self.leaf(plane, unit, rail));
                    plan.link(gpu, leaf, self.nic_rate, self.link_delay);
                }
            }
        }
        for plane in 0..self.planes {
            self.wire_spines(&mut plan, plane);
        }
        let first_inner = plan.switch(0);
        let names = self.names();
        let cluster = plan.finish("servers")?.with_names(&names);
        let cluster = cluster.expect("each place has a name of its own");
        Ok(match self.server_mesh {
            Some(_) => cluster.with_linked_servers(),
            None => cluster.with_inner_switches(first_inner, self.servers),
        })
    }

    fn check_counts(&self) -> Result<(), ConfigError> {
        if !self.servers.is_multiple_of(self.servers_per_unit) {
            return Err(ConfigError::new(
                "servers_per_unit",
                format!(
                    "{} servers are not whole units of {}",
                    self.servers, self.servers_per_unit
                ),
                format!("write a number that divides {}", self.servers),
            ));
        }
        fits_ports("gpus_per_server", "a server", self.gpus_per_server.into())?;
        let up = u64::from(self.spines) * u64::from(self.links_per_spine);
        let leaf = u64::from(self.servers_per_unit) + up;
        fits_ports("links_per_spine", "a leaf", leaf)?;
        let leaves = u64::from(self.units()) * u64::from(self.gpus_per_server);
        let spine = leaves * u64::from(self.links_per_spine);
        fits_ports("links_per_spine", "a spine", spine)
    }

    fn units(&self) -> u32 {
        self.servers / self.servers_per_unit
    }

    /// Returns the number of leaves of a plane.
    fn leaves(&self) -> u32 {
        self.units() * self.gpus_per_server
    }

    /// Returns the index of a leaf among the switches.
    fn leaf(&self, plane: u32, unit: u32, rail: u32) -> u32 {
        self.inner_switches() + plane * self.leaves() + unit * self.gpus_per_server + rail
    }

    /// Returns the number of switches inside servers.
    fn inner_switches(&self) -> u32 {
        match self.server_mesh {
            Some(_) => 0,
            None => self.servers,
        }
    }

    /// Links the GPUs of each server to its switch, or to each other.
    fn wire_servers(&self, plan: &mut Plan) -> Result<(), ConfigError> {
        let gpus = self.gpus_per_server;
        let mesh = match self.server_mesh {
            Some(MeshShape::Torus) => {
                return Err(ConfigError::new(
                    "server_mesh",
                    "the GPUs of a server have no dimensions for a torus",
                    "write \"ring\", \"full\", \"hypercube\" or \"dgx-1\"",
                ));
            }
            Some(shape) => Some(shape.links("gpus_per_server", gpus)?),
            None => None,
        };
        for server in 0..self.servers {
            let gpu = |number: u32| NodeId(server * gpus + number);
            let Some(mesh) = &mesh else {
                for number in 0..gpus {
                    let inner = plan.switch(server);
                    plan.link(gpu(number), inner, self.server_rate, self.server_delay);
                }
                continue;
            };
            for &(a, b, parallel) in mesh {
                for _ in 0..parallel {
                    plan.link(gpu(a), gpu(b), self.server_rate, self.server_delay);
                }
            }
        }
        Ok(())
    }

    fn wire_spines(&self, plan: &mut Plan, plane: u32) {
        let first_spine = self.inner_switches() + self.planes * self.leaves() + plane * self.spines;
        let first_leaf = self.leaf(plane, 0, 0);
        for leaf in first_leaf..first_leaf + self.leaves() {
            for spine in first_spine..first_spine + self.spines {
                for _ in 0..self.links_per_spine {
                    let (leaf, spine) = (plan.switch(leaf), plan.switch(spine));
                    plan.link(leaf, spine, self.fabric_rate, self.link_delay);
                }
            }
        }
    }

    /// Returns the names of all nodes, in the order of their numbers.
    fn names(&self) -> Vec<String> {
        let plane = |plane: u32| match self.planes {
            1 => String::new(),
            _ => format!("plane{plane}/"),
        };
        let mut names = Vec::new();
        for server in 0..self.servers {
            names.extend((0..self.gpus_per_server).map(|gpu| format!("server{server}/gpu{gpu}")));
        }
        let inner = 0..self.inner_switches();
        names.extend(inner.map(|server| format!("server{server}/nvswitch")));
        for number in 0..self.planes {
            for unit in 0..self.units() {
                let leaf = |rail| format!("{}unit{unit}/rail{rail}", plane(number));
                names.extend((0..self.gpus_per_server).map(leaf));
            }
        }
        for number in 0..self.planes {
            names.extend((0..self.spines).map(|spine| format!("{}spine{spine}", plane(number))));
        }
        names
    }
}

#[cfg(test)]
mod tests {
    use fabricsim_base::units::Bytes;

    use super::*;
    use crate::{EcmpHash, NextHopOrder, Routes};

    fn small() -> RailConfig {
        RailConfig {
            servers: 4,
            gpus_per_server: 2,
            servers_per_unit: 2,
            spines: 2,
            links_per_spine: 1,
            ..RailConfig::default()
        }
    }

    fn routes(topology: &Topology) -> Routes {
        Routes::compute(topology, NextHopOrder::AscendingNode, EcmpHash::Seeded(1))
    }

    #[test]
    fn the_default_is_two_units_of_a_superpod() {
        let cluster = RailConfig::default().build().unwrap();
        assert_eq!(cluster.hosts().len(), 512);
        assert_eq!(cluster.len(), 512 + 64 + 16 + 8);
        // 512 links inside servers, 512 of NICs, and 512 between leaves and spines.
        assert_eq!(cluster.links().len(), 3 * 512);
    }

    #[test]
    fn paths_go_through_the_server_the_rail_or_a_spine() {
        let cluster = small().build().unwrap();
        let routes = routes(&cluster);
        let between = |a: u32, b: u32| {
            let path = routes.path_info(NodeId(a), NodeId(b), Bytes::new(1_000));
            let path = path.unwrap();
            (path.switches, path.bottleneck)
        };
        let (server, nic) = (Rate::from_gbps(3_600), Rate::from_gbps(400));
        assert_eq!(between(0, 1), (1, server));
        assert_eq!(between(0, 2), (1, nic));
        assert_eq!(between(0, 3), (3, nic));
        assert_eq!(between(0, 4), (3, nic));
    }

    #[test]
    fn nics_are_the_ports_that_leave_the_server() {
        let config = RailConfig {
            planes: 2,
            ..small()
        };
        let cluster = config.build().unwrap();
        let nics: Vec<&str> = (cluster.nics(NodeId(3)))
            .map(|port| cluster.name(port.peer))
            .collect();
        assert_eq!(nics, ["plane0/unit0/rail1", "plane1/unit0/rail1"]);
        assert_eq!(
            cluster.name(cluster.ports(NodeId(3))[0].peer),
            "server1/nvswitch"
        );
        assert_eq!(cluster.name(NodeId(3)), "server1/gpu1");
        // Planes meet only at GPUs, which do not forward.
        assert_eq!(routes(&cluster).path_stats(Bytes::new(1_000)).switches, 3);
    }

    #[test]
    fn impossible_clusters_are_refused_by_key() {
        let key = |config: RailConfig| config.build().unwrap_err().key;
        let parts = RailConfig {
            servers: 5,
            ..small()
        };
        assert_eq!(key(parts), "servers_per_unit");
        let none = RailConfig {
            spines: 0,
            ..small()
        };
        assert_eq!(key(none), "spines");
        let wide = RailConfig {
            links_per_spine: 40_000,
            ..small()
        };
        assert_eq!(key(wide), "links_per_spine");
        let still = RailConfig {
            server_delay: Duration::ZERO,
            ..small()
        };
        assert_eq!(key(still), "server_delay");
    }
}
