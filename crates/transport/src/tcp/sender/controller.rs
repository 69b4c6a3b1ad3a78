//! The controller of a connection and its limits.

use std::ops::Deref;

use super::TcpSender;

use fabricsim_base::units::{Bytes, Rate, Time};
use fabricsim_core::plugin::{
    Ack, CcActivity, CcEvents, CongestionControl, DynController, RateTimes, SendLimits,
    TelemetryView,
};

/// The controller of a connection. Its limits are read once after each event and cached, because
/// they are needed in many places.
#[derive(Debug)]
pub(super) struct Controller {
    controller: DynController,
    limits: SendLimits,
    /// The window in whole segments, at least one.
    window: u32,
    /// Payload bytes of a full segment.
    mss: u16,
    /// `true` if the controller needs to know of each sent segment.
    counts_sends: bool,
    /// Rate of the NIC port.
    line_rate: Rate,
    /// Reactions of the controller.
    pub(super) events: CcEvents,
}

impl Controller {
    pub(super) fn new(controller: DynController, mss: u16, line_rate: Rate) -> Self {
        let mut own = Self {
            limits: controller.limits(),
            counts_sends: controller.counts_sends(),
            controller,
            window: 1,
            mss,
            line_rate,
            events: CcEvents::default(),
        };
        own.window = own.whole_window(own.limits);
        own
    }

    /// Returns the number of segments that may be in flight.
    #[inline]
    pub(super) fn segments(&self) -> u32 {
        debug_assert_eq!(
            self.limits,
            self.controller.limits(),
            "what a controller allows changes with events alone"
        );
        self.window
    }

    /// Returns `true` if any number of segments may be in flight.
    #[inline]
    pub(super) const fn is_unlimited(&self) -> bool {
        self.limits.window.is_none()
    }

    /// Returns the pacing rate.
    #[inline]
    pub(super) const fn rate(&self) -> Option<Rate> {
        self.limits.rate
    }

    /// Returns the time at which the controller must be called.
    #[inline]
    pub(super) const fn due(&self) -> Time {
        self.limits.deadline
    }

    /// Returns the number of whole segments in `size`, at least one.
    #[inline]
    pub(super) fn whole(&self, size: Bytes) -> u32 {
        let whole = size.get() / u64::from(self.mss);
        u32::try_from(whole).unwrap_or(u32::MAX).max(1)
    }

    #[inline]
    fn whole_window(&self, limits: SendLimits) -> u32 {
        limits.window.map_or(u32::MAX, |size| self.whole(size))
    }

    /// Adopts the window of the limits; `before` is the previous one.
    #[inline]
    fn follow(&mut self, before: Option<Bytes>) {
        // This avoids a division, because most segments do not change the window.
        if self.limits.window != before {
            self.window = self.whole_window(self.limits);
        }
    }

    /// Reports an acknowledgement to the controller.
    #[inline]
    pub(super) fn acknowledge(&mut self, ack: &Ack<'_, TelemetryView>) {
        let before = self.limits;
        self.controller.acknowledge(ack, &mut self.limits);
        self.events.note_ack(ack.marked, &before, &self.limits);
        self.follow(before.window);
    }

    /// Reports a sent segment of `wire` bytes, if the controller needs it.
    #[inline]
    pub(super) fn note_sent(&mut self, wire: Bytes) {
        if !self.counts_sends {
            return;
        }
        let before = self.limits.window;
        self.controller.note_sent(wire, &mut self.limits);
        self.follow(before);
    }

    /// Like [`Self::tell`], for an event to which the algorithm may react by a decrease.
    pub(super) fn report<R>(
        &mut self,
        tell: impl FnOnce(&mut dyn CongestionControl<TelemetryView>) -> R,
    ) -> R {
        let before = self.limits;
        let result = self.tell(tell);
        self.events.note_event(&before, &self.limits);
        result
    }

    /// Notifies the controller of an event through `tell`, and adopts its new limits.
    pub(super) fn tell<R>(
        &mut self,
        tell: impl FnOnce(&mut dyn CongestionControl<TelemetryView>) -> R,
    ) -> R {
        let result = tell(&mut *self.controller);
        let before = self.limits.window;
        self.limits = self.controller.limits();
        self.follow(before);
        result
    }
}

impl TcpSender {
    /// Returns the activity of the controller so far. Times at rates are not measured.
    pub(in crate::tcp) fn activity(&self) -> CcActivity {
        let cc = &self.cc;
        CcActivity::new(
            cc.events,
            RateTimes::default(),
            cc.limits.rate,
            cc.line_rate,
        )
    }
}

impl Deref for Controller {
    type Target = dyn CongestionControl<TelemetryView>;

    fn deref(&self) -> &Self::Target {
        &*self.controller
    }
}
