//! Hosts and switches.

/// Role of a node in the handling of packets.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum NodeKind {
    /// Sends and receives; never forwards.
    Host,
    /// Forwards.
    Switch,
}
