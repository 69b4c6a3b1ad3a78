//! Settings as values, for `summary.json` and `fabricsim check`.

/// A table with its kind in front.
pub(super) fn tagged(kind: &str, settings: &serde_json::Value) -> serde_json::Value {
    let mut table = serde_json::Map::new();
    table.insert("kind".to_owned(), kind.into());
    if let Some(keys) = settings.as_object() {
        table.extend(
            keys.iter()
                .filter(|(_, value)| !value.is_null())
                .map(|(k, v)| (k.clone(), v.clone())),
        );
    }
    table.into()
}
