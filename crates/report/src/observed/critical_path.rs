//! The critical path of a collective: the messages that decided its end.

use std::collections::BTreeMap;

use fabricsim_base::id::{FlowId, NodeId};
use fabricsim_base::units::{Duration, Time};

use super::{DelayedFlow, Delays};

/// A message on a critical path.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct PathMessage {
    /// The message.
    pub message: DelayedFlow,
    /// Arrival of its last byte at the receiver.
    pub received: Time,
    /// Time at the sending rank, from the receipt of the previous message on the path, or from the
    /// beginning, to the start of this message: computation, or other operations of the rank.
    pub at_rank: Duration,
}

impl Delays<'_> {
    /// Returns the messages that decided the receipt of message `last`, in order, from the time
    /// `from` on. Before each message, its sender had last received the message before it. Empty
    /// if `last` is unknown.
    ///
    /// The times at ranks and the times from the start to the receipt of each message add up to the
    /// time from `from` to the last receipt.
    #[must_use]
    pub fn critical_path(&self, last: FlowId, from: Time) -> Vec<PathMessage> {
        let messages = self.receipts();
        let mut at_hosts: BTreeMap<NodeId, Vec<(Time, FlowId)>> = BTreeMap::new();
        for (id, (message, received)) in &messages {
            let own = at_hosts.entry(message.dst).or_default();
            own.push((*received, *id));
        }
        for own in at_hosts.values_mut() {
            own.sort_unstable();
        }
        let mut path = Vec::new();
        let mut next = Some(last);
        while let Some((message, received)) = next.and_then(|id| messages.get(&id)) {
            let start = message.start;
            let earlier = at_hosts.get(&message.src).and_then(|own| {
                let after = own.partition_point(|(at, _)| *at <= start);
                let (at, id) = own.get(after.checked_sub(1)?)?;
                (*at > from).then_some((*at, *id))
            });
            let since = earlier.map_or(from, |(at, _)| at);
            path.push(PathMessage {
                message: *message,
                received: *received,
                at_rank: start.since(since.min(start)),
            });
            next = earlier.map(|(_, id)| id).filter(|_| start > from);
        }
        path.reverse();
        path
    }

    /// Returns the messages with the arrivals of their last bytes.
    fn receipts(&self) -> BTreeMap<FlowId, (DelayedFlow, Time)> {
        let mut messages: BTreeMap<FlowId, (DelayedFlow, Time)> = BTreeMap::new();
        for (message, part, time) in &self.rows {
            let entry = messages.entry(message.flow);
            let (_, received) = entry.or_insert((*message, message.start));
            if part.stage != "acknowledgement" {
                *received += *time;
            }
        }
        messages
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Message 1 (host 0 to 1) takes 100 ns, message 2 (1 to 2) starts 5 ns after its receipt and
    /// takes 50 ns, while message 3 (3 to 1) has arrived earlier.
    const TEXT: &str = "\
flow,class,src,dst,size_bytes,start_ns,fct_ns,ideal_fct_ns,stage,part,node,port,name,tier,peer,behind,time_ns
1,0,0,1,1000,10,110,60,sending,transmission,,,,,,,100
1,0,0,1,1000,10,110,60,acknowledgement,propagation,,,,,,,10
3,0,3,1,1000,10,40,60,sending,transmission,,,,,,,40
2,0,1,2,1000,115,50,60,packet,queue,,,,,,,50
";

    #[test]
    fn each_message_follows_the_last_receipt_of_its_sender() {
        let delays = Delays::read(TEXT).expect("rows");
        let path = delays.critical_path(FlowId(2), Time::from_ns(7));
        let found: Vec<_> = (path.iter())
            .map(|own| {
                (
                    own.message.flow.0,
                    own.received.as_ps(),
                    own.at_rank.as_ps(),
                )
            })
            .collect();
        assert_eq!(found, [(1, 110_000, 3_000), (2, 165_000, 5_000)]);
        let whole: u64 = (path.iter())
            .map(|own| own.at_rank.as_ps() + own.received.since(own.message.start).as_ps())
            .sum();
        assert_eq!(whole, 165_000 - 7_000);
        assert!(delays.critical_path(FlowId(9), Time::ZERO).is_empty());
    }
}
