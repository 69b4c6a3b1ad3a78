//! Goodput of long flows.

use fabricsim_base::units::Bytes;
use serde::Serialize;

use crate::record::FctRecord;
use crate::size_bins::{mean, median};

const BITS_PER_BYTE: f64 = 8.0;

/// The goodput of long flows: payload over flow completion time, as for flows above 10 MB in Ben
/// Basat et al., "PINT", SIGCOMM 2020, figure 7a.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Goodput {
    /// Only flows larger than this count, in bytes.
    pub above_bytes: u64,
    /// Number of flows that count.
    pub flows: usize,
    /// Mean over flows, in bits per second.
    pub mean_bps: f64,
    /// Median over flows, in bits per second.
    pub median_bps: f64,
    /// Total payload over total completion time, in bits per second: the mean over time instead of
    /// over flows.
    pub aggregate_bps: f64,
}

impl Goodput {
    /// Flows larger than this are long.
    pub const LONG: Bytes = Bytes::new(10_000_000);

    /// Computes the goodput of the `records` that are larger than `above`; `None` if there are
    /// none.
    #[must_use]
    pub fn of_flows_above(above: Bytes, records: &[FctRecord]) -> Option<Self> {
        let long: Vec<(f64, f64)> = records
            .iter()
            .filter(|record| record.size > above && record.fct.as_ps() > 0)
            .map(|record| {
                let bits = record.size.as_f64() * BITS_PER_BYTE;
                (bits, record.fct.as_secs_f64())
            })
            .collect();
        let rates = long.iter().map(|(bits, seconds)| bits / seconds);
        let bits: f64 = long.iter().map(|(bits, _)| bits).sum();
        let seconds: f64 = long.iter().map(|(_, seconds)| seconds).sum();
        Some(Self {
            above_bytes: above.get(),
            flows: long.len(),
            mean_bps: mean(rates.clone())?,
            median_bps: median(rates)?,
            aggregate_bps: bits / seconds,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::testing::record;

    #[test]
    fn long_flows_have_a_goodput() {
        let records = [
            // The first three have 80 Gbps, 20 Gbps and 40 Gbps; the last one is not long.
            record(20_000_000, 2_000_000, 1),
            record(20_000_000, 8_000_000, 1),
            record(50_000_000, 10_000_000, 1),
            record(10_000_000, 1, 1),
        ];
        let goodput = Goodput::of_flows_above(Goodput::LONG, &records).expect("three long flows");
        assert_eq!(goodput.flows, 3);
        let close = |value: f64, gbps: f64| assert!((value / 1e9 - gbps).abs() < 1e-9, "{value}");
        close(goodput.mean_bps, 140.0 / 3.0);
        close(goodput.median_bps, 40.0);
        close(goodput.aggregate_bps, 36.0);
        assert_eq!(Goodput::of_flows_above(Goodput::LONG, &records[3..]), None);
    }
}
