//! Thinning of series to the points that a picture can show.

use super::axis::Scale;

/// Largest number of points that [`decimate`] keeps, about.
pub const MOST_POINTS: usize = 2_400;

/// Thins `points` if there are more than [`MOST_POINTS`], so that a picture of a long run stays
/// small.
///
/// The x of the points must increase. The function splits the axis of scale `scale` into 600 parts
/// and keeps the first, minimum, maximum and last value of each part: a picture of that
/// width shows no more. Returns `true` if it dropped any point.
pub fn decimate(points: &mut Vec<(f64, f64)>, scale: &Scale) -> bool {
    const PARTS: f64 = (MOST_POINTS / 4) as f64;
    if points.len() <= MOST_POINTS {
        return false;
    }
    let log = *scale == Scale::Log;
    let place = |x: f64| {
        if log {
            x.max(f64::MIN_POSITIVE).ln()
        } else {
            x
        }
    };
    // A logarithmic axis begins at the smallest positive x; zero would put it at -infinity.
    let lowest = points.iter().map(|point| point.0);
    let low = lowest
        .filter(|x| !log || *x > 0.0)
        .fold(f64::INFINITY, f64::min);
    let low = place(low);
    let high = points.last().map_or(low, |point| place(point.0));
    let width = ((high - low) / PARTS).max(f64::MIN_POSITIVE);
    let part = |x: f64| ((place(x) - low) / width).floor();

    let before = points.len();
    let mut kept = Vec::with_capacity(MOST_POINTS + 4);
    for group in points.chunk_by(|a, b| part(a.0).total_cmp(&part(b.0)).is_eq()) {
        let order = |&i: &usize, &j: &usize| group[i].1.total_cmp(&group[j].1);
        let places = 0..group.len();
        let least = places.clone().min_by(order).unwrap_or(0);
        let greatest = places.max_by(order).unwrap_or(0);
        let mut chosen = [0, least, greatest, group.len() - 1];
        chosen.sort_unstable();
        let mut last = None;
        for index in chosen {
            if last != Some(index) {
                kept.push(group[index]);
            }
            last = Some(index);
        }
    }
    *points = kept;
    points.len() < before
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_points_stay_as_they_are() {
        let mut points: Vec<_> = (0..2_400).map(|i| (f64::from(i), 1.0)).collect();
        let before = points.clone();
        assert!(!decimate(&mut points, &Scale::Linear));
        assert_eq!(points, before);
    }

    #[test]
    fn extremes_stay() {
        for scale in [Scale::Linear, Scale::Log] {
            let mut points: Vec<_> = (0..1_000_000)
                .map(|i| (f64::from(i), f64::from(i % 100)))
                .collect();
            points[345_678].1 = 5_000.0;
            points[999_001].1 = -5_000.0;
            assert!(decimate(&mut points, &scale));
            assert!(points.len() <= MOST_POINTS + 8, "{}", points.len());
            assert!(points.contains(&(345_678.0, 5_000.0)));
            assert!(points.contains(&(999_001.0, -5_000.0)));
            assert_eq!(points.first(), Some(&(0.0, 0.0)));
            assert_eq!(points.last(), Some(&(999_999.0, 99.0)));
            assert!(points.windows(2).all(|pair| pair[0].0 < pair[1].0));
        }
    }
}
