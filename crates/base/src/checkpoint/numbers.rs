//! Numbers, quantities and ids.

use std::num::NonZeroU64;

use super::{LoadError, Reader, Stored, Writer};

macro_rules! whole {
    ($($type:ty)*) => {$(
        impl Stored for $type {
            #[inline]
            fn store(&self, out: &mut Writer) {
                let value = u64::try_from(*self).expect("numbers of at most 64 bits");
                out.integer(value, u64::try_from(Self::MAX).expect("numbers of at most 64 bits"));
            }

            #[inline]
            fn fetch(input: &mut Reader<'_>) -> Result<Self, LoadError> {
                Self::try_from(input.integer()?).map_err(|_| LoadError::new("a number is too large"))
            }
        }
    )*};
}

whole!(u16 u32 u64 usize);

impl Stored for NonZeroU64 {
    fn store(&self, out: &mut Writer) {
        out.quantity(self.get());
    }

    fn fetch(input: &mut Reader<'_>) -> Result<Self, LoadError> {
        Self::new(input.integer()?).ok_or_else(|| LoadError::new("a number is zero"))
    }
}

macro_rules! fixed {
    ($($type:ty)*) => {$(
        impl Stored for $type {
            #[inline]
            fn store(&self, out: &mut Writer) {
                out.bytes(&self.to_le_bytes());
            }

            #[inline]
            fn fetch(input: &mut Reader<'_>) -> Result<Self, LoadError> {
                Ok(Self::from_le_bytes(input.array()?))
            }
        }
    )*};
}

fixed!(u8 u128 i32 i64 f64);

impl Stored for bool {
    fn store(&self, out: &mut Writer) {
        out.byte(u8::from(*self));
    }

    fn fetch(input: &mut Reader<'_>) -> Result<Self, LoadError> {
        match input.byte()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(LoadError::new("neither true nor false")),
        }
    }
}

impl Stored for () {
    #[inline]
    fn store(&self, _out: &mut Writer) {}

    #[inline]
    fn fetch(_input: &mut Reader<'_>) -> Result<Self, LoadError> {
        Ok(())
    }
}
