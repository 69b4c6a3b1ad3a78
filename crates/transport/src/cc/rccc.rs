//! RCCC, the receiver-credit congestion control of Ultra Ethernet (specification 1.0), after its
//! public reference: the consortium's simulator htsim (`htsim/sim/uec.cpp`; comments name its
//! functions). It uses the mechanism of EQDS (Olteanu et al., NSDI 2022).
//!
//! A flow begins with its own credit of one and a half bandwidth-delay products. It uses this
//! credit before it hears from the receiver, and loses the rest when it does. From then on it sends
//! only as much as the receiver has granted. Each packet contains the number up to which the flow
//! requests credit: its remaining bytes (at most the largest window), minus its current credit.
//! Receivers grant credit round robin, at nearly the rate of their port (`rdma/credit.rs`).
//!
//! There is no window, only credit, and marks and round-trip times have no effect. To react
//! to congestion inside the network, another algorithm is needed.

use fabricsim_base::checkpoint::Checkpointed;
use fabricsim_base::input::{ConfigError, Keys};
use fabricsim_base::settings;
use fabricsim_base::units::{Bytes, Duration, Rate, Time};
use fabricsim_core::plugin::{
    Ack, CREDIT_BEGINS, CcConfig, CcContext, Congestion, CongestionControl, ControllerFactory,
    CreditDemand, CreditRules, FlowStart, Signal,
};

settings! {
    /// The `[cc]` table of `kind = "rccc"`.
    pub struct RcccConfig {
        /// Largest credit of a flow in bandwidth-delay products, and its initial credit.
        #[range(above 0.0, to 1000.0)]
        #[refused(
            "credit for {value} bandwidth-delay products is impossible",
            "give a number above zero and up to 1000, such as 1.5"
        )]
        pub max_window_bdp: f64 = 1.5,
        /// Full packets of credit in one grant.
        #[range(from 1, to 1000)]
        #[refused("a grant of {value} packets is impossible", "give 1 to 1000, such as 4")]
        pub grant_packets: u32 = 4,
        /// Share of the receiving port's rate that grants make up.
        #[range(above 0.0, to 1.0)]
        #[refused(
            "a share of {value} is not between 0 and 1",
            "give a share of the port's rate, such as 0.99"
        )]
        pub grant_rate: f64 = 0.99,
    }
}

/// Unit of credit numbers, in bytes (`UEC_PULL_QUANTUM`).
const QUANTUM: u64 = 256;

impl CcConfig for RcccConfig {
    const KEYS: Keys = Self::KEYS;

    fn validate(&self) -> Result<(), ConfigError> {
        self.validate_ranges()
    }

    /// Grants consist of whole units, at least one (`_credit_per_pull`).
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a positive time; larger ones saturate"
    )]
    fn credit(&self, mtu: Bytes, network: &CcContext) -> Option<CreditRules> {
        let grant = mtu.get() * u64::from(self.grant_packets) / QUANTUM * QUANTUM;
        let spare = network.base_rtt.as_ps() as f64 * self.max_window_bdp;
        Some(CreditRules {
            grant: Bytes::new(grant.max(QUANTUM)),
            rate: self.grant_rate,
            spare: Duration::from_ps(spare as u64),
        })
    }
}

impl<H> ControllerFactory<H> for RcccConfig {
    type Controller = Rccc;

    #[expect(
        clippy::cast_possible_truncation,
        reason = "a positive number of bytes, at most a thousand bandwidth-delay products"
    )]
    fn build(&self, start: &FlowStart<'_>) -> Rccc {
        let window = (start.bdp.as_f64() * self.max_window_bdp) as i64;
        let most = window.max(signed(start.wire));
        Rccc {
            credit: most,
            most,
            granted: CREDIT_BEGINS,
            speculating: true,
        }
    }
}

/// RCCC for one flow. Credit is in bytes on the wire.
#[derive(Checkpointed, Clone, Debug)]
#[checkpoint(absolute)]
pub struct Rccc {
    /// Available credit; negative after a packet that was longer than the credit (`_credit`).
    credit: i64,
    /// Maximum credit (`_configured_maxwnd`).
    #[checkpoint(rebuilt)]
    most: i64,
    /// The number up to which the receiver has granted credit (`_pull`).
    granted: u64,
    /// `true` as long as the receiver has sent only acknowledgements (`_speculating`).
    speculating: bool,
}

fn signed(bytes: Bytes) -> i64 {
    i64::try_from(bytes.get()).unwrap_or(i64::MAX)
}

impl Rccc {
    /// Cancels the flow's own credit, because the receiver has responded (`stopSpeculating`).
    fn stop_speculating(&mut self) {
        if std::mem::take(&mut self.speculating) {
            self.credit = self.credit.min(0);
        }
    }
}

impl<H> CongestionControl<H> for Rccc {
    /// Spends credit on a sent packet (`spendCredit`).
    #[inline]
    fn on_sent(&mut self, wire: Bytes) {
        self.credit -= signed(wire);
    }

    #[inline]
    fn on_ack(&mut self, _ack: &Ack<'_, H>) {}

    /// Ends the use of the initial credit at a loss (`processNack`).
    fn on_congestion(&mut self, congestion: &Congestion) {
        if congestion.signal == Signal::Loss {
            self.stop_speculating();
        }
    }

    fn on_trimmed(&mut self, _congestion: &Congestion) {
        self.stop_speculating();
    }

    /// `can_send_RCCC`: any positive credit allows a whole packet.
    #[inline]
    fn has_credit(&self) -> bool {
        self.credit > 0
    }

    /// `computePullTarget`. Flows that leave through one port share their requests.
    fn ask_for_credit(&mut self, demand: &CreditDemand) -> Option<u64> {
        let left = signed(demand.unsent).saturating_add(signed(demand.lost));
        let mut wanted = left.min(self.most) - self.credit;
        let packet = signed(demand.packet);
        if self.speculating && wanted < packet && demand.unsent > Bytes::ZERO {
            wanted = packet;
        }
        wanted /= i64::from(demand.ready.max(1));
        let number = self.granted.saturating_add_signed(wanted);
        Some(number.next_multiple_of(QUANTUM))
    }

    /// Adds newly granted credit (`processPull`, `handlePull`).
    fn on_credit(&mut self, _now: Time, granted: u64) {
        self.stop_speculating();
        if let Some(more) = granted.checked_sub(self.granted) {
            let credit = self.credit.saturating_add_unsigned(more);
            self.credit = credit.min(self.most);
            self.granted = granted;
        }
    }

    #[inline]
    fn window(&self) -> Option<Bytes> {
        None
    }

    #[inline]
    fn pacing_rate(&self) -> Option<Rate> {
        None
    }

    #[inline]
    fn reschedules(&self) -> bool {
        false
    }

    fabricsim_base::saves_state!();
}

#[cfg(test)]
mod tests;
