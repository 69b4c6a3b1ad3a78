//! Probes that collect telemetry along the path of a connection, one at a time.
//!
//! The next probe leaves when the last one has returned or counts as lost. It counts as lost after
//! a retransmission timeout, which doubles with each consecutive loss (RFC 6298, rule 5.5). A loss
//! has no other consequence; the controller just gets no telemetry in that time. If nothing is in
//! flight, no probe leaves: the next segment restarts them.

use fabricsim_base::checkpoint::Stored;
use fabricsim_base::units::{Duration, Time};
use fabricsim_core::plugin::{ProbeForm, Probes};

use super::config::TcpParameters;
use super::rtt::RttEstimator;
use super::timers::backed_off;

/// Bytes of a probe without its telemetry.
pub(super) const PROBE_BYTES: u16 = 64;

/// A probe that is in flight.
#[derive(Clone, Copy, Debug, Stored)]
#[checkpoint(absolute)]
struct Away {
    /// `Packet::seq` of the packet that collects the telemetry.
    seq: u64,
    /// The `snd_nxt` when the probe left.
    sent_next: u64,
    sent_at: Time,
    /// Time at which the probe counts as lost.
    lost_at: Time,
}

/// The probe in flight, or the event that the next probe waits for.
#[derive(Clone, Copy, Debug, Stored)]
#[checkpoint(absolute)]
enum State {
    /// The departure of the next segment.
    Segment,
    /// No event: the probe is due.
    Due,
    Away(Away),
}

/// A returned probe.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Returned {
    /// The `snd_nxt` when the probe left.
    pub(super) sent_next: u64,
    pub(super) rtt: Duration,
}

/// The probes of a sender.
#[derive(Debug, Stored)]
#[checkpoint(absolute)]
pub(super) struct Probing {
    probes: Probes,
    state: State,
    /// Consecutive losses of probes.
    losses: u32,
}

impl Probing {
    pub(super) fn new(probes: Probes) -> Self {
        Self {
            probes,
            state: State::Segment,
            losses: 0,
        }
    }

    /// Returns the bytes on the wire of a separate probe, and of a reply.
    pub(super) const fn packet_bytes(&self) -> u16 {
        PROBE_BYTES + self.probes.telemetry_bytes
    }

    /// Returns the time of the next call to [`Self::on_deadline`].
    #[inline]
    pub(super) const fn deadline(&self) -> Time {
        match self.state {
            State::Segment => Time::MAX,
            State::Due => Time::ZERO,
            State::Away(away) => away.lost_at,
        }
    }

    /// Handles a departing segment that begins at `seq`. If the segment is the probe, returns the
    /// bytes of telemetry to reserve in it.
    pub(super) fn on_segment(&mut self, seq: u64, departure: &Departure<'_>) -> Option<u16> {
        if !matches!(self.state, State::Segment) {
            return None;
        }
        match self.probes.form {
            ProbeForm::Packet => {
                self.state = State::Due;
                None
            }
            ProbeForm::Data => {
                self.leave(seq, departure);
                Some(self.probes.telemetry_bytes)
            }
        }
    }

    /// Returns `true` if a separate probe leaves now. `outstanding` is the number of unacknowledged
    /// segments.
    pub(super) fn take_turn(&mut self, departure: &Departure<'_>, outstanding: u32) -> bool {
        if !matches!(self.state, State::Due) {
            return false;
        }
        if outstanding == 0 {
            self.state = State::Segment;
            return false;
        }
        self.leave(departure.sent_next, departure);
        true
    }

    fn leave(&mut self, seq: u64, departure: &Departure<'_>) {
        let wait = departure.rtt.timeout(departure.parameters);
        let wait = backed_off(wait, self.losses, departure.parameters);
        self.state = State::Away(Away {
            seq,
            sent_next: departure.sent_next,
            sent_at: departure.now,
            lost_at: departure.now.saturating_add(wait),
        });
    }

    /// Handles the return of the probe with number `seq`. Returns `None` for a late copy of another
    /// probe.
    pub(super) fn on_return(&mut self, now: Time, seq: u64) -> Option<Returned> {
        let State::Away(away) = self.state else {
            return None;
        };
        if away.seq != seq {
            return None;
        }
        self.losses = 0;
        self.await_next();
        Some(Returned {
            sent_next: away.sent_next,
            rtt: now.since(away.sent_at),
        })
    }

    /// Records the loss of a probe, because the time of [`Self::deadline`] has passed.
    pub(super) fn on_deadline(&mut self) {
        if matches!(self.state, State::Away(_)) {
            self.losses += 1;
            self.await_next();
        }
    }

    const fn await_next(&mut self) {
        self.state = match self.probes.form {
            ProbeForm::Packet => State::Due,
            ProbeForm::Data => State::Segment,
        };
    }
}

/// The state of the sender at a possible departure of a probe.
#[derive(Clone, Copy, Debug)]
pub(super) struct Departure<'a> {
    pub(super) now: Time,
    /// `snd_nxt` of the sender: the first byte that has not been sent.
    pub(super) sent_next: u64,
    pub(super) rtt: &'a RttEstimator,
    pub(super) parameters: &'a TcpParameters,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tcp::config::{TcpConfig, TcpProfile};

    const US: fn(u64) -> Time = |us| Time::ZERO + Duration::from_us(us);

    /// Calls `act` with the state of a sender at `us`, with `sent_next` as its next byte, after a
    /// round trip of 20 us.
    fn at<T>(us: u64, sent_next: u64, act: impl FnOnce(&Departure<'_>) -> T) -> T {
        let config = TcpConfig {
            profile: TcpProfile::Datacenter,
            ..TcpConfig::default()
        };
        let mut rtt = RttEstimator::default();
        rtt.sample(Duration::from_us(20));
        act(&Departure {
            now: US(us),
            sent_next,
            rtt: &rtt,
            parameters: &config.parameters(),
        })
    }

    fn probing(form: ProbeForm) -> Probing {
        Probing::new(Probes {
            form,
            telemetry_bytes: 42,
        })
    }

    #[test]
    fn a_probe_of_its_own_follows_the_first_segment_and_then_the_one_before() {
        let mut probes = probing(ProbeForm::Packet);
        assert_eq!(probes.deadline(), Time::MAX);
        assert_eq!(at(0, 1_448, |now| probes.on_segment(0, now)), None);
        assert_eq!(probes.deadline(), Time::ZERO);
        assert!(at(0, 1_448, |now| probes.take_turn(now, 1)));
        // More segments leave, but there is only one probe at a time.
        assert_eq!(at(1, 2_896, |now| probes.on_segment(1_448, now)), None);
        assert!(!at(1, 2_896, |now| probes.take_turn(now, 2)));
        let back = probes.on_return(US(13), 1_448);
        let expected = Returned {
            sent_next: 1_448,
            rtt: Duration::from_us(13),
        };
        assert_eq!(back, Some(expected));
        assert!(at(13, 2_896, |now| probes.take_turn(now, 1)));
        assert_eq!(probes.packet_bytes(), 106);
    }

    #[test]
    fn without_anything_in_flight_no_probe_leaves_and_none_is_waited_for() {
        let mut probes = probing(ProbeForm::Packet);
        at(0, 10, |now| probes.on_segment(0, now));
        assert!(at(0, 10, |now| probes.take_turn(now, 1)));
        assert!(probes.on_return(US(13), 10).is_some());
        assert!(!at(13, 10, |now| probes.take_turn(now, 0)));
        assert_eq!(probes.deadline(), Time::MAX);
        // The next segment restarts the probes.
        at(90, 20, |now| probes.on_segment(10, now));
        assert!(at(90, 20, |now| probes.take_turn(now, 1)));
    }

    #[test]
    fn a_lost_probe_is_followed_by_another_after_timeouts_that_double() {
        let mut probes = probing(ProbeForm::Packet);
        at(0, 10, |now| probes.on_segment(0, now));
        let mut now = 0;
        for wait in [2_000, 4_000, 8_000] {
            assert!(at(now, 10, |now| probes.take_turn(now, 1)));
            now += wait;
            assert_eq!(probes.deadline(), US(now));
            probes.on_deadline();
        }
        assert!(at(now, 20, |now| probes.take_turn(now, 1)));
        // A late copy of an earlier probe is ignored.
        assert_eq!(probes.on_return(US(now), 10), None);
        assert!(probes.on_return(US(now + 13), 20).is_some());
        // A returned probe ends the doubling.
        assert!(at(now + 13, 30, |now| probes.take_turn(now, 1)));
        assert_eq!(probes.deadline(), US(now + 13 + 2_000));
    }

    #[test]
    fn a_segment_of_data_is_the_probe_of_its_round_trip() {
        let mut probes = probing(ProbeForm::Data);
        assert_eq!(at(0, 0, |now| probes.on_segment(0, now)), Some(42));
        assert_eq!(at(0, 1_448, |now| probes.on_segment(1_448, now)), None);
        // Its number is its first byte, which was the next byte when it left.
        let back = probes.on_return(US(13), 0);
        assert_eq!(back.map(|back| back.sent_next), Some(0));
        assert!(!at(13, 2_896, |now| probes.take_turn(now, 2)));
        assert_eq!(probes.deadline(), Time::MAX);
        assert_eq!(at(14, 2_896, |now| probes.on_segment(2_896, now)), Some(42));
        probes.on_deadline();
        assert_eq!(at(9_999, 4_344, |now| probes.on_segment(0, now)), Some(42));
    }
}
