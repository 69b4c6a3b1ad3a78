//! The slot of a packet for INT.

use fabricsim_core::packet::Header;

use crate::published_stack::PublishedStack;
use crate::stack::{ExactStack, IntHeader};

/// A header with a slot for INT.
pub trait HasInt: Header {
    /// The content of the slot; `()` where there is none.
    type Int: IntHeader;

    /// Returns the slot.
    fn int(&self) -> &Self::Int;

    /// Returns the slot, to be written.
    fn int_mut(&mut self) -> &mut Self::Int;
}

/// Headers that are all slot.
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
