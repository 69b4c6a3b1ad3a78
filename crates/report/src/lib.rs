//! Flow completion times: storage, statistics and comparison.
//!
//! Everything here works on [`FctRecord`]s. They come from a run ([`FctRecord::new`]), from our
//! result files ([`read_fct`]) or from files of the published HPCC simulator ([`read_hpcc_fct`]),
//! so the same rules judge the output of other simulators. This crate never sees a live simulation
//! and opens no files: it reads texts and writes to any [`Write`](std::io::Write).
//!
//! * [`FctWriter`] streams records as CSV and keeps a [`Checksum`] of the bytes; [`HpccFctWriter`]
//!   streams them in the format of the published HPCC simulator.
//! * [`ideal_fct`] is the completion time to which slowdowns are relative.
//! * [`SlowdownTable`] and [`equal_count_bins`] summarize slowdowns by flow size. [`SizeBins`]
//!   divides them in any way; [`BinTable`] and [`ReplicationTable`] print them with their
//!   uncertainty.
//! * [`bins_for`], [`bins_for_each`] and [`Percentile::least_values`] limit bins and percentiles to the number of
//!   flows.
//! * [`Cut`] excludes warm-up and cool-down.
//! * [`observed`] reads and summarizes queues, links, rates and pauses.
//! * [`Pairing`] matches the flows of two runs, [`Comparison`] measures their differences.
//! * [`read_query`] reads the results of a query of packets; [`summary_of_paths`] and [`errors_of_hops`]
//!   compare them with the truth.
//! * [`view`] makes the data of a page that shows a fabric over time.
//! * [`Ratio`] compares a value between two settings over seeds, with its uncertainty.
//! * [`export`] writes results in the formats of other simulators.
//! * [`columns`] and [`table`] read files of columns and keep the position of each word; `arrow`
//!   reads them as tables for programs in other languages, if the feature of that name is enabled.
//!
//! ```
//! use fabricsim_report::{FctWriter, SlowdownTable, compare, read_fct};
//!
//! let text = "src,dst,size_bytes,start_ns,fct_ns,ideal_fct_ns\n0,1,1000,500,6200,5000\n2,1,9000,700,9000,6000\n";
//! let records = read_fct(text)?;
//! let table = SlowdownTable::new(&records);
//! assert!((table.rows[0].mean - 1.37).abs() < 1e-9);
//!
//! let mut writer = FctWriter::new(Vec::new())?;
//! for record in &records {
//!     writer.write(record)?;
//! }
//! let (bytes, checksum) = writer.finish()?;
//! assert_eq!(checksum, fabricsim_report::Checksum::of(&bytes));
//!
//! let again = read_fct(std::str::from_utf8(&bytes)?)?;
//! assert_eq!(compare(&records, &again).matched, 2);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#[cfg(feature = "arrow")]
pub mod arrow;
mod bin_table;
mod bins;
mod checksum;
mod collective;
pub mod columns;
mod compare;
mod csv_fields;
mod cut;
mod enough;
pub mod export;
mod goodput;
mod group_tails;
mod ideal;
mod incast;
mod interval;
pub mod observed;
mod pairing;
mod quantile;
mod query_rows;
mod query_summary;
mod ratio;
mod read;
mod read_rpc;
mod record;
mod replica_table;
mod rpc;
mod serving;
mod side_by_side;
mod size_bins;
mod size_class;
mod slowdown;
mod sweep_curves;
mod sweep_table;
pub mod table;
mod timeline;
pub mod view;
mod write;
mod write_hpcc;

pub use bin_table::{BinRow, BinTable, PercentileEstimate};
pub use bins::{Bin, bins_csv, equal_count_bins};
pub use checksum::Checksum;
pub use collective::{
    COLLECTIVE_HEADER, CollectiveRecord, CollectiveRow, read_collectives, write_collectives,
};
pub use compare::{ClassRatios, Comparison, compare};
pub use csv_fields::quoted;
pub use cut::{Cut, CutEnd, CutFlows, CutReport};
pub use enough::{bins_for, bins_for_each};
pub use goodput::Goodput;
pub use group_tails::{GroupTails, estimates, group_tails};
pub use ideal::{HEADER_BYTES, ideal_fct, ideal_fct_truncated};
pub use incast::{IncastRound, incast_rounds};
pub use interval::{Interval, ReplicaMean, percentile_interval};
pub use pairing::{PAIRING_HEADER, Pairing};
pub use quantile::{Confidence, Percentile};
pub use query_rows::{HopRow, PacketRow, PathRow, QueryFlow, QueryRows, read_query};
pub use query_summary::{
    ErrorFigures, HopErrors, LengthErrors, PathFigures, PathsOfLength, QueryErrors, QueryPaths,
    errors_of_hops, summary_of_paths,
};
pub use ratio::{Estimate, Ratio, RatioCell};
pub use read::{read_any_fct, read_fct, read_hpcc_fct};
pub use read_rpc::read_rpc;
pub use record::FctRecord;
pub use replica_table::{ReplicaRow, ReplicationTable};
pub use rpc::{RPC_HEADER, RpcRecord, RpcStatistics, write_rpc};
pub use serving::{ServingRecord, read_serving, write_serving};
pub use side_by_side::SideBySide;
pub use size_bins::{BinRule, SizeBin, SizeBins, geometric_mean, median};
pub use size_class::SizeClass;
pub use slowdown::{SlowdownRow, SlowdownTable, percentile};
pub use sweep_curves::SweepCurves;
pub use sweep_table::{SweepQuestion, SweepTable};
pub use timeline::{Timeline, TimelineCounts};
pub use write::{FCT_HEADER, FctWriter};
pub use write_hpcc::{HPCC_FCT_NODES, HpccFctWriter};
