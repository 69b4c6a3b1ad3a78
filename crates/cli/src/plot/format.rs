//! The formats of figures: SVG, PNG and PDF, by the ending of the file's name.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::builder::{OsStringValueParser, TypedValueParser};
use fabricsim_plot::figure::{DRAWS_PIXELS, DrawError, Figure, Theme};

/// Parses a file name; its extension selects the format. The path need not be UTF-8, because a
/// parent folder may have any name.
pub(crate) fn picture_path() -> impl TypedValueParser<Value = PathBuf> {
    OsStringValueParser::new().try_map(picture)
}

fn picture(name: OsString) -> Result<PathBuf, String> {
    let path = PathBuf::from(name);
    if ["svg", "png", "pdf"]
        .into_iter()
        .any(|ending| is(&path, ending))
    {
        drawable(!is(&path, "svg"))?;
        Ok(path)
    } else {
        Err("the name of a figure ends in .svg, .png or .pdf".to_owned())
    }
}

/// Refuses PNG and PDF if the build has no support for them.
fn drawable(pixels: bool) -> Result<(), String> {
    if pixels && !DRAWS_PIXELS {
        return Err(
            "this build draws .svg alone, because its feature `png` was left out; build it without \
             --no-default-features"
                .to_owned(),
        );
    }
    Ok(())
}

/// Parses the flag `--png`.
#[cfg(feature = "studies")]
pub(crate) fn png_flag(text: &str) -> Result<bool, String> {
    let wanted = text == "true";
    drawable(wanted)?;
    Ok(wanted)
}

/// Renders `figure` in the format of `out`: a PNG with `scale` pixels for each unit, a PDF or an
/// SVG.
pub(crate) fn encoded(
    figure: &Figure,
    out: &Path,
    theme: Theme,
    scale: u8,
) -> Result<Vec<u8>, DrawError> {
    if is(out, "png") {
        figure.to_png(theme, f32::from(scale))
    } else if is(out, "pdf") {
        figure.to_pdf(theme)
    } else {
        Ok(figure.to_svg(theme).into_bytes())
    }
}

fn is(path: &Path, ending: &str) -> bool {
    path.extension()
        .is_some_and(|end| end.eq_ignore_ascii_case(ending))
}
