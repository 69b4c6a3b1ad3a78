//! NewReno: additive increase, halving (RFC 5681; RFC 6582; RFC 3168, section 6.1.2 for marks).

use fabricsim_core::input::ConfigError;
use fabricsim_core::units::Duration;
use serde::{Deserialize, Serialize};

use super::window::Window;
use crate::tcp::controller::{
    Congestion, Growth, Signal, TcpAck, TcpCcConfig, TcpController, TcpStart,
};

/// Settings of [`NewReno`]: there are none.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct NewRenoConfig {}

impl TcpCcConfig for NewRenoConfig {
    const KEYS: &'static [(&'static str, &'static str)] = &[];

    type Controller = NewReno;

    fn validate(&self) -> Result<(), ConfigError> {
        Ok(())
    }

    fn build(&self, start: &TcpStart) -> NewReno {
        NewReno {
            window: Window::new(start.initial_window),
        }
    }
}

/// NewReno for one connection.
#[derive(Clone, Debug)]
pub struct NewReno {
    window: Window,
}

impl TcpController for NewReno {
    #[inline]
    fn on_ack(&mut self, ack: &TcpAck) {
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
            self.window.reduce_to(f64::from(congestion.in_flight) / 2.0);
        }
        if matches!(congestion.signal, Signal::Timeout | Signal::RepeatedTimeout) {
            self.window.restart_from_one();
        }
    }

    fn on_recovery_exit(&mut self, window: f64) {
        self.window.cwnd = window;
    }

    fn on_idle(&mut self, _idle: Duration, restart: Option<f64>) {
        self.window.limit(restart);
    }

    #[inline]
    fn cwnd(&self) -> f64 {
        self.window.cwnd
    }

    #[inline]
    fn ssthresh(&self) -> f64 {
        self.window.ssthresh
    }
}

#[cfg(test)]
mod tests {
    use super::super::harness::{Stream, cc, congestion};
    use super::*;
    use fabricsim_core::units::Time;

    const RTT: Duration = Duration::from_ms(10);

    #[test]
    fn slow_start_doubles_and_avoidance_adds_one() {
        let mut reno = cc(&NewRenoConfig::default());
        Stream::default().round(&mut reno, Time::ZERO, RTT, 0.0);
        Stream::default().round(&mut reno, Time::ZERO, RTT, 0.0);
        assert!((reno.cwnd() - 40.0).abs() < 1e-9, "{}", reno.cwnd());
        congestion(&mut reno, Time::ZERO, Signal::Loss);
        assert_eq!((reno.cwnd(), reno.ssthresh()), (20.0, 20.0));
        for _ in 0..10 {
            Stream::default().round(&mut reno, Time::ZERO, RTT, 0.0);
        }
        assert!((reno.cwnd() - 30.0).abs() < 0.6, "{}", reno.cwnd());
    }

    #[test]
    fn a_timeout_starts_from_one_and_a_repeated_one_keeps_the_threshold() {
        let mut reno = cc(&NewRenoConfig::default());
        congestion(&mut reno, Time::ZERO, Signal::Timeout);
        assert_eq!((reno.cwnd(), reno.ssthresh()), (1.0, 5.0));
        congestion(&mut reno, Time::ZERO, Signal::RepeatedTimeout);
        assert_eq!((reno.cwnd(), reno.ssthresh()), (1.0, 5.0));
        congestion(&mut reno, Time::ZERO, Signal::Loss);
        assert!((reno.ssthresh() - 2.0).abs() < 1e-9, "the least threshold");
    }
}
