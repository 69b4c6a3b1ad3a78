//! A fingerprint of results.

use std::fmt;

const OFFSET_BASIS: u64 = 0xcbf2_9ce4_8422_2325;
const PRIME: u64 = 0x0000_0100_0000_01b3;

/// FNV-1a, 64 bits (Fowler, Noll, Vo): distinguishes runs if their results differ in any byte.
///
/// It protects against accidents, not against an attacker who crafts two results with one checksum.
///
/// ```
/// assert_eq!(fabricsim_report::Checksum::of(b"foobar").to_string(), "85944171f73967e8");
/// ```
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub struct Checksum(u64);

impl Checksum {
    /// Returns the checksum of no bytes.
    #[must_use]
    pub const fn new() -> Self {
        Self(OFFSET_BASIS)
    }

    /// Computes the checksum of `bytes`.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        let mut checksum = Self::new();
        checksum.update(bytes);
        checksum
    }

    /// Returns the checksum as a number.
    #[must_use]
    pub const fn value(self) -> u64 {
        self.0
    }

    /// Adds `bytes` to the digest; splitting them between calls in another way gives the same
    /// checksum.
    pub fn update(&mut self, bytes: &[u8]) {
        self.0 = bytes.iter().fold(self.0, |hash, byte| {
            (hash ^ u64::from(*byte)).wrapping_mul(PRIME)
        });
    }
}

impl Default for Checksum {
    fn default() -> Self {
        Self::new()
    }
}

/// Prints sixteen hexadecimal digits.
impl fmt::Display for Checksum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_vectors() {
        assert_eq!(Checksum::new().to_string(), "cbf29ce484222325");
        assert_eq!(Checksum::of(b"a").to_string(), "af63dc4c8601ec8c");
    }

    #[test]
    fn splits_do_not_matter() {
        let mut checksum = Checksum::default();
        checksum.update(b"foo");
        checksum.update(b"bar");
        assert_eq!(checksum, Checksum::of(b"foobar"));
    }
}
