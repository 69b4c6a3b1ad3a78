//! Acknowledgements made by hand, for the tests of algorithms.

use fabricsim_core::units::{Duration, Time};

use crate::tcp::controller::{
    Congestion, Growth, Recovering, Round, Signal, TcpAck, TcpCcConfig, TcpController, TcpStart,
};
use crate::tcp::ecn::Feedback;

/// The algorithm of `config` on a connection with accurate feedback.
pub(super) fn cc<C: TcpCcConfig>(config: &C) -> C::Controller {
    config.build(&TcpStart {
        wire: 1_514,
        ip: 1_500,
        initial_window: 10,
        feedback: Feedback::Accurate,
    })
}

/// An acknowledgement of one segment at `now`, over a round-trip time of `rtt`.
pub(super) fn ack(now: Time, rtt: Duration) -> TcpAck {
    TcpAck {
        now,
        delivered: 1,
        marked: 0,
        rtt: Some(rtt),
        least_rtt: rtt,
        smoothed_rtt: rtt,
        in_flight: 10,
        acknowledged: 0,
        sent: 0,
        recovering: Recovering::No,
        round: Round::Same,
        growth: Growth::Allowed,
    }
}

/// A stream whose segments are a byte long, with a full window in flight.
#[derive(Default)]
pub(super) struct Stream {
    pub(super) acknowledged: u64,
}

impl Stream {
    /// The acknowledgement of one segment more, with `window` segments in flight before it.
    pub(super) fn ack(&mut self, now: Time, rtt: Duration, window: u32) -> TcpAck {
        self.acknowledged += 1;
        TcpAck {
            acknowledged: self.acknowledged,
            sent: self.acknowledged - 1 + u64::from(window),
            ..ack(now, rtt)
        }
    }

    /// A round trip of `rtt` that ends at `now`: as many acknowledgements as the window has segments, of
    /// which the share `marked` is marked.
    pub(super) fn round(
        &mut self,
        cc: &mut impl TcpController,
        now: Time,
        rtt: Duration,
        marked: f64,
    ) {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a small window"
        )]
        let count = cc.cwnd() as u32;
        let mut owed = 0.0;
        for number in 0..count {
            owed += marked;
            let mark = owed >= 1.0 - 1e-9;
            if mark {
                owed -= 1.0;
            }
            cc.on_ack(&TcpAck {
                marked: u32::from(mark),
                round: if number == 0 { Round::New } else { Round::Same },
                ..self.ack(now, rtt, count)
            });
        }
    }
}

/// Tells `cc` of congestion with its window in flight.
pub(super) fn congestion(cc: &mut impl TcpController, now: Time, signal: Signal) {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a small window"
    )]
    let in_flight = cc.cwnd() as u32;
    cc.on_congestion(&Congestion {
        now,
        signal,
        in_flight,
    });
}
