//! Compares CUBIC under random losses with an independent model of RFC 9438.

use std::collections::VecDeque;

use fabricsim_base::units::Rate;
use fabricsim_transport::cc::CubicConfig;
use fabricsim_transport::tcp::{ClassConfig, Feedback, Opening, Switch, TcpConfig};

use crate::network::{Fate, Network, Path, Segment, is_data, ms};

/// Round-trip time in seconds. With windows below 150 segments, CUBIC is in its Reno-friendly
/// region.
const RTT: f64 = 0.02;

/// Returns `true` if transmission `number` of data is lost. The network and the model lose the same
/// ones.
fn is_lost(number: u64, share: f64) -> bool {
    // SplitMix64 (Steele, Lea and Flood 2014).
    let mut bits = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((bits ^ (bits >> 31)) as f64) < share * 2f64.powi(64)
}

/// The window that ends the slower increase of the Reno-friendly region.
#[derive(Clone, Copy, PartialEq)]
enum UntilWindow {
    /// cwnd_prior: the rule of section 4.3.
    Prior,
    /// W_max, which fast convergence sets below cwnd_prior.
    Most,
    /// None, as in RFC 8312 and in Linux.
    Never,
}

/// The window by the equations of RFC 9438, in segments and seconds.
struct Rfc9438 {
    until: UntilWindow,
    cwnd: f64,
    ssthresh: f64,
    cwnd_prior: f64,
    w_max: f64,
    /// t_epoch and K of this congestion avoidance stage.
    stage: Option<(f64, f64)>,
    w_est: f64,
}

impl Rfc9438 {
    const C: f64 = 0.4;
    const BETA: f64 = 0.7;

    fn new_ack(&mut self, now: f64) {
        if self.cwnd < self.ssthresh {
            self.cwnd += 1.0;
            return;
        }
        let (t_epoch, k) = *self.stage.get_or_insert_with(|| {
            self.w_est = self.cwnd;
            self.w_max = self.w_max.max(self.cwnd);
            // Figure 2.
            (now, ((self.w_max - self.cwnd) / Self::C).cbrt())
        });
        // Figure 1, and the target of section 4.2.
        let w_cubic = |t: f64| Self::C * (t - k).powi(3) + self.w_max;
        let t = now - t_epoch;
        let target = w_cubic(t + RTT).clamp(self.cwnd, 1.5 * self.cwnd);
        // Figure 4.
        let slower = match self.until {
            UntilWindow::Prior => self.w_est < self.cwnd_prior,
            UntilWindow::Most => self.w_est < self.w_max,
            UntilWindow::Never => true,
        };
        let alpha = if slower {
            3.0 * (1.0 - Self::BETA) / (1.0 + Self::BETA)
        } else {
            1.0
        };
        self.w_est += alpha / self.cwnd;
        if w_cubic(t) < self.w_est {
            self.cwnd = self.w_est;
        } else {
            self.cwnd += (target - self.cwnd) / self.cwnd;
        }
    }

    /// Sections 4.6 and 4.7.
    fn congestion(&mut self) {
        self.cwnd_prior = self.cwnd;
        self.w_max = if self.cwnd < self.w_max {
            self.cwnd * (1.0 + Self::BETA) / 2.0
        } else {
            self.cwnd
        };
        self.ssthresh = (self.cwnd * Self::BETA).max(2.0);
        self.cwnd = self.ssthresh;
        self.stage = None;
    }
}

/// Returns the segments delivered per round trip (the mean window), from 20 s on for `seconds`. The
/// model is a pipe of one round trip that loses a share of `share`. The next acknowledgement
/// reveals losses, which are recovered within the same window; meanwhile, the window does not
/// change.
fn modeled(until: UntilWindow, share: f64, seconds: f64) -> f64 {
    let mut cc = Rfc9438 {
        until,
        cwnd: 10.0,
        ssthresh: f64::INFINITY,
        cwnd_prior: 0.0,
        w_max: 0.0,
        stage: None,
        w_est: 0.0,
    };
    // Send time, segment number, and `true` if it arrives.
    let mut pipe: VecDeque<(f64, u64, bool)> = VecDeque::new();
    let mut missing: VecDeque<u64> = VecDeque::new();
    let mut unrecovered: Vec<u64> = Vec::new();
    let (mut now, mut sent, mut next, mut delivered) = (0.0, 0, 0, 0u64);
    // End of the recovery episode.
    let mut recovery: Option<u64> = None;
    while now < 20.0 + seconds {
        // Fill the window, lost segments first.
        while (pipe.len() as f64) < cc.cwnd.floor() {
            let segment = missing.pop_front().unwrap_or_else(|| {
                next += 1;
                next
            });
            sent += 1;
            pipe.push_back((now, segment, !is_lost(sent, share)));
        }
        // Losses at the head of the pipe are revealed by the next arrival.
        let mut noticed = false;
        while let Some((_, segment, false)) = pipe.front() {
            unrecovered.push(*segment);
            missing.push_back(*segment);
            noticed = true;
            pipe.pop_front();
        }
        if let Some((at, segment, _)) = pipe.pop_front() {
            now = at + RTT;
            unrecovered.retain(|&one| one != segment);
            delivered += u64::from(now > 20.0);
        }
        if recovery.is_some_and(|end| unrecovered.iter().all(|&one| one > end)) {
            recovery = None;
        }
        if noticed && recovery.is_none() {
            recovery = Some(next);
            cc.congestion();
        } else if recovery.is_none() {
            cc.new_ack(now);
        }
    }
    delivered as f64 / seconds * RTT
}

/// Same as [`modeled`], measured at the sender.
fn measured(share: f64, seconds: u64) -> f64 {
    let class = ClassConfig {
        cc: std::sync::Arc::new(CubicConfig {
            hystart: Switch::Off,
            ..CubicConfig::default()
        }),
        feedback: Feedback::None,
        opening: Opening::Open,
        ..ClassConfig::default()
    };
    // Every segment is acknowledged, and no window fills the rate.
    let config = TcpConfig {
        quick_acks: Some(u32::MAX),
        ..TcpConfig::default()
    };
    let path = Path {
        nic: Rate::from_gbps(100),
        rate: Rate::from_gbps(100),
        ..Path::wan(ms(20), u64::MAX / 2)
    };
    let mut sent = 0;
    let fate = |_, packet: &Segment| {
        sent += u64::from(is_data(packet));
        if is_data(packet) && is_lost(sent, share) {
            Fate::Lost
        } else {
            Fate::Arrives
        }
    };
    let mut network = Network::new(2, path, &config, class, fate);
    network.flow(0, 1, u64::MAX / 4, network.now, 0);
    network.run_until(network.now + ms(20_000));
    let before = network.carried;
    network.run_until(network.now + ms(seconds * 1_000));
    (network.carried - before) as f64 / 1_448.0 / seconds as f64 * RTT
}

#[test]
fn cubic_grows_like_reno_once_it_has_the_window_from_before_the_loss() {
    for (share, seconds) in [(1e-3, 1_500), (1e-4, 3_000)] {
        let window = measured(share, seconds);
        let model = |until| modeled(until, share, seconds as f64);
        let (rule, earlier, never) = (
            model(UntilWindow::Prior),
            model(UntilWindow::Most),
            model(UntilWindow::Never),
        );
        println!(
            "loss {share}: mean window {window:.2}, by the RFC {rule:.2}, with W_max for cwnd_prior \
             {earlier:.2}, always slower {never:.2}"
        );
        assert!((window / rule - 1.0).abs() < 0.02, "{window} and {rule}");
        assert!((window / earlier - 1.0).abs() > 0.03, "{earlier}");
        assert!((window / never - 1.0).abs() > 0.03, "{never}");
    }
}
