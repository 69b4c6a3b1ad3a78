//! Links and switches that are down, and the times since when.

use std::collections::{BTreeMap, BTreeSet};

use fabricsim_base::checkpoint::Checkpointed;
use fabricsim_base::id::NodeId;
use fabricsim_base::units::{Rate, Time};
use fabricsim_topology::{DownLinks, Topology};

use fabricsim_scenario::schema::event::{EventKind, LinkName};

/// The current failures. A link is down if it has failed itself, or if a switch at one of its ends
/// has failed.
#[derive(Checkpointed, Clone, Debug)]
#[checkpoint(plain)]
pub(crate) struct LinkStates {
    #[checkpoint(rebuilt)]
    topology: Topology,
    links: BTreeMap<u32, Time>,
    switches: BTreeMap<NodeId, Time>,
    /// The current rates of links that differ from their original rates.
    rates: BTreeMap<u32, Rate>,
}

/// Effect of an event on a link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Effect {
    Down,
    Up,
    Rate(Rate),
    Loss(f64),
}

/// Number of failures that a reason names; the remaining ones are only counted.
const NAMED: usize = 3;

impl LinkStates {
    pub(crate) const fn new(topology: Topology) -> Self {
        Self {
            topology,
            links: BTreeMap::new(),
            switches: BTreeMap::new(),
            rates: BTreeMap::new(),
        }
    }

    pub(crate) const fn topology(&self) -> &Topology {
        &self.topology
    }

    /// Returns the links with a rate that differs from the original one, and their current rates.
    pub(crate) fn rates(&self) -> impl Iterator<Item = (u32, Rate)> {
        self.rates.iter().map(|(&link, &rate)| (link, rate))
    }

    fn is_down(&self, link: u32) -> bool {
        let ends = &self.topology.links()[link as usize];
        self.links.contains_key(&link)
            || self.switches.contains_key(&ends.a)
            || self.switches.contains_key(&ends.b)
    }

    /// Returns the links that are down.
    pub(crate) fn down(&self) -> DownLinks {
        let mut down = DownLinks::none(&self.topology);
        let of_switches = self.switches.keys().flat_map(|&node| self.links_of(node));
        for link in self.links.keys().copied().chain(of_switches) {
            down.insert(link);
        }
        down
    }

    fn links_of(&self, node: NodeId) -> impl Iterator<Item = u32> + use<'_> {
        self.topology.ports(node).iter().map(|port| port.link)
    }

    fn named(&self, name: LinkName) -> Vec<u32> {
        name.find(&self.topology)
            .expect("events are checked before they are taken")
    }

    /// Applies an event at `now`. Returns the affected links, in the order of the changes.
    pub(crate) fn apply(&mut self, now: Time, event: EventKind) -> Vec<(u32, Effect)> {
        match event {
            EventKind::LinkDown(name) => {
                let links = self.named(name);
                self.changed(&links, |states| {
                    for &link in &links {
                        states.links.entry(link).or_insert(now);
                    }
                })
            }
            // A link that returns also regains its original rate, before it carries packets again.
            EventKind::LinkUp(name) => {
                let links = self.named(name);
                let restored: Vec<(u32, Effect)> = links
                    .iter()
                    .filter(|link| self.rates.remove(link).is_some())
                    .map(|&link| {
                        let rate = self.topology.links()[link as usize].rate;
                        (link, Effect::Rate(rate))
                    })
                    .collect();
                let up = self.changed(&links, |states| {
                    for link in &links {
                        states.links.remove(link);
                    }
                });
                [restored, up].concat()
            }
            EventKind::LinkRate(name, rate) => {
                let links = self.named(name);
                self.rates.extend(links.iter().map(|&link| (link, rate)));
                links
                    .into_iter()
                    .map(|link| (link, Effect::Rate(rate)))
                    .collect()
            }
            EventKind::LinkLoss(name, loss) => {
                let links = self.named(name).into_iter();
                links.map(|link| (link, Effect::Loss(loss))).collect()
            }
            // A switch takes all its links down, unless they are down already for another reason.
            EventKind::SwitchDown(node) => {
                let links: Vec<u32> = self.links_of(node).collect();
                self.changed(&links, |states| {
                    states.switches.entry(node).or_insert(now);
                })
            }
            EventKind::SwitchUp(node) => {
                let links: Vec<u32> = self.links_of(node).collect();
                self.changed(&links, |states| {
                    states.switches.remove(&node);
                })
            }
        }
    }

    /// Applies `change`, and returns the ones of `links` that go down or up because of it.
    fn changed(&mut self, links: &[u32], change: impl FnOnce(&mut Self)) -> Vec<(u32, Effect)> {
        let before: Vec<bool> = links.iter().map(|&link| self.is_down(link)).collect();
        change(self);
        let pairs = links.iter().zip(before);
        pairs
            .filter_map(|(&link, before)| match (before, self.is_down(link)) {
                (false, true) => Some((link, Effect::Down)),
                (true, false) => Some((link, Effect::Up)),
                _ => None,
            })
            .collect()
    }

    /// Describes why no route leads from `src` to `dst`.
    pub(crate) fn why_apart(&self, src: NodeId, dst: NodeId) -> String {
        let cut_off = |&node: &NodeId| self.links_of(node).all(|link| self.is_down(link));
        let causes: BTreeSet<String> = match [src, dst].iter().find(|node| cut_off(node)) {
            Some(&node) => self
                .links_of(node)
                .flat_map(|link| self.causes(link))
                .collect(),
            None => {
                let links = self
                    .links
                    .iter()
                    .map(|(&link, &since)| self.of_link(link, since));
                let switches = self.switches.iter();
                links
                    .chain(switches.map(|(&node, &since)| self.of_switch(node, since)))
                    .collect()
            }
        };
        let mut named: Vec<String> = causes.iter().take(NAMED).cloned().collect();
        match causes.len().checked_sub(NAMED) {
            Some(more @ 1..) => named.push(format!("{more} more are down")),
            _ if named.is_empty() && self.topology.forwarders().next().is_none() => {
                let why = "no link joins them, and hosts do not forward; [host] forward = true \
                           lets them";
                named.push(why.to_owned());
            }
            _ if named.is_empty() => named.push("routes have not been recomputed yet".to_owned()),
            _ => {}
        }
        format!(
            "no route from {} to {}: {}",
            self.topology.label(src),
            self.topology.label(dst),
            named.join(", ")
        )
    }

    /// Returns the causes for which `link` is down.
    fn causes(&self, link: u32) -> Vec<String> {
        let ends = &self.topology.links()[link as usize];
        let own = self
            .links
            .get(&link)
            .map(|&since| self.of_link(link, since));
        let switches = [ends.a, ends.b].into_iter().filter_map(|node| {
            let since = self.switches.get(&node)?;
            Some(self.of_switch(node, *since))
        });
        own.into_iter().chain(switches).collect()
    }

    fn of_link(&self, link: u32, since: Time) -> String {
        let ends = &self.topology.links()[link as usize];
        let [a, b] = [ends.a, ends.b].map(|end| self.topology.label(end));
        format!("the link between {a} and {b} is down since {since}")
    }

    fn of_switch(&self, node: NodeId, since: Time) -> String {
        format!("{} is down since {since}", self.topology.label(node))
    }
}
