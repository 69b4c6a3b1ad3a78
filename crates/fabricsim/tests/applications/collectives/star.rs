//! An independent model of an idle star: a list of events, hosts that send ACKs first and then one
//! packet of each connection in turn, and ports of a switch that store packets in their order.

mod programs;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, VecDeque};

pub(crate) use programs::{Tree, parents};

/// Headers of a data packet, and bytes of an ACK.
const HEADER: u64 = 48;
const ACK: u64 = 60;

/// The link of a node: its rate in Gbps, and its delay in picoseconds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Link {
    pub(crate) gbps: u64,
    pub(crate) delay: u64,
}

/// Links by node. The last one may be an aggregator.
#[derive(Clone, Debug)]
pub(crate) struct Star {
    pub(crate) links: Vec<Link>,
    pub(crate) mtu: u64,
}

/// A message. Messages between the same nodes with the same channel follow one another.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Message {
    pub(crate) from: usize,
    pub(crate) to: usize,
    pub(crate) channel: usize,
    pub(crate) bytes: u64,
    /// What the program knows it by.
    pub(crate) tag: usize,
}

#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
struct Packet {
    from: usize,
    to: usize,
    bytes: u64,
    content: Content,
}

#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
enum Content {
    Ack,
    Part,
    /// The last packet of the message with this tag and size.
    End {
        channel: usize,
        bytes: u64,
        tag: usize,
    },
}

/// The sending side of a node.
#[derive(Default)]
struct Sender {
    acks: VecDeque<Packet>,
    /// The connections by destination and channel, in the order of their first messages.
    numbers: BTreeMap<(usize, usize), usize>,
    /// By connection, its messages and the bytes that each has left.
    waiting: Vec<VecDeque<(Message, u64)>>,
    /// The connections with messages. Turns go around all of them, from the one behind `last`.
    ready: BTreeSet<usize>,
    last: usize,
    busy: u64,
}

/// The port of the switch to a node.
#[derive(Default)]
struct Port {
    queue: VecDeque<Packet>,
    busy: u64,
}

/// Arrivals of an instant are processed before ports that become free, both by the node whose link
/// it is.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
enum Event {
    /// A packet from a node at the switch.
    AtSwitch(Packet),
    AtNode(Packet),
    SwitchSends(usize),
    NodeSends(usize),
}

impl Event {
    fn order(&self) -> (bool, usize) {
        match self {
            Self::AtSwitch(packet) => (false, packet.from),
            Self::AtNode(packet) => (false, packet.to),
            Self::NodeSends(node) => (true, 2 * node),
            Self::SwitchSends(node) => (true, 2 * node + 1),
        }
    }
}

/// The time of an event, its order at this time, and its number.
type Entry = (u64, (bool, usize), u64, Event);

struct Run<'a> {
    star: &'a Star,
    senders: Vec<Sender>,
    ports: Vec<Port>,
    events: BinaryHeap<Reverse<Entry>>,
    number: u64,
}

impl Star {
    /// Returns the picoseconds for which `bytes` occupy the link of `node`.
    fn time(&self, node: usize, bytes: u64) -> u64 {
        (bytes * 8_000).div_ceil(self.links[node].gbps)
    }

    /// Returns when the last message is delivered, if all of `first` start at time 0 and `on` adds
    /// the messages that follow a delivery.
    fn run(&self, first: Vec<Message>, mut on: impl FnMut(Message, &mut Vec<Message>)) -> u64 {
        let mut run = Run {
            star: self,
            senders: self.links.iter().map(|_| Sender::default()).collect(),
            ports: self.links.iter().map(|_| Port::default()).collect(),
            events: BinaryHeap::new(),
            number: 0,
        };
        for message in first {
            run.start(0, message);
        }
        let mut last = 0;
        while let Some(Reverse((now, _, _, event))) = run.events.pop() {
            match event {
                Event::AtSwitch(packet) => {
                    let port = &mut run.ports[packet.to];
                    port.queue.push_back(packet);
                    let at = now.max(port.busy);
                    run.event(at, Event::SwitchSends(packet.to));
                }
                Event::SwitchSends(node) => run.switch_sends(now, node),
                Event::NodeSends(node) => run.node_sends(now, node),
                Event::AtNode(packet) => {
                    if packet.content == Content::Ack {
                        continue;
                    }
                    run.acknowledge(now, &packet);
                    let Content::End {
                        channel,
                        bytes,
                        tag,
                    } = packet.content
                    else {
                        continue;
                    };
                    last = now;
                    let mut next = Vec::new();
                    let message = Message {
                        from: packet.from,
                        to: packet.to,
                        channel,
                        bytes,
                        tag,
                    };
                    on(message, &mut next);
                    for message in next {
                        run.start(now, message);
                    }
                }
            }
        }
        last
    }
}

impl Run<'_> {
    fn event(&mut self, at: u64, event: Event) {
        self.number += 1;
        let entry = (at, event.order(), self.number, event);
        self.events.push(Reverse(entry));
    }

    fn start(&mut self, now: u64, message: Message) {
        let sender = &mut self.senders[message.from];
        let connection = (message.to, message.channel);
        let next = sender.waiting.len();
        let number = *sender.numbers.entry(connection).or_insert(next);
        if number == next {
            sender.waiting.push(VecDeque::new());
        }
        sender.waiting[number].push_back((message, message.bytes));
        sender.ready.insert(number);
        let at = now.max(sender.busy);
        self.event(at, Event::NodeSends(message.from));
    }

    fn acknowledge(&mut self, now: u64, packet: &Packet) {
        let sender = &mut self.senders[packet.to];
        sender.acks.push_back(Packet {
            from: packet.to,
            to: packet.from,
            bytes: ACK,
            content: Content::Ack,
        });
        let at = now.max(sender.busy);
        self.event(at, Event::NodeSends(packet.to));
    }

    /// Returns the next packet of a connection of `node`.
    fn next_data(&mut self, node: usize) -> Option<Packet> {
        let mtu = self.star.mtu;
        let sender = &mut self.senders[node];
        let behind = sender.ready.range(sender.last + 1..).next();
        let number = *behind.or_else(|| sender.ready.first())?;
        sender.last = number;
        let waiting = &mut sender.waiting[number];
        let (message, left) = waiting.front_mut()?;
        let payload = mtu.min(*left);
        *left -= payload;
        let content = match *left {
            0 => Content::End {
                channel: message.channel,
                bytes: message.bytes,
                tag: message.tag,
            },
            _ => Content::Part,
        };
        let to = message.to;
        if *left == 0 {
            waiting.pop_front();
        }
        if waiting.is_empty() {
            sender.ready.remove(&number);
        }
        Some(Packet {
            from: node,
            to,
            bytes: payload + HEADER,
            content,
        })
    }

    fn node_sends(&mut self, now: u64, node: usize) {
        if self.senders[node].busy > now {
            return;
        }
        let ack = self.senders[node].acks.pop_front();
        let Some(packet) = ack.or_else(|| self.next_data(node)) else {
            return;
        };
        let busy = now + self.star.time(node, packet.bytes);
        self.senders[node].busy = busy;
        self.event(busy, Event::NodeSends(node));
        let delay = self.star.links[node].delay;
        self.event(busy + delay, Event::AtSwitch(packet));
    }

    fn switch_sends(&mut self, now: u64, node: usize) {
        if self.ports[node].busy > now {
            return;
        }
        let Some(packet) = self.ports[node].queue.pop_front() else {
            return;
        };
        let busy = now + self.star.time(node, packet.bytes);
        self.ports[node].busy = busy;
        self.event(busy, Event::SwitchSends(node));
        let delay = self.star.links[node].delay;
        self.event(busy + delay, Event::AtNode(packet));
    }
}
