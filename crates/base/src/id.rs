//! Ids: small integers with distinct types.

use std::fmt;

use crate::checkpoint::Stored;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident($repr:ty)) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, Eq, Hash, Ord, PartialEq, PartialOrd, Stored)]
        #[checkpoint(plain)]
        #[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
        pub struct $name(pub $repr);

        impl $name {
            /// Returns the id as an index into a table.
            #[inline]
            #[must_use]
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}", self.0)
            }
        }
    };
}

id! {
    /// A host or a switch: its position in the topology.
    NodeId(u32)
}
id! {
    /// A port of one node, counted from zero in the order of its links.
    PortId(u16)
}
id! {
    /// A flow: numbered from zero in the order of start times, as workloads produce them.
    FlowId(u32)
}
id! {
    /// A class of flows: the position of its workload, by which results are grouped.
    ClassId(u16)
}

impl NodeId {
    /// Returns the node at position `index` of a table.
    ///
    /// # Panics
    /// Panics if `index` does not fit 32 bits.
    #[inline]
    #[must_use]
    pub fn from_index(index: usize) -> Self {
        Self(u32::try_from(index).expect("a topology has fewer than 2^32 nodes"))
    }
}

impl PortId {
    /// Returns the port at position `index` of a node.
    ///
    /// # Panics
    /// Panics if `index` does not fit 16 bits.
    #[inline]
    #[must_use]
    pub fn from_index(index: usize) -> Self {
        Self(u16::try_from(index).expect("a node has fewer than 2^16 ports"))
    }
}
