//! The types of the header.

use std::ffi::c_void;

use facade::driver::{Event, EventKind, Message};
use facade::id::{ClassId, NodeId};
use facade::prelude::{Bytes, Priority};

/// The version of the functions and types of this header: it grows when they change.
pub const FABRICSIM_ABI_VERSION: u32 = 1;

/// The function has succeeded.
pub const FABRICSIM_OK: i32 = 0;
/// A pointer is null, but must not be.
pub const FABRICSIM_ERROR_NULL: i32 = -1;
/// The handle is not valid, or its simulation has been closed.
pub const FABRICSIM_ERROR_HANDLE: i32 = -2;
/// A value is impossible: fabricsim_last_error() names it and explains the error.
pub const FABRICSIM_ERROR_ARGUMENT: i32 = -3;
/// The scenario cannot be read or built: fabricsim_last_error() names the position and a fix.
pub const FABRICSIM_ERROR_SCENARIO: i32 = -4;
/// The simulation is running: a callback cannot call this function, or another thread is using the
/// simulation.
pub const FABRICSIM_ERROR_BUSY: i32 = -5;
/// A file cannot be written, or cannot be read.
pub const FABRICSIM_ERROR_FILE: i32 = -6;
/// A callback has panicked. The run has ended; the simulation can be used and closed.
pub const FABRICSIM_ERROR_CALLBACK: i32 = -7;
/// An error of the library itself, now or in an earlier call. The simulation can only be closed.
pub const FABRICSIM_ERROR_INTERNAL: i32 = -8;

/// All flows have ended and no event is left.
pub const FABRICSIM_STOP_FINISHED: u32 = 0;
/// The run has reached the given time.
pub const FABRICSIM_STOP_TIME: u32 = 1;
/// An event has occurred (only of fabricsim_run_until_next()).
pub const FABRICSIM_STOP_EVENT: u32 = 2;
/// Unfinished flows are left, but no packet moves.
pub const FABRICSIM_STOP_STALLED: u32 = 3;
/// Switches wait for one another (a PFC deadlock).
pub const FABRICSIM_STOP_DEADLOCKED: u32 = 4;
/// The run has reached the end of simulated time, 53 days.
pub const FABRICSIM_STOP_HORIZON: u32 = 5;
/// The simulation has more packets and events under way than it can store.
pub const FABRICSIM_STOP_OVERLOADED: u32 = 6;
/// A callback has called fabricsim_stop(). The run can continue.
pub const FABRICSIM_STOP_ASKED: u32 = 7;

/// The last byte of a message has been delivered to its receiver.
pub const FABRICSIM_EVENT_DELIVERED: u32 = 1;
/// The last acknowledgement of a message has reached its sender.
pub const FABRICSIM_EVENT_ACKNOWLEDGED: u32 = 2;
/// No route led to the receiver when a message was to start. It is lost.
pub const FABRICSIM_EVENT_UNREACHABLE: u32 = 4;
/// A timer has fired.
pub const FABRICSIM_EVENT_TIMER: u32 = 8;

/// A simulation. Zero is not a valid handle; the handle of a closed simulation is not used again.
pub type FabricsimHandle = u64;

/// A message from one host to another.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct FabricsimMessage {
    /// The sending host, from 0 to fabricsim_hosts() - 1.
    pub src: u32,
    /// The receiving host.
    pub dst: u32,
    /// Payload bytes, at least one.
    pub size: u64,
    /// A number of the program's choice, repeated in the events of the message.
    pub tag: u64,
    /// A second number of the program's choice, also repeated in the events.
    pub token: u64,
    /// The flow class, which separates the flows in the results. It is the class of the
    /// `[[workload]]` with this number, if there is one.
    pub flow_class: u16,
    /// Destination port; 0 for port 100.
    pub dst_port: u16,
    /// Priority queue of its packets, 1 to 7; 0 for priority 3.
    pub priority: u8,
    /// Must be zero.
    pub reserved: [u8; 3],
}

/// An event of a message or a timer.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct FabricsimEvent {
    /// The exact time, in picoseconds.
    pub at: u64,
    /// Token of the timer; only of FABRICSIM_EVENT_TIMER.
    pub timer: u64,
    /// One of FABRICSIM_EVENT_...
    pub kind: u32,
    /// Zero.
    pub reserved: u32,
    /// The message; all zero for a timer.
    pub message: FabricsimMessage,
}

/// Function that receives each event. `user` is the pointer that was set with it, and the event
/// lives until the callback returns. No exception and no longjmp may leave it.
pub type FabricsimCallback =
    Option<unsafe extern "C-unwind" fn(user: *mut c_void, event: *const FabricsimEvent)>;

/// Counts over the whole network, from the start.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct FabricsimStatistics {
    /// The current time, in picoseconds.
    pub now: u64,
    /// Flows that have started, including flows of workloads.
    pub flows_started: u64,
    /// Flows that have ended.
    pub flows_finished: u64,
    /// Flows without a route to their destination.
    pub flows_unreachable: u64,
    /// Packets that crossed a link.
    pub packet_hops: u64,
    /// Bytes that crossed a link.
    pub wire_bytes: u64,
    /// Packets dropped by switches, because the buffer was full or by a queue discipline.
    pub drops: u64,
    /// Packets lost on links, or because a link was down.
    pub losses: u64,
    /// Pause frames sent by switches.
    pub pauses: u64,
    /// Payload bytes delivered in order.
    pub delivered_bytes: u64,
    /// Payload bytes retransmitted.
    pub retransmitted_bytes: u64,
    /// Retransmission timeouts.
    pub timeouts: u64,
    /// The largest number of bytes queued at one switch port.
    pub max_queue_bytes: u64,
}

impl FabricsimMessage {
    /// Converts to a message of the facade; `hosts` maps host numbers to nodes.
    ///
    /// # Errors
    /// Returns the reason if the message is impossible.
    pub(crate) fn message(&self, hosts: &[NodeId]) -> Result<Message, String> {
        let node = |end: &str, host: u32| {
            let node = usize::try_from(host)
                .ok()
                .and_then(|index| hosts.get(index));
            node.copied().ok_or_else(|| {
                let count = hosts.len();
                format!("its {end} is host {host}, and the network has {count} hosts")
            })
        };
        if self.priority > 7 {
            return Err(format!(
                "its priority is {}, and flows use 1 to 7",
                self.priority
            ));
        }
        if self.reserved != [0; 3] {
            return Err(
                "its `reserved` bytes are not zero: begin with `FabricsimMessage message = {0};`"
                    .to_owned(),
            );
        }
        let (src, dst) = (node("source", self.src)?, node("destination", self.dst)?);
        let plain = Message::new(src, dst, Bytes::new(self.size));
        Ok(Message {
            class: ClassId(self.flow_class),
            priority: match self.priority {
                0 => plain.priority,
                given => Priority::new(given),
            },
            dst_port: match self.dst_port {
                0 => plain.dst_port,
                given => given,
            },
            ..plain.labeled(self.tag, self.token)
        })
    }

    fn of(message: &Message, hosts: &[NodeId]) -> Self {
        let index = |node: NodeId| {
            let place = hosts.binary_search(&node).unwrap_or(usize::MAX);
            u32::try_from(place).unwrap_or(u32::MAX)
        };
        Self {
            src: index(message.src),
            dst: index(message.dst),
            size: message.size.get(),
            tag: message.tag,
            token: message.token,
            flow_class: message.class.0,
            dst_port: message.dst_port,
            priority: message.priority.get(),
            reserved: [0; 3],
        }
    }
}

impl FabricsimEvent {
    pub(crate) fn of(event: &Event, hosts: &[NodeId]) -> Self {
        let (kind, timer, message) = match &event.kind {
            EventKind::Delivered(message) => (FABRICSIM_EVENT_DELIVERED, 0, Some(message)),
            EventKind::Acknowledged(message) => (FABRICSIM_EVENT_ACKNOWLEDGED, 0, Some(message)),
            EventKind::Unreachable(message) => (FABRICSIM_EVENT_UNREACHABLE, 0, Some(message)),
            EventKind::Timer(token) => (FABRICSIM_EVENT_TIMER, *token, None),
        };
        Self {
            at: event.at.as_ps(),
            timer,
            kind,
            reserved: 0,
            message: message.map_or_else(FabricsimMessage::default, |message| {
                FabricsimMessage::of(message, hosts)
            }),
        }
    }
}
