use super::*;
use crate::judge::published::read_published;
use crate::judge::score::testing::on_the_curve;

/// Ten points to 200 KB, ten to 6 MB, five above. P and Q are 0.5% apart, R is above both, and S
/// covers R for the longest flows.
fn panel() -> PublishedPanel {
    use std::fmt::Write;
    let mut text =
        "workload,load_pct,percentile,error_pct,size_pct,size_bytes,tick,P,Q,R,S\n".to_owned();
    for point in 1..=25u32 {
        let size = match point {
            1..=10 => point * 20_000,
            11..=20 => (point - 10) * 600_000,
            _ => (point - 10) * 1_000_000,
        };
        let overlap = if point > 20 { "~" } else { "" };
        writeln!(
            text,
            "websearch,50,95,0.5,{},{size},,2.00,2.01,{overlap}3,{overlap}4",
            point * 4
        )
        .expect("a string takes everything");
    }
    read_published(&text).expect("a panel").remove(0)
}

fn orders(panel: &PublishedPanel, as_drawn: [&str; 4]) -> Vec<RegionOrder> {
    let bins = as_drawn.map(|scheme| on_the_curve(panel, scheme, 1.0));
    let names = ["P", "Q", "R", "S"];
    let ours: Vec<_> = names.iter().copied().zip(&bins).collect();
    order(panel, &ours)
}

fn names(ranked: &[Ranked]) -> String {
    ranked
        .iter()
        .map(|one| {
            format!(
                "{}{}",
                one.scheme,
                if one.tied_with_next { "=" } else { "<" }
            )
        })
        .collect()
}

#[test]
fn the_published_order_agrees_with_itself() {
    let panel = panel();
    let orders = orders(&panel, ["P", "Q", "R", "S"]);
    let regions: Vec<_> = orders.iter().map(|order| order.region).collect();
    assert_eq!(regions, [Region::Short, Region::Middle, Region::Long]);
    let bounds: Vec<_> = orders
        .iter()
        .map(|order| {
            (
                order.from_pct,
                order.upto_pct,
                order.upto_bytes,
                order.points,
            )
        })
        .collect();
    assert_eq!(
        bounds,
        [
            (0.0, 40.0, 200_000, 10),
            (40.0, 80.0, 6_000_000, 10),
            (80.0, 100.0, 15_000_000, 5)
        ]
    );
    for order in &orders[..2] {
        assert_eq!(names(&order.published), "P=Q<R<S<");
        assert_eq!(names(&order.ours), "P=Q<R<S<");
        assert_eq!(order.count(Verdict::Agrees), 5);
        assert_eq!(order.count(Verdict::NoEvidence), 1);
        assert!(order.agrees());
    }
    // Overlapping R and S are no evidence, but the simulated ones still have an order.
    assert_eq!(names(&orders[2].published), "P=Q=R=S<");
    assert_eq!(names(&orders[2].ours), "P=Q<R<S<");
    assert_eq!(orders[2].count(Verdict::NoEvidence), 6);
}

#[test]
fn another_order_contradicts() {
    let panel = panel();
    // In the simulated order, S and R are exchanged, and Q is in P's place.
    let order = &orders(&panel, ["P", "P", "S", "R"])[0];
    assert_eq!(names(&order.ours), "P=Q<S<R<");
    assert!(!order.agrees());
    let contradicted: Vec<_> = order
        .pairs
        .iter()
        .filter(|pair| pair.verdict == Verdict::Contradicts)
        .map(|pair| (pair.lower.as_str(), pair.higher.as_str()))
        .collect();
    assert_eq!(contradicted, [("R", "S")]);
    // Ours may also fail to tell them apart, which is no contradiction.
    let order = &orders(&panel, ["P", "Q", "R", "R"])[0];
    assert!(order.agrees());
    assert_eq!(order.count(Verdict::TiedHere), 1);
}

#[test]
fn ours_have_an_order_without_a_published_one() {
    let with_curves = panel();
    let bins = ["R", "P", "Q"].map(|scheme| on_the_curve(&with_curves, scheme, 1.0));
    let ours: Vec<_> = ["r", "p", "q"].into_iter().zip(&bins).collect();
    let bare = PublishedPanel {
        curves: Vec::new(),
        ..panel()
    };
    let orders = our_order(&bare, &ours);
    assert_eq!(orders.len(), 3);
    for (_, points, ranked) in &orders {
        assert!(!points.is_empty());
        assert_eq!(names(ranked), "p=q<r<");
    }
    assert!(our_order(&bare, &[]).is_empty());
}

/// A flow-size distribution that ends at 10 MB has too few points above 6 MB.
#[test]
fn the_largest_tenth_is_long_where_sizes_are_small() {
    let mut panel = panel();
    for point in &mut panel.axis {
        point.size = Bytes::new(point.size.get() / 100);
    }
    let found: Vec<_> = regions(&panel);
    assert_eq!(
        found,
        [
            (Region::Short, 0..22),
            (Region::Middle, 22..22),
            (Region::Long, 22..25)
        ]
    );
    let orders = orders(&panel, ["P", "Q", "R", "S"]);
    assert_eq!(orders.len(), 2);
}
