use super::super::Series;
use super::*;

fn panel(names: &[&str]) -> Panel {
    let mut panel = Panel::new(
        "p",
        Axis::linear("time (us)"),
        Axis::linear("queue (bytes)"),
    );
    for (i, name) in names.iter().enumerate() {
        let points = vec![(0.0, 0.0), (100.0, 3e6)];
        panel
            .series
            .push(Series::curve(*name, Style::nth(i), points));
    }
    panel
}

#[test]
fn panels_do_not_touch_and_the_legend_is_below_them() {
    let mut figure = Figure::new("A title");
    figure.panels = vec![panel(&["a", "b"]); 7];
    figure.columns = 3;
    let layout = Layout::new(&figure, Theme::Light);
    assert_eq!(layout.places.len(), 7);
    for (i, a) in layout.places.iter().enumerate() {
        assert!(a.x > 0.0 && a.x + a.width < layout.width);
        for b in &layout.places[..i] {
            let apart = a.x >= b.x + b.width || b.x >= a.x + a.width || a.y > b.y + b.height;
            assert!(apart, "{a:?} {b:?}");
        }
    }
    let lowest = layout.places[6].y + layout.places[6].height + layout.places[6].label_drop;
    assert_eq!(layout.legend.len(), 2, "each name once");
    for (text, _) in &layout.legend {
        assert!(text.y > lowest && text.y < layout.height);
    }
}

#[test]
fn long_names_stay_within_the_figure() {
    let long = "cc.kind=hpcc,workload.0.load=0.7,".repeat(8);
    let mut figure = Figure::new(long.clone());
    figure.panels = vec![panel(&[&long, "b", &long.replace('h', "H")])];
    let layout = Layout::new(&figure, Theme::Light);
    for (text, _) in &layout.legend {
        let right = text.x + SAMPLE + text_width(&text.text, LABEL);
        assert!(text.x >= 0.0 && right <= layout.width, "{text:?}");
    }
    for text in &layout.title {
        assert!(text_width(&text.text, TITLE) <= layout.width);
    }
}

#[test]
fn labels_that_would_touch_are_slanted() {
    let sizes: Vec<_> = (1..=10u32).map(|k| (f64::from(k) / 10.0, 27_477)).collect();
    let axis = Axis::new("flow size", Scale::FlowShare(sizes));
    let panel = Panel::new("", axis, Axis::linear("slowdown"));
    assert_eq!(
        PanelArea::new(&panel, 620.0, 350.0, true).turned,
        Turned::Upright
    );
    assert_eq!(
        PanelArea::new(&panel, 300.0, 350.0, true).turned,
        Turned::Slanted
    );
}

#[test]
fn the_label_of_a_narrow_panel_has_two_lines() {
    let mut figure = Figure::new("");
    let axis = Axis::linear("flow size (bytes), a tick every 10% of flows");
    figure.panels = vec![Panel::new("", axis, Axis::linear("slowdown")); 3];
    let layout = |size| {
        let mut figure = figure.clone();
        figure.size = Some(size);
        let layout = Layout::new(&figure, Theme::Paper);
        let place = &layout.places[0];
        let end = place.y + place.height + place.label_end();
        assert!(end < layout.height, "{end} {}", layout.height);
        place.label.clone()
    };
    let whole = ["flow size (bytes), a tick every 10% of flows"];
    assert_eq!(layout((2_000.0, 300.0)), whole);
    assert_eq!(layout((672.0, 220.0)).len(), 2);
    assert_eq!(layout((672.0, 220.0)).join(" "), whole[0]);
}
