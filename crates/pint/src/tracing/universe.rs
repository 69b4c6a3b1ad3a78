//! The switches that a path may consist of.

use fabricsim_core::input::ConfigError;

/// The numbers of all switches that a path may consist of: V, what the inference module knows (PINT,
/// section 4.2, hashing of values).
#[derive(Clone, Debug)]
pub struct Universe {
    /// Ascending and distinct.
    switches: Box<[u64]>,
}

impl Universe {
    /// The universe of `switches`, in any order.
    ///
    /// # Errors
    /// Where there are none, or one comes twice.
    pub fn new(mut switches: Vec<u64>) -> Result<Self, ConfigError> {
        switches.sort_unstable();
        if switches.is_empty() {
            return Err(ConfigError::new(
                "switches",
                "there are no switches to tell apart",
                "give the numbers of all switches of the network",
            ));
        }
        if let Some(twice) = switches.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(ConfigError::new(
                "switches",
                format!("two switches have the number {}", twice[0]),
                "give each switch a number of its own",
            ));
        }
        Ok(Self {
            switches: switches.into(),
        })
    }

    /// The numbers, ascending.
    #[must_use]
    pub fn switches(&self) -> &[u64] {
        &self.switches
    }

    /// The largest number.
    pub(super) fn largest(&self) -> u64 {
        *self.switches.last().expect("a universe is not empty")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn switches_are_distinct() {
        let universe = Universe::new(vec![7, 3, 5]).unwrap();
        assert_eq!(universe.switches(), [3, 5, 7]);
        assert_eq!(universe.largest(), 7);
        assert_eq!(Universe::new(vec![]).unwrap_err().key, "switches");
        let twice = Universe::new(vec![7, 3, 7]).unwrap_err();
        assert_eq!(twice.message, "two switches have the number 7");
    }
}
