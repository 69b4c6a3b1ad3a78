//! In place of PNG and PDF, where the renderer is left out: says so.

use super::draw_error::DrawError;

/// What a build without the renderer says.
fn left_out() -> DrawError {
    DrawError::new("this build draws SVG alone: its feature `png` was left out".to_owned())
}

/// Refuses to draw.
///
/// # Errors
/// Always.
pub fn rasterize(_svg: &str, _scale: f32) -> Result<Vec<u8>, DrawError> {
    Err(left_out())
}

/// Refuses to draw.
///
/// # Errors
/// Always.
pub fn to_pdf(_svg: &str) -> Result<Vec<u8>, DrawError> {
    Err(left_out())
}
