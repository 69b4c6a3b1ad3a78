//! The keys of a sweep's text, for messages, the schema and the tables of the documents.

use fabricsim_base::input::{Key, Keys, ValueKind};
use fabricsim_scenario::json_schema::file_schema;
use serde_json::{Value, json};

use super::axis::AXIS_KEYS;

/// The key that names a checkpoint.
pub(super) const FROM: &str = "from";

/// The keys and tables of a sweep.
pub const SWEEP_KEYS: Keys = &[
    Key::new(
        "name",
        "names the results (default: the file's name)",
        ValueKind::Text,
    ),
    Key::new(
        "scenario",
        "the base scenario: the path of its file, or a table with its content (required unless \
         there is `from`)",
        ValueKind::Either(&[ValueKind::Path, ValueKind::Table(&[])]),
    ),
    Key::new(
        FROM,
        "the path of a checkpoint: all points resume from it, with its scenario; axes \
         may change only keys that a checkpoint permits",
        ValueKind::Path,
    ),
    Key::new(
        "axis",
        "[[axis]] tables; every combination of their values is a point",
        ValueKind::List(&ValueKind::Table(AXIS_KEYS)),
    ),
    Key::new(
        "only",
        "[[only]] tables: points are kept that have the values of at least one of them",
        ValueKind::List(&ValueKind::Table(&[])),
    ),
    Key::new(
        "exclude",
        "[[exclude]] tables: points that have these values of these axes are left out",
        ValueKind::List(&ValueKind::Table(&[])),
    ),
    Key::new(
        "override",
        "[[override]] tables: further keys for points that have certain values",
        ValueKind::List(&ValueKind::Table(OVERRIDE_KEYS)),
    ),
];

/// Returns the JSON Schema (draft 2020-12) of sweeps.
///
/// The schema of the base scenario is not part of it, because an axis may set keys that the
/// scenario lacks.
#[must_use]
pub fn sweep_schema() -> Value {
    let mut schema = file_schema("A sweep of fabricsim", SWEEP_KEYS);
    schema["oneOf"] = json!([{ "required": ["scenario"] }, { "required": [FROM] }]);
    schema
}

/// The keys of an `[[override]]` table.
pub const OVERRIDE_KEYS: Keys = &[
    Key::new(
        "when",
        "values of axes; the point must have all of them (required)",
        ValueKind::Table(&[]),
    )
    .required(),
    Key::new(
        "set",
        "keys of the scenario with their values (required); they are set after all axes",
        ValueKind::Table(&[]),
    )
    .required(),
];
