//! Random early detection.

use fabricsim_base::checkpoint::Checkpointed;
use fabricsim_base::input::{ConfigError, Keys};
use fabricsim_base::rng::{Purpose, Stream};
use fabricsim_base::settings;
use fabricsim_base::units::{Bytes, Time};

use super::limit::{self, Limit};
use super::{Aqm, AqmKind, AqmPacket, DisciplineContext, Verdict};
use crate::discipline::is_capable;
use crate::short_form::{ShortForm, ShortOption};

/// The packet size for counting idle time: Linux's `avpkt`.
const TYPICAL: Bytes = Bytes::new(1_000);

settings! {
    /// Settings of random early detection (Floyd and Jacobson 1993, RFC 2309). When a packet
    /// arrives, the average queue length decides if it is marked; between the two thresholds this
    /// is random. The packet is dropped instead if its sender does not understand marks.
    pub struct RedConfig {
        /// Average bytes up to which nothing is marked.
        pub kmin: Bytes = "30KB",
        /// Average bytes from which on everything is marked.
        pub kmax: Bytes = "90KB",
        /// Probability at `kmax`.
        #[range(above 0.0, to 1.0)]
        #[refused(
            "a probability of {value} is not between 0 and 1",
            "give a number above 0 and up to 1, such as 0.1"
        )]
        pub pmax: f64 = 0.1,
        /// Weight of the present length in the average, 1 for the present length itself.
        #[range(above 0.0, to 1.0)]
        #[refused(
            "a weight of {value} is not between 0 and 1",
            "give a number above 0 and up to 1, such as 0.002"
        )]
        pub weight: f64 = 0.002,
        /// Spread marks evenly instead of drawing each by itself.
        pub spread: bool = true,
        /// Let the probability grow from `pmax` to 1 between `kmax` and twice `kmax`.
        pub gentle: bool = false,
        /// Mark ECN-capable packets, and drop only other packets.
        pub ecn: bool = true,
        /// Packets that the queue holds.
        #[range(from 1)]
        #[refused(limit::NO_PACKETS, limit::PACKETS)]
        #[note("(default: 1000, or any number if `limit_bytes` is given)")]
        pub limit: Option<u32> = none,
        /// Bytes that the queue holds.
        #[range(from "1B")]
        #[refused(limit::NO_BYTES, limit::BYTES)]
        #[note("(default: any number)")]
        pub limit_bytes: Option<Bytes> = none,
    }
}

impl AqmKind for RedConfig {
    const NAME: &'static str = "red";
    const ABOUT: &'static str = "random early detection: marks by the average length";
    const KEYS: Keys = Self::KEYS;
    // As in Linux, it drops unless it is configured to mark.
    const SHORT_FORMS: &'static [ShortForm] = &[ShortForm::new(
        "red",
        &[
            ShortOption::key("limit_bytes", "1MB").named("limit"),
            ShortOption::key("kmin", "30KB").named("min"),
            ShortOption::key("kmax", "90KB").named("max"),
            ShortOption::key("pmax", "0.1").named("probability"),
            ShortOption::key("weight", "0.002"),
            ShortOption::fixed("gentle", "gentle", "true"),
            ShortOption::fixed("nospread", "spread", "false"),
            ShortOption::fixed("ecn", "ecn", "true"),
            ShortOption::implied("noecn", "ecn", "false"),
        ],
    )];

    fn validate(&self) -> Result<(), ConfigError> {
        self.validate_ranges()?;
        if self.kmin >= self.kmax {
            return Err(ConfigError::new(
                "kmax",
                format!("{} is not above `kmin`, {}", self.kmax, self.kmin),
                "give a larger `kmax`, such as three times `kmin`; for a step use kind = \"step\"",
            ));
        }
        Ok(())
    }

    fn rule(&self, context: &DisciplineContext) -> Box<dyn Aqm> {
        Box::new(Red::new(self, context))
    }
}

/// The rule and its state.
///
/// The average is updated by each arriving packet, and as if small packets had arrived while the
/// queue was idle. Marks are spread evenly: with probability p, at most 1/p packets pass between
/// two marks.
#[derive(Checkpointed, Clone, Debug)]
#[checkpoint(absolute)]
struct Red {
    #[checkpoint(rebuilt)]
    config: RedConfig,
    #[checkpoint(rebuilt)]
    limit: Limit,
    /// Transmission time of the typical packet, in seconds.
    #[checkpoint(rebuilt)]
    typical: f64,
    average: f64,
    /// Start of the idle time that the average does not yet include; `None` while the queue has
    /// packets.
    idle_since: Option<Time>,
    /// Packets since the last mark or drop, while the average is between the thresholds.
    passed: u64,
    draws: Stream,
}

impl Red {
    /// Returns the rule for an empty queue.
    fn new(config: &RedConfig, context: &DisciplineContext) -> Self {
        Self {
            limit: Limit::new(config.limit, config.limit_bytes),
            config: config.clone(),
            typical: context.rate.transmission(TYPICAL).as_secs_f64(),
            average: 0.0,
            idle_since: Some(Time::ZERO),
            passed: 0,
            draws: Stream::new(context.seed, context.entity, Purpose::Marking),
        }
    }

    /// Updates the average length with an arriving packet (section 4, "the average queue size").
    fn update_average(&mut self, now: Time, held: Bytes) {
        let weight = self.config.weight;
        if let Some(since) = self.idle_since.take() {
            let packets = now.since(since).as_secs_f64() / self.typical;
            self.average *= libm::pow(1.0 - weight, packets);
        }
        self.average += weight * (held.as_f64() - self.average);
    }

    /// Returns the probability for the current average, for a packet on its own.
    fn probability(&self) -> f64 {
        let RedConfig {
            kmin, kmax, pmax, ..
        } = self.config;
        let (kmin, kmax) = (kmin.as_f64(), kmax.as_f64());
        if self.average < kmin {
            0.0
        } else if self.average < kmax {
            pmax * (self.average - kmin) / (kmax - kmin)
        } else if self.config.gentle {
            pmax + (1.0 - pmax) * (self.average - kmax) / kmax
        } else {
            1.0
        }
    }

    /// Returns `true` if the arriving packet must be marked or dropped (section 7, "uniform random
    /// variables").
    fn strikes(&mut self) -> bool {
        let by_itself = self.probability();
        if by_itself <= 0.0 {
            self.passed = 0;
            return false;
        }
        let chance = if self.config.spread {
            let left = 1.0 - self.passed as f64 * by_itself;
            if left > by_itself {
                by_itself / left
            } else {
                1.0
            }
        } else {
            by_itself
        };
        let strikes = chance >= 1.0 || self.draws.chance(chance);
        self.passed = if strikes { 0 } else { self.passed + 1 };
        strikes
    }
}

impl Aqm for Red {
    fn on_arrival(&mut self, now: Time, packet: &AqmPacket<'_>) -> Verdict {
        self.update_average(now, packet.other_bytes);
        let strikes = self.strikes();
        let markable = self.config.ecn && is_capable(packet.ecn);
        let verdict = match (strikes, markable, self.limit.verdict(packet)) {
            (true, false, _) => Verdict::DropEarly,
            (true, true, Verdict::Pass) => Verdict::Mark,
            (.., verdict) => verdict,
        };
        if packet.others == 0 && verdict.drops() {
            self.idle_since = Some(now);
        }
        verdict
    }

    fn on_departure(&mut self, now: Time, packet: &AqmPacket<'_>) -> Verdict {
        if packet.others == 0 {
            self.idle_since = Some(now);
        }
        Verdict::Pass
    }

    fn boxed_clone(&self) -> Box<dyn Aqm> {
        Box::new(self.clone())
    }

    fabricsim_base::saves_state!();
}

#[cfg(test)]
mod tests;
