//! The algorithms of congestion control.

use fabricsim_scenario::cc::registry::{CONGESTION_CONTROLS, CcEntry, Transport};

/// Returns every algorithm of `transport`.
pub(crate) fn factories_of(transport: Transport) -> impl Iterator<Item = &'static CcEntry> {
    CONGESTION_CONTROLS
        .iter()
        .filter(move |cc| cc.transport == transport)
}

/// Returns the keys of `[cc]` of every algorithm of `transport`. An algorithm with the key `window`
/// appears with and without a window, every other one once.
pub(crate) fn cc_tables(transport: Transport) -> Vec<String> {
    let mut tables = Vec::new();
    for cc in factories_of(transport) {
        if cc.keys().iter().any(|key| key.name == "window") {
            for window in [true, false] {
                tables.push(format!(
                    r#"kind = "{}"
                    window = {window}"#,
                    cc.name
                ));
            }
        } else {
            tables.push(format!(r#"kind = "{}""#, cc.name));
        }
    }
    tables
}
