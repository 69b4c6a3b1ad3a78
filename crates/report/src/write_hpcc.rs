//! The published HPCC simulator's `fct.txt`.

use std::io::{self, Write};

use fabricsim_base::id::NodeId;

use crate::record::FctRecord;
use crate::write::push_integer;

/// Bytes to buffer before writing them out.
const BUFFER: usize = 64 * 1024;

/// Number of nodes that the addresses of an `fct.txt` can express.
pub const HPCC_FCT_NODES: usize = 1 << 16;

/// Streams records in the format of the published simulator's `fct.txt`:
/// `sip dip sport dport size start_ns fct_ns ideal_ns` on each line, without a header.
///
/// An address is eight hexadecimal digits: `0b000001` plus 256 times the node's number modulo 256,
/// plus 65,536 times the node's number divided by 256. Times are truncated to nanoseconds, as in
/// that simulator.
///
/// The writer has its own buffer: `out` needs no `BufWriter`. The file is complete only after
/// [`HpccFctWriter::finish`].
#[derive(Debug)]
pub struct HpccFctWriter<W> {
    out: W,
    buffer: Vec<u8>,
}

impl<W: Write> HpccFctWriter<W> {
    /// Creates a writer to `out`.
    pub const fn new(out: W) -> Self {
        Self {
            out,
            buffer: Vec::new(),
        }
    }

    /// Adds the row of a flow between the ports `src_port` and `dst_port`.
    ///
    /// # Errors
    /// Fails if the underlying writer fails.
    pub fn write(&mut self, record: &FctRecord, src_port: u16, dst_port: u16) -> io::Result<()> {
        let buffer = &mut self.buffer;
        for node in [record.src, record.dst] {
            write!(buffer, "{:08x} ", address(node))?;
        }
        for value in [u64::from(src_port), u64::from(dst_port), record.size.get()] {
            push_integer(buffer, value);
            buffer.push(b' ');
        }
        push_integer(buffer, record.start.as_ns());
        for time in [record.fct, record.ideal] {
            buffer.push(b' ');
            push_integer(buffer, time.as_ns());
        }
        buffer.push(b'\n');
        match self.buffer.len() >= BUFFER {
            true => self.hand_on(),
            false => Ok(()),
        }
    }

    /// Writes the rest of the buffer and returns the underlying writer.
    ///
    /// # Errors
    /// Fails if the underlying writer fails.
    pub fn finish(mut self) -> io::Result<W> {
        self.hand_on()?;
        self.out.flush()?;
        Ok(self.out)
    }

    fn hand_on(&mut self) -> io::Result<()> {
        self.out.write_all(&self.buffer)?;
        self.buffer.clear();
        Ok(())
    }
}

/// Returns the address of `node`.
const fn address(node: NodeId) -> u32 {
    0x0b00_0001 + (node.0 / 256) * 0x0001_0000 + (node.0 % 256) * 0x0000_0100
}

#[cfg(test)]
mod tests {
    use fabricsim_base::id::NodeId;
    use fabricsim_base::units::{Duration, Time};

    use super::*;
    use crate::read_hpcc_fct;
    use crate::record::testing::record;

    fn written(records: &[FctRecord]) -> String {
        let mut writer = HpccFctWriter::new(Vec::new());
        for record in records {
            writer.write(record, 10_000, 100).unwrap();
        }
        String::from_utf8(writer.finish().unwrap()).unwrap()
    }

    /// The first line of a run of the published simulator, between hosts 35 and 20.
    #[test]
    fn a_line_is_that_of_the_published_simulator() {
        let mut flow = record(77_908, 18_985, 18_772);
        (flow.src, flow.dst) = (NodeId(35), NodeId(20));
        flow.start = Time::from_ps(2_000_005_948_999);
        flow.fct = Duration::from_ps(18_985_999);
        assert_eq!(
            written(&[flow]),
            "0b002301 0b001401 10000 100 77908 2000005948 18985 18772\n"
        );
    }

    #[test]
    fn many_nodes_have_addresses() {
        let mut flow = record(1, 1, 1);
        (flow.src, flow.dst) = (NodeId(319), NodeId(65_535));
        assert!(
            written(&[flow]).starts_with("0b013f01 0bffff01 "),
            "{}",
            written(&[flow])
        );
    }

    proptest::proptest! {
        #[test]
        fn what_is_written_is_read_back(
            flows in proptest::collection::vec((0u32..65_536, 0u32..65_536, 1u64.., 0u64..1 << 40), 0..20)
        ) {
            let records: Vec<FctRecord> = flows
                .iter()
                .zip(0..)
                .map(|(&(src, dst, size, time), number)| {
                    let mut flow = record(size, time, time / 2);
                    (flow.src, flow.dst) = (NodeId(src), NodeId(dst));
                    flow.flow = fabricsim_base::id::FlowId(number);
                    flow.class = fabricsim_base::id::ClassId(100);
                    flow.start = Time::from_ns(time);
                    flow
                })
                .collect();
            proptest::prop_assert_eq!(read_hpcc_fct(&written(&records)), Ok(records));
        }
    }
}
