//! The `[[queue]]` tables: disciplines of TCP's priorities at ports.

use fabricsim_base::input::{ConfigError, Key, ValueKind};
use fabricsim_base::priority::Priority;
use fabricsim_base::settings;
use fabricsim_base::units::Rate;
use fabricsim_qdisc::DisciplineConfig;
use serde::Serialize;

use crate::schema::far_end::FarEnd;
use fabricsim_base::input::Keys;

/// The keys of a `[[queue]]` table.
pub const QUEUE_KEYS: Keys = &[
    Key::new(
        "discipline",
        "a line such as \"codel limit 1000 target 5ms\", or a table: { kind = \"codel\", limit = 1000 } (required)",
        ValueKind::Either(&[ValueKind::Text, ValueKind::Table(&[])]),
    )
    .required(),
    QueuePlace::KEYS[0],
    QueuePlace::KEYS[1],
    QueuePlace::KEYS[2],
];

/// One `[[queue]]` table. The first table that matches a port and priority decides.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct QueueRule {
    /// The discipline.
    pub discipline: DisciplineConfig,
    /// Ports and priorities that use the discipline.
    #[serde(flatten)]
    pub place: QueuePlace,
}

settings! {
    /// The ports and priorities of a [`QueueRule`].
    pub struct QueuePlace {
        /// List of priorities of TCP, such as [1].
        #[note("(default: all of TCP)")]
        pub priorities: Vec<u8> = empty,
        /// Ports of this rate alone.
        #[note("(default: all)")]
        pub rate: Option<Rate> = none,
        /// "hosts" or "switches": ports with these at the other end alone.
        #[note("(default: all)")]
        pub towards: Option<FarEnd> = none,
    }
}

impl QueuePlace {
    /// Returns `true` if the rule applies to the queue of `priority` at a port of `rate` that leads
    /// `towards`.
    pub fn fits(&self, priority: Priority, rate: Rate, towards: FarEnd) -> bool {
        (self.priorities.is_empty() || self.priorities.contains(&priority.get()))
            && self.rate.is_none_or(|only| only == rate)
            && self.towards.is_none_or(|only| only == towards)
    }

    /// Rejects priorities that flows cannot have.
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
