//! The slot of a packet for INT.

use fabricsim_core::packet::Header;

use crate::published_stack::PublishedStack;
use crate::stack::{ExactStack, IntHeader};

/// A header with a slot for INT.
pub trait HasInt: Header {
    /// Type of the content; `()` if there is no slot.
    type Int: IntHeader;

    /// Returns the content of the slot.
    fn int(&self) -> &Self::Int;

    /// Returns the content of the slot for writing.
    fn int_mut(&mut self) -> &mut Self::Int;
}

/// Implements [`HasInt`] for headers that consist of the slot alone.
macro_rules! alone {
    ($([$($parameter:tt)*] $header:ty),*) => {$(
        impl<$($parameter)*> HasInt for $header {
            type Int = Self;

            #[inline]
            fn int(&self) -> &Self {
                self
            }

            #[inline]
            fn int_mut(&mut self) -> &mut Self {
                self
            }
        }
    )*};
}

alone!([] (), [const N: usize] ExactStack<N>, [] PublishedStack);
