//! The window during loss recovery (section 4.2.3.4).

use fabricsim_base::checkpoint::Stored;
use fabricsim_core::plugin::{Recovering, Signal};

use super::states::State;

/// The saved window, and the state of recovery.
#[derive(Clone, Copy, Debug, Default, Stored)]
#[checkpoint(absolute)]
pub(super) struct Recovery {
    /// Window before the recovery, in segments (BBR.prior_cwnd).
    prior: f64,
    phase: Phase,
    /// Segments that the last acknowledgement delivered.
    delivered: u32,
}

/// Phase of recovery.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, Stored)]
#[checkpoint(absolute)]
enum Phase {
    #[default]
    Nothing,
    /// The first round: at most as many segments leave as arrive (BBR.packet_conservation).
    Conservation,
    /// Later rounds, or after a timeout.
    Repair,
}

impl Recovery {
    /// Saves the window `cwnd`, unless recovery or a probe has already reduced it (`BBRSaveCwnd`).
    pub(super) fn keep(&mut self, cwnd: f64, state: State) {
        self.prior = if self.phase == Phase::Nothing && state != State::ProbeRtt {
            cwnd
        } else {
            self.prior.max(cwnd)
        };
    }

    /// Returns the window after recovery or ProbeRTT (`BBRRestoreCwnd`).
    pub(super) fn restored(&self, cwnd: f64) -> f64 {
        cwnd.max(self.prior)
    }

    /// Returns the window after `signal`, or `None` if it does not change.
    pub(super) fn begin(
        &mut self,
        signal: Signal,
        cwnd: f64,
        in_flight: f64,
        state: State,
    ) -> Option<f64> {
        match signal {
            Signal::Mark => None,
            Signal::Loss => {
                self.keep(cwnd, state);
                self.phase = Phase::Conservation;
                Some(in_flight + f64::from(self.delivered.max(1)))
            }
            Signal::Timeout | Signal::RepeatedTimeout => {
                self.keep(cwnd, state);
                self.phase = Phase::Repair;
                Some(1.0)
            }
        }
    }

    /// Returns `true` if `recovering` shows that recovery has ended. The conservation phase ends
    /// with a round.
    pub(super) fn ends(&mut self, recovering: Recovering, new_round: bool) -> bool {
        if self.phase == Phase::Conservation && new_round {
            self.phase = Phase::Repair;
        }
        let ended = self.phase != Phase::Nothing && recovering == Recovering::No;
        if ended {
            self.phase = Phase::Nothing;
        }
        ended
    }

    pub(super) fn conserves(&self) -> bool {
        self.phase == Phase::Conservation
    }

    /// Returns the window `cwnd`, bounded by the rules of recovery (`BBRModulateCwndForRecovery`).
    pub(super) fn modulated(&self, cwnd: f64, in_flight: f64, delivered: f64, lost: u32) -> f64 {
        if self.phase == Phase::Nothing {
            return cwnd;
        }
        let left = if lost > 0 {
            (cwnd - f64::from(lost)).max(1.0)
        } else {
            cwnd
        };
        if self.conserves() {
            left.max(in_flight + delivered)
        } else {
            left
        }
    }

    pub(super) const fn note_delivered(&mut self, delivered: u32) {
        self.delivered = delivered;
    }
}
