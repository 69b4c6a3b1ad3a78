//! Dimensions of ASTRA-sim's network, for collectives along some of them.

use std::fmt;
use std::str::FromStr;

/// The sizes of the dimensions, the first of which has the closest ranks.
///
/// As in ASTRA-sim (`npus_count` of its analytical network and `logical-dims` of its ns-3
/// network; `system/topology/GeneralComplexTopology.cc`): rank r has coordinate r mod s in the
/// first dimension of size s, and the next dimension divides r / s.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Dimensions {
    sizes: Vec<u32>,
}

impl Dimensions {
    /// Returns the number of ranks, if it is not too large.
    #[must_use]
    pub fn ranks(&self) -> Option<u32> {
        self.sizes
            .iter()
            .try_fold(1u32, |product, size| product.checked_mul(*size))
    }

    /// Returns the number of dimensions.
    pub(super) const fn count(&self) -> usize {
        self.sizes.len()
    }

    /// Returns the ranks that differ from `rank` in the involved dimensions alone, in ascending
    /// order. A dimension beyond the end of `involved` is involved, as in ASTRA-sim.
    pub(super) fn members(&self, rank: u32, involved: &[bool]) -> Vec<u32> {
        let mut members = vec![0];
        let (mut stride, mut rest) = (1, rank);
        for (place, &size) in self.sizes.iter().enumerate() {
            let coordinate = rest % size;
            rest /= size;
            let coordinates = match involved.get(place) {
                Some(false) => coordinate..coordinate + 1,
                _ => 0..size,
            };
            members = coordinates
                .flat_map(|own| members.iter().map(move |before| before + own * stride))
                .collect();
            stride *= size;
        }
        members
    }
}

impl FromStr for Dimensions {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let sizes: Result<Vec<u32>, _> = text.split(['x', ',']).map(str::parse).collect();
        let found = sizes.ok().map(|sizes| Self { sizes });
        found
            .filter(|found| !found.sizes.contains(&0) && found.ranks().is_some())
            .ok_or_else(|| format!("`{text}` has no sizes of dimensions: write for example 8x4"))
    }
}

impl fmt::Display for Dimensions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sizes: Vec<String> = self.sizes.iter().map(u32::to_string).collect();
        f.write_str(&sizes.join("x"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_differ_in_the_involved_dimensions() {
        let two: Dimensions = "2x2".parse().unwrap();
        assert_eq!(two.ranks(), Some(4));
        assert_eq!(two.members(3, &[true, false]), [2, 3]);
        assert_eq!(two.members(3, &[false, true]), [1, 3]);
        assert_eq!(two.members(3, &[false, false]), [3]);
        let three: Dimensions = "4,2,3".parse().unwrap();
        assert_eq!(three.to_string(), "4x2x3");
        assert_eq!(three.members(9, &[false, true, false]), [9, 13]);
        assert_eq!(three.members(9, &[false, false]), [1, 9, 17]);
        for rank in 0..24 {
            let mut seen = Vec::new();
            for member in three.members(rank, &[true, false, true]) {
                assert_eq!(
                    three.members(member, &[true, false, true]),
                    three.members(rank, &[true, false, true])
                );
                seen.push(member);
            }
            assert_eq!(seen.len(), 12);
            assert!(seen.is_sorted() && seen.contains(&rank));
        }
    }

    #[test]
    fn sizes_that_are_none_are_refused() {
        for text in ["", "0x2", "a", "2x", "65536x65536", "-1"] {
            let error = text.parse::<Dimensions>().unwrap_err();
            assert!(error.contains("write for example 8x4"), "{text}: {error}");
        }
    }
}
