//! Congestion control laws, one to a file.

mod line_rate;

pub use line_rate::{LineRate, LineRateConfig};
