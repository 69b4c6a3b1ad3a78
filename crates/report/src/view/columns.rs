//! Columns of numbers in base64, the first byte of each number being its lowest.

use std::collections::BTreeMap;

use serde_json::Value;

const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Returns `bytes` in base64.
pub(super) fn bytes(bytes: &[u8]) -> Value {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let at = |place: usize| u32::from(three.get(place).copied().unwrap_or(0));
        let bits = (at(0) << 16) | (at(1) << 8) | at(2);
        for place in 0..4 {
            let letter = LETTERS[((bits >> (18 - 6 * place)) & 63) as usize];
            text.push(match place <= three.len() {
                true => char::from(letter),
                false => '=',
            });
        }
    }
    Value::String(text)
}

/// Returns integers of 32 bits in base64.
pub(super) fn integers(values: impl IntoIterator<Item = u32>) -> Value {
    let all: Vec<u8> = values.into_iter().flat_map(u32::to_le_bytes).collect();
    bytes(&all)
}

/// Values with their positions among the distinct ones, in the order of their first use.
#[derive(Debug)]
pub struct Distinct<T> {
    /// The distinct values.
    pub values: Vec<T>,
    places: BTreeMap<T, u32>,
}

impl<T> Default for Distinct<T> {
    fn default() -> Self {
        Self {
            values: Vec::new(),
            places: BTreeMap::new(),
        }
    }
}

impl<T: Copy + Ord> Distinct<T> {
    /// Returns the position of `value`.
    ///
    /// # Panics
    /// If there are 2^32 distinct values.
    pub fn place(&mut self, value: T) -> u32 {
        let next = u32::try_from(self.values.len()).expect("fewer values than rows of a file");
        *self.places.entry(value).or_insert_with(|| {
            self.values.push(value);
            next
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The test vectors of RFC 4648.
    #[test]
    fn base64_is_the_standard_one() {
        for (plain, coded) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(bytes(plain.as_bytes()), coded);
        }
        assert_eq!(integers([1, 0x0203]), "AQAAAAMCAAA=");
    }

    #[test]
    fn equal_values_share_a_place() {
        let mut distinct = Distinct::default();
        let places: Vec<u32> = ["b", "a", "b"].map(|value| distinct.place(value)).into();
        assert_eq!((places, distinct.values), (vec![0, 1, 0], vec!["b", "a"]));
    }
}
