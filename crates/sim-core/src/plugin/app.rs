//! Applications at hosts, which start flows in reaction to events.

use std::any::Any;
use std::fmt;

use fabricsim_base::checkpoint::Stored;
use fabricsim_base::flow::{Completion, Connection, Ends, Flow, FlowRequest, ResolvedPath};
use fabricsim_base::id::{ClassId, FlowId, NodeId};
use fabricsim_base::priority::Priority;
use fabricsim_base::rng::Stream;
use fabricsim_base::units::{Bytes, Duration, Time};

use super::PortFactor;

/// An application at one host: a client, a server, or one rank of a collective.
///
/// The host calls it at exact simulated times. A flow that it starts in a callback starts at that
/// time, independently of the number of threads. An application belongs to one host and shares
/// nothing with other applications: it sends them messages as flows.
///
/// Every callback does nothing by default. A host with several applications calls each of them, in
/// the order they were added, for all flows of the host. Use the flow class and the tag to
/// recognize your own flows.
pub trait Application: Any + Send + fmt::Debug {
    /// Called once: when the run begins, or immediately if the application is added later.
    fn on_start(&mut self, _context: &mut AppContext<'_>) {}

    /// Called at the sender when the last byte of one of its flows has been acknowledged.
    fn on_flow_finished(&mut self, _context: &mut AppContext<'_>, _completion: &Completion) {}

    /// Called at the receiver when the last byte of `flow` is delivered, once for each flow. `tag`
    /// is the tag that the sender attached to the flow; 0 for flows of workloads.
    fn on_flow_received(&mut self, _context: &mut AppContext<'_>, _flow: &Flow, _tag: u64) {}

    /// Called when the timer `token` expires. The timer is no longer set then.
    fn on_timer(&mut self, _context: &mut AppContext<'_>, _token: u64) {}

    /// Called if a delayed flow of this application, with number `id`, is due and no route leads to
    /// its destination. `tag` is the tag of the flow.
    fn on_flow_unreachable(&mut self, _context: &mut AppContext<'_>, _id: FlowId, _tag: u64) {}

    /// Describes in words the event that the application still waits for, or returns `None` if it
    /// has nothing left to do.
    ///
    /// Called when no events are left: a run ends as stalled instead of finished if some
    /// application waits. An application that only replies to other applications never waits.
    fn waits_for(&self) -> Option<String> {
        None
    }

    fabricsim_base::plugin_state!("the application");
}

/// A flow requested by an application.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Stored)]
#[checkpoint(plain)]
pub struct AppFlow {
    /// The receiving host.
    pub dst: NodeId,
    /// Payload bytes, at least one.
    pub size: Bytes,
    /// The flow class, by which results are grouped.
    pub class: ClassId,
    /// Priority queue of the flow's packets, 1 to 7.
    pub priority: Priority,
    /// Destination port.
    pub dst_port: u16,
    /// Value that is passed to the receiving application with the flow. It represents the content
    /// of the message, which is not simulated.
    pub tag: u64,
    /// The connection of the message; `None` for a separate flow.
    pub connection: Option<Connection>,
}

impl AppFlow {
    /// Returns a flow of `size` to `dst`, with priority 3, destination port 100 and tag 0.
    #[must_use]
    pub const fn new(dst: NodeId, size: Bytes, class: ClassId) -> Self {
        Self {
            dst,
            size,
            class,
            priority: Priority::new(3),
            dst_port: 100,
            tag: 0,
            connection: None,
        }
    }

    /// Returns a message of `size` on `connection`, with tag 0. It follows all earlier messages of
    /// the connection.
    #[must_use]
    pub const fn on(connection: &Connection, size: Bytes) -> Self {
        Self {
            dst: connection.peer(),
            size,
            class: connection.class,
            priority: connection.priority,
            dst_port: connection.key.dst_port,
            tag: 0,
            connection: Some(*connection),
        }
    }

    /// Returns the same flow with the given tag.
    #[must_use]
    pub const fn with_tag(mut self, tag: u64) -> Self {
        self.tag = tag;
        self
    }

    /// Returns the request of this flow if `src` starts it at `start` from the port `src_port`.
    #[must_use]
    pub const fn request(&self, src: NodeId, start: Time, src_port: u16) -> FlowRequest {
        FlowRequest {
            src,
            dst: self.dst,
            size: self.size,
            start,
            class: self.class,
            priority: self.priority,
            src_port: Some(src_port),
            dst_port: self.dst_port,
        }
    }
}

/// The reason why an application's flow was not started.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum StartError {
    /// No route leads to the destination of a separate flow. The flow is listed as unreachable.
    NoRoute,
    /// The flow is impossible, for the reason in words.
    Refused(String),
    /// The host has used up its flow numbers. The run ends.
    OutOfNumbers,
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoRoute => f.write_str("no route leads to its destination"),
            Self::Refused(why) => f.write_str(why),
            Self::OutOfNumbers => {
                f.write_str("its host has started as many flows as there are numbers for")
            }
        }
    }
}

impl std::error::Error for StartError {}

/// Executes the requests of an application. The network implements this; tests of applications can
/// do so, too.
pub trait AppActions {
    /// Starts `flow` at `at`, now or later. Returns the number of the flow.
    ///
    /// # Errors
    /// Fails if the flow is impossible, or if it is to start now and no route leads to its
    /// destination.
    fn start_flow(&mut self, at: Time, flow: &AppFlow) -> Result<FlowId, StartError>;

    /// Returns a new connection to `dst` for flows of `class` and `priority`. Nothing is sent
    /// before its first message.
    ///
    /// # Errors
    /// Fails if such a connection is impossible.
    fn connect(
        &mut self,
        dst: NodeId,
        class: ClassId,
        priority: Priority,
        dst_port: u16,
    ) -> Result<Connection, StartError> {
        let _ = (dst, class, priority, dst_port);
        Err(StartError::Refused(
            "there are no connections here".to_owned(),
        ))
    }

    /// Sets the timer `token` to `at`, or moves it there if it is already set.
    fn set_timer(&mut self, at: Time, token: u64);

    /// Cancels the timer `token`. Returns `true` if it was set.
    fn cancel_timer(&mut self, token: u64) -> bool;

    /// Slows the ports of the host by `factor`: see [`AppContext::slow_ports`].
    fn slow_ports(&mut self, factor: PortFactor) -> bool;
}

/// Information and actions available to an application in a callback.
pub struct AppContext<'a> {
    now: Time,
    host: NodeId,
    stream: &'a mut Stream,
    actions: &'a mut dyn AppActions,
}

impl fmt::Debug for AppContext<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AppContext")
            .field("now", &self.now)
            .field("host", &self.host)
            .finish_non_exhaustive()
    }
}

impl<'a> AppContext<'a> {
    /// Returns the context of a callback at `host` at `now`.
    pub fn new(
        now: Time,
        host: NodeId,
        stream: &'a mut Stream,
        actions: &'a mut dyn AppActions,
    ) -> Self {
        Self {
            now,
            host,
            stream,
            actions,
        }
    }

    /// Returns the current simulated time.
    #[must_use]
    pub const fn now(&self) -> Time {
        self.now
    }

    /// Returns the application's host.
    #[must_use]
    pub const fn host(&self) -> NodeId {
        self.host
    }

    /// Returns the application's own stream of random numbers.
    pub const fn random(&mut self) -> &mut Stream {
        self.stream
    }

    /// Starts `flow` now. Returns its number.
    ///
    /// # Errors
    /// Fails if the flow is impossible or, for a separate flow, no route leads to its
    /// destination.
    pub fn start_flow(&mut self, flow: &AppFlow) -> Result<FlowId, StartError> {
        self.actions.start_flow(self.now, flow)
    }

    /// Starts `flow` after `delay`. Returns its number. If no route leads to the destination of a
    /// separate flow by then, the flow is listed as unreachable and
    /// [`Application::on_flow_unreachable`] is called.
    ///
    /// # Errors
    /// Fails if the flow is impossible.
    pub fn start_flow_after(
        &mut self,
        delay: Duration,
        flow: &AppFlow,
    ) -> Result<FlowId, StartError> {
        let at = self.now.saturating_add(delay);
        self.actions.start_flow(at, flow)
    }

    /// Returns a new connection to `dst`, on which [`AppFlow::on`] sends messages of `class` and
    /// `priority`. Nothing is sent before the first message, with which the transport opens the
    /// connection. The receiver of a message replies on [`Flow::reply_connection`].
    ///
    /// A message that is due while no route leads to `dst` waits for one.
    ///
    /// # Errors
    /// Fails if such a connection is impossible.
    pub fn connect(
        &mut self,
        dst: NodeId,
        class: ClassId,
        priority: Priority,
        dst_port: u16,
    ) -> Result<Connection, StartError> {
        self.actions.connect(dst, class, priority, dst_port)
    }

    /// Sets the timer `token` to expire after `delay`, or moves it if it is already set. Each
    /// application has its own tokens.
    pub fn set_timer(&mut self, delay: Duration, token: u64) {
        let at = self.now.saturating_add(delay);
        self.actions.set_timer(at, token);
    }

    /// Cancels the timer `token`. Returns `true` if it was set.
    pub fn cancel_timer(&mut self, token: u64) -> bool {
        self.actions.cancel_timer(token)
    }

    /// Multiplies the transmission times of all packets that leave the host from now on by
    /// `factor`, until the next call: the host has less memory bandwidth left for its ports. The
    /// packet on a wire keeps its time. Times are rounded up to a picosecond. If several
    /// applications of the host slow its ports, the largest factor counts.
    ///
    /// Transports and congestion control keep the rate of the ports that they know.
    ///
    /// Returns `false` if the ports of this host cannot be slowed, so that nothing has changed:
    /// the host forwards packets, or simultaneous events have the order of the published
    /// simulator.
    pub fn slow_ports(&mut self, factor: PortFactor) -> bool {
        self.actions.slow_ports(factor)
    }
}

/// Finds the paths of flows that hosts start themselves, by the current routes. Hosts of all
/// threads share it.
pub trait PathResolver: Send + Sync + fmt::Debug {
    /// Checks that flows like `request` can run if a route leads to their destination.
    ///
    /// # Errors
    /// Returns the reason if they cannot.
    fn check(&self, request: &FlowRequest) -> Result<(), String>;

    /// Returns the path of `request` in the idle network: its NIC port, the addresses of its
    /// packets and its ideal completion time. Returns `None` if no route leads to the destination.
    ///
    /// `turn` is the number of flows and connections that the host has started before; hosts that
    /// rotate over their NICs use it.
    fn resolve(&self, turn: u64, request: &FlowRequest) -> Option<ResolvedPath>;

    /// Like [`Self::resolve`], for a message of a connection between the addresses `ends`. The
    /// result is the same for all messages of a connection, so a connection calls this only once.
    fn resolve_between(&self, request: &FlowRequest, ends: Ends) -> Option<ResolvedPath>;
}
