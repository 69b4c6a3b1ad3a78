//! DCTCP in hardware: the rate falls in proportion to the share of marked packets (Alizadeh et al.,
//! SIGCOMM 2010). It controls a rate instead of a TCP window, as in the published HPCC simulator.

use fabricsim_base::checkpoint::Checkpointed;
use fabricsim_base::input::{ConfigError, Keys};
use fabricsim_base::settings;
use fabricsim_base::units::{Bytes, Rate};
use fabricsim_core::plugin::{
    Ack, CcConfig, CcContext, CongestionControl, ControllerFactory, FlowStart, MarkingThresholds,
    Quirks, default_min_rate,
};

use super::paced_rate::{PacedRate, WindowKeys, bytes_at};

settings! {
    /// The `[cc]` table of `kind = "dctcp"`.
    pub struct DctcpConfig {
        /// Weight of a new share of marks.
        ///
        /// This is g in the paper.
        #[range(above 0.0, to 1.0)]
        #[refused(
            "a weight of {value} is not between 0 and 1",
            "give a number above 0 and up to 1, such as 0.0625"
        )]
        pub g: f64 = 0.0625,
        /// Added once per round trip.
        #[note("(default: one MTU per base RTT; profile \"615Mbps\")")]
        pub additive_increase: Option<Rate> = none,
        /// Lowest rate.
        #[note("(default \"1Gbps\", at most a hundredth of the NIC rate); flows that do not fit a link at that rate queue up")]
        pub min_rate: Option<Rate> = none,
        /// Limit the bytes in flight to a bandwidth-delay product.
        pub window: bool = true,
        /// Keep that window as it is when the rate changes.
        pub fixed_window: bool = false,
    }
}

impl DctcpConfig {
    const fn window_keys(&self) -> WindowKeys {
        WindowKeys {
            window: self.window,
            fixed_window: self.fixed_window,
        }
    }

    fn min_rate(&self, nic_rate: Rate, quirks: &Quirks) -> Rate {
        let least = || default_min_rate(nic_rate, quirks);
        self.min_rate.unwrap_or_else(least)
    }
}

impl CcConfig for DctcpConfig {
    const KEYS: Keys = Self::KEYS;

    fn validate(&self) -> Result<(), ConfigError> {
        self.validate_ranges()?;
        self.window_keys().validate()
    }

    fn resolved(&self, network: &CcContext) -> Self {
        let quirks = &network.quirks;
        Self {
            additive_increase: self.additive_increase.or(quirks.fixed_increase),
            min_rate: Some(self.min_rate(network.nic_rate, quirks)),
            ..self.clone()
        }
    }

    fn lowest_rate(&self) -> Option<Rate> {
        self.min_rate
    }

    /// A step at 30 KB per 10 Gbps, the threshold of the published runs.
    fn marking(&self, nic_rate: Rate) -> Option<MarkingThresholds> {
        let step = bytes_at(nic_rate, 24_000);
        Some(MarkingThresholds {
            kmin: step,
            kmax: step,
            pmax: 1.0,
        })
    }
}

impl<H> ControllerFactory<H> for DctcpConfig {
    type Controller = Dctcp;

    fn build(&self, start: &FlowStart<'_>) -> Dctcp {
        let quirks = &start.network.quirks;
        let increase = || start.mtu.as_f64() * 8.0 / start.base_rtt.as_secs_f64();
        Dctcp {
            rate: PacedRate::new(start, self.window_keys()),
            g: self.g,
            additive_increase: (self.additive_increase)
                .or(quirks.fixed_increase)
                .map_or_else(increase, Rate::as_bps_f64),
            min_rate: self.min_rate(start.default_nic_rate(), quirks).as_bps_f64(),
            mtu: start.mtu.get(),
            alpha: 1.0,
            unmarked_rounds: 0,
            marked_rounds: 0,
            marks: 0,
            batch: 1,
            last_update_seq: 0,
            reduced_until: None,
        }
    }
}

/// DCTCP for one flow.
///
/// Differs from the paper: it sets a rate and starts at line rate, without slow start. The receiver
/// does not delay acknowledgements, so it echoes every mark on a separate acknowledgement. The
/// published HPCC simulator does the same.
#[derive(Checkpointed, Clone, Debug)]
#[checkpoint(plain)]
pub struct Dctcp {
    rate: PacedRate,
    #[checkpoint(rebuilt)]
    g: f64,
    /// Rate added in each round trip, in bit/s.
    #[checkpoint(rebuilt)]
    additive_increase: f64,
    #[checkpoint(rebuilt)]
    min_rate: f64,
    #[checkpoint(rebuilt)]
    mtu: u64,
    /// Average share of marked packets (α) after the last round trip with marks.
    alpha: f64,
    /// Round trips without marks since then. The average is brought up to date when it is used, so
    /// that only marks change the state of a flow at full rate.
    #[checkpoint(counter)]
    unmarked_rounds: u64,
    /// Round trips with marks so far.
    marked_rounds: u64,
    /// Marks echoed since the last update.
    marks: u64,
    /// Number of packets that the current round trip is expected to acknowledge.
    batch: u64,
    /// The `snd_nxt` at the last update, or 0 before the first acknowledgement.
    #[checkpoint(sequence)]
    last_update_seq: u64,
    /// The `snd_nxt` at the last reduction, while the flow is in the reduced state (CWR).
    #[checkpoint(sequence)]
    reduced_until: Option<u64>,
}

impl Dctcp {
    /// Returns the average share of marked packets.
    fn alpha(&self) -> f64 {
        let mut alpha = self.alpha;
        for _ in 0..self.unmarked_rounds {
            let next = (1.0 - self.g) * alpha;
            if next.to_bits() == alpha.to_bits() {
                break;
            }
            alpha = next;
        }
        alpha
    }

    /// Ends a round trip and averages its share of marks.
    fn close_round(&mut self, cumulative: u64, next_seq: u64) {
        if self.last_update_seq == 0 {
            // The first round only determines the number of packets in the next one.
            self.batch = next_seq / self.mtu + 1;
        } else {
            if self.marks == 0 {
                self.unmarked_rounds += 1;
            } else {
                let share = (self.marks as f64 / self.batch as f64).min(1.0);
                self.alpha = (1.0 - self.g) * self.alpha() + self.g * share;
                self.unmarked_rounds = 0;
                self.marked_rounds += 1;
            }
            self.marks = 0;
            self.batch = next_seq.saturating_sub(cumulative) / self.mtu + 1;
        }
        self.last_update_seq = next_seq;
    }
}

impl<H> CongestionControl<H> for Dctcp {
    fn on_ack(&mut self, ack: &Ack<'_, H>) {
        let marked = ack.marked > 0;
        self.marks += u64::from(marked);
        let round = ack.cumulative > self.last_update_seq;
        if round {
            self.close_round(ack.cumulative, ack.next_seq);
        }
        if self.reduced_until.is_some_and(|seq| ack.cumulative > seq) {
            self.reduced_until = None;
        }
        if marked && self.reduced_until.is_none() {
            let lower = self.rate.kept(self.rate.bps() * (1.0 - self.alpha() / 2.0));
            self.rate.set(lower.max(self.min_rate));
            self.reduced_until = Some(ack.next_seq);
        }
        if round && self.reduced_until.is_none() {
            self.rate.set(self.rate.bps() + self.additive_increase);
        }
    }

    #[inline]
    fn window(&self) -> Option<Bytes> {
        self.rate.window()
    }

    #[inline]
    fn pacing_rate(&self) -> Option<Rate> {
        Some(self.rate.rate())
    }

    /// A new rate applies from the next packet on, as in the published simulator.
    #[inline]
    fn reschedules(&self) -> bool {
        false
    }

    fabricsim_base::saves_state!();
}

#[cfg(test)]
mod tests {
    use super::super::harness::{LINE, ack, cc, mbps};
    use super::*;
    use fabricsim_base::units::Duration;

    const RTT: Duration = Duration::from_us(10);

    /// Runs a round trip of ten packets, the first `marked` of them marked. Returns the rate after
    /// it.
    fn round(cc: &mut Dctcp, number: u64, marked: u64) -> u64 {
        for packet in 0..10 {
            let cumulative = number * 10_000 + packet * 1_000 + 1_000;
            cc.on_ack(&ack(
                0,
                cumulative,
                cumulative + 9_000,
                RTT,
                packet < marked,
            ));
        }
        mbps(cc)
    }

    #[test]
    fn the_first_mark_halves_the_rate_and_one_round_trip_reduces_once() {
        let mut cc: Dctcp = cc(&DctcpConfig::default(), Quirks::PUBLISHED);
        assert_eq!(round(&mut cc, 0, 10), 50_000);
    }

    #[test]
    fn a_fixed_window_stays_when_the_rate_falls() {
        let bytes = |config: &DctcpConfig| {
            let mut cc: Dctcp = cc(config, Quirks::PUBLISHED);
            round(&mut cc, 0, 10);
            CongestionControl::<()>::window(&cc).map(Bytes::get)
        };
        let mut config = DctcpConfig::default();
        assert_eq!(bytes(&config), Some(50_000));
        config.fixed_window = true;
        assert_eq!((config.validate(), bytes(&config)), (Ok(()), Some(100_000)));
        config.window = false;
        assert_eq!(bytes(&config), None);
        assert_eq!(config.validate().map_err(|e| e.key), Err("fixed_window"));
    }

    #[test]
    fn few_marks_reduce_little() {
        let mut cc: Dctcp = cc(&DctcpConfig::default(), Quirks::PUBLISHED);
        for number in 0..200 {
            round(&mut cc, number, 0);
        }
        // After two hundred rounds without marks, alpha is (15/16)^199 and the rate is line rate.
        assert_eq!(mbps(&cc), 100_000);
        assert!(cc.alpha() < 3e-6, "{}", cc.alpha());
        round(&mut cc, 200, 1);
        let reduced = mbps(&cc);
        assert!(reduced > 99_000, "{reduced}");
        // With one mark in ten, the average share converges to that.
        for number in 201..400 {
            round(&mut cc, number, 1);
        }
        assert!((cc.alpha() - 0.1).abs() < 0.02, "{}", cc.alpha());
    }

    #[test]
    fn a_round_trip_without_marks_adds_a_step() {
        let mut cc: Dctcp = cc(&DctcpConfig::default(), Quirks::PUBLISHED);
        round(&mut cc, 0, 10);
        round(&mut cc, 1, 0);
        let before = round(&mut cc, 2, 0);
        assert_eq!(round(&mut cc, 3, 0) - before, 615);
        // The default adds one MTU per base round-trip time: 8 Gbit in 8 us.
        let mut exact: Dctcp = super::super::harness::cc(&DctcpConfig::default(), Quirks::EXACT);
        round(&mut exact, 0, 10);
        round(&mut exact, 1, 0);
        let before = round(&mut exact, 2, 0);
        assert_eq!(round(&mut exact, 3, 0) - before, 1_000);
    }

    #[test]
    fn marks_begin_at_thirty_kilobytes_for_ten_gigabits() {
        let marks = DctcpConfig::default().marking(LINE);
        assert_eq!(
            marks.map(|m| (m.kmin.get(), m.kmax.get())),
            Some((300_000, 300_000))
        );
    }
}
