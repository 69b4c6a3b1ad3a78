//! Which ports and flows are observed.

use fabricsim_core::id::{ClassId, FlowId, NodeId, PortId};
use fabricsim_core::input::NumberRange;
use fabricsim_core::units::Bytes;
use fabricsim_topology::Topology;

use super::settings::{FarEnd, ObserveSettings};

/// The ports of hosts and switches that `settings` choose, in their order.
pub(super) fn chosen_ports(
    settings: &ObserveSettings,
    topology: &Topology,
) -> impl Iterator<Item = (NodeId, PortId)> {
    let nodes = (0..topology.len()).map(NodeId::from_index);
    let nodes = nodes.filter(|node| NumberRange::any_contains(settings.nodes.as_deref(), node.0));
    nodes.flat_map(move |node| {
        let ports = topology.ports(node).iter().enumerate();
        ports.filter_map(move |(index, link)| {
            let port = PortId::from_index(index);
            let far_end = if topology.is_host(link.peer) {
                FarEnd::Hosts
            } else {
                FarEnd::Switches
            };
            let chosen = NumberRange::any_contains(settings.ports.as_deref(), u32::from(port.0))
                && settings.towards.is_none_or(|only| only == far_end);
            chosen.then_some((node, port))
        })
    })
}

/// Those of switches: the ports that have queues.
pub(crate) fn queue_ports(
    settings: &ObserveSettings,
    topology: &Topology,
) -> Vec<(NodeId, PortId)> {
    chosen_ports(settings, topology)
        .filter(|(node, _)| !topology.is_host(*node))
        .collect()
}

/// Which flows are observed.
#[derive(Clone, Debug)]
pub(super) struct FlowFilter {
    ids: Option<Vec<NumberRange>>,
    classes: Option<Vec<NumberRange>>,
    min_size: Bytes,
}

impl FlowFilter {
    pub(super) fn new(settings: &ObserveSettings) -> Self {
        Self {
            ids: settings.flow_ids.clone(),
            classes: settings.classes.clone(),
            min_size: settings.min_size,
        }
    }

    pub(super) fn takes(&self, flow: FlowId, class: ClassId, size: Bytes) -> bool {
        NumberRange::any_contains(self.ids.as_deref(), flow.0)
            && NumberRange::any_contains(self.classes.as_deref(), u32::from(class.0))
            && size >= self.min_size
    }
}
