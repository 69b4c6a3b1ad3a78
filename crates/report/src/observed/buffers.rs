//! The largest use of each switch's buffer.

use std::io::{self, Write};

use fabricsim_base::id::{NodeId, PortId};
use fabricsim_base::input::InputError;
use fabricsim_base::units::Bytes;

use crate::table::read_columns;

/// The columns of `buffers.csv`.
const COLUMNS: [&str; 13] = [
    "node",
    "switch",
    "ports",
    "buffer_bytes",
    "set_aside_bytes",
    "shared_bytes",
    "shared_max_bytes",
    "shared_max_is",
    "headroom_bytes",
    "headroom_max_bytes",
    "port",
    "port_headroom_bytes",
    "port_headroom_max_bytes",
];

/// The values of `shared_max_is`: not exact, and exact.
const PRECISION: [&str; 2] = ["bound", "exact"];

/// The largest use of one switch's buffer: a row of `buffers.csv`.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct SwitchBuffer {
    /// Number of the switch.
    pub node: NodeId,
    /// Name of the switch.
    pub switch: String,
    /// Number of its ports.
    pub ports: usize,
    /// The whole buffer.
    pub buffer: Bytes,
    /// The part for headroom and reserves.
    pub set_aside: Bytes,
    /// The part for sharing.
    pub shared: Bytes,
    /// The most bytes in the shared part.
    pub shared_max: Bytes,
    /// `true` if this many bytes were used, `false` if never more than these were.
    pub is_exact: bool,
    /// The headroom of all ports and priorities.
    pub headroom: Bytes,
    /// The most bytes in the headroom of all ports and priorities at the same time.
    pub headroom_max: Bytes,
    /// The port that has used the most headroom of one priority.
    pub port: PortId,
    /// The headroom of one priority of that port.
    pub port_headroom: Bytes,
    /// The most bytes in the headroom of one priority of that port.
    pub port_headroom_max: Bytes,
}

/// Writes `buffers.csv`.
///
/// # Errors
/// Fails if `out` does.
pub fn write_buffers(out: &mut impl Write, rows: &[SwitchBuffer]) -> io::Result<()> {
    writeln!(out, "{}", COLUMNS.join(","))?;
    for row in rows {
        writeln!(
            out,
            "{},{},{},{},{},{},{},{},{},{},{},{},{}",
            row.node.0,
            row.switch,
            row.ports,
            row.buffer.get(),
            row.set_aside.get(),
            row.shared.get(),
            row.shared_max.get(),
            PRECISION[usize::from(row.is_exact)],
            row.headroom.get(),
            row.headroom_max.get(),
            row.port.0,
            row.port_headroom.get(),
            row.port_headroom_max.get()
        )?;
    }
    Ok(())
}

/// Reads `buffers.csv`, in the order of its rows.
///
/// # Errors
/// Fails at the offending word.
pub fn read_buffers(text: &str) -> Result<Vec<SwitchBuffer>, InputError> {
    read_columns(text, "buffers.csv", COLUMNS, |words| {
        let bytes = |place: usize| words[place].integer(COLUMNS[place]).map(Bytes::new);
        Ok(SwitchBuffer {
            node: NodeId(words[0].integer(COLUMNS[0])?),
            switch: words[1].text.to_owned(),
            ports: words[2].integer(COLUMNS[2])?,
            buffer: bytes(3)?,
            set_aside: bytes(4)?,
            shared: bytes(5)?,
            shared_max: bytes(6)?,
            is_exact: match PRECISION.iter().position(|name| *name == words[7].text) {
                Some(place) => place == 1,
                None => {
                    return Err(words[7].error(
                        format!("`{}` is not a value of `shared_max_is`", words[7].text),
                        "write \"exact\" or \"bound\"",
                    ));
                }
            },
            headroom: bytes(8)?,
            headroom_max: bytes(9)?,
            port: PortId(words[10].integer(COLUMNS[10])?),
            port_headroom: bytes(11)?,
            port_headroom_max: bytes(12)?,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_read_as_written() {
        let mut row = SwitchBuffer {
            node: NodeId(7),
            switch: "leaf0".to_owned(),
            ports: 3,
            buffer: Bytes::new(1_000),
            set_aside: Bytes::new(100),
            shared: Bytes::new(900),
            shared_max: Bytes::new(90),
            is_exact: true,
            headroom: Bytes::new(60),
            headroom_max: Bytes::new(6),
            port: PortId(2),
            port_headroom: Bytes::new(20),
            port_headroom_max: Bytes::new(5),
        };
        let mut text = Vec::new();
        let second = row.clone();
        row.is_exact = false;
        write_buffers(&mut text, &[row.clone(), second.clone()]).expect("memory takes everything");
        let text = String::from_utf8(text).expect("plain text");
        assert_eq!(read_buffers(&text).expect("its own rows"), [row, second]);
        assert!(read_buffers(&text.replace("bound", "about")).is_err());
    }
}
