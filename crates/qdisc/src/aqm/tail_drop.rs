//! A first-in, first-out queue with a limit.

use fabricsim_base::checkpoint::Checkpointed;
use fabricsim_base::input::{ConfigError, Keys};
use fabricsim_base::settings;
use fabricsim_base::units::{Bytes, Time};

use super::limit::{self, Limit};
use super::{Aqm, AqmKind, AqmPacket, DisciplineContext, Verdict};
use crate::short_form::{ShortForm, ShortOption};

settings! {
    /// Settings of a queue that drops packets beyond a limit, and never marks. Linux calls it
    /// `pfifo` or `bfifo`.
    pub struct TailDropConfig {
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

const PACKETS: ShortOption = ShortOption::key("limit", "1000");
const BYTES: ShortOption = ShortOption::key("limit_bytes", "256KB");

impl AqmKind for TailDropConfig {
    const NAME: &'static str = "tail-drop";
    const ABOUT: &'static str = "a plain queue with a limit";
    const KEYS: Keys = Self::KEYS;
    const SHORT_FORMS: &'static [ShortForm] = &[
        ShortForm::new("pfifo", &[PACKETS]),
        ShortForm::new(
            "bfifo",
            &[ShortOption::required("limit_bytes", "256KB").named("limit")],
        ),
        ShortForm::new("tail-drop", &[PACKETS, BYTES]),
    ];

    fn validate(&self) -> Result<(), ConfigError> {
        self.validate_ranges()
    }

    fn rule(&self, _: &DisciplineContext) -> Box<dyn Aqm> {
        Box::new(TailDrop {
            limit: Limit::new(self.limit, self.limit_bytes),
        })
    }
}

#[derive(Checkpointed, Clone, Debug)]
#[checkpoint(absolute)]
struct TailDrop {
    #[checkpoint(rebuilt)]
    limit: Limit,
}

impl Aqm for TailDrop {
    fn on_arrival(&mut self, _: Time, packet: &AqmPacket<'_>) -> Verdict {
        self.limit.verdict(packet)
    }

    fn passes_up_to(&self) -> Bytes {
        self.limit.longest()
    }

    fn boxed_clone(&self) -> Box<dyn Aqm> {
        Box::new(self.clone())
    }

    fabricsim_base::saves_state!();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{offer, packet, rule_queue};

    fn stored(config: &TailDropConfig, sizes: &[u16]) -> Vec<bool> {
        let mut queue = rule_queue(config);
        sizes
            .iter()
            .map(|&wire| offer(&mut queue, Time::ZERO, &packet(1, wire)).0)
            .collect()
    }

    #[test]
    fn each_limit_counts() {
        let config = TailDropConfig {
            limit: Some(3),
            limit_bytes: None,
        };
        assert_eq!(
            stored(&config, &[1_514, 60, 60, 60]),
            [true, true, true, false]
        );
        let config = TailDropConfig {
            limit: None,
            limit_bytes: Some(Bytes::new(1_600)),
        };
        // A small packet may still fit if a large one does not.
        assert_eq!(
            stored(&config, &[1_514, 87, 86, 1]),
            [true, false, true, false]
        );
    }

    #[test]
    fn a_thousand_packets_fit_if_nothing_is_said() {
        let stored = stored(&TailDropConfig::default(), &[60; 1_001]);
        assert_eq!(stored.iter().filter(|&&stored| stored).count(), 1_000);
    }

    #[test]
    fn a_limit_of_nothing_is_refused() {
        let config = TailDropConfig {
            limit: Some(0),
            limit_bytes: None,
        };
        let error = config.validate().expect_err("nothing gets in");
        assert_eq!(error.key, "limit");
    }
}
