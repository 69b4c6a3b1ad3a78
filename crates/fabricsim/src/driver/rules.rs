//! The limits for messages and timers of a driving program.

use fabricsim_base::units::Time;

use super::Message;
use crate::simulation::inputs::FlowRules;
use fabricsim_scenario::Error;

/// The rules for messages of a simulation. A program can keep a copy and check messages at any
/// time.
#[derive(Clone, Debug)]
pub struct MessageRules {
    rules: FlowRules,
}

impl MessageRules {
    pub(crate) const fn new(rules: FlowRules) -> Self {
        Self { rules }
    }

    /// Checks that `message` may start at `at`, given the time `now`.
    ///
    /// # Errors
    /// Fails if `at` is in the past or beyond the end of simulated time, if the message has no
    /// bytes or too many, if its ends are not two different hosts, or if its class and priority do
    /// not match.
    pub fn check(&self, message: &Message, at: Time, now: Time) -> Result<(), Error> {
        let checked = self.rules.check(&message.request(at), now);
        checked.map_err(Error::Injection)
    }

    /// Checks that a timer may be set to `at`, given the time `now`.
    ///
    /// # Errors
    /// Fails if `at` is in the past or beyond the end of simulated time.
    pub fn check_timer(&self, at: Time, now: Time) -> Result<(), Error> {
        let refuse = |why: String| Err(Error::Timer(why));
        if at < now {
            return refuse(format!(
                "it is set to {at}, which is before the present time {now}"
            ));
        }
        if at > Time::HORIZON {
            return refuse(format!(
                "it is set to {at}, beyond the end of simulated time, 53 days"
            ));
        }
        Ok(())
    }
}
