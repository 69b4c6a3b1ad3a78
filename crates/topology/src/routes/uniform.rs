//! Networks in which all equally long paths have the same properties.

use super::Routes;
use crate::graph::Port;

impl Routes {
    /// Returns `true` if links between switches are all alike, and so are the links of each host.
    /// Then all shortest paths of a pair have the same properties. Not determined if hosts forward.
    #[must_use]
    pub fn is_uniform(&self) -> bool {
        fn alike<'a>(mut ports: impl Iterator<Item = &'a Port>) -> bool {
            let first = ports.next();
            first.is_none_or(|first| {
                ports.all(|port| (port.rate, port.delay) == (first.rate, first.delay))
            })
        }
        let up = |port: &&Port| !self.closed.contains(port.link);
        let topology = &self.topology;
        let mut hosts = topology.hosts().iter();
        topology.forwarding().is_none()
            && alike(self.links_between_switches())
            && hosts.all(|&host| alike(topology.ports(host).iter().filter(up)))
    }

    /// Returns the port of a link between switches that is up, if there is one.
    #[must_use]
    pub fn link_between_switches(&self) -> Option<&Port> {
        self.links_between_switches().next()
    }

    fn links_between_switches(&self) -> impl Iterator<Item = &Port> {
        let topology = &self.topology;
        let ports = topology
            .switches()
            .flat_map(move |node| topology.ports(node));
        ports.filter(move |port| !self.closed.contains(port.link) && !topology.is_host(port.peer))
    }
}
