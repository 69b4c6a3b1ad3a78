//! The `[[class]]` tables: the algorithm of a class of flows without a workload.

use fabricsim_base::input::{Key, ValueKind};
use fabricsim_base::settings;

use fabricsim_base::input::Keys;

settings! {
    /// A class of flows.
    pub(crate) struct ClassTable {
        /// The class: a workload's place in the scenario from 0 on, or the `class` column of a
        /// list.
        pub(crate) id: u16 = required,
    }
}

/// The keys of a `[[class]]` table; `cc` is read like the table of the same name.
pub const CLASS_KEYS: Keys = &[
    ClassTable::KEYS[0],
    Key::new(
        "cc",
        "the algorithm of the class: a table like [cc] (required)",
        ValueKind::Table(&[]),
    )
    .required(),
];
