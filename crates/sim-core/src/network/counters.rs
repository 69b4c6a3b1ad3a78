//! Counters that are always updated: inexpensive sums that every run reports.

use std::ops::AddAssign;

use crate::packet::{Header, Packet};
use crate::plugin::DropReason;
use fabricsim_base::checkpoint::Stored;
use fabricsim_base::units::{Bytes, Duration};

/// Counters of one node, or of a whole network.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, Stored)]
#[checkpoint(counter)]
pub struct Counters {
    /// Packets sent on a wire (packet-hops).
    pub packet_hops: u64,
    /// Bytes sent on a wire.
    pub wire_bytes: Bytes,
    /// Executed arrivals and local events.
    pub events: u64,
    /// Packets dropped because the buffer had no room for them.
    pub buffer_drops: u64,
    /// Packets trimmed because the buffer had no room for their payload; their headers are
    /// forwarded.
    pub trimmed: u64,
    /// Trimmed packets with headers that were dropped or lost later. The counters of drops and
    /// losses include them.
    pub headers_lost: u64,
    /// Packets dropped by a queueing discipline.
    pub queue_drops: u64,
    /// Packets lost on a link.
    pub link_losses: u64,
    /// Packets that were on a link, waited for it or were routed to it while it was down. Pause
    /// frames are not counted.
    pub link_down_drops: u64,
    /// Packets without a route.
    pub no_route: u64,
    /// Payload bytes of all packets that were dropped, trimmed or lost, for any reason: sent
    /// payload that will not arrive.
    pub lost_payload: Bytes,
    /// Number of marks (CE) set by switches.
    pub marked: u64,
    /// Pause frames sent by switches.
    pub pauses: u64,
    /// Resume frames sent by switches.
    pub resumes: u64,
    /// Total time for which ports were paused by a neighbor, over all ended pauses.
    pub paused: Duration,
    /// The longest queue of a switch port so far, in bytes.
    #[checkpoint(extreme)]
    pub max_queue: Bytes,
}

impl Counters {
    /// Updates the longest queue with a port that queues `bytes`.
    #[inline(always)]
    pub(super) fn note_queue(&mut self, bytes: Bytes) {
        if bytes > self.max_queue {
            self.max_queue = bytes;
        }
    }

    /// Counts `packet`, which is dropped for this reason. Links count their own losses.
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
