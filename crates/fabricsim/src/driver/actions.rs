//! The requests of a driver.

use fabricsim_base::units::Time;

use super::Message;
use super::local::LocalHost;
use super::state::{Pausing, State};
use fabricsim_scenario::Error;

/// The requests that a [`Driver`](super::Driver) can make when it receives an event.
pub struct Actions<'a> {
    now: Time,
    state: &'a mut State,
    /// The host of the event; messages from there start immediately.
    host: Option<LocalHost<'a>>,
}

impl std::fmt::Debug for Actions<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Actions")
            .field("now", &self.now)
            .finish_non_exhaustive()
    }
}

impl<'a> Actions<'a> {
    pub(crate) fn new(now: Time, state: &'a mut State, host: Option<LocalHost<'a>>) -> Self {
        Self { now, state, host }
    }

    /// Returns the time of the event.
    #[must_use]
    pub const fn now(&self) -> Time {
        self.now
    }

    /// Sends `message` now, from any host.
    ///
    /// # Errors
    /// Fails like [`MessageRules::check`](super::MessageRules::check).
    pub fn send(&mut self, message: &Message) -> Result<(), Error> {
        self.send_at(self.now, message)
    }

    /// Sends `message` at `at`.
    ///
    /// # Errors
    /// Fails like [`MessageRules::check`](super::MessageRules::check).
    pub fn send_at(&mut self, at: Time, message: &Message) -> Result<(), Error> {
        self.state.rules.check(message, at, self.now)?;
        match &mut self.host {
            Some(host) if host.id == message.src && at == self.now => {
                self.state.start(message, self.now, host.flows);
            }
            _ => self.state.order(message, at),
        }
        Ok(())
    }

    /// Sets the timer `token` to `at`, or moves it there.
    ///
    /// # Errors
    /// Fails like [`MessageRules::check_timer`](super::MessageRules::check_timer).
    pub fn set_timer(&mut self, at: Time, token: u64) -> Result<(), Error> {
        self.state.rules.check_timer(at, self.now)?;
        self.state.set_timer(at, token);
        Ok(())
    }

    /// Cancels the timer `token`. Returns `true` if it was set.
    pub fn cancel_timer(&mut self, token: u64) -> bool {
        self.state.cancel_timer(token)
    }

    /// Ends the run after this event. The run returns [`Stop::Interrupted`] and can continue later.
    ///
    /// [`Stop::Interrupted`]: fabricsim_core::network::Stop::Interrupted
    pub fn stop(&mut self) {
        self.state.pausing = Pausing::Now;
    }
}
