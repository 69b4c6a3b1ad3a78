//! The content of messages, in the 64 bits of their tags.

use fabricsim_base::units::Duration;

/// Bits of the tokens of a step.
const TOKEN_BITS: u32 = 22;
/// Bits of the computing time of a step, in nanoseconds.
const TIME_BITS: u32 = 38;
/// Bits of the number of a request.
const REQUEST_BITS: u32 = 32;

/// The most tokens of a step.
pub(super) const MOST_TOKENS: u64 = (1 << TOKEN_BITS) - 1;
/// The longest computing time of a step at one stage.
pub(super) const LONGEST: Duration = Duration::from_ns((1 << TIME_BITS) - 1);

/// A step that a stage executes: its tokens and the computing time of each stage.
#[derive(Clone, Copy, Debug, Eq, PartialEq, fabricsim_base::checkpoint::Stored)]
#[checkpoint(plain)]
pub(super) struct Step {
    pub(super) tokens: u64,
    pub(super) time: Duration,
}

/// The content of a message.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Message {
    /// From the front end to an instance, with the instance that decodes.
    Request { request: u32, decoder: u32 },
    /// A step that the ranks of a stage execute: from the first rank of an instance to the others of
    /// its stage, and, with the activations, from a stage to the next one.
    Step(Step),
    /// A block of an all-reduce.
    Block,
    /// Tokens for the experts of another rank.
    Tokens,
    /// From the last stage of an instance to its first rank: the sampled tokens of a step.
    Sampled,
    /// From the first rank of an instance to the others: send the KV cache of a request.
    SendCache { request: u32, decoder: u32 },
    /// The KV cache of a request, from one rank to its counterpart.
    Cache { request: u32 },
    /// To the first rank of an instance: another rank has received its part.
    Cached { request: u32 },
    /// To the front end: the first token of a request.
    First { request: u32 },
    /// To the front end: all tokens of a request.
    Last { request: u32 },
}

impl Message {
    /// Returns the tag.
    pub(super) fn tag(self) -> u64 {
        let with = |kind: u64, low: u64| kind << 60 | low;
        let pair = |request: u32, other: u32| {
            debug_assert!(other < 1 << (60 - REQUEST_BITS));
            u64::from(other) << REQUEST_BITS | u64::from(request)
        };
        match self {
            Self::Request { request, decoder } => with(1, pair(request, decoder)),
            Self::Step(step) => {
                debug_assert!(step.tokens <= MOST_TOKENS && step.time <= LONGEST);
                with(2, step.time.as_ns() << TOKEN_BITS | step.tokens)
            }
            Self::Block => with(3, 0),
            Self::Tokens => with(4, 0),
            Self::Sampled => with(5, 0),
            Self::SendCache { request, decoder } => with(6, pair(request, decoder)),
            Self::Cache { request } => with(7, pair(request, 0)),
            Self::Cached { request } => with(8, pair(request, 0)),
            Self::First { request } => with(9, pair(request, 0)),
            Self::Last { request } => with(10, pair(request, 0)),
        }
    }

    /// Returns the message with `tag`, or `None` if it is not one of a serving workload.
    pub(super) fn of(tag: u64) -> Option<Self> {
        let low = tag & ((1 << 60) - 1);
        let mask = (1 << REQUEST_BITS) - 1;
        let request = u32::try_from(low & mask).ok()?;
        let decoder = u32::try_from(low >> REQUEST_BITS).ok()?;
        Some(match tag >> 60 {
            1 => Self::Request { request, decoder },
            2 => Self::Step(Step {
                tokens: low & MOST_TOKENS,
                time: Duration::from_ns(low >> TOKEN_BITS),
            }),
            3 => Self::Block,
            4 => Self::Tokens,
            5 => Self::Sampled,
            6 => Self::SendCache { request, decoder },
            7 => Self::Cache { request },
            8 => Self::Cached { request },
            9 => Self::First { request },
            10 => Self::Last { request },
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_survive_a_round_trip() {
        let (request, decoder) = (u32::MAX, (1 << 28) - 1);
        let step = Step {
            tokens: MOST_TOKENS,
            time: LONGEST,
        };
        for message in [
            Message::Request { request, decoder },
            Message::Step(step),
            Message::Block,
            Message::Tokens,
            Message::Sampled,
            Message::SendCache { request, decoder },
            Message::Cache { request },
            Message::Cached { request },
            Message::First { request },
            Message::Last { request },
        ] {
            assert_eq!(Message::of(message.tag()), Some(message));
        }
        assert_eq!(Message::of(0), None);
    }
}
