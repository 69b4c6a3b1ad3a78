//! Markers at points, as SVG path data.

use std::fmt::Write;

use super::style::Marker;

const FITS: &str = "a string takes everything";

/// Appends `marker` to the path `d`, centered at (`x`, `y`), with a half width of about `r`.
/// Crosses are lines to stroke; all other markers are areas to fill.
pub(super) fn mark(d: &mut String, marker: Marker, x: f64, y: f64, r: f64) {
    // The factors give all markers about the same visual weight.
    match marker {
        Marker::Circle => write!(
            d,
            "M{:.1} {y:.1}a{r:.1} {r:.1} 0 1 0 {:.1} 0a{r:.1} {r:.1} 0 1 0 {:.1} 0z",
            x - r,
            2.0 * r,
            -2.0 * r
        ),
        Marker::Square => {
            let r = r * 0.9;
            write!(
                d,
                "M{:.1} {:.1}h{side:.1}v{side:.1}h-{side:.1}z",
                x - r,
                y - r,
                side = 2.0 * r
            )
        }
        Marker::Triangle => corners(
            d,
            [
                (x, y - 1.2 * r),
                (x + 1.15 * r, y + r),
                (x - 1.15 * r, y + r),
            ],
        ),
        Marker::Wedge => corners(
            d,
            [
                (x, y + 1.2 * r),
                (x + 1.15 * r, y - r),
                (x - 1.15 * r, y - r),
            ],
        ),
        Marker::Diamond => {
            let r = r * 1.3;
            corners(d, [(x, y - r), (x + r, y), (x, y + r), (x - r, y)])
        }
        Marker::Cross => write!(
            d,
            "M{:.1} {:.1}l{side:.1} {side:.1}M{:.1} {:.1}l{side:.1} -{side:.1}",
            x - r,
            y - r,
            x - r,
            y + r,
            side = 2.0 * r
        ),
    }
    .expect(FITS);
}

/// Appends a closed polygon.
fn corners<const N: usize>(d: &mut String, corners: [(f64, f64); N]) -> std::fmt::Result {
    for (i, (x, y)) in corners.into_iter().enumerate() {
        let letter = if i == 0 { 'M' } else { 'L' };
        write!(d, "{letter}{x:.1} {y:.1}")?;
    }
    d.write_char('z')
}
