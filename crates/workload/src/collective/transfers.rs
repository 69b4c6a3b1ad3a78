//! What one member of a group sends and receives.

use std::ops::Range;

/// What a member does with blocks that it receives.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Use {
    /// Adds them to its own.
    Reduce,
    /// Takes them in place of its own.
    Replace,
    /// Keeps them apart from what it sends: in another buffer.
    Apart,
}

/// Takes the messages of one member of a group, in the order in which they are posted.
///
/// A buffer is so many blocks of about equal size. Blocks are sent when all that the member has
/// received into them has been delivered; nothing else makes a message wait.
pub(super) trait Transfers {
    /// Sends blocks to the member `to`.
    fn send(&mut self, to: u32, blocks: Range<u32>);

    /// Receives blocks from the member `from`.
    fn receive(&mut self, from: u32, blocks: Range<u32>, used: Use);

    /// What follows waits until all messages before have been delivered and acknowledged.
    fn wait(&mut self);
}
