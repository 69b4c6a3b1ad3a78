//! Configuration of a node.

use super::{ForwarderConfig, HostConfig, SwitchConfig};
use crate::plugin::Model;
use fabricsim_base::units::Duration;

/// Configuration of one node of a network.
#[derive(Debug)]
pub enum NodeConfig<M: Model> {
    /// A host.
    Host(HostConfig<M>),
    /// A switch.
    Switch(SwitchConfig<M>),
    /// A host that forwards packets for other hosts.
    Forwarder(ForwarderConfig<M>),
    /// A node on another rank.
    Elsewhere(RemoteConfig<M>),
}

/// The properties that a rank knows of a node on another rank.
#[derive(Debug)]
pub struct RemoteConfig<M: Model> {
    /// `true` if the node is a host.
    pub is_host: bool,
    /// Delays of the links of its ports.
    pub delays: Vec<Duration>,
    /// An observer like the one of the node. [`Network::gather`](super::Network::gather) loads the state of that observer
    /// into it.
    pub observer: M::Observer,
}

impl<M: Model> NodeConfig<M> {
    pub(super) const fn is_host(&self) -> bool {
        match self {
            Self::Host(_) | Self::Forwarder(_) => true,
            Self::Switch(_) => false,
            Self::Elsewhere(remote) => remote.is_host,
        }
    }

    pub(super) fn delays(&self) -> Vec<Duration> {
        match self {
            Self::Host(host) | Self::Forwarder(ForwarderConfig { host, .. }) => {
                host.ports.iter().map(|link| link.delay).collect()
            }
            Self::Switch(switch) => switch.ports.iter().map(|(link, _)| link.delay).collect(),
            Self::Elsewhere(remote) => remote.delays.clone(),
        }
    }
}
