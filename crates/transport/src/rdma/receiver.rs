//! The receiving side: records arrivals in order and selects replies.

use std::collections::VecDeque;
use std::collections::hash_map::Entry;

use fabricsim_base::checkpoint::{LoadError, Reader, Stored, Writer};
use fabricsim_base::id::FlowId;
use fabricsim_base::units::Time;
use fabricsim_core::packet::{Flags, Header, Packet};
use fabricsim_core::plugin::Received;
use rustc_hash::FxHashMap;

use super::config::{RdmaConfig, Recovery};
use super::reassembly::Reassembly;
use super::reply::Reply;

/// Number of complete flows that are remembered, to recognize late copies of their packets.
const REMEMBERED: usize = 64;

#[derive(Clone, Debug, Stored)]
#[checkpoint(plain)]
struct Reception {
    /// All bytes below this one have arrived.
    #[checkpoint(sequence)]
    expected: u64,
    /// The byte of the last NACK.
    #[checkpoint(sequence)]
    nacked: u64,
    /// Time until which another NACK for that byte is suppressed.
    #[checkpoint(deadline)]
    nack_after: Time,
    /// Packets that have arrived beyond a gap, if there is one.
    reassembly: Option<Box<Reassembly>>,
}

impl Default for Reception {
    fn default() -> Self {
        Self {
            expected: 0,
            nacked: u64::MAX,
            nack_after: Time::ZERO,
            reassembly: None,
        }
    }
}

impl Reception {
    /// Returns the response to a packet beyond the first missing byte.
    // Kept out of line, apart from the code for every packet.
    #[cold]
    fn on_gap<H: Header>(&mut self, now: Time, packet: &Packet<H>, config: &RdmaConfig) -> Reply {
        let expected = self.expected;
        let beyond = match config.recovery.unwrap_or_default() {
            Recovery::Selective | Recovery::AnyOrder => {
                let mtu = config.mtu.get();
                self.reassembly
                    .get_or_insert_with(|| Box::new(Reassembly::new(expected, mtu)))
                    .keep(packet, expected, mtu)
            }
            Recovery::GoBackN if now < self.nack_after && self.nacked == expected => {
                return Reply::Silence;
            }
            Recovery::GoBackN => {
                self.nacked = expected;
                self.nack_after = now.saturating_add(config.nack_interval);
                0
            }
        };
        Reply::Nack { expected, beyond }
    }
}

/// The flows that this host receives.
#[derive(Clone, Debug, Default)]
pub(super) struct Receivers {
    flows: FxHashMap<FlowId, Reception>,
    /// Complete flows that are still in `flows`, oldest first.
    complete: VecDeque<FlowId>,
    /// The flow last completed, or the stream in which a message may have ended, until it is taken.
    pub(super) received: Option<Received>,
}

impl Stored for Receivers {
    fn store(&self, out: &mut Writer) {
        let Self {
            flows,
            complete,
            received,
        } = self;
        let mut flows: Vec<(&FlowId, &Reception)> = flows.iter().collect();
        flows.sort_unstable_by_key(|(id, _)| **id);
        out.number(flows.len());
        for (id, reception) in flows {
            id.store(out);
            out.in_flow(id.0, |out| reception.store(out));
        }
        complete.store(out);
        received.store(out);
    }

    fn fetch(input: &mut Reader<'_>) -> Result<Self, LoadError> {
        Ok(Self {
            flows: input.entries()?,
            complete: Stored::fetch(input)?,
            received: Stored::fetch(input)?,
        })
    }
}

impl Receivers {
    /// Processes a data packet. Returns the reply and the number of bytes that are newly delivered
    /// in order.
    ///
    /// Differs from the paper: an old packet is acknowledged again, although the published
    /// simulator does not respond to it. Otherwise, a flow could not recover from the loss of its
    /// last acknowledgement.
    pub(super) fn on_data<H: Header>(
        &mut self,
        now: Time,
        packet: &Packet<H>,
        config: &RdmaConfig,
    ) -> (Reply, u64) {
        if packet
            .flags
            .has_any(Flags::STREAM.and_if(true, Flags::TRIMMED))
        {
            return self.on_unusual(now, packet, config);
        }
        let reception = match self.flows.entry(packet.flow) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(_) if packet.flags.has(Flags::CONTINUED) => return (Reply::Complete, 0),
            Entry::Vacant(entry) => entry.insert(Reception::default()),
        };
        let expected = reception.expected;
        if packet.seq == expected {
            let mut last = packet.flags.has(Flags::LAST);
            reception.expected += u64::from(packet.payload);
            if let Some(reassembly) = &mut reception.reassembly {
                (reception.expected, last) = reassembly.fill(reception.expected, config.mtu.get());
                if reassembly.is_empty() {
                    reception.reassembly = None;
                }
            }
            let in_order = reception.expected;
            if last {
                self.retire(packet.flow);
            }
            (Reply::Ack(in_order), in_order - expected)
        } else if packet.seq < expected {
            (Reply::Ack(expected), 0)
        } else {
            (reception.on_gap(now, packet, config), 0)
        }
    }

    /// Returns `true` if `packet` may deliver the last byte of its flow or message: if it is the
    /// last packet, or if it may fill a gap below held packets.
    pub(super) fn may_complete<H: Header>(&self, packet: &Packet<H>, config: &RdmaConfig) -> bool {
        let fills = |reception: &Reception| reception.reassembly.is_some();
        packet.flags.has(Flags::LAST)
            || config.recovery != Some(Recovery::GoBackN)
                && self.flows.get(&packet.flow).is_some_and(fills)
    }

    /// Same as [`Self::on_data`], for connections and trimmed packets.
    // Kept out of line, apart from the code for packets of flows.
    #[inline(never)]
    fn on_unusual<H: Header>(
        &mut self,
        now: Time,
        packet: &Packet<H>,
        config: &RdmaConfig,
    ) -> (Reply, u64) {
        match packet.flags.has(Flags::TRIMMED) {
            true => (self.on_trimmed(packet, config), 0),
            false => self.on_stream(now, packet, config),
        }
    }

    /// Requests retransmission of the trimmed `packet` (NDP, SIGCOMM 2017, section 3.2). If its
    /// payload has already arrived, acknowledges it instead.
    fn on_trimmed<H: Header>(&mut self, packet: &Packet<H>, config: &RdmaConfig) -> Reply {
        let known = self.flows.get(&packet.flow);
        if known.is_none() && packet.flags.has(Flags::CONTINUED) && !packet.flags.has(Flags::STREAM)
        {
            return Reply::Complete;
        }
        let expected = known.map_or(0, |reception| reception.expected);
        let mtu = config.mtu.get();
        let held = known.and_then(|reception| reception.reassembly.as_ref());
        let held = held.is_some_and(|reassembly| reassembly.holds(packet.seq, mtu));
        if packet.seq < expected || held {
            return Reply::Ack(expected);
        }
        match u32::try_from((packet.seq - expected) / mtu) {
            Ok(beyond) => Reply::Trimmed { expected, beyond },
            Err(_) => Reply::Silence,
        }
    }

    /// Same as [`Self::on_data`], for a connection, which has no end. Each packet takes the
    /// sequence numbers of a full one.
    fn on_stream<H: Header>(
        &mut self,
        now: Time,
        packet: &Packet<H>,
        config: &RdmaConfig,
    ) -> (Reply, u64) {
        let mtu = config.mtu.get();
        let reception = self.flows.entry(packet.flow).or_default();
        let expected = reception.expected;
        if packet.seq < expected {
            return (Reply::Ack(expected), 0);
        }
        if packet.seq > expected {
            return (reception.on_gap(now, packet, config), 0);
        }
        reception.expected += mtu;
        let mut delivered = u64::from(packet.payload);
        let mut may_end = packet.flags.has(Flags::LAST);
        if let Some(reassembly) = &mut reception.reassembly {
            let (until, _) = reassembly.fill(reception.expected, mtu);
            delivered += until - reception.expected - reassembly.padding_below(until);
            may_end |= until > reception.expected;
            reception.expected = until;
            if reassembly.is_empty() {
                reception.reassembly = None;
            }
        }
        if may_end {
            self.received = Some(Received::Stream {
                connection: packet.flow,
                until: reception.expected,
            });
        }
        (Reply::Ack(reception.expected), delivered)
    }

    /// Returns the reply to a request for credit without data: the bytes received in order, because
    /// the sender may have missed acknowledgements.
    pub(super) fn on_request<H: Header>(&self, packet: &Packet<H>) -> Reply {
        match self.flows.get(&packet.flow) {
            Some(reception) => Reply::Ack(reception.expected),
            None if packet.flags.has(Flags::CONTINUED) && !packet.flags.has(Flags::STREAM) => {
                Reply::Complete
            }
            None => Reply::Ack(0),
        }
    }

    /// Returns `true` if all of `flow` has arrived, as far as remembered.
    pub(super) fn is_complete(&self, flow: FlowId) -> bool {
        self.received == Some(Received::Flow(flow)) || self.complete.contains(&flow)
    }

    fn retire(&mut self, flow: FlowId) {
        self.received = Some(Received::Flow(flow));
        self.complete.push_back(flow);
        if self.complete.len() > REMEMBERED
            && let Some(oldest) = self.complete.pop_front()
        {
            self.flows.remove(&oldest);
        }
    }
}

#[cfg(test)]
mod tests {
    use fabricsim_base::flow::FlowKey;
    use fabricsim_base::id::NodeId;

    use fabricsim_core::packet::PacketKind;

    use super::*;
    use fabricsim_base::priority::Priority;

    /// Returns settings with at most one NACK per byte in 500 us.
    fn config(recovery: Recovery) -> RdmaConfig {
        RdmaConfig {
            recovery: Some(recovery),
            ..RdmaConfig::default()
        }
    }

    const fn nack(expected: u64, beyond: u32) -> Reply {
        Reply::Nack { expected, beyond }
    }

    fn data(flow: u32, seq: u64, flags: Flags) -> Packet<()> {
        let key = FlowKey {
            src: NodeId(0),
            dst: NodeId(1),
            src_port: 1,
            dst_port: 2,
        };
        let mut packet = Packet::new(PacketKind::Data, Priority::new(3), key, FlowId(flow));
        packet.seq = seq;
        packet.payload = 1_000;
        packet.flags = flags;
        packet
    }

    #[test]
    fn in_order_bytes_are_acknowledged_one_by_one() {
        let mut receivers = Receivers::default();
        let config = config(Recovery::GoBackN);
        let mut take = |seq| receivers.on_data(Time::ZERO, &data(0, seq, Flags::NONE), &config);
        assert_eq!(take(0), (Reply::Ack(1_000), 1_000));
        assert_eq!(take(1_000), (Reply::Ack(2_000), 1_000));
        assert_eq!(take(0), (Reply::Ack(2_000), 0));
    }

    #[test]
    fn a_gap_is_reported_once_an_interval() {
        let mut receivers = Receivers::default();
        let config = config(Recovery::GoBackN);
        let mut take = |us: u64, seq| {
            let now = Time::from_ns(us * 1_000);
            receivers
                .on_data(now, &data(0, seq, Flags::NONE), &config)
                .0
        };
        assert_eq!(take(0, 1_000), nack(0, 0));
        assert_eq!(take(1, 2_000), Reply::Silence);
        assert_eq!(take(500, 3_000), nack(0, 0));
        assert_eq!(take(501, 0), Reply::Ack(1_000));
        assert_eq!(take(502, 5_000), nack(1_000, 0));
    }

    #[test]
    fn what_arrives_beyond_a_gap_is_kept_and_reported() {
        let mut receivers = Receivers::default();
        let config = config(Recovery::Selective);
        let mut take = |seq, flags| receivers.on_data(Time::ZERO, &data(0, seq, flags), &config);
        assert_eq!(take(0, Flags::NONE), (Reply::Ack(1_000), 1_000));
        assert_eq!(take(2_000, Flags::NONE), (nack(1_000, 1), 0));
        assert_eq!(take(4_000, Flags::LAST), (nack(1_000, 3), 0));
        assert_eq!(take(4_000, Flags::LAST), (nack(1_000, 3), 0));
        assert_eq!(take(1_000, Flags::NONE), (Reply::Ack(3_000), 2_000));
        assert_eq!(take(1_000, Flags::NONE), (Reply::Ack(3_000), 0));
        assert_eq!(take(3_000, Flags::NONE), (Reply::Ack(5_000), 2_000));
        assert_eq!(receivers.complete, [FlowId(0)]);
        assert!(receivers.flows[&FlowId(0)].reassembly.is_none());
    }

    #[test]
    fn a_connection_has_no_end_and_ends_of_messages_are_reported() {
        let mut receivers = Receivers::default();
        let config = config(Recovery::Selective);
        let mut take = |seq, payload| {
            let ends = Flags::STREAM.and_if(payload < 1_000, Flags::LAST);
            let mut packet = data(7, seq, ends);
            packet.payload = payload;
            let taken = receivers.on_data(Time::ZERO, &packet, &config);
            (taken, receivers.received.take())
        };
        let until = |until| {
            Some(Received::Stream {
                connection: FlowId(7),
                until,
            })
        };
        assert_eq!(take(0, 64), ((Reply::Ack(1_000), 64), until(1_000)));
        assert_eq!(take(2_000, 5), ((nack(1_000, 1), 0), None));
        assert_eq!(take(1_000, 100), ((Reply::Ack(3_000), 105), until(3_000)));
        assert_eq!(take(0, 64), ((Reply::Ack(3_000), 0), None));
        assert_eq!(take(3_000, 1_000), ((Reply::Ack(4_000), 1_000), None));
        assert_eq!(take(4_000, 9), ((Reply::Ack(5_000), 9), until(5_000)));
        assert!(receivers.complete.is_empty());
    }

    #[test]
    fn a_late_copy_of_a_complete_flow_is_recognized() {
        let mut receivers = Receivers::default();
        let config = config(Recovery::GoBackN);
        for flow in 0..200 {
            receivers.on_data(Time::ZERO, &data(flow, 0, Flags::LAST), &config);
        }
        assert_eq!(receivers.flows.len(), REMEMBERED);
        let late = data(199, 0, Flags::LAST);
        assert_eq!(
            receivers.on_data(Time::ZERO, &late, &config).0,
            Reply::Ack(1_000)
        );
        let forgotten = data(0, 7_000, Flags::CONTINUED);
        assert_eq!(
            receivers.on_data(Time::ZERO, &forgotten, &config).0,
            Reply::Complete
        );
    }
}
