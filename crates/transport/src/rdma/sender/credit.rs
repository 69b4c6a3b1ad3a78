//! Credit at a sender: requests and grants.

use fabricsim_base::priority::Priority;
use fabricsim_base::units::{Bytes, Time};
use fabricsim_core::packet::{Flags, Header, Packet, PacketKind};
use fabricsim_core::plugin::{CongestionControl, CreditDemand};

use super::{MAX_BACKOFF, RdmaSender};
use crate::rdma::config::RdmaSettings;

impl<L> RdmaSender<L> {
    /// Returns `true` if bytes are left that cannot leave only for lack of credit.
    pub(in crate::rdma) fn waits_for_credit<H: Header>(&self) -> bool
    where
        L: CongestionControl<H>,
    {
        self.next < self.written && !self.cc.has_credit()
    }

    /// Writes the number up to which the flow requests credit into the departing `packet`, or none
    /// if the congestion control uses no credit. `ready` is the number of flows that the port could
    /// send from.
    pub(in crate::rdma) fn ask_for_credit<H: Header, F>(
        &mut self,
        packet: &mut Packet<H>,
        ready: u32,
        settings: &RdmaSettings<F>,
    ) where
        L: CongestionControl<H>,
    {
        let demand = self.demand(ready, settings);
        if let Some(number) = self.cc.ask_for_credit(&demand) {
            packet.telemetry.set_credit(number);
        }
        self.renew_limits::<H>(packet.sent_at);
    }

    /// Returns the remaining data to send, in bytes on the wire.
    fn demand<F>(&self, ready: u32, settings: &RdmaSettings<F>) -> CreditDemand {
        let (mtu, header) = (settings.config.mtu.get(), u64::from(settings.data_header));
        let numbers = self.written - self.sent_once;
        let payload = match &self.stream {
            None => numbers,
            Some(stream) => stream.payload(self.sent_once, self.written),
        };
        let lost = match &self.scoreboard {
            Some(scoreboard) => scoreboard.waiting() * mtu,
            None => self.sent_once - self.next.min(self.sent_once),
        };
        let packet = mtu + header;
        CreditDemand {
            unsent: Bytes::new(payload + numbers.div_ceil(mtu) * header),
            lost: Bytes::new(lost + lost.div_ceil(mtu) * header),
            packet: Bytes::new(packet),
            ready,
        }
    }

    /// Returns a packet that requests credit without data, because earlier requests or the grant
    /// may have been lost (`sendRTS`).
    ///
    /// Differs from htsim: it takes no sequence number, and the flow waits for credit even if all
    /// sent data is acknowledged.
    #[cold]
    pub(in crate::rdma) fn request<H: Header, F>(
        &mut self,
        now: Time,
        settings: &RdmaSettings<F>,
    ) -> Option<Packet<H>>
    where
        L: CongestionControl<H>,
    {
        let number = self.cc.ask_for_credit(&self.demand(1, settings));
        self.renew_limits::<H>(now);
        let number = number?;
        let kind = PacketKind::Request;
        let mut packet = Packet::<H>::new(kind, Priority::CONTROL, self.flow.key(), self.flow.id);
        packet.telemetry.set_credit(number);
        packet.sent_at = now;
        packet.seq = self.acknowledged;
        packet.wire = settings.data_header.max(settings.ack_least);
        packet.flags = Flags::NONE.and_if(self.acknowledged > 0, Flags::CONTINUED);
        if self.stream.is_some() {
            packet.flags = Flags::STREAM;
        }
        Some(packet)
    }

    /// Extends the next timeout, because nothing is in flight and no credit has arrived for a
    /// timeout.
    #[cold]
    pub(in crate::rdma) fn wait_longer(&mut self, now: Time) {
        self.backoff = (self.backoff + 1).min(MAX_BACKOFF);
        self.progress = now;
    }
}
