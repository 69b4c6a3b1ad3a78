//! Quantiles of the most recent values.

use fabricsim_base::checkpoint::Stored;

/// The most recent values of a stream, for queries about the current state of a hop (PINT, dynamic
/// per-flow aggregation).
///
/// Differs from the paper: the paper has a sketch of a sliding window, but we store every value.
/// Quantiles of the window are therefore exact, and n codes of space hold a window of n samples. A
/// sketch in the same space would cover a longer window, with an error.
#[derive(Clone, Debug, Stored)]
#[checkpoint(absolute)]
pub struct Window<T> {
    limit: u32,
    /// The values of the window. If it is full, the next value replaces the oldest one.
    values: Vec<T>,
    oldest: usize,
    count: u64,
}

impl<T: Ord + Copy> Window<T> {
    /// Returns an empty window of the last `limit` values (at least 1).
    ///
    /// # Panics
    /// Panics if `limit` is zero.
    #[must_use]
    pub const fn new(limit: u32) -> Self {
        assert!(limit > 0, "a window has at least one value");
        Self {
            limit,
            values: Vec::new(),
            oldest: 0,
            count: 0,
        }
    }

    /// Adds a value of the stream.
    #[inline]
    pub fn insert(&mut self, value: T) {
        self.count += 1;
        if self.values.len() < self.limit as usize {
            self.values.push(value);
            return;
        }
        self.values[self.oldest] = value;
        self.oldest += 1;
        if self.oldest == self.values.len() {
            self.oldest = 0;
        }
    }

    /// Returns the smallest value such that a share of at least `phi` (0 to 1) of the window is at
    /// or below it, or `None` if the window is empty.
    #[must_use]
    pub fn quantile(&self, phi: f64) -> Option<T> {
        super::quantile_of(self.values.clone(), phi)
    }

    /// Returns the values, unordered.
    #[must_use]
    pub const fn values(&self) -> &[T] {
        self.values.as_slice()
    }

    /// Returns the number of values in the stream.
    #[must_use]
    pub const fn count(&self) -> u64 {
        self.count
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_has_been_is_forgotten() {
        let mut window = Window::new(100);
        assert_eq!(window.quantile(0.5), None);
        for value in 0..1_000u16 {
            window.insert(value);
        }
        assert_eq!(window.quantile(0.5), Some(949));
        assert_eq!(window.quantile(0.0), Some(900));
        assert_eq!((window.count(), window.values().len()), (1_000, 100));
        for _ in 0..99 {
            window.insert(7);
        }
        assert_eq!(
            (window.quantile(0.99), window.quantile(1.0)),
            (Some(7), Some(999))
        );
    }

    proptest! {
        #[test]
        fn quantiles_are_those_of_the_last_values(
            values in proptest::collection::vec(0u16..50, 1..200), limit in 1u32..40, phi in 0.0..=1.0,
        ) {
            let mut window = Window::new(limit);
            for &value in &values {
                window.insert(value);
            }
            let last = values[values.len().saturating_sub(limit as usize)..].to_vec();
            prop_assert_eq!(window.values().len(), last.len());
            prop_assert_eq!(window.quantile(phi), super::super::quantile_of(last, phi));
        }
    }
}
