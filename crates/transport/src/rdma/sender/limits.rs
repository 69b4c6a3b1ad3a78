//! The limits that the controller of a flow allows, and their changes.

use fabricsim_base::units::{Bytes, Rate, Time};
use fabricsim_core::plugin::{CcActivity, CongestionControl, SendLimits};

use super::{RdmaSender, first_round_end};

/// Returns the bytes of a window, or `u64::MAX` if there is none.
#[inline]
pub(super) const fn most(window: Option<Bytes>) -> u64 {
    match window {
        Some(window) => window.get(),
        None => u64::MAX,
    }
}

impl<L> RdmaSender<L> {
    /// Stores the limits after an acknowledgement at `now`.
    #[inline]
    pub(in crate::rdma) fn follow_ack(&mut self, now: Time, limits: &SendLimits) {
        self.events.acks += 1;
        self.rates.note(now, limits.rate);
        match limits.rate {
            Some(rate) => {
                let before = self.allowed_rate.map_or(0, Rate::as_bps);
                let is_lower = (rate.as_bps() < before) | (most(limits.window) < self.window);
                self.events.decreases += u64::from(is_lower);
            }
            None => self.note_window(limits),
        }
        self.follow(limits);
    }

    /// Counts a change of the window of an algorithm without a rate.
    // Kept out of line, so that the path of an acknowledgement needs no registers for it.
    #[cold]
    fn note_window(&mut self, limits: &SendLimits) {
        let before = self.limits();
        self.events.note_event(&before, limits);
    }

    /// Reads the limits of the controller again after an event at `now`.
    #[inline]
    pub(in crate::rdma) fn renew_limits<H>(&mut self, now: Time)
    where
        L: CongestionControl<H>,
    {
        let (before, limits) = (self.limits(), self.cc.limits());
        self.events.note_event(&before, &limits);
        self.rates.note(now, limits.rate);
        self.follow(&limits);
    }

    /// Returns the limits that the controller allowed at its last event, without its deadline.
    #[inline]
    const fn limits(&self) -> SendLimits {
        SendLimits {
            window: match self.window {
                u64::MAX => None,
                bytes => Some(Bytes::new(bytes)),
            },
            rate: self.allowed_rate,
            deadline: Time::MAX,
        }
    }

    /// Returns the activity of the flow's controller until `now`, at a NIC port of the rate `line`.
    pub(in crate::rdma) fn activity(&self, now: Time, line: Rate) -> CcActivity {
        CcActivity::new(self.events, self.rates.until(now), self.allowed_rate, line)
    }

    /// Reads the limits of the loaded controller.
    pub(in crate::rdma) fn load_limits<H>(&mut self, now: Time)
    where
        L: CongestionControl<H>,
    {
        let limits = self.cc.limits();
        self.rates.renew(now, limits.rate);
        self.follow(&limits);
    }

    /// Begins to count round trips anew, for another controller.
    pub(in crate::rdma) fn renew_rounds<H>(&mut self)
    where
        L: CongestionControl<H>,
    {
        self.round_end = first_round_end::<H, L>(&self.cc);
    }

    /// Stores the limits that the controller allows from now on.
    #[inline]
    pub(super) const fn follow(&mut self, limits: &SendLimits) {
        self.window = most(limits.window);
        self.allowed_rate = limits.rate;
    }
}
