//! The reason why a sender waits.

use std::fmt::Write as _;

use fabricsim_base::units::Time;
use fabricsim_core::packet::Header;
use fabricsim_core::plugin::{CongestionControl, Wait};

use super::{MAX_BACKOFF, RdmaSender};

impl<L> RdmaSender<L> {
    /// Returns the reason why the sender does not send at `now`.
    pub(in crate::rdma) fn wait<H: Header>(&self, now: Time) -> Wait
    where
        L: CongestionControl<H>,
    {
        if self.next >= self.written {
            if self.in_flight() > 0 {
                Wait::Acknowledgement
            } else {
                Wait::Nothing
            }
        } else if self.may_send::<H>() {
            if self.next_send > now {
                Wait::Pacing(self.next_send)
            } else {
                Wait::Port
            }
        } else if H::CREDIT && self.waits_for_credit::<H>() {
            Wait::Credit
        } else {
            Wait::Window
        }
    }

    /// Returns a description of the event that the sender waits for.
    pub(in crate::rdma) fn waits_for<H: Header>(&self) -> String
    where
        L: CongestionControl<H>,
    {
        let in_flight = self.payload_in_flight();
        let mut text = if in_flight > 0 && self.next >= self.written {
            format!("all bytes sent, {in_flight} of them not acknowledged")
        } else if H::CREDIT && self.waits_for_credit::<H>() {
            format!("the receiver has not granted credit; {in_flight} bytes are in flight")
        } else if !self.may_send::<H>() {
            format!("the window is full with {in_flight} bytes in flight")
        } else {
            format!(
                "{in_flight} bytes in flight; next packet may leave at {:.3} us; waiting for pacing, \
                 the port, or PFC",
                self.next_send.as_secs_f64() * 1e6
            )
        };
        if self.backoff > 0 {
            let least = if self.backoff == MAX_BACKOFF {
                "at least "
            } else {
                ""
            };
            let _ = write!(
                text,
                "; retransmitted after {least}{} timeouts in a row without an acknowledgement",
                self.backoff
            );
        }
        text
    }
}
