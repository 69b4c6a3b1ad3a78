//! What a simulation takes of whoever drives it.

use fabricsim_base::units::Time;

use super::Message;
use crate::simulation::inputs::FlowRules;
use fabricsim_scenario::Error;

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
