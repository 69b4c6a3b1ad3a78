//! The sample output on the tool's page.

use fabricsim_base::units::Duration;

const SAMPLE: &str = include_str!("../../data/harm/sample.csv");

/// A row of the sample: geometric mean, median and 95th percentile.
#[derive(Clone, Debug, PartialEq)]
pub struct SampleCell {
    /// The round-trip time.
    pub rtt: Duration,
    /// The competitor; `None` if the workload is alone.
    pub competitor: Option<String>,
    /// Completion times in milliseconds.
    pub fct_ms: [f64; 3],
    /// Their harm; `None` if the workload is alone.
    pub harm: Option<[f64; 3]>,
}

/// Returns the sample output of ccafct's page: CUBIC and Prague against CUBIC, 10 to 160 ms, a
/// single CoDel queue of 50 Mbps.
#[must_use]
pub fn published_sample() -> Vec<SampleCell> {
    let rows = SAMPLE.lines().filter(|line| !line.starts_with('#')).skip(1);
    rows.map(|row| {
        let fields: Vec<&str> = row.split(',').collect();
        let number = |place: usize| -> Option<f64> { fields.get(place)?.parse().ok() };
        let fct = |place| number(place).expect("a completion time");
        let rtt = fields[0].parse().expect("milliseconds");
        SampleCell {
            rtt: Duration::from_ms(rtt),
            competitor: (fields[1] != "-").then(|| fields[1].to_owned()),
            fct_ms: [fct(2), fct(4), fct(6)],
            harm: number(3)
                .zip(number(5))
                .zip(number(7))
                .map(|((mean, median), p95)| [mean, median, p95]),
        }
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harm::metrics::harm_less_is_better;

    #[test]
    fn all_thirty_harms_follow_from_the_completion_times() {
        let sample = published_sample();
        assert_eq!(sample.len(), 15);
        let mut checked = 0;
        for cell in &sample {
            let solo = sample
                .iter()
                .find(|solo| solo.rtt == cell.rtt && solo.competitor.is_none())
                .expect("every round-trip time has a solo run");
            assert_eq!(cell.harm.is_none(), cell.competitor.is_none());
            let Some(harm) = cell.harm else { continue };
            for (place, printed) in harm.iter().enumerate() {
                let ours = harm_less_is_better(cell.fct_ms[place], solo.fct_ms[place]);
                // Both completion times were rounded to 0.1 ms, and the harm to 0.001.
                assert!((ours - printed).abs() < 0.001, "{cell:?} {place}: {ours}");
                checked += 1;
            }
        }
        assert_eq!(checked, 30);
    }
}
