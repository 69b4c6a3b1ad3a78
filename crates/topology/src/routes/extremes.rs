//! The longest and largest of all pairs' paths, without looking at all pairs.

use fabricsim_core::id::NodeId;
use fabricsim_core::units::{Bytes, Duration, Rate};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::Routes;
use super::path::link_rtt;

/// The maxima, each on its own, over all pairs of hosts.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Extremes {
    /// The longest base round-trip time.
    pub base_rtt: Duration,
    /// The largest bandwidth-delay product.
    pub bdp: Bytes,
    /// The most switches on a path.
    pub switches: u16,
}

impl Extremes {
    fn max(self, other: Self) -> Self {
        Self {
            base_rtt: self.base_rtt.max(other.base_rtt),
            bdp: self.bdp.max(other.bdp),
            switches: self.switches.max(other.switches),
        }
    }
}

/// Hosts whose links have the same switches, rates and delays in the same order: their paths to
/// anywhere else are alike, so one of them stands for all, and two for the paths among them.
struct Class {
    one: NodeId,
    another: Option<NodeId>,
}

/// A host's links by switch, rate and delay; a host with direct neighbours adds itself.
type Likeness = Vec<(NodeId, Option<(Rate, Duration)>)>;

impl Routes {
    /// The maxima of [`Routes::path_info`] over all pairs of hosts, for packets of `mtu_payload`.
    ///
    /// Exact. The time goes with the square of the number of classes of hosts, which is that of
    /// edge switches when all their hosts are alike.
    #[must_use]
    pub fn extremes(&self, mtu_payload: Bytes) -> Extremes {
        let link_rtts: Vec<Duration> = self
            .topology
            .links()
            .iter()
            .map(|link| link_rtt(link.rate, link.delay, mtu_payload))
            .collect();
        let classes = self.classes();
        let worst_from = |(index, from): (usize, &Class)| {
            let others = classes.iter().enumerate().filter_map(|(other, to)| {
                if other == index {
                    from.another
                } else {
                    Some(to.one)
                }
            });
            others
                .filter_map(|to| self.follow(from.one, to, |port| link_rtts[port.link as usize]))
                .map(|path| Extremes {
                    base_rtt: path.base_rtt,
                    bdp: path.bdp(),
                    switches: path.switches,
                })
                .fold(Extremes::default(), Extremes::max)
        };
        classes
            .par_iter()
            .enumerate()
            .map(worst_from)
            .reduce(Extremes::default, Extremes::max)
    }

    fn classes(&self) -> Vec<Class> {
        let mut known: FxHashMap<Likeness, usize> = FxHashMap::default();
        let mut classes: Vec<Class> = Vec::new();
        for &host in self.topology.hosts() {
            let ports = self.topology.ports(host);
            let mut likeness: Likeness = ports
                .iter()
                .filter(|port| !self.down.contains(port.link))
                .map(|p| (p.peer, Some((p.rate, p.delay))))
                .collect();
            if ports.iter().any(|port| self.topology.is_host(port.peer)) {
                likeness.push((host, None)); // its direct neighbours make it like no other
            }
            let found = *known.entry(likeness).or_insert(classes.len());
            match classes.get_mut(found) {
                Some(class) => class.another = class.another.or(Some(host)),
                None => classes.push(Class {
                    one: host,
                    another: None,
                }),
            }
        }
        classes
    }
}
