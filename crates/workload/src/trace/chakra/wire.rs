//! The encoding of protocol buffers: fields of a message, each with its number.

use super::error::ChakraError;

/// The value of a field.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Value<'b> {
    /// A varint, or a number of fixed length.
    Number(u64),
    /// A string, a message, or packed numbers.
    Bytes(&'b [u8]),
}

impl<'b> Value<'b> {
    pub(super) const fn number(self) -> Option<u64> {
        match self {
            Self::Number(number) => Some(number),
            Self::Bytes(_) => None,
        }
    }

    pub(super) const fn bytes(self) -> Option<&'b [u8]> {
        match self {
            Self::Bytes(bytes) => Some(bytes),
            Self::Number(_) => None,
        }
    }
}

fn cut() -> ChakraError {
    ChakraError::new(
        "the file ends inside of a message, or is no execution trace",
        "give files as Chakra writes them: messages of protocol buffers behind their lengths",
    )
}

/// Removes a varint from the front of `bytes`.
pub(super) fn varint(bytes: &mut &[u8]) -> Result<u64, ChakraError> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = bytes.split_first().ok_or_else(cut)?;
        *bytes = rest;
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Ok(value);
        }
    }
    Err(cut())
}

fn take<'b>(bytes: &mut &'b [u8], count: u64) -> Result<&'b [u8], ChakraError> {
    let count = usize::try_from(count).map_err(|_| cut())?;
    let (taken, rest) = bytes.split_at_checked(count).ok_or_else(cut)?;
    *bytes = rest;
    Ok(taken)
}

/// Removes a message that is preceded by its length.
pub(super) fn message<'b>(bytes: &mut &'b [u8]) -> Result<&'b [u8], ChakraError> {
    let length = varint(bytes)?;
    take(bytes, length)
}

/// Removes the next field of a message: its number and value.
pub(super) fn field<'b>(bytes: &mut &'b [u8]) -> Result<(u64, Value<'b>), ChakraError> {
    let key = varint(bytes)?;
    let fixed = |bytes: &[u8]| {
        let mut all = [0; 8];
        all[..bytes.len()].copy_from_slice(bytes);
        Value::Number(u64::from_le_bytes(all))
    };
    let value = match key & 7 {
        0 => Value::Number(varint(bytes)?),
        1 => fixed(take(bytes, 8)?),
        2 => Value::Bytes(message(bytes)?),
        5 => fixed(take(bytes, 4)?),
        _ => return Err(cut()),
    };
    Ok((key >> 3, value))
}
