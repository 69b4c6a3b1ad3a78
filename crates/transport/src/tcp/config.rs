//! User settings of TCP.

use fabricsim_base::input::ConfigError;
use fabricsim_base::units::{Bytes, Duration};
use fabricsim_base::{choices, settings};

use crate::switch::Switch;

choices! {
    /// A set of defaults.
    #[derive(Default)]
    pub enum TcpProfile {
        /// A Linux host on a wide-area path: 1,514-byte packets, an RTO of at least SRTT + 200 ms,
        /// acknowledgements delayed by up to 40 ms, 16 quick acknowledgements, tail loss probes.
        #[default]
        LinuxWan = "linux-wan",
        /// A user-space stack in a datacenter: 1,538 bytes (including preamble and gap), an RTO of
        /// at least 2 ms, acknowledgements delayed by up to 100 us, no probes.
        Datacenter = "datacenter",
        /// A user-space stack that saves work, like the production stack in "Buffer sizing with
        /// HPCC" (BS 2019). It equals `datacenter`, but has duplicate acknowledgements instead of
        /// SACK (RFC 6582), and one acknowledgement for up to eight segments that arrive within 4
        /// us.
        ///
        /// The paper states the minimum RTO of 2 ms, delayed acknowledgements and bursts of 5 to 10
        /// packets. The remaining values are our choice: eight is in the middle of that range, and
        /// 4 us is about the time of eight segments at 25 Gbps, which is the end of a batch of
        /// arrivals.
        UserSpace = "user-space",
    }
}

choices! {
    /// Method of loss detection.
    pub enum Detection {
        /// Selective acknowledgements and the time since the transmission (RFC 2018, RFC 8985).
        Rack = "rack" ("SACK and times; default of linux-wan and datacenter"),
        /// Three duplicate acknowledgements, without SACK (RFC 5681, RFC 6582).
        DupAcks = "dup-acks" ("three duplicates, no SACK; default of user-space"),
    }
}

choices! {
    /// Quantity to which the floor of the retransmission timeout applies.
    pub enum RtoFloor {
        /// The term 4 RTTVAR, as in Linux: the timeout is at least SRTT plus the floor.
        Variation = "variation" ("of 4 RTTVAR; default of linux-wan"),
        /// The sum (RFC 6298, rule 2.4).
        Total = "total" ("of the sum; default of the other profiles"),
    }
}

settings! {
    /// The `[tcp]` table. Keys that are not set have the values of the profile.
    pub struct TcpConfig {
        /// Sets all other defaults.
        ///
        /// Each key lists the default of linux-wan, then of datacenter. The default of user-space
        /// is that of datacenter, unless a third value is listed.
        #[note("(\"linux-wan\", \"datacenter\", which is the default of scenarios, or \"user-space\"); defaults are given for linux-wan, then for datacenter; user-space has the defaults of datacenter unless a third one is given")]
        pub profile: TcpProfile = "linux-wan",
        /// Payload bytes of a full segment.
        #[range(from "1B", to "9000B")]
        #[refused("{value} does not fit one segment", "give 1B to 9000B")]
        #[note("(default \"1448B\")")]
        pub mss: Option<Bytes> = none,
        /// Bytes on the wire beside the payload.
        #[range(from "1B", to "500B")]
        #[refused("{value} does not fit one segment", "give 1B to 500B")]
        #[note("(default \"66B\"; \"90B\")")]
        pub headers: Option<Bytes> = none,
        /// Segments in the first window.
        ///
        /// See RFC 6928.
        #[range(from 1)]
        #[refused("without it no packet would ever be sent", "give a number from 1 upwards")]
        #[note("(default 10)")]
        pub initial_window: Option<u32> = none,
        /// Floor of the retransmission timeout.
        #[range(from "1us")]
        #[refused(
            "a timeout of {value} fires before any acknowledgement can come, again and again",
            "give a time from \"1us\" upwards, such as \"2ms\""
        )]
        #[note("(default \"200ms\"; \"2ms\")")]
        pub min_rto: Option<Duration> = none,
        /// Quantity to which the floor of the retransmission timeout applies.
        pub rto_floor: Option<RtoFloor> = none,
        /// Timeout of a SYN and before the first sample.
        ///
        /// See RFC 6298, rule 2.1.
        #[range(from "1us")]
        #[refused(
            "a timeout of {value} fires before any acknowledgement can come, again and again",
            "give a time from \"1us\" upwards, such as \"2ms\""
        )]
        #[note("(default \"1s\"; \"10ms\")")]
        pub initial_rto: Option<Duration> = none,
        /// Longest timeout, backed off.
        ///
        /// See RFC 6298, rule 2.5.
        #[note("(default \"120s\"; \"1s\")")]
        pub max_rto: Option<Duration> = none,
        /// Full segments for each acknowledgement.
        ///
        /// RFC 5681, section 4.2, has 2.
        #[range(from 1)]
        #[refused("without it no packet would ever be sent", "give a number from 1 upwards")]
        #[note("(default 2; 2; 8)")]
        pub ack_every: Option<u32> = none,
        /// Longest time that an acknowledgement may wait.
        #[range(above "0s")]
        #[refused(
            "a time of zero would fire at once",
            "give a time above zero, such as \"2ms\""
        )]
        #[note("(default \"40ms\"; \"100us\"; \"4us\")")]
        pub ack_delay: Option<Duration> = none,
        /// First segments that are acknowledged at once.
        #[note("(default 16; 0)")]
        pub quick_acks: Option<u32> = none,
        /// Method of loss detection.
        pub detection: Option<Detection> = none,
        /// Probe for the loss of a tail, with rack.
        ///
        /// See RFC 8985, section 7.
        #[note("(default \"on\"; \"off\")")]
        pub tail_loss_probe: Option<Switch> = none,
        /// Return to the first window after an idle timeout.
        ///
        /// See RFC 5681, section 4.1.
        #[note("(\"on\" or \"off\", default \"on\")")]
        pub slow_start_after_idle: Option<Switch> = none,
        /// Payload bytes of a request.
        #[note("(up to a segment, default \"200B\")")]
        pub request: Option<Bytes> = none,
        /// Time for which ended connections are remembered.
        ///
        /// This is for acknowledging late copies (RFC 9293, section 3.6.1).
        #[note("(default \"60s\"; \"1s\")")]
        pub time_wait: Option<Duration> = none,
    }
}

/// A [`TcpConfig`] with all defaults filled in.
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "the fields are those of `TcpConfig`")]
pub struct TcpParameters {
    pub mss: u16,
    pub headers: u16,
    pub initial_window: u32,
    pub min_rto: Duration,
    pub rto_floor: RtoFloor,
    pub initial_rto: Duration,
    pub max_rto: Duration,
    pub ack_every: u32,
    pub ack_delay: Duration,
    pub quick_acks: u32,
    pub detection: Detection,
    pub tail_loss_probe: Switch,
    pub slow_start_after_idle: Switch,
    pub request: u16,
    pub time_wait: Duration,
}

impl TcpProfile {
    const fn parameters(self) -> TcpParameters {
        let wan = TcpParameters {
            mss: 1_448,
            headers: 66,
            initial_window: 10,
            min_rto: Duration::from_ms(200),
            rto_floor: RtoFloor::Variation,
            initial_rto: Duration::from_ms(1_000),
            max_rto: Duration::from_ms(120_000),
            ack_every: 2,
            ack_delay: Duration::from_ms(40),
            quick_acks: 16,
            detection: Detection::Rack,
            tail_loss_probe: Switch::On,
            slow_start_after_idle: Switch::On,
            request: 200,
            time_wait: Duration::from_ms(60_000),
        };
        match self {
            Self::LinuxWan => wan,
            Self::Datacenter => TcpParameters {
                headers: 90,
                min_rto: Duration::from_ms(2),
                rto_floor: RtoFloor::Total,
                initial_rto: Duration::from_ms(10),
                max_rto: Duration::from_ms(1_000),
                ack_delay: Duration::from_us(100),
                quick_acks: 0,
                tail_loss_probe: Switch::Off,
                time_wait: Duration::from_ms(1_000),
                ..wan
            },
            Self::UserSpace => TcpParameters {
                detection: Detection::DupAcks,
                ack_every: 8,
                ack_delay: Duration::from_us(4),
                ..Self::Datacenter.parameters()
            },
        }
    }
}

/// Converts a size that [`TcpConfig::validate`] has accepted.
fn small(bytes: Bytes) -> u16 {
    u16::try_from(bytes.get()).unwrap_or(u16::MAX)
}

impl TcpConfig {
    /// Returns the settings with all defaults filled in.
    #[must_use]
    pub fn parameters(&self) -> TcpParameters {
        let profile = self.profile.parameters();
        TcpParameters {
            mss: self.mss.map_or(profile.mss, small),
            headers: self.headers.map_or(profile.headers, small),
            initial_window: self.initial_window.unwrap_or(profile.initial_window),
            min_rto: self.min_rto.unwrap_or(profile.min_rto),
            rto_floor: self.rto_floor.unwrap_or(profile.rto_floor),
            initial_rto: self.initial_rto.unwrap_or(profile.initial_rto),
            max_rto: self.max_rto.unwrap_or(profile.max_rto),
            ack_every: self.ack_every.unwrap_or(profile.ack_every),
            ack_delay: self.ack_delay.unwrap_or(profile.ack_delay),
            quick_acks: self.quick_acks.unwrap_or(profile.quick_acks),
            detection: self.detection.unwrap_or(profile.detection),
            tail_loss_probe: self.tail_loss_probe.unwrap_or(profile.tail_loss_probe),
            slow_start_after_idle: self
                .slow_start_after_idle
                .unwrap_or(profile.slow_start_after_idle),
            request: self.request.map_or(profile.request, small),
            time_wait: self.time_wait.unwrap_or(profile.time_wait),
        }
    }

    /// Returns the table with all defaults filled in.
    #[must_use]
    pub fn resolved(&self) -> Self {
        let all = self.parameters();
        let size = |bytes: u16| Some(Bytes::new(u64::from(bytes)));
        Self {
            profile: self.profile,
            mss: size(all.mss),
            headers: size(all.headers),
            initial_window: Some(all.initial_window),
            min_rto: Some(all.min_rto),
            rto_floor: Some(all.rto_floor),
            initial_rto: Some(all.initial_rto),
            max_rto: Some(all.max_rto),
            ack_every: Some(all.ack_every),
            ack_delay: Some(all.ack_delay),
            quick_acks: Some(all.quick_acks),
            detection: Some(all.detection),
            // This key has no meaning with duplicate acknowledgements, and setting it is rejected.
            tail_loss_probe: (all.detection == Detection::Rack).then_some(all.tail_loss_probe),
            slow_start_after_idle: Some(all.slow_start_after_idle),
            request: size(all.request),
            time_wait: Some(all.time_wait),
        }
    }

    /// Checks the settings.
    ///
    /// # Errors
    /// Returns an error if a value is meaningless. It names the key, the problem and a suggestion.
    pub fn validate(&self) -> Result<(), ConfigError> {
        let parameters = self.parameters();
        self.validate_ranges()?;
        // The maximum size of a request depends on the segment.
        let most = u64::from(parameters.mss);
        if let Some(size) = self
            .request
            .filter(|size| !(1..=most).contains(&size.get()))
        {
            return Err(ConfigError::new(
                "request",
                format!("{size} does not fit one segment"),
                format!("give 1B to {most}B"),
            ));
        }
        if parameters.max_rto < parameters.min_rto.max(parameters.initial_rto) {
            return Err(ConfigError::new(
                "max_rto",
                format!("{} is below the first timeout", parameters.max_rto),
                format!(
                    "give at least {}",
                    parameters.min_rto.max(parameters.initial_rto)
                ),
            ));
        }
        if self.tail_loss_probe == Some(Switch::On) && parameters.detection == Detection::DupAcks {
            return Err(ConfigError::new(
                "tail_loss_probe",
                "probes need selective acknowledgements",
                "set detection = \"rack\", or leave the key out",
            ));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn profiles_are_valid_and_single_keys_override_them() {
        for profile in [
            TcpProfile::LinuxWan,
            TcpProfile::Datacenter,
            TcpProfile::UserSpace,
        ] {
            let mut config = TcpConfig {
                profile,
                ..TcpConfig::default()
            };
            assert_eq!(config.validate(), Ok(()));
            config.min_rto = Some(Duration::from_ms(7));
            assert_eq!(config.parameters().min_rto, Duration::from_ms(7));
            assert_eq!(config.resolved().parameters(), config.parameters());
            assert_eq!(config.resolved().validate(), Ok(()));
        }
        let full = TcpConfig::default().parameters();
        assert_eq!(full.mss + full.headers, 1_514);
    }

    #[test]
    fn values_without_a_meaning_are_refused_by_their_key() {
        let base = TcpConfig::default;
        let wrong = [
            TcpConfig {
                mss: Some(Bytes::ZERO),
                ..base()
            },
            TcpConfig {
                headers: Some(Bytes::new(501)),
                ..base()
            },
            TcpConfig {
                request: Some(Bytes::new(1_449)),
                ..base()
            },
            TcpConfig {
                initial_window: Some(0),
                ..base()
            },
            TcpConfig {
                ack_every: Some(0),
                ..base()
            },
            TcpConfig {
                min_rto: Some(Duration::ZERO),
                ..base()
            },
            TcpConfig {
                max_rto: Some(Duration::from_ms(1)),
                ..base()
            },
            TcpConfig {
                detection: Some(Detection::DupAcks),
                tail_loss_probe: Some(Switch::On),
                ..base()
            },
        ];
        let keys = wrong.map(|config| config.validate().expect_err("refused").key);
        assert_eq!(
            keys,
            [
                "mss",
                "headers",
                "request",
                "initial_window",
                "ack_every",
                "min_rto",
                "max_rto",
                "tail_loss_probe"
            ]
        );
    }
}
