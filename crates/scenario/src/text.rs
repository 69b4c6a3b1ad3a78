//! Texts and what is wrong with them.

pub mod document;
pub mod error;
pub mod file_kind;
pub mod input_file;
pub mod messages;
pub mod overrides;
pub mod typed;
