//! The error of drawing.

use std::fmt;

/// Reason why an SVG cannot be drawn as PNG or PDF.
#[derive(Debug)]
pub struct DrawError(String);

impl DrawError {
    pub(super) const fn new(message: String) -> Self {
        Self(message)
    }
}

impl fmt::Display for DrawError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for DrawError {}
