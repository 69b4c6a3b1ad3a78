//! The kinds of numbers in a state.

/// The kind of a number in a state: how it moves while the state repeats.
///
/// The derives of [`Checkpointed`](super::Checkpointed) and [`Stored`](super::Stored) read it from
/// the attribute of a field, such as `#[checkpoint(sequence)]`. A bare integer must have one.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Kind {
    /// Not declared. Times and quantities are plain; an integer has no relative form.
    #[default]
    Unknown,
    /// `plain`: the rules depend on the value. It must be the same after each period. A time
    /// must have moved by the period.
    Plain,
    /// `deadline`, of times: if it is in the future, something happens then; if it is in the past,
    /// no rule reads it before it moves. It moves by the period, or it stays, and then nothing is
    /// skipped beyond it.
    Deadline,
    /// `record`, of times: no rule reads it in a period in which it stays. It is set at the same
    /// phase of each period, or never, so it moves by the period, or it stays.
    Record,
    /// `sequence`: a position in the data of the [current flow](super::Writer::in_flow). All positions of
    /// a flow move by the same number.
    Sequence,
    /// `goal`: the end of some data of the current flow. It moves with the positions of the flow;
    /// or it stays, and then nothing is skipped beyond it.
    Goal,
    /// `counter`: a sum that no rule reads. It increases by the same number in each period.
    Counter,
    /// `extreme`: the largest or the smallest value so far, which no rule reads. All periods have
    /// the same values, so it stays after the first one.
    Extreme,
}
