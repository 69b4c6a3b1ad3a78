//! Losses at a sender: reactions to gaps, trimmed packets and timeouts.

use fabricsim_base::units::{Bytes, Time};
use fabricsim_core::packet::{Flags, Header, Packet};
use fabricsim_core::plugin::{CongestionControl, Signal};

use super::{MAX_BACKOFF, RdmaSender};
use crate::rdma::config::{RdmaSettings, Recovery};
use crate::rdma::entropy::Entropies;
use crate::rdma::selective::{Episode, Overtaking, Scoreboard};

impl<L> RdmaSender<L> {
    /// Processes the report of a gap. With go-back-N, the sender resumes at the first
    /// unacknowledged byte. With selective recovery, it retransmits lost packets, and notifies its
    /// controller once per episode and of each trimmed packet.
    // Kept out of line, apart from the code for every ACK.
    #[cold]
    pub(in crate::rdma) fn on_nack<H: Header, F>(
        &mut self,
        now: Time,
        nack: &Packet<H>,
        settings: &RdmaSettings<F>,
    ) where
        L: CongestionControl<H>,
    {
        let loss = self.congestion(now, Signal::Loss);
        match settings.config.recovery.unwrap_or_default() {
            Recovery::AnyOrder => {
                match self.report_packet(nack, settings) {
                    Episode::Begins => self.cc.on_congestion(&loss),
                    Episode::GoesOn => {}
                    Episode::Extends => self.cc.on_trimmed(&loss),
                }
                return self.choose_next::<H>();
            }
            Recovery::GoBackN => self.next = self.acknowledged,
            // An old report: the bytes missing then have been acknowledged since.
            Recovery::Selective if nack.cumulative() < self.acknowledged => return,
            Recovery::Selective => {
                let (acknowledged, sent) = (self.acknowledged, self.sent());
                let scoreboard = self.scoreboard(settings);
                let episode =
                    scoreboard.report(acknowledged, nack.gap_distance(), nack.sent_at, sent);
                self.next = scoreboard.lost().unwrap_or(sent);
                if episode == Episode::GoesOn {
                    return;
                }
            }
        }
        self.cc.on_congestion(&loss);
    }

    /// Processes the report of a packet that has left the network: it has arrived beyond a gap,
    /// which is not a loss, or it was trimmed and must be retransmitted. Reports may be reordered,
    /// too; an old report still identifies its packet.
    fn report_packet<H: Header, F>(
        &mut self,
        report: &Packet<H>,
        settings: &RdmaSettings<F>,
    ) -> Episode {
        let (sent, first) = (self.sent(), self.acknowledged / settings.config.mtu.get());
        let arrived = report.cumulative() / settings.config.mtu.get();
        let arrived = arrived + u64::from(report.gap_distance());
        let scoreboard = self.scoreboard(settings);
        let episode = if report.flags.has(Flags::TRIMMED) {
            scoreboard.note_trimmed(first, arrived, sent)
        } else {
            scoreboard.note_arrival(first, arrived);
            Episode::GoesOn
        };
        self.held = scoreboard.held();
        episode
    }

    /// Selects the next packet: one to retransmit or, if there is none, the next new one. A trimmed
    /// packet waits if the window is full, because all other packets have left the network or are
    /// in flight.
    pub(super) fn choose_next<H: Header>(&mut self)
    where
        L: CongestionControl<H>,
    {
        let Some(scoreboard) = &self.scoreboard else {
            return;
        };
        let bounded = scoreboard.knows_what_is_in_flight();
        let full = |window: Bytes| self.payload_in_flight() >= window.get();
        let again = match bounded && self.cc.window().is_some_and(full) {
            true => None,
            false => scoreboard.lost(),
        };
        self.next = again.unwrap_or(self.sent_once);
    }

    /// Handles a timeout without acknowledgements: all packets in flight that the receiver has not
    /// reported are lost.
    #[cold]
    pub(in crate::rdma) fn on_timeout<H: Header, F>(
        &mut self,
        now: Time,
        settings: &RdmaSettings<F>,
    ) where
        L: CongestionControl<H>,
    {
        let loss = self.congestion(now, Signal::Timeout);
        self.backoff = (self.backoff + 1).min(MAX_BACKOFF);
        self.progress = now;
        match settings.config.recovery.unwrap_or_default() {
            Recovery::GoBackN => self.next = self.acknowledged,
            Recovery::Selective | Recovery::AnyOrder => {
                let (acknowledged, sent) = (self.acknowledged, self.sent());
                let scoreboard = self.scoreboard(settings);
                scoreboard.time_out(acknowledged, sent);
                if let Some(entropies) = scoreboard.entropies() {
                    entropies.note_timeout(now);
                }
                let (held, lost) = (scoreboard.held(), scoreboard.lost());
                self.held = held;
                self.next = lost.unwrap_or(sent);
            }
        }
        self.cc.on_congestion(&loss);
    }

    /// Returns this new flow, with an entropy value in each packet if `settings` require it.
    pub(in crate::rdma) fn with_entropies<F>(mut self, settings: &RdmaSettings<F>) -> Self {
        if let Some((rule, seed)) = &settings.entropy {
            let entropies = Entropies::new(rule, *seed, self.flow.id);
            let mtu = settings.config.mtu.get();
            self.scoreboard = Some(Box::new(Scoreboard::with_entropies(mtu, entropies)));
        }
        self
    }

    pub(super) fn scoreboard<F>(&mut self, settings: &RdmaSettings<F>) -> &mut Scoreboard {
        let (acknowledged, mtu) = (self.acknowledged, settings.config.mtu);
        let sent = self.sent();
        self.scoreboard.get_or_insert_with(|| {
            let overtaking = match settings.config.recovery {
                Some(Recovery::AnyOrder) => Overtaking::AnyOrder,
                _ => Overtaking::new(settings.paths, self.flow.path.bdp(), mtu),
            };
            Box::new(Scoreboard::new((acknowledged, sent), mtu.get(), overtaking))
        })
    }
}
