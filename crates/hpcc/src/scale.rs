//! Units of telemetry.

use std::sync::Arc;

use fabricsim_base::units::{Bytes, Rate};
use fabricsim_core::plugin::CcContext;
use fabricsim_core::plugin::quirks::EntryFormat;

/// Scale of the entries of a stack: the units of quantized fields and the rate of each rate code.
/// The switches that write entries and the senders that read them share it.
#[derive(Clone, Debug)]
pub struct IntScale {
    pub(crate) sent_unit: u64,
    pub(crate) queue_unit: u64,
    /// Units of full-width fields are powers of two.
    pub(crate) sent_shift: u32,
    pub(crate) queue_shift: u32,
    /// For each code, the rate of the link and the rate that senders read.
    rates: Arc<[(Rate, Rate)]>,
    /// The rates that senders read, in bit/s.
    read_bps: Arc<[f64]>,
}

/// Rates with a code in the published header.
const PUBLISHED_RATES: [Rate; 5] = [
    Rate::from_gbps(25),
    Rate::from_gbps(50),
    Rate::from_gbps(100),
    Rate::from_gbps(200),
    Rate::from_gbps(400),
];

impl IntScale {
    /// Returns the scale for the header format of `context`.
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

    /// Returns the scale of full-width fields. `rates` are the distinct link rates of the network.
    #[must_use]
    pub fn exact(rates: Vec<Rate>) -> Self {
        Self::for_round_trip(rates, Bytes::ZERO)
    }

    /// Returns the scale of full-width fields for a network with `bytes` in flight per round trip
    /// on its fastest link. The units grow until the fields can hold a queue of four times `bytes`,
    /// and sixteen times `bytes` of traffic between two acknowledgements.
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

    /// Returns the published units: 128 m for sent bytes and 80 m for queues, with m = `multiple`.
    /// A rate without a code is written as zero, which senders read as the lowest rate.
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

    /// Returns the code of `rate`, or `None` if it is not in the table.
    #[must_use]
    pub fn code(&self, rate: Rate) -> Option<u8> {
        let position = self.rates.iter().position(|&(known, _)| known == rate)?;
        u8::try_from(position).ok()
    }

    /// Returns the rate that a sender reads from `code`.
    #[must_use]
    pub fn rate(&self, code: u8) -> Rate {
        self.rates[usize::from(code)].1
    }

    /// Returns the rate that a sender reads from `code`, in bit/s.
    #[inline]
    #[must_use]
    pub fn rate_bps(&self, code: u8) -> f64 {
        self.read_bps[usize::from(code)]
    }
}
