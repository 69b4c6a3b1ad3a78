//! The messages that one member of a group sends and receives.

use std::ops::Range;

/// The use of received blocks.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub(crate) enum Use {
    /// Adds them to the member's own blocks.
    Reduce,
    /// Replaces the member's own blocks.
    Replace,
    /// Stores them in another buffer, apart from the blocks that the member sends.
    Apart,
}

/// Receives the messages of one member of a group, in the order in which they are posted.
///
/// A buffer consists of blocks of about equal size. Blocks are sent as soon as everything that the
/// member has received into them has been delivered; nothing else delays a message.
pub(super) trait Transfers {
    /// Sends blocks to the member `to`.
    fn send(&mut self, to: u32, blocks: Range<u32>);

    /// Receives blocks from the member `from`.
    fn receive(&mut self, from: u32, blocks: Range<u32>, used: Use);

    /// Sends blocks of the first of `ends` to the second one as soon as they arrive. The member's own
    /// blocks and its other messages are not concerned.
    fn forward(&mut self, ends: (u32, u32), blocks: Range<u32>);

    /// Makes all later messages wait until all earlier ones have been delivered and acknowledged.
    fn wait(&mut self);
}
