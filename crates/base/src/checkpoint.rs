//! The state of a simulation in a checkpoint.
//!
//! To restore a simulation, it is first built from its scenario as usual; then its state is loaded.
//! So a checkpoint contains the state that changes during a run, and nothing that follows from the
//! scenario: no topology, no routes, no parameters.
//!
//! * [`Checkpointed`]: state that is loaded into an existing object: hosts, queues, applications.
//! * [`Stored`]: values that are created from the stored data: times, packets, flows.
//!
//! Derive either trait. If all fields of a type are saved, it needs nothing else:
//!
//! ```
//! use fabricsim_base::checkpoint::{Checkpointed, Reader, Writer};
//! use fabricsim_base::units::{Duration, Time};
//!
//! #[derive(Checkpointed)]
//! struct Ticks {
//!     next: Time,
//!     #[checkpoint(counter)]
//!     count: u64,
//!     #[checkpoint(rebuilt)]
//!     every: Duration,
//! }
//!
//! let every = Duration::from_us(1);
//! let ticks = Ticks { next: Time::from_ns(5_000), count: 4, every };
//! let mut out = Writer::default();
//! ticks.save(&mut out);
//! let bytes = out.finish()?;
//!
//! let mut again = Ticks { next: Time::ZERO, count: 0, every };
//! let mut input = Reader::new(&bytes);
//! again.load(&mut input)?;
//! input.end()?;
//! assert_eq!((again.next, again.count), (ticks.next, ticks.count));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The format is compact and has no names: integers take as few bytes as they need, and data must
//! be read as the type as which it was saved. Named sections with lengths show the place of a
//! mismatch.

mod collections;
mod error;
mod kind;
mod numbers;
mod reader;
mod recurrence;
mod relative;
mod writer;

pub use error::{LoadError, SaveError};
pub use fabricsim_checkpoint_derive::{Checkpointed, Stored};
pub use kind::Kind;
pub use reader::Reader;
pub use recurrence::{Recurrence, Snapshot};
pub use writer::{Rebuilt, Writer};

/// State that a checkpoint contains and that is loaded into an object built from the same
/// configuration.
pub trait Checkpointed {
    /// Appends the state to `out`.
    fn save(&self, out: &mut Writer);

    /// Loads the state that [`Self::save`] has written.
    ///
    /// # Errors
    /// Fails if `input` contains something else.
    fn load(&mut self, input: &mut Reader<'_>) -> Result<(), LoadError>;
}

/// A value that a checkpoint contains as a whole.
pub trait Stored: Sized {
    /// Appends the value to `out`.
    fn store(&self, out: &mut Writer);

    /// Returns the value that [`Self::store`] has written.
    ///
    /// # Errors
    /// Fails if `input` contains something else.
    fn fetch(input: &mut Reader<'_>) -> Result<Self, LoadError>;
}

impl<T: Stored> Checkpointed for T {
    #[inline]
    fn save(&self, out: &mut Writer) {
        self.store(out);
    }

    #[inline]
    fn load(&mut self, input: &mut Reader<'_>) -> Result<(), LoadError> {
        *self = T::fetch(input)?;
        Ok(())
    }
}

/// Saves the elements of a collection with a length that follows from the configuration.
pub fn save_each<'a, T: Checkpointed + 'a>(
    elements: impl ExactSizeIterator<Item = &'a T>,
    out: &mut Writer,
) {
    out.number(elements.len());
    elements.for_each(|element| element.save(out));
}

/// Loads the elements of a collection that [`save_each`] has saved.
///
/// # Errors
/// Fails if the number of elements differs, or `input` contains something else.
pub fn load_each<'a, T: Checkpointed + 'a>(
    elements: impl ExactSizeIterator<Item = &'a mut T>,
    input: &mut Reader<'_>,
) -> Result<(), LoadError> {
    input.expect_number(elements.len())?;
    for element in elements {
        element.load(input)?;
    }
    Ok(())
}

/// Saves state that may or may not exist, depending on the configuration.
pub fn save_optional<T: Checkpointed>(state: Option<&T>, out: &mut Writer) {
    state.is_some().store(out);
    if let Some(state) = state {
        out.section(|out| state.save(out));
    }
}

/// Loads state that [`save_optional`] has saved. If congestion control was replaced, the state may
/// exist on one side only; it then stays as built.
///
/// # Errors
/// Fails if the state exists on one side only for another reason, or if `input` contains something
/// else.
pub fn load_optional<T: Checkpointed>(
    state: Option<&mut T>,
    input: &mut Reader<'_>,
) -> Result<(), LoadError> {
    match (bool::fetch(input)?, state) {
        (true, Some(state)) => input.section("part", |input| state.load(input)),
        (false, None) => Ok(()),
        (true, None) if input.renews_control() => input.take_section().map(|_| ()),
        (false, Some(_)) if input.renews_control() => Ok(()),
        _ => Err(LoadError::new(
            "it has parts that are missing here, or the other way round",
        )),
    }
}

/// Defines `save_state` and `load_state` in the trait of a plugin.
///
/// A run may skip periods in which the state repeats, moved in time and in sequence numbers
/// ([`Kind`]). So the rules of a plugin must not depend on the origin of either: not on the time
/// modulo an interval, for example. If yours do, note it by [`Writer::absolute`] in `save_state`.
/// By default, saving is rejected
/// with the name of the plugin's type. `$what` describes the plugin in messages.
#[macro_export]
macro_rules! plugin_state {
    ($what:literal) => {
        /// Returns the name of the type, by which a checkpoint distinguishes plugins.
        fn type_name(&self) -> &'static str {
            std::any::type_name::<Self>()
        }

        /// Appends the state to a checkpoint.
        ///
        /// By default, a simulation with such a plugin cannot be saved. If your type is
        /// [`Checkpointed`](fabricsim_base::checkpoint::Checkpointed), put
        /// [`saves_state!`](fabricsim_base::saves_state) into its implementation.
        fn save_state(&self, out: &mut $crate::checkpoint::Writer) {
            out.refuse($what, std::any::type_name::<Self>());
        }

        /// Loads the state that [`Self::save_state`] has written.
        ///
        /// # Errors
        /// Fails if `input` contains something else.
        fn load_state(
            &mut self,
            _input: &mut $crate::checkpoint::Reader<'_>,
        ) -> Result<(), $crate::checkpoint::LoadError> {
            Err(fabricsim_base::checkpoint::LoadError::new(format!(
                "{} {} takes over no state",
                $what,
                std::any::type_name::<Self>()
            )))
        }
    };
}

/// Implements `save_state` and `load_state` of a plugin that is
/// [`Checkpointed`](crate::checkpoint::Checkpointed).
#[macro_export]
macro_rules! saves_state {
    () => {
        fn save_state(&self, out: &mut $crate::checkpoint::Writer) {
            $crate::checkpoint::Checkpointed::save(self, out);
        }

        fn load_state(
            &mut self,
            input: &mut $crate::checkpoint::Reader<'_>,
        ) -> Result<(), $crate::checkpoint::LoadError> {
            $crate::checkpoint::Checkpointed::load(self, input)
        }
    };
}

#[cfg(test)]
mod tests;
