//! The rows of results.

use super::method::Method;
use crate::pint::trials::Summary;

/// A row of the results.
#[derive(Debug)]
pub struct Row {
    /// Switches of the path.
    pub hops: u8,
    /// Switches of the network.
    pub switches: u32,
    /// The scheme.
    pub method: Method,
    /// Number of trials.
    pub trials: u32,
    /// Results of the trials.
    pub found: Summary,
}
