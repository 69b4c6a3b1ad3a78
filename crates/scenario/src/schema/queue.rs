//! The `[[queue]]` tables: which discipline a priority of TCP has at which ports.

use fabricsim_core::input::ConfigError;
use fabricsim_core::units::Rate;
use fabricsim_qdisc::DisciplineConfig;
use serde::{Deserialize, Serialize};

use crate::schema::far_end::FarEnd;
use crate::schema::keys::Keys;

/// The keys of a `[[queue]]` table.
pub const QUEUE_KEYS: Keys = &[
    (
        "discipline",
        "a line such as \"codel limit 1000 target 5ms\", or a table: { kind = \"codel\", limit = 1000 }",
    ),
    (
        "priorities",
        "list of priorities of TCP, such as [1] (default: all of TCP)",
    ),
    ("rate", "ports of this rate alone (default: all)"),
    (
        "towards",
        "\"hosts\" or \"switches\": ports with these at the other end alone (default: all)",
    ),
];

/// One `[[queue]]` table. The first one that fits a port and priority holds.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct QueueRule {
    /// The discipline.
    pub discipline: DisciplineConfig,
    /// Where it is.
    #[serde(flatten)]
    pub place: QueuePlace,
}

/// The ports and priorities of a [`QueueRule`].
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct QueuePlace {
    /// These priorities; empty for all of TCP.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub priorities: Vec<u8>,
    /// Ports of this rate; absent means all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate: Option<Rate>,
    /// Ports with these at the other end; absent means all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub towards: Option<FarEnd>,
}

impl QueuePlace {
    /// Whether the queue of `priority` is meant at a port of `rate` that leads `towards`.
    pub fn fits(&self, priority: u8, rate: Rate, towards: FarEnd) -> bool {
        (self.priorities.is_empty() || self.priorities.contains(&priority))
            && self.rate.is_none_or(|only| only == rate)
            && self.towards.is_none_or(|only| only == towards)
    }

    /// Refuses priorities that flows do not have.
    pub(crate) fn validate(&self) -> Result<(), ConfigError> {
        match self.priorities.iter().find(|p| !(1..=7).contains(*p)) {
            None => Ok(()),
            Some(priority) => Err(ConfigError::new(
                "priorities",
                format!("there is no data priority {priority}"),
                "give priorities from 1 to 7",
            )),
        }
    }
}
