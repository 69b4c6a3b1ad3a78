//! Pacing of segments at the rate of the controller.

use fabricsim_base::units::{Bytes, Rate, Time};

use super::TcpSender;

/// Number of segments at the beginning of a connection that leave without pacing.
///
/// Differs from the paper: the drafts of BBR and Prague pace all segments, but Linux does not pace
/// these (`tcp_update_skb_after_send`).
pub(super) const UNPACED: u8 = 10;

impl TcpSender {
    /// Takes the first sample of the round-trip time from the handshake. Its SYN or SYN-ACK left at
    /// `sent_at`.
    pub(in crate::tcp) fn on_handshake(&mut self, now: Time, sent_at: Time) {
        let rtt = now.since(sent_at);
        self.rtt.sample(rtt);
        self.cc.tell(|cc| cc.on_handshake(now, rtt));
    }

    /// Returns the pacing rate.
    pub(in crate::tcp) fn pacing_rate(&self) -> Option<Rate> {
        self.cc.rate()
    }

    /// Delays the next segment after one with `payload` bytes.
    #[inline(always)]
    pub(super) fn space(&mut self, now: Time, payload: u16) {
        self.unpaced = self.unpaced.saturating_sub(1);
        if self.unpaced == 0
            && let Some(rate) = self.cc.rate()
        {
            let payload = Bytes::new(u64::from(payload));
            self.paced = self.paced.max(now) + rate.transmission(payload);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use fabricsim_base::units::Duration;
    use fabricsim_core::plugin::{CcContext, DynFactory, Feedback, FlowStart};

    use super::*;
    use crate::cc::BbrConfig;
    use crate::tcp::config::TcpConfig;

    /// Twenty segments of 1,448 bytes in the first window, over 40 ms.
    #[test]
    fn the_first_ten_segments_leave_at_once_and_the_others_at_the_rate_of_the_handshake() {
        let rate = Rate::from_gbps(10);
        let network = CcContext::of_nics(rate);
        let rtt = Duration::from_ms(40);
        let config = BbrConfig::default();
        let cc = config.build_dyn(&FlowStart {
            initial_window: Bytes::new(20 * 1_448),
            ..FlowStart::new(rate, rtt, Bytes::new(1_448), &network)
        });
        let parameters = Arc::new(TcpConfig::default().parameters());
        let ecn = config.ecn(Feedback::None);
        let mut sender = TcpSender::new((cc, Rate::from_gbps(10)), ecn, Feedback::None, parameters);
        sender.write(100 * 1_448);
        sender.on_handshake(Time::ZERO + rtt, Time::ZERO);
        let mut left = Vec::new();
        let mut now = Time::ZERO + rtt;
        while sender.may_send() {
            now = now.max(sender.paced);
            sender.send(now);
            left.push(now.since(Time::ZERO + rtt).as_secs_f64());
        }
        // 2.885 windows of twenty per round trip.
        let gap = 0.04 / (20.0 * 2.0 / std::f64::consts::LN_2);
        let expected = (0..20).map(|number: u32| f64::from(number.saturating_sub(9)) * gap);
        for (seen, expected) in left.iter().zip(expected) {
            assert!((seen - expected).abs() < 1e-9, "{left:?}");
        }
        assert_eq!(left.len(), 20);
    }
}
