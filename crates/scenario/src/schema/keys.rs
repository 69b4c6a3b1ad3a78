//! Keys of tables.

pub use fabricsim_core::input::Keys;
