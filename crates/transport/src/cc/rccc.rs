//! RCCC, the receiver-credit congestion control of Ultra Ethernet (specification 1.0), by its public
//! reference: the simulator htsim of the consortium (`htsim/sim/uec.cpp`, whose functions are named
//! here). Its mechanism is that of EQDS (Olteanu et al., NSDI 2022).
//!
//! A flow begins with credit of its own for one and a half bandwidth-delay products, which it uses
//! before it has heard from the receiver and loses when it does. From then on it sends what the
//! receiver has granted. Each packet says up to which number the flow asks for credit: what it has
//! left to send, at most the largest window, less what it holds. Receivers grant it in turns, at
//! nearly the rate of their port (`rdma/credit.rs`).
//!
//! There is no window beside the credit, and marks and round-trip times mean nothing: what limits a
//! flow inside of the network has to be told by another algorithm.

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
        /// Largest credit of a flow in bandwidth-delay products, and the one with which it begins.
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

/// The unit of numbers of credit in bytes (`UEC_PULL_QUANTUM`).
const QUANTUM: u64 = 256;

impl CcConfig for RcccConfig {
    const KEYS: Keys = Self::KEYS;

    fn validate(&self) -> Result<(), ConfigError> {
        self.validate_ranges()
    }

    /// Grants are of whole units, at least one (`_credit_per_pull`).
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

/// RCCC for one flow. Credit is bytes on the wire.
#[derive(Checkpointed, Clone, Debug)]
pub struct Rccc {
    /// What may be sent; less than zero after a packet that was longer than it (`_credit`).
    credit: i64,
    /// The most of it (`_configured_maxwnd`).
    #[checkpoint(rebuilt)]
    most: i64,
    /// The number up to which the receiver has granted (`_pull`).
    granted: u64,
    /// Nothing was heard of the receiver but acknowledgements (`_speculating`).
    speculating: bool,
}

fn signed(bytes: Bytes) -> i64 {
    i64::try_from(bytes.get()).unwrap_or(i64::MAX)
}

impl Rccc {
    /// The receiver has been heard of: credit of the flow's own is void (`stopSpeculating`).
    fn stop_speculating(&mut self) {
        if std::mem::take(&mut self.speculating) {
            self.credit = self.credit.min(0);
        }
    }
}

impl<H> CongestionControl<H> for Rccc {
    /// `spendCredit`.
    #[inline]
    fn on_sent(&mut self, wire: Bytes) {
        self.credit -= signed(wire);
    }

    #[inline]
    fn on_ack(&mut self, _ack: &Ack<'_, H>) {}

    /// `processNack`.
    fn on_congestion(&mut self, congestion: &Congestion) {
        if congestion.signal == Signal::Loss {
            self.stop_speculating();
        }
    }

    fn on_trimmed(&mut self, _congestion: &Congestion) {
        self.stop_speculating();
    }

    /// `can_send_RCCC`: any credit lets a whole packet go.
    #[inline]
    fn has_credit(&self) -> bool {
        self.credit > 0
    }

    /// `computePullTarget`. Flows that leave by one port share what they ask for.
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

    /// `processPull`, `handlePull`.
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
