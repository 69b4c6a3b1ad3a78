//! The pairs of schemes that a report compares.

/// Two schemes by their indices, and their labels for the comparison.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Pair {
    pub(super) places: [usize; 2],
    pub(super) names: [String; 2],
    /// The axis values that both share, such as `load = 0.3`; empty if their names have no axes.
    pub(super) at: String,
}

/// Parses the axes of a point's name: `load=0.3,scheme=HPCC`.
fn axes(name: &str) -> Option<Vec<(&str, &str)>> {
    name.split(',').map(|part| part.split_once('=')).collect()
}

/// Returns the pairs of the schemes called `names` that a report compares.
///
/// It compares points of a sweep if they differ in one axis: the last axis with words as values,
/// otherwise the last axis with several values. If names have no axes, it compares each scheme with
/// the first one.
pub(super) fn pairs(names: &[&str]) -> Vec<Pair> {
    of_points(names).unwrap_or_else(|| {
        let others = names.iter().enumerate().skip(1);
        others
            .map(|(place, name)| Pair {
                places: [0, place],
                names: [names[0].to_owned(), (*name).to_owned()],
                at: String::new(),
            })
            .collect()
    })
}

fn of_points(names: &[&str]) -> Option<Vec<Pair>> {
    let points: Vec<Vec<(&str, &str)>> =
        names.iter().map(|name| axes(name)).collect::<Option<_>>()?;
    let first = points.first()?;
    let same_axes = |point: &Vec<(&str, &str)>| {
        point.len() == first.len() && point.iter().zip(first).all(|(a, b)| a.0 == b.0)
    };
    if !points.iter().all(same_axes) {
        return None;
    }
    let several = |axis: &usize| points.iter().any(|point| point[*axis].1 != first[*axis].1);
    let words = |axis: &usize| {
        points
            .iter()
            .all(|point| point[*axis].1.parse::<f64>().is_err())
    };
    let varied: Vec<usize> = (0..first.len()).filter(several).collect();
    let compared = varied.iter().rev().find(|axis| words(axis));
    let compared = *compared.or_else(|| varied.last())?;
    let rest = |point: &[(&str, &str)]| -> Vec<String> {
        let others = varied.iter().filter(|&&axis| axis != compared);
        others
            .map(|&axis| format!("{} = {}", point[axis].0, point[axis].1))
            .collect()
    };
    let mut pairs = Vec::new();
    for (place, point) in points.iter().enumerate() {
        let at = rest(point);
        let before = points[..place].iter().position(|other| rest(other) == at);
        if let Some(other) = before {
            pairs.push(Pair {
                places: [other, place],
                names: [points[other][compared].1, point[compared].1].map(str::to_owned),
                at: at.join(", "),
            });
        }
    }
    Some(pairs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_of_a_sweep_are_compared_at_the_same_load() {
        let found = pairs(&[
            "load=0.1,scheme=HPCC",
            "load=0.1,scheme=DCQCN",
            "load=0.2,scheme=HPCC",
            "load=0.2,scheme=DCQCN",
        ]);
        let places: Vec<[usize; 2]> = found.iter().map(|pair| pair.places).collect();
        assert_eq!(places, [[0, 1], [2, 3]]);
        assert_eq!(found[1].names, ["HPCC", "DCQCN"]);
        assert_eq!(found[1].at, "load = 0.2");
        let loads = pairs(&["load=0.1", "load=0.2"]);
        assert_eq!(loads[0].names, ["0.1", "0.2"]);
    }

    #[test]
    fn results_of_other_names_are_compared_with_the_first_one() {
        let found = pairs(&["ours", "theirs", "load=0.1"]);
        let places: Vec<[usize; 2]> = found.iter().map(|pair| pair.places).collect();
        assert_eq!(places, [[0, 1], [0, 2]]);
        assert_eq!(found[1].names, ["ours", "load=0.1"]);
        assert!(pairs(&["alone"]).is_empty());
    }
}
