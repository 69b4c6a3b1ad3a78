//! The bytes that each member of an all-to-all-v has for each other member.

use std::sync::Arc;

use fabricsim_base::input::ConfigError;
use fabricsim_base::units::Bytes;

/// The weight of the first member if weights follow from a skew.
const UNIT: f64 = 1e9;

/// The largest sum of weights of a sender.
const LARGEST: f64 = 1e18;

/// Bytes by sender and receiver.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Parts(Arc<[Box<[u64]>]>);

impl Parts {
    /// Divides `size` among `ranks` receivers, in the same way at each sender: the j-th receiver,
    /// from zero, gets a share in proportion to 1/(j+1)^`skew`.
    pub(super) fn skewed(size: Bytes, ranks: u32, skew: f64) -> Self {
        let row: Vec<u64> = (0..ranks).map(|place| weight(place, skew)).collect();
        let total = row.iter().sum();
        let row: Box<[u64]> = row.iter().map(|&one| share(size, one, total)).collect();
        Self((0..ranks).map(|_| row.clone()).collect())
    }

    /// Divides in proportion to `weights`, by sender and receiver; the sender with the largest sum
    /// has `size` bytes.
    ///
    /// # Errors
    /// Fails if `weights` does not have one row and one column for each of `ranks`, if a weight is
    /// not a number from 0 up, or if all weights are zero.
    pub(super) fn weighted(
        size: Bytes,
        ranks: u32,
        weights: &[Vec<f64>],
    ) -> Result<Self, ConfigError> {
        let refuse = |message: String| {
            let help =
                format!("write {ranks} rows of {ranks} numbers from 0 up, each row for a sender");
            Err(ConfigError::new("weights", message, help))
        };
        let count = ranks as usize;
        if weights.len() != count {
            return refuse(format!(
                "{} rows for groups of {ranks} ranks",
                weights.len()
            ));
        }
        if let Some((at, row)) = weights
            .iter()
            .enumerate()
            .find(|(_, row)| row.len() != count)
        {
            return refuse(format!(
                "row {at} has {} numbers for {ranks} ranks",
                row.len()
            ));
        }
        let mut all = weights.iter().flatten();
        if let Some(weight) = all.find(|weight| !(weight.is_finite() && **weight >= 0.0)) {
            return refuse(format!("a weight of {weight} is not a number from 0 up"));
        }
        if weights.iter().any(|row| row.iter().sum::<f64>() > LARGEST) {
            return refuse("the sum of a row is above 1e18".to_owned());
        }
        let weights = whole(weights);
        let total: u64 = weights
            .iter()
            .map(|row| row.iter().sum())
            .max()
            .unwrap_or(0);
        let outside = |(from, row): (usize, &Vec<u64>)| {
            let mut others = row.iter().enumerate().filter(|(to, _)| *to != from);
            others.any(|(_, &weight)| weight > 0)
        };
        if ranks > 1 && !weights.iter().enumerate().any(outside) {
            return refuse("no rank sends anything to another rank".to_owned());
        }
        let row = |row: &Vec<u64>| row.iter().map(|&one| share(size, one, total)).collect();
        Ok(Self(weights.iter().map(row).collect()))
    }

    /// Returns the bytes that `from` has for `to`; if there are none, no message is sent.
    pub(super) fn bytes(&self, from: u32, to: u32) -> u64 {
        self.0[from as usize][to as usize]
    }

    /// Returns the number of messages between different members and their bytes, if each part is
    /// sent in `units` messages.
    pub(super) fn traffic(&self, units: u32) -> (f64, f64) {
        let units = f64::from(units);
        let (mut messages, mut bytes) = (0.0, 0.0);
        for (_, _, part) in self.between() {
            messages += units;
            bytes += part.max(units);
        }
        (messages, bytes)
    }

    /// Returns the most bytes that one member sends to other members or receives from them.
    pub(super) fn busiest(&self) -> f64 {
        let mut sums = vec![[0.0; 2]; self.0.len()];
        for (from, to, part) in self.between() {
            sums[from][0] += part;
            sums[to][1] += part;
        }
        sums.into_iter().flatten().fold(0.0, f64::max)
    }

    /// Returns the parts between different members: sender, receiver and bytes.
    fn between(&self) -> impl Iterator<Item = (usize, usize, f64)> + '_ {
        self.0.iter().enumerate().flat_map(|(from, row)| {
            let others = row.iter().enumerate();
            others
                .filter(move |(to, part)| *to != from && **part > 0)
                .map(move |(to, &part)| (from, to, part as f64))
        })
    }
}

/// Converts weights to whole numbers with the same proportions: exact for weights with up to 15
/// digits before and after the point, as written.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "from 0 up to 1e18"
)]
fn whole(weights: &[Vec<f64>]) -> Vec<Vec<u64>> {
    let decimals = |weight: &f64| {
        let written = weight.to_string();
        written.split_once('.').map_or(0, |(_, after)| after.len())
    };
    let most = weights.iter().flatten().map(decimals).max().unwrap_or(0);
    let sums = weights.iter().map(|row| row.iter().sum::<f64>());
    let largest = sums.fold(0.0, f64::max);
    let powers = (0..=most).scan(1.0, |power, _| {
        Some(std::mem::replace(power, *power * 10.0))
    });
    let scale = powers.take_while(|power| power * largest <= LARGEST).last();
    let scale = scale.unwrap_or(1.0);
    let whole = |weight: &f64| (weight * scale).round() as u64;
    let rows = weights.iter();
    rows.map(|row| row.iter().map(whole).collect()).collect()
}

/// Returns the weight of the member at `place`, at least 1.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a share of UNIT"
)]
fn weight(place: u32, skew: f64) -> u64 {
    let weight = UNIT / libm::pow(f64::from(place) + 1.0, skew);
    (weight as u64).max(1)
}

/// Returns the share of `weight` in `size`: at least one byte, unless the weight is zero.
fn share(size: Bytes, weight: u64, total: u64) -> u64 {
    let share = u128::from(size.get()) * u128::from(weight) / u128::from(total.max(1));
    let share = u64::try_from(share).expect("no share is above the size");
    share.max(weight.min(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_that_are_bytes_are_taken_as_they_are() {
        let weights = [
            vec![0.0, 700.0, 300.0],
            vec![0.0, 0.0, 0.0],
            vec![5.0, 10.0, 0.0],
        ];
        let parts = Parts::weighted(Bytes::new(1_000), 3, &weights).unwrap();
        assert_eq!(parts.bytes(0, 1), 700);
        assert_eq!(parts.bytes(2, 0), 5);
        assert_eq!(parts.traffic(1), (4.0, 1_015.0));
        // Twice the size gives twice the bytes.
        let parts = Parts::weighted(Bytes::new(2_000), 3, &weights).unwrap();
        assert_eq!(parts.traffic(1), (4.0, 2_030.0));
    }

    #[test]
    fn weights_have_fractions() {
        let parts = |weights: [[f64; 2]; 2]| {
            let weights = weights.map(Vec::from);
            let parts = Parts::weighted(Bytes::new(3_000_000), 2, &weights).unwrap();
            [parts.bytes(0, 1), parts.bytes(1, 0)]
        };
        assert_eq!(parts([[0.0, 1.5], [1.0, 0.0]]), [3_000_000, 2_000_000]);
        // 0.1 + 0.2 is above 0.3 in floats.
        assert_eq!(parts([[0.2, 0.1], [0.3, 0.0]]), [1_000_000, 3_000_000]);
        let third = 1.0 / 3.0;
        assert_eq!(parts([[0.0, third], [1.0, 0.0]]), [999_999, 3_000_000]);
        // A very small part is still a message.
        assert_eq!(parts([[0.0, 1e15], [1e-3, 0.0]]), [3_000_000, 1]);
    }

    #[test]
    fn a_skew_gives_the_first_members_more() {
        let parts = Parts::skewed(Bytes::new(1_000_000), 4, 1.0);
        let row: Vec<u64> = (0..4).map(|to| parts.bytes(3, to)).collect();
        // 1 + 1/2 + 1/3 + 1/4 = 25/12.
        assert_eq!(row, [480_000, 240_000, 159_999, 120_000]);
        let even = Parts::skewed(Bytes::new(1_000), 4, 0.0);
        assert_eq!(even.traffic(1), (12.0, 3_000.0));
    }

    #[test]
    fn what_is_no_matrix_of_the_group_is_refused() {
        let refused = |weights: &[Vec<f64>]| {
            Parts::weighted(Bytes::new(1_000), 2, weights)
                .unwrap_err()
                .message
        };
        assert!(refused(&[vec![0.0, 1.0]]).contains("1 rows"));
        assert!(refused(&[vec![0.0, 1.0], vec![1.0]]).contains("row 1 has 1"));
        let same = [vec![7.0, 0.0], vec![0.0, 7.0]];
        assert!(refused(&same).contains("anything to another"));
        let none = [vec![0.0, 0.0], vec![0.0, 0.0]];
        assert!(refused(&none).contains("anything to another"));
        for weight in [-0.5, f64::NAN, f64::INFINITY] {
            let weights = [vec![0.0, weight], vec![1.0, 0.0]];
            assert!(refused(&weights).contains("a number from 0 up"), "{weight}");
        }
        let large = [vec![0.0, 1e19], vec![1.0, 0.0]];
        assert!(refused(&large).contains("above 1e18"));
    }
}
