//! The delivery rate of a connection (draft-cheng-iccrg-delivery-rate-estimation, section 3), for
//! controllers that need it.

use std::collections::VecDeque;

use fabricsim_base::checkpoint::Stored;
use fabricsim_base::units::{Bytes, Duration, Rate, Time};
use fabricsim_core::plugin::{DeliveryRate, RateSample};

use super::TcpSender;
use crate::tcp::scoreboard::Delivery;

/// State of the estimator when a segment was sent. The names P and C are from the draft.
#[derive(Clone, Copy, Debug, Stored)]
#[checkpoint(absolute)]
struct Sent {
    /// Time at which the segment was sent (P.sent_time).
    at: Time,
    /// Segments that had been delivered at that time (P.delivered).
    delivered: u64,
    /// Time of the last delivery before the segment was sent (P.delivered_time).
    delivered_at: Time,
    /// Start of the interval of transmissions that the sample covers (P.first_sent_time).
    first_sent: Time,
    /// `true` if the sender had no more data (P.is_app_limited).
    limited: bool,
}

/// The state of the estimator: section 3.1.1 of the draft. Deliveries are counted in segments.
#[derive(Clone, Debug, Default, Stored)]
#[checkpoint(absolute)]
pub(super) struct RateSampler {
    /// Number of delivered segments (C.delivered).
    delivered: u64,
    /// Time of the last delivery (C.delivered_time).
    delivered_at: Time,
    /// Start of the current interval of transmissions (C.first_sent_time).
    first_sent: Time,
    /// C.app_limited: the sender had nothing to send until this many segments were delivered.
    limited_until: Option<u64>,
    /// Transmissions in order of time, from the newest delivered one on.
    sent: VecDeque<Sent>,
}

/// Deliveries reported by an acknowledgement.
#[derive(Clone, Copy, Debug)]
pub(super) struct Delivered {
    pub(super) segments: u32,
    /// Latest send time among the delivered segments. For a retransmitted segment, its last send
    /// time counts.
    pub(super) newest: Option<Time>,
    /// Minimum round-trip time of the connection.
    pub(super) least_rtt: Duration,
    /// Segments in flight before the acknowledgement.
    pub(super) in_flight: u32,
    /// Segments that the acknowledgement shows to be lost.
    pub(super) lost: u32,
}

impl RateSampler {
    /// Returns the estimator of a connection, or `None` if its controller does not need samples.
    pub(super) fn wanted(by_controller: DeliveryRate) -> Option<Box<Self>> {
        match by_controller {
            DeliveryRate::Unused => None,
            DeliveryRate::Sampled => Some(Box::default()),
        }
    }

    /// Records a departing segment, with `in_flight` other segments in flight (`SendPacket`).
    pub(super) fn on_send(&mut self, now: Time, in_flight: u32) {
        if in_flight == 0 {
            self.first_sent = now;
            self.delivered_at = now;
        }
        self.sent.push_back(Sent {
            at: now,
            delivered: self.delivered,
            delivered_at: self.delivered_at,
            first_sent: self.first_sent,
            limited: self.limited_until.is_some(),
        });
    }

    /// Records that there is nothing more to send, although the window has room beyond the
    /// `in_flight` segments (`CheckIfApplicationLimited`).
    pub(super) fn on_idle_window(&mut self, in_flight: u32) {
        self.limited_until = Some((self.delivered + u64::from(in_flight)).max(1));
    }

    /// Returns the sample of an acknowledgement (`GenerateRateSample`) of segments of `mss` bytes.
    pub(super) fn on_ack(&mut self, now: Time, ack: &Delivered, mss: u16) -> RateSample {
        self.delivered += u64::from(ack.segments);
        self.delivered_at = now;
        if (self.limited_until).is_some_and(|until| self.delivered > until) {
            self.limited_until = None;
        }
        let mut sample = RateSample {
            rate: None,
            interval: Duration::ZERO,
            delivered: self.delivered,
            prior_delivered: None,
            prior_in_flight: ack.in_flight,
            lost: ack.lost,
            application_limited: false,
        };
        let Some(sent) = ack.newest.and_then(|newest| self.take(newest)) else {
            return sample;
        };
        self.first_sent = sent.at;
        let send_elapsed = sent.at.since(sent.first_sent);
        let ack_elapsed = now.since(sent.delivered_at);
        sample.interval = send_elapsed.max(ack_elapsed);
        sample.prior_delivered = Some(sent.delivered);
        sample.application_limited = sent.limited;
        if sample.interval >= ack.least_rtt && sample.interval > Duration::ZERO {
            let bytes = Bytes::new((self.delivered - sent.delivered) * u64::from(mss));
            let bps = bytes.as_f64() * 8.0 / sample.interval.as_secs_f64();
            sample.rate = Some(Rate::from_bps_f64(bps.max(1.0)));
        }
        sample
    }

    /// Returns the record of the segment sent at `newest`, and drops earlier records. Each record
    /// is returned once, because another segment of the same time, or an older one, carries no new
    /// information.
    fn take(&mut self, newest: Time) -> Option<Sent> {
        let mut found = None;
        while let Some(&sent) = self.sent.front().filter(|sent| sent.at <= newest) {
            found = Some(sent);
            self.sent.pop_front();
        }
        found.filter(|sent| sent.at == newest)
    }
}

impl TcpSender {
    /// Records a departing segment for the delivery rate.
    #[inline]
    pub(super) fn note_transmission(&mut self, now: Time) {
        if self.sampler.is_some() {
            self.record_transmission(now);
        }
    }

    #[cold]
    fn record_transmission(&mut self, now: Time) {
        let in_flight = self.board.in_flight();
        let idle = !self.has_new() && self.board.lost() == 0 && in_flight < self.window();
        if let Some(sampler) = &mut self.sampler {
            sampler.on_send(now, in_flight.saturating_sub(1));
            if idle {
                sampler.on_idle_window(in_flight);
            }
        }
    }

    /// Returns the delivery rate sample of an acknowledgement, if the controller needs it. Before
    /// the acknowledgement, `in_flight` segments were in flight and `lost` were known to be lost.
    pub(super) fn rate_sample(
        &mut self,
        now: Time,
        delivery: &Delivery,
        in_flight: u32,
        lost: u32,
    ) -> Option<RateSample> {
        let sampler = self.sampler.as_mut()?;
        let delivered = Delivered {
            segments: delivery.segments,
            newest: delivery.newest,
            least_rtt: self.rtt.least,
            in_flight,
            lost: self.board.lost().saturating_sub(lost),
        };
        Some(sampler.on_ack(now, &delivered, self.parameters.mss))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MSS: u16 = 1_000;

    fn us(us: u64) -> Time {
        Time::from_ns(us * 1_000)
    }

    fn delivered(newest: u64, segments: u32) -> Delivered {
        Delivered {
            segments,
            newest: Some(us(newest)),
            least_rtt: Duration::from_us(10),
            in_flight: 4,
            lost: 0,
        }
    }

    /// Sends one segment each microsecond and acknowledges one every second microsecond: half of 8
    /// Gbps.
    #[test]
    fn a_path_that_is_half_as_fast_as_the_sender_is_measured() {
        let mut sampler = RateSampler::default();
        for number in 0..30 {
            sampler.on_send(us(number), u32::try_from(number).unwrap_or(0));
        }
        let mut last = None;
        for number in 0..20 {
            let now = us(20 + 2 * number);
            last = sampler.on_ack(now, &delivered(number, 1), MSS).rate;
            // One round trip after the path's first delivery, the rate is that of the path.
            sampler.on_send(now, 10);
        }
        let mut sampler_rate = last.map_or(0, Rate::as_bps);
        // All 20 segments since the first was sent, in 58 us.
        assert!(
            sampler_rate.abs_diff(20 * 8_000_000_000 / 58) < 1_000,
            "{sampler_rate}"
        );
        for number in 20..50 {
            let now = us(20 + 2 * number);
            let newest = if number < 30 {
                number
            } else {
                20 + 2 * (number - 30)
            };
            let sample = sampler.on_ack(now, &delivered(newest, 1), MSS);
            sampler_rate = sample.rate.map_or(0, Rate::as_bps);
        }
        assert!(
            sampler_rate.abs_diff(4_000_000_000) < 100_000_000,
            "{sampler_rate}"
        );
    }

    #[test]
    fn a_span_below_the_smallest_round_trip_tells_nothing() {
        let mut sampler = RateSampler::default();
        sampler.on_send(us(0), 0);
        assert_eq!(sampler.on_ack(us(5), &delivered(0, 1), MSS).rate, None);
        // A segment that is already accounted for gives no rate, either.
        assert_eq!(sampler.on_ack(us(50), &delivered(0, 1), MSS).rate, None);
    }

    #[test]
    fn a_sender_without_data_limits_what_is_sent_until_then() {
        let mut sampler = RateSampler::default();
        sampler.on_send(us(0), 0);
        sampler.on_idle_window(1);
        sampler.on_send(us(20), 1);
        assert!(
            !sampler
                .on_ack(us(30), &delivered(0, 1), MSS)
                .application_limited
        );
        sampler.on_send(us(31), 1);
        assert!(
            sampler
                .on_ack(us(50), &delivered(20, 1), MSS)
                .application_limited
        );
        sampler.on_send(us(51), 1);
        // Segments sent while one delivery was outstanding are limited; then the limit ends.
        assert!(
            sampler
                .on_ack(us(70), &delivered(31, 1), MSS)
                .application_limited
        );
        assert!(
            !sampler
                .on_ack(us(90), &delivered(51, 1), MSS)
                .application_limited
        );
    }
}
