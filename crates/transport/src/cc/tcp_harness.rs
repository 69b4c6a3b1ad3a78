//! Handmade TCP acknowledgements for the tests of congestion controls.

use fabricsim_base::units::{Bytes, Duration, Rate, Time};
use fabricsim_core::plugin::{
    Ack, CcContext, Congestion, CongestionControl, ControllerFactory, Feedback, FlowStart, Round,
    Signal,
};

const MSS: u64 = 1_448;

fn segments(count: u64) -> Bytes {
    Bytes::new(count * MSS)
}

/// Returns the controller of `config` on a connection with accurate feedback.
pub(super) fn cc<C: ControllerFactory<()>>(config: &C) -> C::Controller {
    cc_with(config, Feedback::Accurate)
}

/// Returns the controller of `config` on a connection with `feedback`.
pub(super) fn cc_with<C: ControllerFactory<()>>(config: &C, feedback: Feedback) -> C::Controller {
    let rate = Rate::from_gbps(10);
    let network = CcContext::of_nics(rate);
    config.build(&FlowStart {
        wire: Bytes::new(1_514),
        ip: Bytes::new(1_500),
        initial_window: segments(10),
        feedback,
        ..FlowStart::new(rate, Duration::from_ms(10), Bytes::new(MSS), &network)
    })
}

/// Returns an acknowledgement of one segment at `now`, with a round-trip time of `rtt`.
pub(super) fn ack(now: Time, rtt: Duration) -> Ack<'static, ()> {
    Ack {
        in_flight: segments(10),
        ..Ack::new(now, 0, 0, rtt, &())
    }
}

/// Returns the pacing rate of `cc`.
pub(super) fn rate(cc: &impl CongestionControl<()>) -> Option<Rate> {
    cc.pacing_rate()
}

/// Returns the window of `cc` in whole segments.
fn window(cc: &impl CongestionControl<()>) -> u32 {
    let bytes = cc.window().expect("TCP has windows").get();
    u32::try_from(bytes / MSS).expect("a small window")
}

/// A stream of one-byte segments with a full window in flight.
#[derive(Default)]
pub(super) struct Stream {
    pub(super) acknowledged: u64,
}

impl Stream {
    /// Returns the acknowledgement of one more segment, with `window` segments in flight before it.
    pub(super) fn ack(&mut self, now: Time, rtt: Duration, window: u32) -> Ack<'static, ()> {
        self.acknowledged += 1;
        Ack {
            cumulative: self.acknowledged,
            next_seq: self.acknowledged - 1 + u64::from(window),
            ..ack(now, rtt)
        }
    }

    /// Runs a round trip of `rtt` that ends at `now`: one acknowledgement per segment of the
    /// window, with a share of `marked` marked.
    pub(super) fn round(
        &mut self,
        cc: &mut impl CongestionControl<()>,
        now: Time,
        rtt: Duration,
        marked: f64,
    ) {
        let count = window(cc);
        let mut owed = 0.0;
        for number in 0..count {
            owed += marked;
            let mark = owed >= 1.0 - 1e-9;
            if mark {
                owed -= 1.0;
            }
            cc.on_ack(&Ack {
                marked: u32::from(mark),
                round: if number == 0 { Round::New } else { Round::Same },
                ..self.ack(now, rtt, count)
            });
        }
    }
}

/// Reports congestion to `cc` with its window in flight.
pub(super) fn congestion(cc: &mut impl CongestionControl<()>, now: Time, signal: Signal) {
    let in_flight = segments(u64::from(window(cc)));
    cc.on_congestion(&Congestion {
        now,
        signal,
        in_flight,
        next_seq: 0,
    });
}
