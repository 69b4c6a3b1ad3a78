//! The pause and resume frames of a switch.

use super::departure::Gone;
use super::{Sends, Switch};
use crate::packet::{Packet, PauseChange};
use crate::plugin::{Admission, Model, Observer, Qdisc, Release};
use fabricsim_base::id::PortId;
use fabricsim_base::priority::Priority;
use fabricsim_base::units::Time;

impl<M: Model> Switch<M> {
    /// Releases the buffer space of `gone`, which was to leave by `port`. Resumes the upstream
    /// neighbor if that is now possible.
    #[inline(always)]
    pub(super) fn release(
        &mut self,
        now: Time,
        port: usize,
        gone: &Gone,
        send_buffer: &mut Sends<M>,
    ) {
        if self.give_back(port, gone) == Release::Resume {
            self.send_pause(
                now,
                gone.ingress,
                gone.priority,
                PauseChange::Resume,
                send_buffer,
            );
        }
    }

    /// Releases the buffer space of `gone`. Control uses none.
    #[inline(always)]
    pub(super) fn give_back(&mut self, port: usize, gone: &Gone) -> Release {
        if gone.priority.is_control() {
            return Release::Quiet;
        }
        let egress = PortId::from_index(port);
        (self.buffer).release(gone.ingress, egress, gone.priority, gone.size())
    }

    /// Handles a pause or resume frame from the neighbor at `port`.
    // Not inlined, to keep it apart from the code that most packets run through.
    #[inline(never)]
    pub(super) fn on_pause(
        &mut self,
        now: Time,
        port: usize,
        frame: &Packet<M::Header>,
        send_buffer: &mut Sends<M>,
    ) {
        if self.late {
            self.serve_until(now, port, send_buffer);
        }
        let change = frame.pause_change();
        let priority = frame.paused_priority();
        let number = PortId::from_index(port);
        self.observer
            .on_pause(now, self.id, number, priority, change);
        let paused = &mut self.ports[port].egress.paused;
        match change {
            PauseChange::Pause => paused.insert(priority),
            PauseChange::Resume => paused.remove(priority),
        }
        self.pauses[port].update(now, *paused);
        self.ports[port].note_state();
        if change == PauseChange::Resume {
            self.kick(now, port, number, send_buffer);
        }
    }

    /// Sends a pause or resume frame to the neighbor at `port`, ahead of everything else.
    #[cold]
    pub(super) fn send_pause(
        &mut self,
        now: Time,
        port: PortId,
        priority: Priority,
        change: PauseChange,
        send_buffer: &mut Sends<M>,
    ) {
        if self.queue_frame(now, port, priority, change) {
            self.kick(now, port.index(), port, send_buffer);
        }
    }

    /// Queues a pause or resume frame. Returns `false` if the link is down, which ends all pauses.
    pub(super) fn queue_frame(
        &mut self,
        now: Time,
        port: PortId,
        priority: Priority,
        change: PauseChange,
    ) -> bool {
        let state = &mut self.ports[port.index()];
        if state.egress.is_down() {
            return false;
        }
        match change {
            PauseChange::Pause => self.counters.pauses += 1,
            PauseChange::Resume => self.counters.resumes += 1,
        }
        let accepted = state.queue.enqueue(now, &Packet::pause(priority, change));
        debug_assert!(accepted.is_some(), "control frames are never refused");
        state.note_state();
        self.observe_queue(now, port.index());
        true
    }
}
