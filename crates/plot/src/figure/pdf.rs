//! A picture as PDF: paths only, letters included, so that no font has to be there.
//!
//! The crate svg2pdf does the same, but for another version of usvg than the one that draws PNGs.

use std::fmt::Write;

use resvg::tiny_skia::{PathSegment, Point, Transform};
use resvg::usvg::{FillRule, Group, LineCap, LineJoin, Node, Paint, Path, Tree};

use super::png::{DrawError, tree};

/// Points of a page for each unit of the SVG: a unit is a 96th of an inch.
const POINTS: f32 = 0.75;

const FITS: &str = "a string takes everything";

/// Draws `svg` as a page of its size.
///
/// # Errors
/// When the text is no SVG.
pub fn to_pdf(svg: &str) -> Result<Vec<u8>, DrawError> {
    let tree: Tree = tree(svg)?;
    let (width, height) = (tree.size().width() * POINTS, tree.size().height() * POINTS);
    let mut drawing = Drawing::default();
    // A page begins at its lower left corner.
    writeln!(drawing.content, "{POINTS} 0 0 -{POINTS} 0 {height} cm").expect(FITS);
    drawing.group(tree.root(), 1.0);
    Ok(file(width, height, &drawing))
}

/// The drawing operations of a page.
#[derive(Default)]
struct Drawing {
    content: String,
    /// Opacities of filling and drawing, each of which is a state with a name of its own.
    states: Vec<(f32, f32)>,
}

impl Drawing {
    fn group(&mut self, group: &Group, opacity: f32) {
        let opacity = opacity * group.opacity().get();
        let clipped = group.clip_path().is_some();
        if let Some(clip) = group.clip_path() {
            self.content.push_str("q\n");
            let base = group.abs_transform().pre_concat(clip.transform());
            for node in clip.root().children() {
                if let Node::Path(path) = node {
                    self.outline(path, base.pre_concat(path.abs_transform()));
                }
            }
            self.content.push_str("W n\n");
        }
        for node in group.children() {
            match node {
                Node::Group(group) => self.group(group, opacity),
                Node::Path(path) => self.path(path, opacity),
                Node::Text(text) => self.group(text.flattened(), opacity),
                // Figures have none.
                Node::Image(_) => {}
            }
        }
        if clipped {
            self.content.push_str("Q\n");
        }
    }

    fn path(&mut self, path: &Path, opacity: f32) {
        if !path.is_visible() {
            return;
        }
        let fill = path.fill().and_then(|fill| {
            let color = color(fill.paint())?;
            Some((color, fill.opacity().get() * opacity, fill.rule()))
        });
        let stroke = path.stroke().and_then(|stroke| {
            let color = color(stroke.paint())?;
            Some((color, stroke.opacity().get() * opacity, stroke))
        });
        let opacities = (
            fill.map_or(1.0, |fill| fill.1),
            stroke.map_or(1.0, |stroke| stroke.1),
        );
        let state = self.state(opacities);
        writeln!(self.content, "q /S{state} gs").expect(FITS);
        if let Some(([red, green, blue], _, _)) = fill {
            writeln!(self.content, "{red} {green} {blue} rg").expect(FITS);
        }
        if let Some(([red, green, blue], _, stroke)) = stroke {
            let cap = match stroke.linecap() {
                LineCap::Butt => 0,
                LineCap::Round => 1,
                LineCap::Square => 2,
            };
            let join = match stroke.linejoin() {
                LineJoin::Round => 1,
                LineJoin::Bevel => 2,
                LineJoin::Miter | LineJoin::MiterClip => 0,
            };
            let dashes: Vec<String> = stroke
                .dasharray()
                .unwrap_or_default()
                .iter()
                .map(f32::to_string)
                .collect();
            writeln!(
                self.content,
                "{red} {green} {blue} RG {} w {cap} J {join} j [{}] 0 d",
                stroke.width().get(),
                dashes.join(" ")
            )
            .expect(FITS);
        }
        self.outline(path, path.abs_transform());
        self.content.push_str(match (fill, stroke) {
            (None, None) => "n",
            (None, Some(_)) => "S",
            (Some((_, _, FillRule::NonZero)), None) => "f",
            (Some((_, _, FillRule::EvenOdd)), None) => "f*",
            (Some((_, _, FillRule::NonZero)), Some(_)) => "B",
            (Some((_, _, FillRule::EvenOdd)), Some(_)) => "B*",
        });
        self.content.push_str("\nQ\n");
    }

    /// The number of the state with these opacities.
    fn state(&mut self, opacities: (f32, f32)) -> usize {
        let same = |own: &(f32, f32)| {
            own.0.total_cmp(&opacities.0).is_eq() && own.1.total_cmp(&opacities.1).is_eq()
        };
        if let Some(place) = self.states.iter().position(same) {
            return place;
        }
        self.states.push(opacities);
        self.states.len() - 1
    }

    /// The lines of `path`, moved as `transform` says.
    fn outline(&mut self, path: &Path, transform: Transform) {
        let at = |mut point: Point| {
            transform.map_point(&mut point);
            point
        };
        let mut last = Point::zero();
        for segment in path.data().segments() {
            match segment {
                PathSegment::MoveTo(to) => {
                    last = at(to);
                    writeln!(self.content, "{} {} m", last.x, last.y)
                }
                PathSegment::LineTo(to) => {
                    last = at(to);
                    writeln!(self.content, "{} {} l", last.x, last.y)
                }
                PathSegment::QuadTo(bend, to) => {
                    let (bend, to) = (at(bend), at(to));
                    // The cubic curve that is this one of second degree.
                    let towards = |end: Point| {
                        let third = |end: f32, bend: f32| end + (bend - end) * 2.0 / 3.0;
                        (third(end.x, bend.x), third(end.y, bend.y))
                    };
                    let (first, second) = (towards(last), towards(to));
                    last = to;
                    let ((a, b), (c, d)) = (first, second);
                    writeln!(self.content, "{a} {b} {c} {d} {} {} c", to.x, to.y)
                }
                PathSegment::CubicTo(first, second, to) => {
                    let [a, b, to] = [first, second, to].map(at);
                    last = to;
                    let (from, towards) = ((a.x, a.y), (b.x, b.y));
                    writeln!(
                        self.content,
                        "{} {} {} {} {} {} c",
                        from.0, from.1, towards.0, towards.1, to.x, to.y
                    )
                }
                PathSegment::Close => writeln!(self.content, "h"),
            }
            .expect(FITS);
        }
    }
}

/// A plain color, from 0 to 1 each.
fn color(paint: &Paint) -> Option<[f32; 3]> {
    match paint {
        Paint::Color(color) => {
            Some([color.red, color.green, color.blue].map(|part| f32::from(part) / 255.0))
        }
        // Figures have no others.
        _ => None,
    }
}

/// The file with `drawing` on its only page.
fn file(width: f32, height: f32, drawing: &Drawing) -> Vec<u8> {
    let mut states = String::new();
    for (place, (fill, stroke)) in drawing.states.iter().enumerate() {
        write!(states, "/S{place} << /ca {fill} /CA {stroke} >> ").expect(FITS);
    }
    let content = &drawing.content;
    let objects = [
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
        format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {width} {height}] /Contents 4 0 R \
             /Resources << /ExtGState << {states}>> >> >>"
        ),
        format!(
            "<< /Length {} >>\nstream\n{content}\nendstream",
            content.len()
        ),
    ];
    let mut file = String::from("%PDF-1.4\n");
    let mut places = Vec::new();
    for (number, object) in (1..).zip(&objects) {
        places.push(file.len());
        writeln!(file, "{number} 0 obj\n{object}\nendobj").expect(FITS);
    }
    let table = file.len();
    let count = objects.len() + 1;
    // Rows of the table are 20 bytes long, ends of lines included.
    write!(file, "xref\n0 {count}\n0000000000 65535 f \n").expect(FITS);
    for place in places {
        writeln!(file, "{place:010} 00000 n ").expect(FITS);
    }
    write!(
        file,
        "trailer\n<< /Size {count} /Root 1 0 R >>\nstartxref\n{table}\n%%EOF\n"
    )
    .expect(FITS);
    file.into_bytes()
}

#[cfg(test)]
mod tests {
    use super::super::{Axis, Figure, Panel, Series, Style, Theme};
    use super::*;

    #[test]
    fn a_page_has_the_size_of_the_picture_and_its_paths() {
        let mut panel = Panel::new("", Axis::linear("time"), Axis::linear("queue"));
        let points = vec![(0.0, 0.0), (10.0, 5.0)];
        panel.series.push(Series::curve("a", Style::nth(0), points));
        let mut figure = Figure::new("A title");
        figure.panels.push(panel);
        let pdf = figure.to_pdf(Theme::Light).expect("a figure");
        let text = String::from_utf8(pdf).expect("no bytes but text");
        assert!(text.starts_with("%PDF-1.4") && text.ends_with("%%EOF\n"));
        // What the table at the end points at.
        let table = text
            .rsplit("startxref\n")
            .next()
            .and_then(|end| end.lines().next());
        let table: usize = table.and_then(|at| at.parse().ok()).expect("a place");
        assert!(text[table..].starts_with("xref"));
        let first: usize = text[table..].lines().nth(3).expect("a row")[..10]
            .parse()
            .expect("a place");
        assert!(text[first..].starts_with("1 0 obj"));
        // The blue line of the first series, and the letters as curves.
        assert!(
            text.contains("0 0.44705883 0.69803923 RG"),
            "the color of the line"
        );
        assert!(text.matches(" c\n").count() > 100, "letters");
        assert_eq!(text.matches("\nW n\n").count(), 1, "one panel");
        let balance = text.matches("\nQ\n").count();
        assert!(balance > 10);
    }

    #[test]
    fn what_is_no_picture_is_refused() {
        assert!(to_pdf("<svg").is_err());
    }
}
