//! Texts and their diagnostics.

pub mod document;
pub mod error;
pub mod file_kind;
pub mod input_file;
pub mod messages;
pub mod overrides;
pub mod typed;
