//! The time that a sender spends at the line rate, and at the lowest rate of its algorithm.

use std::ops::AddAssign;

use fabricsim_base::checkpoint::{Checkpointed, Stored};
use fabricsim_base::units::{Duration, Rate, Time};

/// Times of senders with a pacing rate, summed over senders.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, Stored)]
#[checkpoint(counter)]
pub struct RateTimes {
    /// Time with a pacing rate.
    pub paced: Duration,
    /// Of it, time with at least the rate of the NIC port.
    pub at_line: Duration,
    /// Of it, time with the lowest rate that the algorithm sets.
    pub at_floor: Duration,
}

impl AddAssign for RateTimes {
    fn add_assign(&mut self, other: Self) {
        self.paced = self.paced.saturating_add(other.paced);
        self.at_line = self.at_line.saturating_add(other.at_line);
        self.at_floor = self.at_floor.saturating_add(other.at_floor);
    }
}

/// Measures the [`RateTimes`] of one sender.
///
/// A change of the rate costs one comparison, unless the rate enters or leaves the line rate or the
/// floor.
#[derive(Checkpointed, Clone, Debug)]
pub struct RateClock {
    /// Rates of `low` and up to `width` bit/s more are of the current level.
    #[checkpoint(rebuilt)]
    low: u64,
    #[checkpoint(rebuilt)]
    width: u64,
    #[checkpoint(rebuilt)]
    line: u64,
    #[checkpoint(rebuilt)]
    floor: u64,
    #[checkpoint(plain)]
    level: Level,
    /// Beginning of the current level.
    #[checkpoint(record)]
    since: Time,
    /// Times at each level until then.
    #[checkpoint(counter)]
    spent: [Duration; 4],
}

/// The part of the range of rates in which a rate is.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Stored)]
enum Level {
    /// No pacing rate.
    Unpaced,
    /// The lowest rate of the algorithm.
    Floor,
    Between,
    /// The rate of the NIC port.
    Line,
}

/// The rate that stands for none: no rate is so high.
const NONE: u64 = u64::MAX;

#[inline]
const fn number(rate: Option<Rate>) -> u64 {
    match rate {
        Some(rate) => rate.as_bps(),
        None => NONE,
    }
}

impl RateClock {
    /// Starts at `now` for a sender with the pacing rate `rate`, at a NIC port of the rate `line`. The
    /// algorithm sets no rate below `floor`, if that is known.
    #[must_use]
    pub fn new(now: Time, rate: Option<Rate>, line: Rate, floor: Option<Rate>) -> Self {
        let mut clock = Self {
            low: 0,
            width: 0,
            line: line.as_bps(),
            floor: floor.map_or(0, Rate::as_bps),
            level: Level::Unpaced,
            since: now,
            spent: [Duration::ZERO; 4],
        };
        clock.enter(now, number(rate));
        clock
    }

    /// Notes that the pacing rate is `rate` from `now` on.
    #[inline]
    pub fn note(&mut self, now: Time, rate: Option<Rate>) {
        let rate = number(rate);
        if rate.wrapping_sub(self.low) > self.width {
            self.enter(now, rate);
        }
    }

    /// Like [`Self::note`], if the level of `rate` may not be the one before, such as after a load of
    /// the state.
    pub fn renew(&mut self, now: Time, rate: Option<Rate>) {
        self.enter(now, number(rate));
    }

    #[cold]
    fn enter(&mut self, now: Time, rate: u64) {
        let (level, low, high) = match rate {
            NONE => (Level::Unpaced, NONE, NONE),
            rate if rate >= self.line => (Level::Line, self.line, NONE - 1),
            rate if rate <= self.floor => (Level::Floor, 0, self.floor),
            _ => (Level::Between, self.floor + 1, self.line - 1),
        };
        (self.low, self.width) = (low, high - low);
        if level != self.level {
            let spent = &mut self.spent[self.level as usize];
            *spent = *spent + now.since(self.since);
            (self.level, self.since) = (level, now);
        }
    }

    /// Returns the times until `now`.
    #[must_use]
    pub fn until(&self, now: Time) -> RateTimes {
        // A network that is observed may be a little ahead of its reported time.
        let mut spent = self.spent;
        let current = &mut spent[self.level as usize];
        *current = *current + now.max(self.since).since(self.since);
        let at = |level: Level| spent[level as usize];
        RateTimes {
            paced: at(Level::Floor) + at(Level::Between) + at(Level::Line),
            at_line: at(Level::Line),
            at_floor: at(Level::Floor),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn us(time: u64) -> Time {
        Time::ZERO + Duration::from_us(time)
    }

    #[test]
    fn each_level_has_its_time() {
        let gbps = |rate| Some(Rate::from_gbps(rate));
        let line = Rate::from_gbps(100);
        let mut clock = RateClock::new(us(1), gbps(100), line, gbps(1));
        for (time, rate) in [
            (3, 100),
            (4, 60),
            (6, 70),
            (9, 1),
            (10, 1),
            (14, 2),
            (20, 100),
        ] {
            clock.note(us(time), gbps(rate));
        }
        let expected = RateTimes {
            paced: Duration::from_us(21),
            at_line: Duration::from_us(3 + 2),
            at_floor: Duration::from_us(5),
        };
        assert_eq!(clock.until(us(22)), expected);
        clock.note(us(22), None);
        assert_eq!(
            clock.until(us(40)),
            expected,
            "without a rate, no time counts"
        );
        clock.note(us(40), gbps(200));
        assert_eq!(clock.until(us(41)).at_line, Duration::from_us(6));
    }

    #[test]
    fn without_a_floor_no_time_is_at_it() {
        let line = Rate::from_gbps(10);
        let mut clock = RateClock::new(us(0), None, line, None);
        clock.note(us(2), Rate::from_bps(1));
        let expected = RateTimes {
            paced: Duration::from_us(3),
            ..RateTimes::default()
        };
        assert_eq!(clock.until(us(5)), expected);
    }
}
