//! Writes a checkpoint to memory.

use std::fmt::Debug;

use super::relative::Relative;
use super::{Kind, SaveError, Stored};

/// A checkpoint that is being written.
#[derive(Clone, Debug, Default)]
pub struct Writer {
    pub(super) bytes: Vec<u8>,
    pub(super) refused: Option<SaveError>,
    /// The kind of the numbers that follow.
    pub(super) kind: Kind,
    /// The numbers that move, if the relative form is written.
    pub(super) relative: Option<Box<Relative>>,
    /// The fields that are left out, if an audit was requested.
    pub(super) audit: Option<Vec<Rebuilt>>,
}

/// A field that a checkpoint leaves out, because it is declared never to change.
///
/// A restored simulation must have the same value as the saved one. If it differs, the field does
/// change and must be saved.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Rebuilt {
    /// The module, the type and the field, such as `my_crate::pacer::Pacer.interval`.
    pub field: &'static str,
    /// The value, formatted by `Debug`.
    pub value: String,
}

/// Bytes of the length of a section.
pub(super) const LENGTH_BYTES: usize = 8;

impl Writer {
    /// Returns a writer that reuses the memory of `bytes` and discards their contents.
    #[must_use]
    pub fn reusing(mut bytes: Vec<u8>) -> Self {
        bytes.clear();
        Self {
            bytes,
            ..Self::default()
        }
    }

    /// Returns a writer that also records the fields that the checkpoint leaves out.
    #[must_use]
    pub fn auditing() -> Self {
        Self {
            audit: Some(Vec::new()),
            ..Self::default()
        }
    }

    /// Reports a field that the checkpoint leaves out, for an [audit](Self::auditing).
    pub fn audit(&mut self, field: &'static str, value: &dyn Debug) {
        if let Some(audit) = &mut self.audit {
            let value = format!("{value:?}");
            audit.push(Rebuilt { field, value });
        }
    }

    /// Returns the fields that an [audit](Self::auditing) has recorded, in the order of the
    /// reports.
    ///
    /// # Errors
    /// Fails if something was [refused](Self::refuse).
    pub fn finish_audit(self) -> Result<Vec<Rebuilt>, SaveError> {
        match self.refused {
            Some(refused) => Err(refused),
            None => Ok(self.audit.unwrap_or_default()),
        }
    }

    /// Appends a byte.
    #[inline]
    pub fn byte(&mut self, byte: u8) {
        self.bytes.push(byte);
    }

    /// Appends bytes; the reader must know their number.
    #[inline]
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// Appends a number, seven bits per byte, the lowest bits first.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "seven bits of it")]
    pub fn whole(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.bytes.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.bytes.push(number as u8);
    }

    /// Appends a length or an index.
    #[inline]
    pub fn number(&mut self, number: usize) {
        self.whole(number as u64);
    }

    /// Appends the output of `write` as a section, which begins with its length.
    pub fn section(&mut self, write: impl FnOnce(&mut Self)) {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(&[0; LENGTH_BYTES]);
        write(self);
        let length = (self.bytes.len() - start - LENGTH_BYTES) as u64;
        self.bytes[start..start + LENGTH_BYTES].copy_from_slice(&length.to_le_bytes());
    }

    /// Appends the entries of a map in the order of their keys.
    pub fn sorted<'a, K, V>(&mut self, entries: impl Iterator<Item = (&'a K, &'a V)>)
    where
        K: Stored + Ord + 'a,
        V: Stored + 'a,
    {
        let mut entries: Vec<(&K, &V)> = entries.collect();
        entries.sort_unstable_by_key(|(key, _)| *key);
        self.number(entries.len());
        for (key, value) in entries {
            key.store(self);
            value.store(self);
        }
    }

    /// Refuses to save state of the kind `what` with this name.
    pub fn refuse(&mut self, what: &str, name: &str) {
        self.refused.get_or_insert_with(|| SaveError {
            what: what.to_owned(),
            name: name.to_owned(),
        });
    }

    /// Returns the number of written bytes.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Returns `true` if no bytes were written.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Returns the written bytes.
    ///
    /// # Errors
    /// Fails if something was [refused](Self::refuse).
    pub fn finish(self) -> Result<Vec<u8>, SaveError> {
        match self.refused {
            Some(refused) => Err(refused),
            None => Ok(self.bytes),
        }
    }
}
