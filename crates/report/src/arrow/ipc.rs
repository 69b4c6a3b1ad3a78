//! Tables as files.

use std::io::{self, Write};

use arrow_array::RecordBatch;
use arrow_ipc::writer::FileWriter;

/// Writes `table` to `out` as an uncompressed file of Arrow's IPC format, which pandas and polars
/// read as Feather.
///
/// # Errors
/// Fails if `out` cannot be written.
pub fn write_ipc(table: &RecordBatch, out: impl Write) -> io::Result<()> {
    let mut writer = FileWriter::try_new(out, &table.schema()).map_err(io::Error::other)?;
    writer.write(table).map_err(io::Error::other)?;
    writer.finish().map_err(io::Error::other)
}

#[cfg(test)]
mod tests {
    use arrow_ipc::reader::FileReader;

    use super::*;
    use crate::arrow::read_table;

    #[test]
    fn a_file_holds_the_table() {
        let table = read_table("flow_id,fct_ns,name\n0,12.5,a\n1,,b\n").expect("a table");
        let mut bytes = Vec::new();
        write_ipc(&table, &mut bytes).expect("memory takes all");
        let reader = FileReader::try_new(io::Cursor::new(bytes), None).expect("an Arrow file");
        let read: Vec<RecordBatch> = reader.map(|batch| batch.expect("a batch")).collect();
        assert_eq!(read, [table]);
    }
}
