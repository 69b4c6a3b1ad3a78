//! Substitutes for PNG and PDF output in a build without the renderer: they return an error.

use super::draw_error::DrawError;

/// Returns the error of a build without the renderer.
fn left_out() -> DrawError {
    DrawError::new("this build draws SVG alone: its feature `png` was left out".to_owned())
}

/// Fails, because this build has no renderer.
///
/// # Errors
/// Always fails.
pub fn rasterize(_svg: &str, _scale: f32) -> Result<Vec<u8>, DrawError> {
    Err(left_out())
}

/// Fails, because this build has no renderer.
///
/// # Errors
/// Always fails.
pub fn to_pdf(_svg: &str) -> Result<Vec<u8>, DrawError> {
    Err(left_out())
}
