//! Telemetry in a form that does not depend on the packet header.

use std::any::Any;
use std::fmt::Debug;

use fabricsim_base::units::Time;

/// Decoded telemetry of any kind.
pub trait Seen: Any + Debug + Send + Sync {}

impl<T: Any + Debug + Send + Sync> Seen for T {}

/// The decoded telemetry of an acknowledgement, with one type for each kind of telemetry. A kind is
/// present only if the configuration requires it
/// ([`CcConfig::TELEMETRY`](super::CcConfig::TELEMETRY)).
#[derive(Debug, Default)]
pub struct TelemetryView {
    values: Vec<Box<dyn Seen>>,
}

impl TelemetryView {
    /// No telemetry.
    pub const EMPTY: Self = Self { values: Vec::new() };

    /// Returns the telemetry of type `T` if the packet carried it.
    #[must_use]
    pub fn of<T: Seen>(&self) -> Option<&T> {
        let mut values = self.values.iter();
        values.find_map(|value| (&**value as &dyn Any).downcast_ref())
    }

    /// Replaces the telemetry of type `T`.
    pub fn set<T: Seen>(&mut self, value: T) {
        let mut values = self.values.iter_mut();
        match values.find_map(|value| (&mut **value as &mut dyn Any).downcast_mut::<T>()) {
            Some(own) => *own = value,
            None => self.values.push(Box::new(value)),
        }
    }

    /// Removes the telemetry of type `T`, because the packet carried none.
    pub fn clear<T: Seen>(&mut self) {
        self.values
            .retain(|value| !(&**value as &dyn Any).is::<T>());
    }
}

/// Decodes the telemetry of packets with the header `H`.
pub trait TelemetryReader<H>: Send + Sync + Debug {
    /// Decodes the telemetry of `header` into `view`. All of it was written before `now`.
    fn read(&self, header: &H, now: Time, view: &mut TelemetryView);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_has_a_value_of_its_own() {
        let mut view = TelemetryView::default();
        assert_eq!(view.of::<u16>(), None);
        view.set(7u16);
        view.set("busy");
        view.set(8u16);
        assert_eq!((view.of(), view.of()), (Some(&8u16), Some(&"busy")));
        view.clear::<u16>();
        assert_eq!((view.of::<u16>(), view.of()), (None, Some(&"busy")));
    }
}
