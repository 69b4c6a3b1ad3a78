//! The switch ports that flows used.

use fabricsim_base::id::{FlowId, NodeId, PortId};
use fabricsim_base::input::InputError;

use crate::table::read_columns;

/// A switch port that packets of a flow used: a row of `hop_delays.csv`.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct FlowHop {
    /// The flow.
    pub flow: FlowId,
    /// 1 for the first switch after the sender; 0 if it is unknown.
    pub hop: u32,
    /// The switch.
    pub node: NodeId,
    /// Egress port of the packets.
    pub port: PortId,
}

/// Reads the ports in `hop_delays.csv`, in the order of its rows.
///
/// # Errors
/// Fails at the offending word.
pub fn read_flow_hops(text: &str) -> Result<Vec<FlowHop>, InputError> {
    let columns = ["flow", "hop", "node", "port"];
    read_columns(
        text,
        "hop_delays.csv",
        columns,
        |[flow, hop, node, port]| {
            Ok(FlowHop {
                flow: FlowId(flow.integer("flow")?),
                hop: hop.integer("hop")?,
                node: NodeId(node.integer("node")?),
                port: PortId(port.integer("port")?),
            })
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hops_have_a_flow_and_a_port() {
        let text = "flow,hop,node,port,name,peer,packets,delay_ns,mean_ns,max_ns\n7,1,20,3,leaf0,spine1,5,9,1,2\n";
        let hops = read_flow_hops(text).expect("a row");
        let expected = FlowHop {
            flow: FlowId(7),
            hop: 1,
            node: NodeId(20),
            port: PortId(3),
        };
        assert_eq!(hops, [expected]);
        assert!(read_flow_hops(&text.replace("7,1,20", "7,1,x")).is_err());
    }
}
