//! Packets that leave back to back over links that store and forward them.

use fabricsim_base::units::{Bytes, Duration};

/// The packets of a transfer, in their order: possibly one ahead, then full ones, and the last one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rows {
    /// If `true`, a packet without payload precedes the data.
    pub(super) ahead: bool,
    /// The payload of a full packet.
    pub(super) payload: Bytes,
    /// Number of full packets before the last one.
    pub(super) full: u64,
    /// The payload of the last packet, which may also be full.
    pub(super) rest: Bytes,
}

/// The time of a link for a packet of each kind, in picoseconds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Column {
    pub(super) first: u64,
    pub(super) full: u64,
    pub(super) last: u64,
}

impl Rows {
    /// Divides `size` bytes into packets with a payload of up to `payload`.
    pub(super) fn of(size: Bytes, payload: Bytes) -> Self {
        let full = size.get().div_ceil(payload.get()).saturating_sub(1);
        Self {
            ahead: false,
            payload,
            full,
            rest: Bytes::new(size.get() - full * payload.get()),
        }
    }
}

/// Returns the time at which the last packet of `rows` has left the last of the links, without
/// their delays.
///
/// A packet leaves a link after it has arrived there and the previous packet has left. So the time
/// is the length of the longest path through the table of packets and links, from its first to its
/// last cell, with steps only to the next packet or to the next link. Because full packets are
/// alike, such a path crosses them all at the slowest link that it meets among them. This takes one
/// step for each link, not one for each packet.
pub(super) fn train(rows: &Rows, columns: impl Iterator<Item = Column>) -> Duration {
    // The longest paths to the packet ahead, the first full one, the last full one and the last one
    // at the current link. A missing path has length zero, because times are not negative.
    let [mut first, mut begun, mut full, mut last] = [0u64; 4];
    for column in columns {
        first = first.saturating_add(column.first);
        let mut enter = if rows.ahead { first } else { 0 };
        if let Some(more) = rows.full.checked_sub(1) {
            begun = enter.max(begun).saturating_add(column.full);
            let others = more.saturating_mul(column.full);
            full = (begun.saturating_add(others)).max(full.saturating_add(column.full));
            enter = full;
        }
        last = enter.max(last).saturating_add(column.last);
    }
    Duration::from_ps(last)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Simulates each packet at each link.
    fn followed(rows: &Rows, columns: &[Column]) -> u64 {
        let mut free = vec![0u64; columns.len()];
        let ahead = rows.ahead.then_some(0).into_iter();
        let kinds = ahead.chain((0..rows.full).map(|_| 1)).chain([2]);
        let mut end = 0;
        for kind in kinds {
            let mut at = 0;
            for (column, free) in columns.iter().zip(&mut free) {
                let time = [column.first, column.full, column.last][kind];
                at = at.max(*free) + time;
                *free = at;
            }
            end = at;
        }
        end
    }

    proptest! {
        #[test]
        fn the_last_packet_leaves_when_each_one_has_been_followed(
            times in prop::collection::vec((0u64..500, 0u64..500, 0u64..500), 1..12),
            full in 0u64..40,
            ahead: bool,
        ) {
            let columns: Vec<Column> = times
                .into_iter()
                .map(|(first, full, last)| Column { first, full, last })
                .collect();
            let rows = Rows { ahead, full, payload: Bytes::new(1), rest: Bytes::new(1) };
            let expected = Duration::from_ps(followed(&rows, &columns));
            prop_assert_eq!(train(&rows, columns.iter().copied()), expected);
        }
    }

    #[test]
    fn sizes_are_cut_into_packets() {
        for (size, full, rest) in [
            (1, 0, 1),
            (1_000, 0, 1_000),
            (1_001, 1, 1),
            (3_000, 2, 1_000),
        ] {
            let rows = Rows::of(Bytes::new(size), Bytes::new(1_000));
            assert_eq!((rows.full, rows.rest), (full, Bytes::new(rest)));
        }
        // The time of the largest flow on the slowest link exceeds the range.
        let rows = Rows::of(Bytes::new(u64::MAX), Bytes::new(1));
        let column = Column {
            first: 0,
            full: u64::MAX / 2,
            last: u64::MAX / 2,
        };
        assert_eq!(train(&rows, [column].into_iter()), Duration::MAX);
    }
}
