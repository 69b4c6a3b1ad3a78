//! A picture as PNG, with an embedded font, so that none must be installed.

use std::sync::Arc;

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree, fontdb};

use super::draw_error::DrawError;

/// Draws `svg` as PNG with `scale` pixels for each of its units. All text is set in Noto Sans
/// (SIL Open Font License), which is part of the binary.
///
/// # Errors
/// Fails if `svg` is not valid SVG, or the picture is too large for memory.
pub fn rasterize(svg: &str, scale: f32) -> Result<Vec<u8>, DrawError> {
    let tree = tree(svg)?;
    let size = tree
        .size()
        .to_int_size()
        .scale_by(scale)
        .ok_or_else(|| DrawError::new(format!("a scale of {scale} leaves no picture")))?;
    let mut picture = Pixmap::new(size.width(), size.height()).ok_or_else(|| {
        let (width, height) = (size.width(), size.height());
        DrawError::new(format!("{width} x {height} pixels are too many"))
    })?;
    let transform = Transform::from_scale(scale, scale);
    resvg::render(&tree, transform, &mut picture.as_mut());
    picture
        .encode_png()
        .map_err(|error| DrawError::new(error.to_string()))
}

/// Parses `svg` and converts its letters to paths.
pub(super) fn tree(svg: &str) -> Result<Tree, DrawError> {
    let mut fonts = fontdb::Database::new();
    fonts.load_font_data(notosans::REGULAR_TTF.to_vec());
    fonts.load_font_data(notosans::BOLD_TTF.to_vec());
    fonts.set_sans_serif_family("Noto Sans");
    let options = Options {
        font_family: "Noto Sans".to_owned(),
        fontdb: Arc::new(fonts),
        ..Options::default()
    };
    Tree::from_str(svg, &options).map_err(|error| DrawError::new(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::super::{Axis, Figure, Panel, Series, Style, Theme};
    use super::*;

    fn picture(theme: Theme) -> Pixmap {
        let mut panel = Panel::new("", Axis::linear("time (us)"), Axis::linear("queue (bytes)"));
        let points = vec![(0.0, 0.0), (10.0, 5.0)];
        panel.series.push(Series::curve("a", Style::nth(0), points));
        let mut figure = Figure::new("A title");
        figure.panels.push(panel);
        let png = figure.to_png(theme, 1.0).expect("a small picture");
        Pixmap::decode_png(&png).expect("a PNG")
    }

    #[test]
    fn a_picture_has_background_line_and_letters() {
        for (theme, background) in [(Theme::Light, 0xff), (Theme::Dark, 0x14)] {
            let picture = picture(theme);
            let corner = picture.pixel(0, 0).expect("a pixel");
            assert_eq!((corner.red(), corner.alpha()), (background, 255));
            // The line of the series is blue.
            let blue = picture
                .pixels()
                .iter()
                .filter(|p| p.blue() > p.red().saturating_add(60));
            assert!(blue.count() > 500);
            // The title is within the first rows; only the embedded font can have drawn its
            // letters.
            let width = usize::try_from(picture.width()).expect("32 bits");
            let title = &picture.pixels()[..width * 32];
            let inked = title.iter().filter(|p| p.red().abs_diff(background) > 100);
            assert!(inked.count() > 50);
        }
    }

    #[test]
    fn what_is_no_picture_is_refused() {
        assert!(rasterize("<svg", 1.0).is_err());
        let svg = Figure::new("").to_svg(Theme::Light);
        assert!(rasterize(&svg, 1e6).is_err());
    }
}
