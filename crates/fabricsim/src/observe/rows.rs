//! The columns of each time series.

/// Kind of value in a column.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Kind {
    /// Whole numbers.
    Whole,
    /// Whole numbers, or nothing.
    Optional,
    /// Nanoseconds, exact to the picosecond.
    Nanoseconds,
    /// A share, 0 to 1, to the millionth.
    Share,
    /// A name.
    Text,
}

/// A value of a row.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum SeriesCell<'a> {
    /// A whole number.
    Whole(u64),
    /// No number.
    Empty,
    /// A time in picoseconds.
    Picoseconds(u64),
    /// A share in millionths.
    Millionths(u64),
    /// A name.
    Text(&'a str),
}

/// A file of time series.
#[derive(Debug)]
pub(super) struct SeriesTable {
    /// Its name without the ending.
    pub(super) name: &'static str,
    pub(super) columns: &'static [(&'static str, Kind)],
}

pub(super) const QUEUES: SeriesTable = SeriesTable {
    name: "queues",
    columns: &[
        ("time_ns", Kind::Nanoseconds),
        ("node", Kind::Whole),
        ("port", Kind::Whole),
        ("name", Kind::Text),
        ("tier", Kind::Text),
        ("peer", Kind::Text),
        ("queue_bytes", Kind::Whole),
    ],
};

pub(super) const DISTRIBUTION: SeriesTable = SeriesTable {
    name: "queue_distribution",
    columns: &[
        ("node", Kind::Whole),
        ("port", Kind::Whole),
        ("from_bytes", Kind::Whole),
        ("upto_bytes", Kind::Whole),
        ("time_ns", Kind::Nanoseconds),
    ],
};

pub(super) const LINKS: SeriesTable = SeriesTable {
    name: "links",
    columns: &[
        ("time_ns", Kind::Nanoseconds),
        ("node", Kind::Whole),
        ("port", Kind::Whole),
        ("name", Kind::Text),
        ("tier", Kind::Text),
        ("peer", Kind::Text),
        ("sent_bytes", Kind::Whole),
        ("utilization", Kind::Share),
        ("marked_packets", Kind::Whole),
        ("dropped_packets", Kind::Whole),
        ("paused_ns", Kind::Nanoseconds),
    ],
};

pub(super) const FLOWS: SeriesTable = SeriesTable {
    name: "flows",
    columns: &[
        ("time_ns", Kind::Nanoseconds),
        ("flow", Kind::Whole),
        ("src", Kind::Whole),
        ("dst", Kind::Whole),
        ("class", Kind::Whole),
        ("rate_bps", Kind::Whole),
        ("window_bytes", Kind::Optional),
        ("acknowledged_bytes", Kind::Whole),
        ("throughput_bps", Kind::Whole),
    ],
};
