//! What a driver can do when it is called.

use fabricsim_core::id::{FlowId, NodeId};
use fabricsim_core::plugin::{AppContext, AppFlow, StartError};
use fabricsim_core::units::Time;

use super::Message;
use super::cell::{Pausing, State};
use crate::simulation::inputs::FlowRules;
use fabricsim_scenario::Error;

/// Starts flows of the host whose application is being called.
pub(crate) trait LocalStart {
    fn start(&mut self, flow: &AppFlow) -> Result<FlowId, StartError>;
}

impl LocalStart for AppContext<'_> {
    fn start(&mut self, flow: &AppFlow) -> Result<FlowId, StartError> {
        self.start_flow(flow)
    }
}

/// The host whose application is being called.
pub(crate) struct LocalHost<'a> {
    pub(super) id: NodeId,
    pub(super) flows: &'a mut (dyn LocalStart + 'a),
}

impl LocalHost<'_> {
    /// The same host for a shorter time.
    pub(super) fn again(&mut self) -> LocalHost<'_> {
        LocalHost {
            id: self.id,
            flows: &mut *self.flows,
        }
    }
}

/// Which messages a simulation takes. It can be kept and asked at any time.
#[derive(Clone, Debug)]
pub struct MessageRules {
    rules: FlowRules,
}

impl MessageRules {
    pub(crate) const fn new(rules: FlowRules) -> Self {
        Self { rules }
    }

    /// Checks whether `message` may start at `at` when it is `now`.
    ///
    /// # Errors
    /// When `at` has passed or lies beyond the end of simulated time, the message has no bytes or
    /// too many, its ends are not two different hosts, or its class and priority do not fit.
    pub fn check(&self, message: &Message, at: Time, now: Time) -> Result<(), Error> {
        let checked = self.rules.check(&message.request(at), now);
        checked.map_err(Error::Injection)
    }

    /// Checks whether a timer may be set to `at` when it is `now`.
    ///
    /// # Errors
    /// When `at` has passed or lies beyond the end of simulated time.
    pub fn check_timer(&self, at: Time, now: Time) -> Result<(), Error> {
        let refuse = |why: String| Err(Error::Timer(why));
        if at < now {
            return refuse(format!("it is to go off at {at}, and it is {now} now"));
        }
        if at > Time::HORIZON {
            return refuse(format!(
                "it is to go off at {at}, beyond the end of simulated time, 53 days"
            ));
        }
        Ok(())
    }
}

/// What a [`Driver`](super::Driver) can do when it is called.
pub struct Actions<'a> {
    now: Time,
    state: &'a mut State,
    /// The host of the event, where messages start at once.
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

    /// The time of the event.
    #[must_use]
    pub const fn now(&self) -> Time {
        self.now
    }

    /// Sends `message` now, from any host.
    ///
    /// # Errors
    /// Those of [`MessageRules::check`].
    pub fn send(&mut self, message: &Message) -> Result<(), Error> {
        self.send_at(self.now, message)
    }

    /// Sends `message` at `at`.
    ///
    /// # Errors
    /// Those of [`MessageRules::check`].
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
    /// Those of [`MessageRules::check_timer`].
    pub fn set_timer(&mut self, at: Time, token: u64) -> Result<(), Error> {
        self.state.rules.check_timer(at, self.now)?;
        self.state.set_timer(at, token);
        Ok(())
    }

    /// Cancels the timer `token`. Returns whether it was set.
    pub fn cancel_timer(&mut self, token: u64) -> bool {
        self.state.cancel_timer(token)
    }

    /// Ends the run after this event. It returns [`Stop::Interrupted`] and can go on later.
    ///
    /// [`Stop::Interrupted`]: fabricsim_core::network::Stop::Interrupted
    pub fn stop(&mut self) {
        self.state.pausing = Pausing::Now;
    }
}
