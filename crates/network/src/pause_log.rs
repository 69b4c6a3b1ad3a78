//! A log of the times at which ports were paused and resumed.

use fabricsim_base::checkpoint::Stored;
use fabricsim_base::id::{NodeId, PortId};
use fabricsim_base::priority::Priority;
use fabricsim_base::units::Time;
use fabricsim_core::packet::PauseChange;

/// A pause or resume frame that has arrived.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Stored)]
pub struct PauseEvent {
    /// Time of arrival of the frame.
    #[checkpoint(record)]
    pub at: Time,
    /// The node that must pause or may resume.
    pub node: NodeId,
    /// The port at which the frame arrived, and which it pauses or resumes.
    pub port: PortId,
    /// The priority that is paused or resumed.
    pub priority: Priority,
    /// Pause or resume.
    pub change: PauseChange,
}

/// The pauses of one node, if a result file needs them. Such frames are rare, and the log observes
/// nothing else, so it costs packets nothing.
#[derive(Clone, Debug, Stored)]
pub(crate) enum PauseLog {
    /// No result file needs them.
    Off,
    /// Every frame that has arrived, in the order of arrival.
    On(Vec<PauseEvent>),
}

impl PauseLog {
    pub(crate) fn events(&self) -> &[PauseEvent] {
        match self {
            Self::Off => &[],
            Self::On(events) => events,
        }
    }
}

impl PauseLog {
    /// Records a pause or resume frame that has arrived.
    pub(crate) fn add(
        &mut self,
        now: Time,
        node: NodeId,
        port: PortId,
        priority: Priority,
        change: PauseChange,
    ) {
        if let Self::On(events) = self {
            events.push(PauseEvent {
                at: now,
                node,
                port,
                priority,
                change,
            });
        }
    }
}
