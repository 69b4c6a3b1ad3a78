//! The tables of all kinds of events.

use fabricsim_base::id::NodeId;
use fabricsim_base::settings;
use fabricsim_base::units::{Rate, Time};

use fabricsim_base::input::Keys;

/// Declares the table of a change to a link: the keys that all of them have, then its own keys.
macro_rules! link_table {
    ($(#[$about:meta])* $name:ident { $($own:tt)* }) => {
        settings! {
            $(#[$about])*
            pub(crate) struct $name {
                /// Time of the event, such as "1ms".
                pub(crate) at: Time = required,
                /// The two nodes that the link joins, such as [320, 340] or ["tor0", "agg0"].
                pub(crate) link: Vec<NodeId> = required,
                /// Number of the link among several between the two, from 0.
                #[note("(default: all of them)")]
                pub(crate) index: Option<u32> = none,
                $($own)*
            }
        }
    };
}

link_table! {
    /// A link that fails or returns.
    LinkTable {}
}

link_table! {
    /// A link that changes its rate.
    RateTable {
        /// Rate of both directions from then on, such as "10Gbps".
        pub(crate) rate: Rate = required,
    }
}

link_table! {
    /// A link with losses.
    LossTable {
        /// Probability that a packet is lost.
        #[range(from 0.0, to 1.0)]
        #[refused(
            "a loss probability of {value} is impossible",
            "give a number from 0 to 1, such as 0.001"
        )]
        #[note("(required); 0 ends it")]
        pub(crate) loss: f64 = required,
    }
}

settings! {
    /// A switch that fails or returns.
    pub(crate) struct SwitchTable {
        /// Time of the event, such as "1ms".
        pub(crate) at: Time = required,
        /// The switch, such as 340 or "agg0".
        pub(crate) switch: NodeId = required,
    }
}

/// The kinds of events: name, description and keys.
pub const KINDS: &[(&str, &str, Keys)] = &[
    (
        "link-down",
        "a link fails; packets on it and queued for it are lost",
        LinkTable::KEYS,
    ),
    (
        "link-up",
        "a link is back, at its own rate",
        LinkTable::KEYS,
    ),
    ("link-rate", "a link changes its rate", RateTable::KEYS),
    (
        "link-loss",
        "a link loses packets at random",
        LossTable::KEYS,
    ),
    (
        "switch-down",
        "a switch fails with all its links",
        SwitchTable::KEYS,
    ),
    (
        "switch-up",
        "a switch is back, with its links unless they have failed themselves",
        SwitchTable::KEYS,
    ),
];
