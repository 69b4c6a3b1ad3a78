//! The units of telemetry.

use std::sync::Arc;

use fabricsim_base::units::{Bytes, Rate};
use fabricsim_core::plugin::CcContext;
use fabricsim_core::plugin::quirks::EntryFormat;

/// Scale of the entries of a stack: the units of the quantized fields and the rates that the rate
/// codes stand for. Shared by the switches that write the entries and the senders that read them.
#[derive(Clone, Debug)]
pub struct IntScale {
    pub(crate) sent_unit: u64,
    pub(crate) queue_unit: u64,
    /// The units of full-width fields are powers of two.
    pub(crate) sent_shift: u32,
    pub(crate) queue_shift: u32,
    /// For each code the rate of links that it stands for, and the rate that senders read.
    rates: Arc<[(Rate, Rate)]>,
    /// The latter in bit/s.
    read_bps: Arc<[f64]>,
}

/// Rates that the published header has codes for.
const PUBLISHED_RATES: [Rate; 5] = [
    Rate::from_gbps(25),
    Rate::from_gbps(50),
    Rate::from_gbps(100),
    Rate::from_gbps(200),
    Rate::from_gbps(400),
];

impl IntScale {
    /// The scale that `context` asks for.
    #[must_use]
    pub fn new(context: &CcContext) -> Self {
        let rates = context.link_rates.to_vec();
        match context.quirks.entries {
            EntryFormat::Exact => {
                let fastest = rates.iter().max().copied().unwrap_or(context.nic_rate);
                Self::for_round_trip(rates, fastest.bytes_in(context.base_rtt))
            }
            EntryFormat::Quantized => Self::published(rates, context.entry_multiple),
        }
    }

    /// Full-width values; `rates` are the distinct rates of the network's links.
    #[must_use]
    pub fn exact(rates: Vec<Rate>) -> Self {
        Self::for_round_trip(rates, Bytes::ZERO)
    }

    /// Full-width values for a network whose fastest link carries `bytes` in a round-trip time: the
    /// units grow where a queue of four times as much, or sixteen times as much traffic between two
    /// acknowledgements, would not fit the fields.
    fn for_round_trip(rates: Vec<Rate>, bytes: Bytes) -> Self {
        let unit = |least: u64, room: u64| {
            let mut unit = least;
            while unit.saturating_mul(room) < bytes.get() {
                unit *= 2;
            }
            unit
        };
        let (sent_unit, queue_unit) = (unit(1, 1 << 28), unit(16, 1 << 22));
        Self {
            sent_unit,
            queue_unit,
            sent_shift: sent_unit.trailing_zeros(),
            queue_shift: queue_unit.trailing_zeros(),
            read_bps: rates.iter().map(|rate| rate.as_bps_f64()).collect(),
            rates: rates.into_iter().map(|rate| (rate, rate)).collect(),
        }
    }

    /// The published units: sent bytes in 128 m, queues in 80 m bytes with m = `multiple`. The code
    /// of a rate that the header has none for is left at zero, which is read as the lowest.
    #[must_use]
    pub fn published(rates: Vec<Rate>, multiple: u32) -> Self {
        let read = |rate: Rate| match PUBLISHED_RATES.contains(&rate) {
            true => rate,
            false => PUBLISHED_RATES[0],
        };
        let coded = rates.iter().map(|&rate| (rate, read(rate)));
        Self {
            sent_unit: 128 * u64::from(multiple),
            queue_unit: 80 * u64::from(multiple),
            read_bps: coded.clone().map(|(_, read)| read.as_bps_f64()).collect(),
            rates: coded.collect(),
            ..Self::exact(rates.clone())
        }
    }

    /// The code of `rate`, or `None` when it is not in the table.
    #[must_use]
    pub fn code(&self, rate: Rate) -> Option<u8> {
        let position = self.rates.iter().position(|&(known, _)| known == rate)?;
        u8::try_from(position).ok()
    }

    /// The rate that a sender reads from `code`.
    #[must_use]
    pub fn rate(&self, code: u8) -> Rate {
        self.rates[usize::from(code)].1
    }

    /// The same in bit/s.
    #[inline]
    #[must_use]
    pub fn rate_bps(&self, code: u8) -> f64 {
        self.read_bps[usize::from(code)]
    }
}
