use super::super::{Axis, Panel, Scale};
use super::*;

fn figure() -> Figure {
    let mut panel = Panel::new(
        "p99 <of> all",
        Axis::new(
            "flow size (bytes)",
            Scale::FlowShare(vec![(0.5, 1_000), (1.0, 30_000)]),
        ),
        Axis::log("slowdown").from(1.0),
    );
    panel.series.push(Series::band(
        Style::nth(0),
        vec![(0.1, 1.0, 2.0), (1.0, 1.5, 3.0)],
    ));
    panel.series.push(Series::curve(
        "a & b",
        Style::nth(0),
        vec![(0.1, 1.5), (0.5, f64::NAN), (0.6, 2.0), (1.0, 0.0)],
    ));
    panel.series.push(Series::curve(
        "<script>",
        Style::nth(4).drawn(Draw::Points),
        vec![(0.2, 300.0)],
    ));
    let mut figure = Figure::new("Slowdown \"here\"");
    figure.panels.push(panel);
    figure.notes.push("100 of 1,000 points".to_owned());
    figure
}

#[test]
fn the_picture_is_xml_with_all_labels_and_names() {
    for theme in [Theme::Light, Theme::Dark, Theme::Page] {
        let svg = figure().to_svg(theme);
        let document = roxmltree::Document::parse(&svg).expect("XML");
        let texts: Vec<&str> = document
            .descendants()
            .filter(|node| node.has_tag_name("text"))
            .filter_map(|node| node.text())
            .collect();
        for text in [
            "Slowdown \"here\"",
            "p99 <of> all",
            "flow size (bytes)",
            "slowdown",
            "1K",
            "30K",
            "a & b",
            "<script>",
            "100 of 1,000 points",
        ] {
            assert!(texts.contains(&text), "{text}: {texts:?}");
        }
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    }
}

#[test]
fn lines_stop_where_a_point_has_no_place() {
    let svg = figure().to_svg(Theme::Light);
    let document = roxmltree::Document::parse(&svg).expect("XML");
    let dashes = |node: &roxmltree::Node<'_, '_>| node.attribute("stroke-width") == Some("1.8");
    let curves: Vec<&str> = document
        .descendants()
        .filter(dashes)
        .filter_map(|node| node.attribute("d"))
        .collect();
    // Of the first series two runs of one point each; of its sample in the legend a line.
    assert_eq!(curves[0].matches('M').count(), 2, "{curves:?}");
    assert_eq!(curves[0].matches('L').count(), 0, "{curves:?}");
}

#[test]
fn a_line_has_about_ten_markers() {
    let points: Vec<_> = (0..1_000u32).map(|i| (f64::from(i), 0.0)).collect();
    assert_eq!(spread(&points, 0.0).len(), 11);
    assert_eq!(spread(&points, 0.5).len(), 10);
    assert_eq!(spread(&points[..5], 0.5).len(), 5);
    assert_eq!(spread(&vec![(1.0, 1.0); 50], 0.0).len(), 1);
}

#[test]
fn steps_hold_a_value_until_the_next() {
    let d = path(&[(0.0, 5.0), (10.0, 7.0)], Draw::Steps);
    assert_eq!(d, "M0.0 5.0H10.0V7.0");
}
