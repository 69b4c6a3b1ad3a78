//! Spacing of segments at the rate of the controller.

use fabricsim_core::units::{Bytes, Rate, Time};

use super::TcpSender;

/// First segments of a connection that leave without being spaced, as in Linux
/// (`tcp_update_skb_after_send`).
pub(super) const UNPACED: u8 = 10;

impl TcpSender {
    /// The handshake, whose SYN or SYN-ACK left at `sent_at`, brings the first sample of the
    /// round-trip time.
    pub(in crate::tcp) fn on_handshake(&mut self, now: Time, sent_at: Time) {
        let rtt = now.since(sent_at);
        self.rtt.sample(rtt);
        self.cc.tell(|cc| cc.on_handshake(now, rtt));
    }

    /// The rate at which segments are spaced.
    pub(in crate::tcp) fn pacing_rate(&self) -> Option<Rate> {
        self.cc.rate()
    }

    /// A segment with `payload` bytes leaves: defers the next one.
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
