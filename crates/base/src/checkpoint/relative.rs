//! The relative form of a state: the form that stays the same while the state repeats.
//!
//! A network in which nothing changes except for the position of the transfers returns to the same
//! state after each period, but for three things: times have moved by the period, sequence numbers
//! by the bytes that each flow has sent, and counters by their increase in a period. A
//! [relative writer](Writer::relative) sets these three apart. Two [snapshots](Snapshot) that agree
//! in everything else are one and the same state, moved ([`Snapshot::recurs`]). Because the
//! rules of the network do not depend on the origin of times and sequence numbers, the state then
//! continues to repeat. So [`Snapshot::advance`] yields the state after
//! any number of periods.
//!
//! The kind of each number is declared at its field: see [`Kind`]. A number without a declaration
//! has no relative form, and a state with such a number never recurs.

use super::{Kind, SaveError, Snapshot, Writer};
use crate::units::Time;

/// Tags before the numbers of a relative form.
pub(super) const PLAIN: u8 = 0;
pub(super) const MOVING: u8 = 1;
pub(super) const INSTANT: u8 = 2;

/// A number that is set apart from the relative form.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Mark {
    pub(super) kind: Kind,
    /// The flow of a position.
    pub(super) flow: u32,
    pub(super) value: u64,
    /// The largest value of the number's type.
    pub(super) most: u64,
}

/// The marks of a relative form that is being written.
#[derive(Clone, Debug)]
pub(super) struct Relative {
    now: Time,
    flow: u32,
    marks: Vec<Mark>,
    /// `true` while the written state must not change at all.
    fixed: bool,
    /// The first type that has no relative form.
    absolute: Option<&'static str>,
}

impl Writer {
    /// Returns a writer of the relative form of a state at `now`.
    #[must_use]
    pub fn relative(now: Time) -> Self {
        Self {
            relative: Some(Box::new(Relative {
                now,
                flow: 0,
                marks: Vec::new(),
                fixed: false,
                absolute: None,
            })),
            ..Self::default()
        }
    }

    /// Returns `true` if the form is relative. Then only parts that a period moves are written.
    #[must_use]
    pub const fn is_relative(&self) -> bool {
        self.relative.is_some()
    }

    /// Sets the kind of the numbers that follow. Returns the previous kind, to be restored.
    #[inline]
    pub const fn declare(&mut self, kind: Kind) -> Kind {
        std::mem::replace(&mut self.kind, kind)
    }

    /// Calls `write` with the positions in it belonging to the flow or connection numbered `flow`.
    pub fn in_flow(&mut self, flow: u32, write: impl FnOnce(&mut Self)) {
        let before = self.enter_flow(flow);
        write(self);
        self.enter_flow(before);
    }

    /// Sets the flow of the positions that follow. Returns the previous flow, to be restored.
    #[inline]
    pub fn enter_flow(&mut self, flow: u32) -> u32 {
        match &mut self.relative {
            Some(relative) => std::mem::replace(&mut relative.flow, flow),
            None => 0,
        }
    }

    /// Calls `write` with a state that repeats only if it does not change at all.
    pub fn unchanging(&mut self, write: impl FnOnce(&mut Self)) {
        let set = |out: &mut Self, fixed| match &mut out.relative {
            Some(relative) => std::mem::replace(&mut relative.fixed, fixed),
            None => fixed,
        };
        let before = set(self, true);
        write(self);
        set(self, before);
    }

    /// Notes that the state of the type `name` has no relative form.
    #[inline]
    pub fn absolute(&mut self, name: &'static str) {
        if let Some(relative) = &mut self.relative
            && !relative.fixed
        {
            relative.absolute.get_or_insert(name);
        }
    }

    /// Appends an integer of the declared kind; `most` is the largest value of its type.
    #[inline]
    pub fn integer(&mut self, value: u64, most: u64) {
        if self.relative.is_some() {
            self.put_relative(self.kind, value, most);
        } else {
            self.whole(value);
        }
    }

    /// Appends a quantity, which is plain unless another kind is declared.
    #[inline]
    pub(crate) fn quantity(&mut self, value: u64) {
        if self.relative.is_some() {
            let kind = match self.kind {
                Kind::Unknown => Kind::Plain,
                kind => kind,
            };
            self.put_relative(kind, value, u64::MAX);
        } else {
            self.whole(value);
        }
    }

    /// Appends a time.
    #[inline]
    pub(crate) fn time(&mut self, ps: u64) {
        if self.relative.is_some() {
            self.put_time(ps);
        } else {
            self.whole(ps);
        }
    }

    #[cold]
    fn put_time(&mut self, ps: u64) {
        let relative = self.relative.as_ref().expect("the form is relative");
        match self.kind {
            // A time that never comes does not move.
            _ if relative.fixed || ps == u64::MAX => self.put_relative(Kind::Plain, ps, u64::MAX),
            Kind::Unknown | Kind::Plain => {
                let distance = ps.wrapping_sub(relative.now.as_ps());
                self.byte(INSTANT);
                self.bytes(&distance.to_le_bytes());
            }
            kind => self.put_relative(kind, ps, u64::MAX),
        }
    }

    #[cold]
    fn put_relative(&mut self, kind: Kind, value: u64, most: u64) {
        let relative = self.relative.as_mut().expect("the form is relative");
        let kind = if relative.fixed { Kind::Plain } else { kind };
        match kind {
            Kind::Unknown => {
                relative
                    .absolute
                    .get_or_insert("a type that declares no kinds");
            }
            Kind::Plain => {
                self.byte(PLAIN);
                self.whole(value);
            }
            _ => {
                let flow = relative.flow;
                relative.marks.push(Mark {
                    kind,
                    flow,
                    value,
                    most,
                });
                self.byte(MOVING);
            }
        }
    }

    /// Returns the relative form.
    ///
    /// # Errors
    /// Fails if some state has no relative form, or was [refused](Self::refuse).
    pub fn finish_relative(self) -> Result<Snapshot, SaveError> {
        let (bytes, relative) = match (self.refused, self.relative) {
            (Some(refused), _) => return Err(refused),
            (None, Some(relative)) => (self.bytes, relative),
            (None, None) => unreachable!("the form is relative"),
        };
        if let Some(name) = relative.absolute {
            return Err(SaveError {
                what: "the relative form of".to_owned(),
                name: name.to_owned(),
            });
        }
        Ok(Snapshot {
            now: relative.now,
            bytes,
            marks: relative.marks,
        })
    }
}
