//! Counters that are always kept: inexpensive sums that every run reports.

use std::ops::AddAssign;

use crate::packet::{Header, Packet};
use crate::plugin::DropReason;
use fabricsim_base::checkpoint::Stored;
use fabricsim_base::units::{Bytes, Duration};

/// Counts of one node, or of a whole network.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, Stored)]
pub struct Counters {
    /// Packets put on a wire: packet-hops.
    pub packet_hops: u64,
    /// Bytes put on a wire.
    pub wire_bytes: Bytes,
    /// Local events and arrivals executed.
    pub events: u64,
    /// Packets dropped because the buffer had no room for them.
    pub buffer_drops: u64,
    /// Packets whose payload was cut off because the buffer had no room for it; their headers go on.
    pub trimmed: u64,
    /// Those of them whose headers were dropped or lost, too, which the counters of drops and losses
    /// count.
    pub headers_lost: u64,
    /// Packets dropped by a queue discipline.
    pub queue_drops: u64,
    /// Packets lost on a link.
    pub link_losses: u64,
    /// Packets that were on a link, waited for it or were routed to it when it was down. Pause
    /// frames are not counted.
    pub link_down_drops: u64,
    /// Packets without a route.
    pub no_route: u64,
    /// Payload bytes in all packets that were dropped, trimmed or lost, for any reason: what was sent
    /// and will not arrive.
    pub lost_payload: Bytes,
    /// Packets that switches have marked (CE), each where it was marked.
    pub marked: u64,
    /// Pause frames sent by switches.
    pub pauses: u64,
    /// Resume frames sent by switches.
    pub resumes: u64,
    /// Time that ports have been paused by a neighbor, over all pauses that have ended.
    pub paused: Duration,
    /// The most bytes that stood in the queues of one switch port.
    pub max_queue: Bytes,
}

impl Counters {
    /// Notes that the queues of a port hold `bytes`.
    #[inline(always)]
    pub(super) fn note_queue(&mut self, bytes: Bytes) {
        if bytes > self.max_queue {
            self.max_queue = bytes;
        }
    }

    /// Accounts for `packet`, which is dropped for this reason. Links count their own losses.
    pub(super) fn lose<H: Header>(&mut self, reason: DropReason, packet: &Packet<H>) {
        match reason {
            DropReason::Buffer => self.buffer_drops += 1,
            DropReason::Queue => self.queue_drops += 1,
            DropReason::LinkDown => self.link_down_drops += 1,
            DropReason::NoRoute => self.no_route += 1,
            DropReason::Link => return,
        }
        self.lost_payload += packet.payload_bytes();
        self.headers_lost += u64::from(packet.is_trimmed());
    }
}

impl AddAssign for Counters {
    fn add_assign(&mut self, other: Self) {
        self.packet_hops += other.packet_hops;
        self.wire_bytes += other.wire_bytes;
        self.events += other.events;
        self.buffer_drops += other.buffer_drops;
        self.trimmed += other.trimmed;
        self.headers_lost += other.headers_lost;
        self.queue_drops += other.queue_drops;
        self.link_losses += other.link_losses;
        self.link_down_drops += other.link_down_drops;
        self.no_route += other.no_route;
        self.lost_payload += other.lost_payload;
        self.marked += other.marked;
        self.pauses += other.pauses;
        self.resumes += other.resumes;
        self.paused = self.paused + other.paused;
        self.max_queue = self.max_queue.max(other.max_queue);
    }
}
