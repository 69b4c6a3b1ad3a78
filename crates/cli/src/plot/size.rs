//! Sizes of pictures.

use std::str::FromStr;

/// Least and largest width and height, in 96ths of an inch.
const LIMITS: (f64, f64) = (100.0, 5_000.0);

/// Units with their length in 96ths of an inch.
const UNITS: [(&str, f64); 4] = [
    ("mm", 96.0 / 25.4),
    ("cm", 96.0 / 2.54),
    ("in", 96.0),
    ("pt", 96.0 / 72.0),
];

/// Width and height of a picture, in 96ths of an inch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct PictureSize(pub(super) (f64, f64));

impl FromStr for PictureSize {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let example = "write it like 84mmx60mm, 3.5inx2.2in or 600x400";
        let sides = text.split_once('x').ok_or(example)?;
        let [width, height] = [sides.0, sides.1].map(length);
        let (width, height) = width.zip(height).ok_or(example)?;
        let (least, most) = LIMITS;
        if [width, height]
            .iter()
            .all(|side| (least..=most).contains(side))
        {
            Ok(Self((width, height)))
        } else {
            Err("a picture has 1.05 to 52 inches (27 to 1322 mm) in width and height".to_owned())
        }
    }
}

fn length(text: &str) -> Option<f64> {
    let unit = UNITS
        .iter()
        .find_map(|(name, length)| Some((text.strip_suffix(name)?, *length)));
    let (number, length) = unit.unwrap_or((text, 1.0));
    let number: f64 = number.trim().parse().ok()?;
    number.is_finite().then_some(number * length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        let size = |text: &str| text.parse::<PictureSize>().map(|size| size.0);
        assert_eq!(size("600x400"), Ok((600.0, 400.0)));
        assert_eq!(size("3.5inx2in"), Ok((336.0, 192.0)));
        let (width, height) = size("254mmx144pt").expect("a size");
        assert!((width - 960.0).abs() < 1e-9 && (height - 192.0).abs() < 1e-9);
        for wrong in ["600", "600x", "axb", "1x1", "nanx400", "600x400em"] {
            assert!(size(wrong).is_err(), "{wrong}");
        }
    }
}
