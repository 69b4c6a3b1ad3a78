//! An independent model of an idle star: a list of events, ports that send ACKs first, and messages
//! of one packet.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Times in picoseconds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Star {
    /// Transmission time of a message.
    pub(crate) packet: u64,
    /// Transmission time of an ACK.
    pub(crate) ack: u64,
    /// Delay of a link.
    pub(crate) delay: u64,
}

/// A message or ACK: its source, its destination, and the tree and phase of a message (`None`: an
/// ACK).
type Packet = (usize, usize, Option<(usize, bool)>);

/// A port: the waiting ACKs, which leave first, the waiting messages, and the end of its
/// transmission.
#[derive(Default)]
struct Port {
    acks: VecDeque<Packet>,
    data: VecDeque<Packet>,
    busy: u64,
}

/// Returns the parent of each member in the paper's tree in order, built by halving a range.
pub(crate) fn parents(count: usize) -> Vec<Option<usize>> {
    fn fill(first: usize, count: usize, parent: Option<usize>, tree: &mut [Option<usize>]) {
        if count == 0 {
            return;
        }
        let mut before = 1;
        while 2 * before <= count {
            before *= 2;
        }
        let root = first + before - 1;
        tree[root] = parent;
        fill(first, before - 1, Some(root), tree);
        fill(root + 1, count - before, Some(root), tree);
    }
    let mut tree = vec![None; count];
    fill(0, count, None, &mut tree);
    tree
}

impl Star {
    /// Returns when the last member has the sum of both trees.
    pub(crate) fn double_tree(&self, count: usize) -> u64 {
        self.trees(parents(count))
    }

    /// The same of the tree with the parents `first` and its image.
    pub(crate) fn trees(&self, first: Vec<Option<usize>>) -> u64 {
        // The second tree is the first one shifted or mirrored, so that inner members become
        // leaves.
        let count = first.len();
        let mut second = vec![None; count];
        for member in 0..count {
            let moved = |one: usize| match count % 2 {
                0 => count - 1 - one,
                _ => (one + 1) % count,
            };
            second[moved(member)] = first[member].map(moved);
        }
        // A member sends up only once it has heard from all of its children.
        let trees = [first, second];
        let mut missing = [0, 1].map(|tree| {
            let children = |member| {
                trees[tree]
                    .iter()
                    .filter(|one| **one == Some(member))
                    .count()
            };
            (0..count).map(children).collect::<Vec<_>>()
        });
        let mut run = Run {
            star: *self,
            ports: BTreeMap::new(),
            events: BTreeSet::new(),
            number: 0,
        };
        // Leaves have nothing to wait for, so both trees begin with them.
        for member in 0..count {
            for tree in 0..2 {
                if let Some(parent) = trees[tree][member]
                    && missing[tree][member] == 0
                {
                    run.enqueue(0, (member, false), (member, parent, Some((tree, false))));
                }
            }
        }
        // Each arrival frees the next sends: up to the root first, then down from the root to all.
        let mut last = 0;
        while let Some((now, packet)) = run.next_delivery() {
            let (from, member, Some((tree, down))) = packet else {
                continue;
            };
            last = now;
            run.enqueue(now, (member, false), (member, from, None));
            let mut complete = down;
            if !down {
                missing[tree][member] -= 1;
                if missing[tree][member] == 0 {
                    match trees[tree][member] {
                        Some(parent) => {
                            let up = (member, parent, Some((tree, false)));
                            run.enqueue(now, (member, false), up);
                        }
                        None => complete = true,
                    }
                }
            }
            if complete {
                for child in (0..count).filter(|&child| trees[tree][child] == Some(member)) {
                    run.enqueue(now, (member, false), (member, child, Some((tree, true))));
                }
            }
        }
        last
    }
}

/// A port of a host (`false`), or the port of the switch to that host (`true`).
type PortId = (usize, bool);

struct Run {
    star: Star,
    ports: BTreeMap<PortId, Port>,
    /// Time, `true` if a port becomes free (sorted behind arrivals), place, number, packet, port.
    events: BTreeSet<(u64, bool, usize, u64, Option<Packet>, PortId)>,
    number: u64,
}

impl Run {
    fn event(&mut self, at: u64, free: bool, source: usize, packet: Option<Packet>, port: PortId) {
        self.number += 1;
        self.events
            .insert((at, free, source, self.number, packet, port));
    }

    fn enqueue(&mut self, now: u64, id: PortId, packet: Packet) {
        let port = self.ports.entry(id).or_default();
        match packet.2 {
            None => port.acks.push_back(packet),
            Some(_) => port.data.push_back(packet),
        }
        // The port decides only after all arrivals of this instant.
        let at = now.max(port.busy);
        self.event(at, true, id.0, None, id);
    }

    /// Returns the next packet that reaches a host, and its time.
    fn next_delivery(&mut self) -> Option<(u64, Packet)> {
        while let Some((now, free, _, _, packet, id)) = self.events.pop_first() {
            if !free {
                let packet = packet?;
                if id.1 {
                    return Some((now, packet));
                }
                self.enqueue(now, (packet.1, true), packet);
                continue;
            }
            let (ack, data, delay) = (self.star.ack, self.star.packet, self.star.delay);
            let port = self.ports.entry(id).or_default();
            if port.busy > now {
                continue;
            }
            let Some(packet) = port.acks.pop_front().or_else(|| port.data.pop_front()) else {
                continue;
            };
            let time = if packet.2.is_none() { ack } else { data };
            port.busy = now + time;
            let busy = port.busy;
            self.event(busy, true, id.0, None, id);
            self.event(busy + delay, false, packet.0, Some(packet), id);
        }
        None
    }
}
