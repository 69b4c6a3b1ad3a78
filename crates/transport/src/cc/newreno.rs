//! NewReno: additive increase, halving (RFC 5681; RFC 6582; RFC 3168, section 6.1.2 for marks).

use fabricsim_base::checkpoint::Checkpointed;
use fabricsim_base::input::Keys;
use fabricsim_base::units::{Bytes, Duration, Rate};
use fabricsim_core::plugin::{
    Ack, CcConfig, Congestion, CongestionControl, ControllerFactory, FlowStart, Growth, Signal,
    Transport,
};
use serde::{Deserialize, Serialize};

use super::reno_window::{RenoWindow, delegate_to_window};

/// Settings of [`NewReno`]; there are none.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct NewRenoConfig {}

impl CcConfig for NewRenoConfig {
    const KEYS: Keys = &[];

    const TRANSPORT: Transport = Transport::Tcp;
}

impl<H> ControllerFactory<H> for NewRenoConfig {
    type Controller = NewReno;

    fn build(&self, start: &FlowStart<'_>) -> NewReno {
        NewReno {
            window: RenoWindow::new(start),
        }
    }
}

/// NewReno for one connection.
#[derive(Checkpointed, Clone, Debug)]
#[checkpoint(absolute)]
pub struct NewReno {
    window: RenoWindow,
}

impl<H> CongestionControl<H> for NewReno {
    #[inline]
    fn on_ack(&mut self, ack: &Ack<'_, H>) {
        if ack.growth != Growth::Allowed {
            return;
        }
        let mut delivered = f64::from(ack.delivered);
        if self.window.in_slow_start() {
            delivered = self.window.slow_start(delivered);
        }
        if delivered > 0.0 {
            self.window.avoid_congestion(delivered, 1.0);
        }
    }

    fn on_congestion(&mut self, congestion: &Congestion) {
        // RFC 5681, equation 4.
        if congestion.signal != Signal::RepeatedTimeout {
            self.window
                .reduce_to(self.window.segments(congestion.in_flight) / 2.0);
        }
        if matches!(congestion.signal, Signal::Timeout | Signal::RepeatedTimeout) {
            self.window.restart_from_one();
        }
    }

    fn on_idle(&mut self, _idle: Duration, restart: Option<Bytes>) {
        self.window.limit(restart);
    }

    delegate_to_window!();

    #[inline]
    fn pacing_rate(&self) -> Option<Rate> {
        None
    }

    fabricsim_base::saves_state!();
}

#[cfg(test)]
mod tests {
    use super::super::tcp_harness::{Stream, cc, congestion};
    use super::*;
    use fabricsim_base::units::Time;

    const RTT: Duration = Duration::from_ms(10);

    #[test]
    fn slow_start_doubles_and_avoidance_adds_one() {
        let mut reno = cc(&NewRenoConfig::default());
        Stream::default().round(&mut reno, Time::ZERO, RTT, 0.0);
        Stream::default().round(&mut reno, Time::ZERO, RTT, 0.0);
        assert!(
            (reno.window.cwnd - 40.0).abs() < 1e-9,
            "{}",
            reno.window.cwnd
        );
        congestion(&mut reno, Time::ZERO, Signal::Loss);
        assert_eq!((reno.window.cwnd, reno.window.ssthresh), (20.0, 20.0));
        for _ in 0..10 {
            Stream::default().round(&mut reno, Time::ZERO, RTT, 0.0);
        }
        assert!(
            (reno.window.cwnd - 30.0).abs() < 0.6,
            "{}",
            reno.window.cwnd
        );
    }

    #[test]
    fn a_timeout_starts_from_one_and_a_repeated_one_keeps_the_threshold() {
        let mut reno = cc(&NewRenoConfig::default());
        congestion(&mut reno, Time::ZERO, Signal::Timeout);
        assert_eq!((reno.window.cwnd, reno.window.ssthresh), (1.0, 5.0));
        congestion(&mut reno, Time::ZERO, Signal::RepeatedTimeout);
        assert_eq!((reno.window.cwnd, reno.window.ssthresh), (1.0, 5.0));
        congestion(&mut reno, Time::ZERO, Signal::Loss);
        assert!(
            (reno.window.ssthresh - 2.0).abs() < 1e-9,
            "the least threshold"
        );
    }
}
