//! Keys of tables.

/// Keys with what they mean.
pub type Keys = &'static [(&'static str, &'static str)];
