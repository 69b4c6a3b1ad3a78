use proptest::prelude::*;

use super::super::{Axis, Panel, Scale, Series};
use super::lines::spread;
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
    // The first series has two runs of one point each; its sample in the legend is a line.
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

/// Values as in damaged files: of any size, close together, and not numbers.
fn extreme() -> impl Strategy<Value = f64> {
    prop_oneof![
        any::<f64>(),
        prop::num::f64::NORMAL,
        -1e3..1e3f64,
        prop::sample::select(vec![
            0.0,
            1.0,
            1.8e19,
            f64::MAX,
            f64::MIN,
            f64::MIN_POSITIVE,
            5e-324
        ]),
    ]
}

/// Lines of up to fifty points, some of them far away.
fn damaged() -> impl Strategy<Value = Vec<(f64, f64)>> {
    prop::collection::vec((extreme(), extreme()), 0..50)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn absurd_values_have_a_picture_of_bounded_size(
        (points, others) in (damaged(), damaged()),
        (low, high) in (prop::option::of(extreme()), prop::option::of(extreme())),
        logs in prop::array::uniform2(any::<bool>()),
        draw in prop::sample::select(vec![Draw::Line, Draw::Steps, Draw::Points]),
    ) {
        let [x, y] = logs.map(|log| if log { Axis::log("") } else { Axis::linear("") });
        let x = Axis { range: (low, high), ..x };
        let mut panel = Panel::new("", x, y);
        let times = points.iter().map(|point| point.0).collect();
        let band = others.iter().map(|&(x, y)| (x, y, -y)).collect();
        panel.series.push(Series::curve("a", Style::nth(0).drawn(draw), points));
        panel.series.push(Series::band(Style::nth(1), band));
        panel.series.push(Series::instants("c", Style::nth(2), times));
        let mut figure = Figure::new("");
        figure.panels.push(panel);
        let svg = figure.to_svg(Theme::Light);
        prop_assert!(svg.len() < 100_000, "{} bytes", svg.len());
        prop_assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    }

    #[test]
    fn marks_are_at_some_of_the_points(points in damaged(), phase in 0.0..1.0f64) {
        let chosen = spread(&points, phase);
        prop_assert!(chosen.len() <= points.len());
        let is_point = |mark: &(f64, f64)| {
            let same = |a: f64, b: f64| a.to_bits() == b.to_bits();
            points.iter().any(|point| same(point.0, mark.0) && same(point.1, mark.1))
        };
        prop_assert!(chosen.iter().all(is_point));
    }
}

/// A file with one bin up to 2^64 - 1 bytes: the last point is close to the first, but a point
/// between them is far away.
#[test]
fn a_point_far_behind_the_last_one_has_a_mark() {
    let mut points: Vec<(f64, f64)> = (0..20).map(|k| (f64::from(k), 0.0)).collect();
    points[10].0 = 1.8e19;
    let chosen = spread(&points, 0.5);
    assert!(chosen.contains(&points[10]), "{chosen:?}");
}
