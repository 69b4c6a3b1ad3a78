//! The `sizes` key: a named distribution, one size, or a file that is read later.

use std::fmt;

use fabricsim_base::input::{EXAMPLE_MARK, InputError, ValueKind};
use fabricsim_base::setting_values;
use fabricsim_base::units::Bytes;
use serde::Serialize;
use serde::de::{Deserialize, Deserializer, Error, Visitor};

use crate::cdf::SizeCdf;

/// A reference to a flow-size distribution: the name of a built-in one (`"websearch"`), a size that
/// all flows have (`"500KB"`), or the path of a CDF file.
///
/// A path becomes usable after [`Sizes::load`] has read the file's text.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(into = "String")]
pub struct Sizes {
    name: String,
    cdf: Option<SizeCdf>,
}

setting_values!(Sizes => ValueKind::Text);

impl Sizes {
    /// Returns the program's own distribution, under `name`.
    pub fn with_cdf(name: impl Into<String>, cdf: SizeCdf) -> Self {
        Self {
            name: name.into(),
            cdf: Some(cdf),
        }
    }

    /// Reads the text of the file that [`Sizes::file`] names.
    ///
    /// # Errors
    /// Fails if the text is not a CDF; see [`SizeCdf::parse`].
    pub fn load(&mut self, text: &str) -> Result<(), InputError> {
        self.cdf = Some(SizeCdf::parse(text)?);
        Ok(())
    }

    /// Returns the text from which the sizes were read: the name of a built-in distribution, a
    /// size, or the path of a file.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the path of the file to load, or `None` if nothing is missing.
    #[must_use]
    pub fn file(&self) -> Option<&str> {
        self.cdf.is_none().then_some(self.name.as_str())
    }

    /// Returns the distribution, or `None` if its file has not been loaded.
    #[must_use]
    pub fn cdf(&self) -> Option<&SizeCdf> {
        self.cdf.as_ref()
    }
}

impl From<&str> for Sizes {
    fn from(name: &str) -> Self {
        let fixed = || {
            name.parse::<Bytes>()
                .ok()
                .filter(|size| *size > Bytes::ZERO)
                .map(SizeCdf::fixed)
        };
        Self {
            name: name.to_owned(),
            cdf: SizeCdf::builtin(name).or_else(fixed),
        }
    }
}

impl From<String> for Sizes {
    fn from(name: String) -> Self {
        name.as_str().into()
    }
}

impl From<Sizes> for String {
    fn from(sizes: Sizes) -> Self {
        sizes.name
    }
}

/// Reads sizes from a text; a number causes an error that it lacks a unit.
struct SizesVisitor;

impl Visitor<'_> for SizesVisitor {
    type Value = Sizes;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("text in quotes")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Sizes, E> {
        Ok(text.into())
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Sizes, E> {
        Err(E::custom(format!(
            "`{number}` is not a size with a unit{EXAMPLE_MARK}`{number}B`"
        )))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Sizes, E> {
        Err(E::custom(format!(
            "`{number}` is not a size with a unit{EXAMPLE_MARK}`{number}B`"
        )))
    }
}

impl<'de> Deserialize<'de> for Sizes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(SizesVisitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_sizes_and_files_are_told_apart() {
        assert_eq!(
            Sizes::from("websearch").cdf(),
            SizeCdf::builtin("websearch").as_ref()
        );
        assert_eq!(
            Sizes::from("500KB").cdf(),
            Some(&SizeCdf::fixed(Bytes::new(500_000)))
        );
        let mut file = Sizes::from("my/cdf.txt");
        assert_eq!(file.file(), Some("my/cdf.txt"));
        assert_eq!(file.cdf(), None);
        file.load("0 0\n100 1\n").unwrap();
        assert_eq!(file.file(), None);
        assert_eq!(file.cdf().map(SizeCdf::max), Some(Bytes::new(100)));
    }

    #[test]
    fn it_is_a_string_in_a_scenario() {
        let sizes: Sizes = serde_json::from_str("\"hadoop\"").unwrap();
        assert_eq!(serde_json::to_string(&sizes).unwrap(), "\"hadoop\"");
    }
}
