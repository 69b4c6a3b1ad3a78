//! Reads a checkpoint from memory.

use super::writer::LENGTH_BYTES;
use super::{LoadError, Stored};
use crate::units::Time;

/// A checkpoint, or a section of one, that is being read.
#[derive(Clone, Debug)]
pub struct Reader<'a> {
    left: &'a [u8],
    /// The time of the checkpoint.
    now: Time,
    /// Congestion controls of another kind than those of the checkpoint begin anew.
    renews_control: bool,
}

impl<'a> Reader<'a> {
    /// Reads from the beginning of `bytes`.
    #[must_use]
    pub const fn new(bytes: &'a [u8]) -> Self {
        Self {
            left: bytes,
            now: Time::ZERO,
            renews_control: false,
        }
    }

    /// Says that the checkpoint is of the time `now`.
    #[must_use]
    pub const fn at(mut self, now: Time) -> Self {
        self.now = now;
        self
    }

    /// Lets congestion controls of another kind than those of the checkpoint begin anew.
    #[must_use]
    pub const fn with_other_control(mut self) -> Self {
        self.renews_control = true;
        self
    }

    /// Returns whether congestion controls of another kind than those of the checkpoint begin anew.
    #[must_use]
    pub const fn renews_control(&self) -> bool {
        self.renews_control
    }

    /// Returns the time of the checkpoint.
    #[must_use]
    pub const fn now(&self) -> Time {
        self.now
    }

    /// Returns what is left to read.
    #[must_use]
    pub const fn rest(&self) -> &'a [u8] {
        self.left
    }

    /// Takes the next byte.
    ///
    /// # Errors
    /// When there is none.
    #[inline]
    pub fn byte(&mut self) -> Result<u8, LoadError> {
        let (&first, rest) = self.left.split_first().ok_or_else(short)?;
        self.left = rest;
        Ok(first)
    }

    /// Takes the next `count` bytes.
    ///
    /// # Errors
    /// When there are fewer.
    #[inline]
    pub fn bytes(&mut self, count: usize) -> Result<&'a [u8], LoadError> {
        let (taken, rest) = self.left.split_at_checked(count).ok_or_else(short)?;
        self.left = rest;
        Ok(taken)
    }

    /// Takes the next `N` bytes.
    ///
    /// # Errors
    /// When there are fewer.
    #[inline]
    pub fn array<const N: usize>(&mut self) -> Result<[u8; N], LoadError> {
        let (taken, rest) = self.left.split_first_chunk().ok_or_else(short)?;
        self.left = rest;
        Ok(*taken)
    }

    /// Takes a number.
    ///
    /// # Errors
    /// When there is none of 64 bits.
    #[inline]
    pub fn whole(&mut self) -> Result<u64, LoadError> {
        let mut number = 0;
        for shift in (0..u64::BITS).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7f);
            number |= bits << shift;
            if bits << shift >> shift != bits {
                break;
            }
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(LoadError::new("a number has more than 64 bits"))
    }

    /// Takes a length or a place.
    ///
    /// # Errors
    /// When there is none.
    #[inline]
    pub fn number(&mut self) -> Result<usize, LoadError> {
        let number = usize::try_from(self.whole()?);
        number.map_err(|_| LoadError::new("a length has more bits than this machine addresses"))
    }

    /// Takes the length of a collection, whose elements take at least a byte each.
    ///
    /// # Errors
    /// When there are not so many bytes.
    pub fn length(&mut self) -> Result<usize, LoadError> {
        let length = self.number()?;
        if length > self.left.len() {
            return Err(short());
        }
        Ok(length)
    }

    /// Takes a number that has to be `own`: how many there are follows from the configuration.
    ///
    /// # Errors
    /// When it is another one.
    pub fn expect_number(&mut self, own: usize) -> Result<(), LoadError> {
        match self.number()? {
            saved if saved == own => Ok(()),
            saved => Err(LoadError::new(format!(
                "it holds {saved} of what there are {own} of here"
            ))),
        }
    }

    /// Reads the next section, which has to be read to its end, by `read`. `name` is for messages.
    ///
    /// # Errors
    /// When it holds something else, or more.
    pub fn section<R>(
        &mut self,
        name: &str,
        read: impl FnOnce(&mut Self) -> Result<R, LoadError>,
    ) -> Result<R, LoadError> {
        let own = self.take_section().map_err(|error| error.within(name))?;
        let mut own = Reader { left: own, ..*self };
        let result = read(&mut own).and_then(|result| own.end().map(|()| result));
        result.map_err(|error| error.within(name))
    }

    /// Takes the bytes of the next section.
    ///
    /// # Errors
    /// When they are not all there.
    pub fn take_section(&mut self) -> Result<&'a [u8], LoadError> {
        let length = u64::from_le_bytes(self.array::<LENGTH_BYTES>()?);
        let length = usize::try_from(length).map_err(|_| short())?;
        self.bytes(length)
    }

    /// Takes the entries of a map.
    ///
    /// # Errors
    /// When `input` holds something else.
    pub fn entries<K: Stored, V: Stored, C: FromIterator<(K, V)>>(
        &mut self,
    ) -> Result<C, LoadError> {
        let length = self.length()?;
        (0..length)
            .map(|_| Ok((K::fetch(self)?, V::fetch(self)?)))
            .collect()
    }

    /// Makes sure that everything has been read.
    ///
    /// # Errors
    /// When something is left.
    pub fn end(&self) -> Result<(), LoadError> {
        match self.left.len() {
            0 => Ok(()),
            left => Err(LoadError::new(format!("{left} bytes are left"))),
        }
    }
}

fn short() -> LoadError {
    LoadError::new("it ends too early")
}
