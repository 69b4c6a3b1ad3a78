//! A picture as PDF. Letters are drawn as paths, so the reader needs no font.
//!
//! The crates svg2pdf and krilla-svg can draw whole pictures, but they use other versions of usvg
//! than the renderer of PNGs.

use pdf_writer::types::{LineCapStyle, LineJoinStyle};
use pdf_writer::writers::ExtGraphicsState;
use pdf_writer::{Content, Finish, Name, Pdf, Rect, Ref};
use resvg::tiny_skia::{PathSegment, Point, Transform};
use resvg::usvg::{FillRule, Group, LineCap, LineJoin, Node, Paint, Path, Stroke, Tree};

use super::draw_error::DrawError;
use super::png::tree;

/// Points of a page for each unit of the SVG: a unit is a 96th of an inch.
const POINTS: f32 = 0.75;

/// Draws `svg` as a page of its size.
///
/// # Errors
/// Fails if `svg` is not valid SVG.
pub fn to_pdf(svg: &str) -> Result<Vec<u8>, DrawError> {
    let tree: Tree = tree(svg)?;
    let (width, height) = (tree.size().width() * POINTS, tree.size().height() * POINTS);
    let mut drawing = Drawing {
        content: Content::new(),
        states: Vec::new(),
    };
    // PDF counts y upwards from the lower left corner, SVG downwards from the upper left.
    let upside_down = [POINTS, 0.0, 0.0, -POINTS, 0.0, height];
    drawing.content.transform(upside_down);
    drawing.group(tree.root(), 1.0);
    Ok(file(Rect::new(0.0, 0.0, width, height), drawing))
}

/// The drawing operations of a page.
struct Drawing {
    content: Content,
    /// Opacities of filling and stroking; each pair is a graphics state with its own name.
    states: Vec<(f32, f32)>,
}

impl Drawing {
    fn group(&mut self, group: &Group, opacity: f32) {
        let opacity = opacity * group.opacity().get();
        let clipped = group.clip_path().is_some();
        if let Some(clip) = group.clip_path() {
            self.content.save_state();
            let base = group.abs_transform().pre_concat(clip.transform());
            for node in clip.root().children() {
                if let Node::Path(path) = node {
                    self.outline(path, base.pre_concat(path.abs_transform()));
                }
            }
            self.content.clip_nonzero();
            self.content.end_path();
        }
        for node in group.children() {
            match node {
                Node::Group(group) => self.group(group, opacity),
                Node::Path(path) => self.path(path, opacity),
                Node::Text(text) => self.group(text.flattened(), opacity),
                // Figures contain no images.
                Node::Image(_) => {}
            }
        }
        if clipped {
            self.content.restore_state();
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
        self.content.save_state();
        let name = state_name(state);
        self.content.set_parameters(Name(name.as_bytes()));
        if let Some(([red, green, blue], _, _)) = fill {
            self.content.set_fill_rgb(red, green, blue);
        }
        if let Some(([red, green, blue], _, stroke)) = stroke {
            self.content.set_stroke_rgb(red, green, blue);
            self.pen(stroke);
        }
        self.outline(path, path.abs_transform());
        match (fill, stroke) {
            (None, None) => self.content.end_path(),
            (None, Some(_)) => self.content.stroke(),
            (Some((_, _, FillRule::NonZero)), None) => self.content.fill_nonzero(),
            (Some((_, _, FillRule::EvenOdd)), None) => self.content.fill_even_odd(),
            (Some((_, _, FillRule::NonZero)), Some(_)) => self.content.fill_nonzero_and_stroke(),
            (Some((_, _, FillRule::EvenOdd)), Some(_)) => self.content.fill_even_odd_and_stroke(),
        };
        self.content.restore_state();
    }

    /// Sets the width, ends, corners and dashes of lines.
    fn pen(&mut self, stroke: &Stroke) {
        let cap = match stroke.linecap() {
            LineCap::Butt => LineCapStyle::ButtCap,
            LineCap::Round => LineCapStyle::RoundCap,
            LineCap::Square => LineCapStyle::ProjectingSquareCap,
        };
        let join = match stroke.linejoin() {
            LineJoin::Round => LineJoinStyle::RoundJoin,
            LineJoin::Bevel => LineJoinStyle::BevelJoin,
            LineJoin::Miter | LineJoin::MiterClip => LineJoinStyle::MiterJoin,
        };
        let dashes = stroke.dasharray().unwrap_or_default();
        self.content
            .set_line_width(stroke.width().get())
            .set_line_cap(cap)
            .set_line_join(join)
            .set_dash_pattern(dashes.iter().copied(), stroke.dashoffset());
    }

    /// Returns the index of the graphics state with these opacities, adding it if it is new.
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

    /// Appends `path`, transformed by `transform`.
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
                    self.content.move_to(last.x, last.y);
                }
                PathSegment::LineTo(to) => {
                    last = at(to);
                    self.content.line_to(last.x, last.y);
                }
                PathSegment::QuadTo(bend, to) => {
                    let (bend, to) = (at(bend), at(to));
                    // PDF has no quadratic curves; this cubic one has the same points.
                    let towards = |end: Point| {
                        let third = |end: f32, bend: f32| end + (bend - end) * 2.0 / 3.0;
                        (third(end.x, bend.x), third(end.y, bend.y))
                    };
                    let ((a, b), (c, d)) = (towards(last), towards(to));
                    last = to;
                    self.content.cubic_to(a, b, c, d, to.x, to.y);
                }
                PathSegment::CubicTo(first, second, to) => {
                    let [a, b, to] = [first, second, to].map(at);
                    last = to;
                    self.content.cubic_to(a.x, a.y, b.x, b.y, to.x, to.y);
                }
                PathSegment::Close => {
                    self.content.close_path();
                }
            }
        }
    }
}

/// Returns the parts (0 to 1) of a plain color; `None` for gradients and patterns.
fn color(paint: &Paint) -> Option<[f32; 3]> {
    match paint {
        Paint::Color(color) => {
            Some([color.red, color.green, color.blue].map(|part| f32::from(part) / 255.0))
        }
        // Figures contain no gradients or patterns.
        _ => None,
    }
}

/// Returns the name of the graphics state at index `place`.
fn state_name(place: usize) -> String {
    format!("S{place}")
}

/// Returns the PDF file with `drawing` on its only page, of size `room`.
fn file(room: Rect, drawing: Drawing) -> Vec<u8> {
    let [catalog, pages, page, content] = [1, 2, 3, 4].map(Ref::new);
    let mut pdf = Pdf::new();
    pdf.catalog(catalog).pages(pages);
    pdf.pages(pages).kids([page]).count(1);
    let mut only = pdf.page(page);
    only.parent(pages).media_box(room).contents(content);
    let mut resources = only.resources();
    let mut states = resources.ext_g_states();
    for (place, (fill, stroke)) in drawing.states.iter().enumerate() {
        let name = state_name(place);
        let mut state: ExtGraphicsState<'_> = states.insert(Name(name.as_bytes())).start();
        state.non_stroking_alpha(*fill).stroking_alpha(*stroke);
    }
    states.finish();
    resources.finish();
    only.finish();
    pdf.stream(content, &drawing.content.finish());
    pdf.finish()
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
        assert!(pdf.starts_with(b"%PDF-1.") && pdf.ends_with(b"%%EOF"));
        let text = String::from_utf8_lossy(&pdf);
        assert!(text.contains("/MediaBox [0 0 "), "a page");
        // The blue line of the first series; letters are curves, so there is no font.
        assert!(
            text.contains("0 0.44705883 0.69803923 RG"),
            "the color of the line"
        );
        assert!(text.matches(" c\n").count() > 100, "letters");
        assert_eq!(text.matches("\nW\nn\n").count(), 1, "one panel");
        let [saved, restored] = ["q", "Q"].map(|operator| {
            let lines = text.lines();
            lines.filter(|line| *line == operator).count()
        });
        assert_eq!(saved, restored);
        assert!(saved > 10);
    }

    #[test]
    fn what_is_no_picture_is_refused() {
        assert!(to_pdf("<svg").is_err());
    }
}
