//! The controller of a connection and what it allows.

use std::ops::Deref;

use fabricsim_base::units::{Bytes, Rate, Time};
use fabricsim_core::plugin::{Ack, CongestionControl, DynController, SendLimits, TelemetryView};

/// The controller of a connection. What it allows is asked for once after each event that it is told
/// of, and not wherever it is needed.
#[derive(Debug)]
pub(super) struct Controller {
    controller: DynController,
    limits: SendLimits,
    /// The window in whole segments, at least one.
    window: u32,
    /// Payload bytes of a full segment.
    mss: u16,
    /// The controller is told of each segment that leaves.
    counts_sends: bool,
}

impl Controller {
    pub(super) fn new(controller: DynController, mss: u16) -> Self {
        let mut own = Self {
            limits: controller.limits(),
            counts_sends: controller.counts_sends(),
            controller,
            window: 1,
            mss,
        };
        own.window = own.whole_window(own.limits);
        own
    }

    /// Segments that may be in flight.
    #[inline]
    pub(super) fn segments(&self) -> u32 {
        debug_assert_eq!(
            self.limits,
            self.controller.limits(),
            "what a controller allows changes with events alone"
        );
        self.window
    }

    /// Returns whether any number of segments may be in flight.
    #[inline]
    pub(super) const fn is_unlimited(&self) -> bool {
        self.limits.window.is_none()
    }

    /// The rate at which segments are spaced.
    #[inline]
    pub(super) const fn rate(&self) -> Option<Rate> {
        self.limits.rate
    }

    /// The time at which the controller wants to be called.
    #[inline]
    pub(super) const fn due(&self) -> Time {
        self.limits.deadline
    }

    /// Whole segments in `size`, at least one.
    #[inline]
    pub(super) fn whole(&self, size: Bytes) -> u32 {
        let whole = size.get() / u64::from(self.mss);
        u32::try_from(whole).unwrap_or(u32::MAX).max(1)
    }

    #[inline]
    fn whole_window(&self, limits: SendLimits) -> u32 {
        limits.window.map_or(u32::MAX, |size| self.whole(size))
    }

    /// Takes over the window of the limits, which was `before`.
    #[inline]
    fn follow(&mut self, before: Option<Bytes>) {
        // A division, where most segments leave the window as it is.
        if self.limits.window != before {
            self.window = self.whole_window(self.limits);
        }
    }

    /// Tells of an acknowledgement.
    #[inline]
    pub(super) fn acknowledge(&mut self, ack: &Ack<'_, TelemetryView>) {
        let before = self.limits.window;
        self.controller.acknowledge(ack, &mut self.limits);
        self.follow(before);
    }

    /// Tells of a segment of `wire` bytes that leaves, if the controller asks for it.
    #[inline]
    pub(super) fn note_sent(&mut self, wire: Bytes) {
        if !self.counts_sends {
            return;
        }
        let before = self.limits.window;
        self.controller.note_sent(wire, &mut self.limits);
        self.follow(before);
    }

    /// Tells of something else by `tell`.
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

impl Deref for Controller {
    type Target = dyn CongestionControl<TelemetryView>;

    fn deref(&self) -> &Self::Target {
        &*self.controller
    }
}
