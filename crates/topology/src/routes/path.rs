//! One path for each pair of hosts, along the first next hops, and its properties when idle.

use std::cmp::Reverse;

use fabricsim_base::flow::PathInfo;
use fabricsim_base::id::{NodeId, PortId};
use fabricsim_base::units::{Bytes, Duration};

use super::{NextHopOrder, Routes};
use crate::graph::Port;

impl Routes {
    /// Returns the properties of the path from `src` to `dst` in an idle network, along the first
    /// next hop at each step.
    ///
    /// `mtu_payload` is the payload of a full packet. The base round-trip time includes its
    /// transmission at each hop, but neither headers nor the acknowledgement's transmission.
    /// Returns `None` if there is no path, an end is not a host, or both ends are the same.
    #[must_use]
    pub fn path_info(&self, src: NodeId, dst: NodeId, mtu_payload: Bytes) -> Option<PathInfo> {
        self.follow(src, dst, |port| self.link_rtt(port, mtu_payload))
    }

    /// Like [`Self::path_info`], for packets that leave `src` through its port `nic`. The
    /// destination may be a NIC's address, and the path may be longer than through another port.
    #[must_use]
    pub fn path_info_from(
        &self,
        src: NodeId,
        nic: PortId,
        dst: NodeId,
        mtu_payload: Bytes,
    ) -> Option<PathInfo> {
        let port = self.topology.ports(src).get(nic.index())?;
        let is_host = |node: NodeId| self.slots.get(node.index()).is_some_and(|s| s.is_host());
        if src == self.host_of(dst) || !is_host(dst) || self.closed.contains(port.link) {
            return None;
        }
        self.hops_from(port.peer, dst)?;
        self.follow_from(port, dst, |port| self.link_rtt(port, mtu_payload))
    }

    /// Like [`Self::path_info`], but `rtt` gives the share of each hop in the round-trip time.
    pub(super) fn follow(
        &self,
        src: NodeId,
        dst: NodeId,
        rtt: impl Fn(&Port) -> Duration,
    ) -> Option<PathInfo> {
        let nic = match self.only_nic(src, dst) {
            Some(nic) => nic,
            None => *self.nics(src, dst).first()?,
        };
        self.follow_from(&self.topology.ports(src)[nic.index()], dst, rtt)
    }

    /// Follows the first next hops from the link of the host's `port` to `dst`.
    fn follow_from(
        &self,
        port: &Port,
        dst: NodeId,
        rtt: impl Fn(&Port) -> Duration,
    ) -> Option<PathInfo> {
        let slot = *self.slots.get(dst.index())?;
        let dst = self.host_of(dst);
        let mut port = port;
        let mut path = PathInfo {
            base_rtt: Duration::ZERO,
            bottleneck: port.rate,
            switches: 0,
        };
        loop {
            path.base_rtt = saturating_add(path.base_rtt, rtt(port));
            path.bottleneck = path.bottleneck.min(port.rate);
            let node = port.peer;
            if node == dst {
                return Some(path);
            }
            let pass = self.topology.pass_delay(node).saturating_mul(2);
            path.base_rtt = saturating_add(path.base_rtt, pass);
            path.switches = path.switches.saturating_add(1);
            let next = self.table_ref(node).first(slot)?;
            port = &self.topology.ports(node)[next.index()];
        }
    }

    /// Returns the port of a host with a single port, if it leads to `dst`.
    pub(super) fn only_nic(&self, src: NodeId, dst: NodeId) -> Option<PortId> {
        if src.index() >= self.topology.len() {
            return None;
        }
        let (from, to) = (self.slots.get(src.index())?, *self.slots.get(dst.index())?);
        let dst = self.host_of(dst);
        if !from.is_host() || !to.is_host() || src == dst {
            return None;
        }
        let [only] = self.topology.ports(src) else {
            return None;
        };
        if self.closed.contains(only.link) {
            return None;
        }
        let leads = only.peer == dst
            || (self.topology.forwards(only.peer) && self.table_ref(only.peer).first(to).is_some());
        leads.then_some(PortId(0))
    }

    /// Returns the ports of the host `src` that begin a shortest path to `dst`, a host or the
    /// address of a NIC, in the order of [`NextHopOrder`](super::NextHopOrder).
    #[must_use]
    pub fn nics(&self, src: NodeId, dst: NodeId) -> Vec<PortId> {
        let is_host = |node: NodeId| self.slots.get(node.index()).is_some_and(|s| s.is_host());
        if let Some((host, nic)) = self.addresses.nic(src) {
            let path = self.path_info_from(host, nic, dst, Bytes::ZERO);
            return path.map(|_| nic).into_iter().collect();
        }
        if !is_host(src) || !is_host(dst) || src == self.host_of(dst) {
            return Vec::new();
        }
        let ports = self.topology.ports(src);
        let lengths: Vec<Option<u32>> = ports
            .iter()
            .map(|port| {
                let up = !self.closed.contains(port.link);
                up.then(|| self.hops_from(port.peer, dst)).flatten()
            })
            .collect();
        let Some(shortest) = lengths.iter().flatten().min() else {
            return Vec::new();
        };
        let mut nics: Vec<PortId> = (0..ports.len())
            .filter(|&index| lengths[index].as_ref() == Some(shortest))
            .map(PortId::from_index)
            .collect();
        self.order.sort(ports, &mut nics);
        if self.order == NextHopOrder::DescendingNode && nics.len() > 1 {
            nics.sort_by_cached_key(|nic| self.search_place(ports[nic.index()].peer, dst));
        }
        nics
    }

    /// Returns the sort key of `neighbor` among neighbors at the same distance, in the order in
    /// which a breadth-first search from `dst` reaches them: the nodes from `dst` to `neighbor`.
    fn search_place(&self, neighbor: NodeId, dst: NodeId) -> Vec<Reverse<NodeId>> {
        let mut nodes = vec![Reverse(neighbor)];
        let (slot, end) = (self.slots.get(dst.index()), self.host_of(dst));
        let mut node = neighbor;
        while node != end && self.topology.forwards(node) {
            let next = slot.and_then(|&slot| self.table_ref(node).first(slot));
            let Some(port) = next else {
                break;
            };
            node = self.topology.ports(node)[port.index()].peer;
            nodes.push(Reverse(node));
        }
        nodes.reverse();
        nodes
    }

    /// Returns the number of links from a host's neighbor to `dst`; `None` if the neighbor
    /// does not forward or has no path.
    fn hops_from(&self, neighbor: NodeId, dst: NodeId) -> Option<u32> {
        let slot = *self.slots.get(dst.index())?;
        let dst = self.host_of(dst);
        let mut node = neighbor;
        let mut hops = 0;
        while node != dst {
            if !self.topology.forwards(node) {
                return None;
            }
            let port = self.table_ref(node).first(slot)?;
            node = self.topology.ports(node)[port.index()].peer;
            hops += 1;
        }
        Some(hops)
    }

    /// Returns the share of the link of `port` in the base round-trip time.
    pub(super) fn link_rtt(&self, port: &Port, mtu_payload: Bytes) -> Duration {
        let (delay, transmission) = (port.delay, port.rate.transmission(mtu_payload));
        let [delay, transmission] = [delay, transmission].map(|time| self.hop_times.cut(time));
        saturating_add(delay.saturating_mul(2), transmission)
    }
}

pub(super) const fn saturating_add(a: Duration, b: Duration) -> Duration {
    Duration::from_ps(a.as_ps().saturating_add(b.as_ps()))
}
