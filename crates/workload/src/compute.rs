//! Computing times: named devices, the roofline, and tables of measured times.

mod accelerator;
mod profile;
mod roofline;

pub use accelerator::{Accelerator, Precision};
pub(crate) use profile::Profile;
pub(crate) use roofline::Rates;
pub use roofline::RooflineKeys;
