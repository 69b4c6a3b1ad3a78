//! The state of a simulation, as a checkpoint holds it.
//!
//! A simulation that is restored is built from its scenario like any other; then its state is put
//! into it. So a checkpoint holds what changes while a simulation runs, and nothing that follows
//! from the scenario: no topology, no routes, no parameters.
//!
//! * [`Checkpointed`]: state that is put into something that has been built: hosts, queues,
//!   applications.
//! * [`Stored`]: values that are made anew from what is stored: times, packets, flows.
//!
//! Both are derived, and a type whose fields are all saved needs nothing else:
//!
//! ```
//! use fabricsim_base::checkpoint::{Checkpointed, Reader, Writer};
//! use fabricsim_base::units::{Duration, Time};
//!
//! #[derive(Checkpointed)]
//! struct Ticks {
//!     next: Time,
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
//! The form is compact and has no names: integers take as few bytes as they need, and what has been
//! saved as one type is read as that type. Sections with names and lengths tell where the two
//! disagree.

mod collections;
mod error;
mod numbers;
mod reader;
mod writer;

pub use error::{LoadError, SaveError};
pub use fabricsim_checkpoint_derive::{Checkpointed, Stored};
pub use reader::Reader;
pub use writer::{Rebuilt, Writer};

/// State that a checkpoint holds, and that is put into something that has been built anew from the
/// same configuration.
pub trait Checkpointed {
    /// Appends the state to `out`.
    fn save(&self, out: &mut Writer);

    /// Takes the state over that [`Self::save`] has written.
    ///
    /// # Errors
    /// When `input` holds something else.
    fn load(&mut self, input: &mut Reader<'_>) -> Result<(), LoadError>;
}

/// A value that a checkpoint holds as a whole.
pub trait Stored: Sized {
    /// Appends the value to `out`.
    fn store(&self, out: &mut Writer);

    /// Returns the value that [`Self::store`] has written.
    ///
    /// # Errors
    /// When `input` holds something else.
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

/// Saves the elements of a collection whose length follows from the configuration.
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
/// When there are not as many, or `input` holds something else.
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

/// Saves state that there may be or not, as the configuration says.
pub fn save_optional<T: Checkpointed>(state: Option<&T>, out: &mut Writer) {
    state.is_some().store(out);
    if let Some(state) = state {
        out.section(|out| state.save(out));
    }
}

/// Loads state that [`save_optional`] has saved. Where congestion control may have become another
/// one, there may be some on one side alone: it is as it has been built then.
///
/// # Errors
/// When there is some on one side alone otherwise, or `input` holds something else.
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

/// Defines `save_state` and `load_state` in the trait of a plugin: by default it has no way into a
/// checkpoint, which is refused in its name. `$what` is what to call the plugin.
#[macro_export]
macro_rules! plugin_state {
    ($what:literal) => {
        /// Returns the name of the type, by which a checkpoint tells plugins apart.
        fn type_name(&self) -> &'static str {
            std::any::type_name::<Self>()
        }

        /// Appends the state to a checkpoint.
        ///
        /// By default there is no checkpoint of a simulation with such a plugin. A type that
        /// is [`Checkpointed`](fabricsim_base::checkpoint::Checkpointed) has
        /// [`saves_state!`](fabricsim_base::saves_state) in its implementation.
        fn save_state(&self, out: &mut $crate::checkpoint::Writer) {
            out.refuse($what, std::any::type_name::<Self>());
        }

        /// Takes over the state that [`Self::save_state`] has written.
        ///
        /// # Errors
        /// When `input` holds something else.
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
