//! Reads a checkpoint from memory.

use super::recurrence::Moving;
use super::writer::LENGTH_BYTES;
use super::{LoadError, Stored};
use crate::units::Time;

/// Reads a checkpoint, or a section of one.
#[derive(Clone, Debug)]
pub struct Reader<'a> {
    left: &'a [u8],
    /// The time of the checkpoint.
    now: Time,
    /// `true` if congestion controls of another kind than in the checkpoint start with fresh state.
    renews_control: bool,
    /// The numbers that move, if a relative form is read.
    pub(super) moving: Option<Moving<'a>>,
}

impl<'a> Reader<'a> {
    /// Reads from the beginning of `bytes`.
    #[must_use]
    pub const fn new(bytes: &'a [u8]) -> Self {
        Self {
            left: bytes,
            now: Time::ZERO,
            renews_control: false,
            moving: None,
        }
    }

    /// Sets the time of the checkpoint to `now`.
    #[must_use]
    pub const fn at(mut self, now: Time) -> Self {
        self.now = now;
        self
    }

    /// Reads a relative form at `now`, with `moving` as the numbers that were set apart.
    pub(super) const fn moving(mut self, now: Time, moving: Moving<'a>) -> Self {
        self.now = now;
        self.moving = Some(moving);
        self
    }

    /// Returns `true` if the state of a simulation that has run is moved in place.
    #[must_use]
    pub const fn moves(&self) -> bool {
        self.moving.is_some()
    }

    /// Lets congestion controls of another kind than in the checkpoint start with fresh state.
    #[must_use]
    pub const fn with_other_control(mut self) -> Self {
        self.renews_control = true;
        self
    }

    /// Returns `true` if congestion controls of another kind than in the checkpoint start with
    /// fresh state.
    #[must_use]
    pub const fn renews_control(&self) -> bool {
        self.renews_control
    }

    /// Returns the time of the checkpoint.
    #[must_use]
    pub const fn now(&self) -> Time {
        self.now
    }

    /// Returns the unread bytes.
    #[must_use]
    pub const fn rest(&self) -> &'a [u8] {
        self.left
    }

    /// Reads the next byte.
    ///
    /// # Errors
    /// Fails if there is none.
    #[inline]
    pub fn byte(&mut self) -> Result<u8, LoadError> {
        let (&first, rest) = self.left.split_first().ok_or_else(short)?;
        self.left = rest;
        Ok(first)
    }

    /// Reads the next `count` bytes.
    ///
    /// # Errors
    /// Fails if there are fewer.
    #[inline]
    pub fn bytes(&mut self, count: usize) -> Result<&'a [u8], LoadError> {
        let (taken, rest) = self.left.split_at_checked(count).ok_or_else(short)?;
        self.left = rest;
        Ok(taken)
    }

    /// Reads the next `N` bytes.
    ///
    /// # Errors
    /// Fails if there are fewer.
    #[inline]
    pub fn array<const N: usize>(&mut self) -> Result<[u8; N], LoadError> {
        let (taken, rest) = self.left.split_first_chunk().ok_or_else(short)?;
        self.left = rest;
        Ok(*taken)
    }

    /// Reads a number.
    ///
    /// # Errors
    /// Fails if there is no number of at most 64 bits.
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

    /// Reads a length or an index.
    ///
    /// # Errors
    /// Fails if there is none.
    #[inline]
    pub fn number(&mut self) -> Result<usize, LoadError> {
        let number = usize::try_from(self.whole()?);
        number.map_err(|_| LoadError::new("a length has more bits than this machine addresses"))
    }

    /// Reads the length of a collection with elements of at least one byte each.
    ///
    /// # Errors
    /// Fails if there are fewer bytes than that.
    pub fn length(&mut self) -> Result<usize, LoadError> {
        let length = self.number()?;
        if length > self.left.len() {
            return Err(short());
        }
        Ok(length)
    }

    /// Reads a number that must equal `own`, because it follows from the configuration.
    ///
    /// # Errors
    /// Fails if it differs.
    pub fn expect_number(&mut self, own: usize) -> Result<(), LoadError> {
        match self.number()? {
            saved if saved == own => Ok(()),
            saved => Err(LoadError::new(format!(
                "it has {saved} entries, and there are {own} here"
            ))),
        }
    }

    /// Reads the next section completely by `read`. `name` is used in messages.
    ///
    /// # Errors
    /// Fails if it contains something else, or more.
    pub fn section<R>(
        &mut self,
        name: &str,
        read: impl FnOnce(&mut Self) -> Result<R, LoadError>,
    ) -> Result<R, LoadError> {
        let own = self.take_section().map_err(|error| error.within(name))?;
        let mut own = Reader { left: own, ..*self };
        let result = read(&mut own).and_then(|result| own.end().map(|()| result));
        self.moving = own.moving;
        result.map_err(|error| error.within(name))
    }

    /// Reads the bytes of the next section.
    ///
    /// # Errors
    /// Fails if some are missing.
    pub fn take_section(&mut self) -> Result<&'a [u8], LoadError> {
        let length = u64::from_le_bytes(self.array::<LENGTH_BYTES>()?);
        let length = usize::try_from(length).map_err(|_| short())?;
        self.bytes(length)
    }

    /// Reads the entries of a map.
    ///
    /// # Errors
    /// Fails if `input` contains something else.
    pub fn entries<K: Stored, V: Stored, C: FromIterator<(K, V)>>(
        &mut self,
    ) -> Result<C, LoadError> {
        let length = self.length()?;
        (0..length)
            .map(|_| Ok((K::fetch(self)?, V::fetch(self)?)))
            .collect()
    }

    /// Checks that everything was read.
    ///
    /// # Errors
    /// Fails if bytes are left.
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
