//! Updates the average utilization of a link, exactly or by tables.

use std::sync::Arc;

use fabricsim_base::choices;
use fabricsim_base::units::{Bytes, Duration, Rate, Time};
use fabricsim_core::plugin::quirks::SwitchArithmetic;

use crate::draws::Draws;
use crate::tables::{ExpTable, LogRounding, LogTable, LowBits};

choices! {
    /// Arithmetic of the switches.
    pub enum Arithmetic {
        /// Double precision.
        Exact = "exact" ("default"),
        /// Tables of logarithms and powers, because switches neither multiply nor divide.
        Tables = "tables" ("the default if a size of them is set"),
    }
}

/// Fraction bits of a logarithm. Of its 20 bits, 5 hold the integer part, enough for 20-bit
/// numbers.
const FRACTION_BITS: u32 = 15;

/// The sizes of the tables, and how they round.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TableShape {
    /// Number of leading bits that determine a logarithm (m in the paper).
    pub(crate) log_bits: u32,
    /// Rounding of the logarithms.
    pub(crate) log_rounding: LogRounding,
    /// Treatment of bits for which a table has no room.
    pub(crate) low_bits: LowBits,
    /// The table of powers of two has 2^`exp_bits` entries. If absent, powers are exact.
    pub(crate) exp_bits: Option<u32>,
    /// Queues are counted in units of 2^`queue_shift` bytes.
    pub(crate) queue_shift: u32,
    /// Utilizations are read in units of 2^-`utilization_bits`.
    pub(crate) utilization_bits: u32,
    /// Rounding of the utilization to units of 2^-`utilization_bits`.
    pub(crate) utilization_rounding: LowBits,
}

impl TableShape {
    /// Returns the default shape.
    ///
    /// The shape of the published simulator has a dead zone: long before the utilization has
    /// settled, updates change it by less than half a unit of 1/8192 and have no effect. The
    /// default has finer units and rounds at random, which avoids a dead zone.
    pub(crate) const fn of(rule: SwitchArithmetic) -> Self {
        match rule {
            SwitchArithmetic::Exact => Self {
                log_bits: 12,
                log_rounding: LogRounding::Nearest,
                low_bits: LowBits::Random,
                exp_bits: Some(12),
                queue_shift: 4,
                utilization_bits: 20,
                utilization_rounding: LowBits::Random,
            },
            SwitchArithmetic::Tables => Self {
                log_bits: 16,
                log_rounding: LogRounding::Floor,
                low_bits: LowBits::Random,
                exp_bits: None,
                queue_shift: 8,
                utilization_bits: 13,
                utilization_rounding: LowBits::Nearest,
            },
        }
    }
}

/// The tables of all switches of a network.
#[derive(Clone, Debug)]
pub(crate) struct Tables {
    log: LogTable,
    exp: Option<ExpTable>,
    queue_shift: u32,
    utilization_units: f64,
    utilization_rounding: LowBits,
}

impl Tables {
    pub(crate) fn new(shape: &TableShape) -> Self {
        Self {
            log: LogTable::new(
                shape.log_bits,
                FRACTION_BITS,
                shape.log_rounding,
                shape.low_bits,
            ),
            exp: shape
                .exp_bits
                .map(|bits| ExpTable::new(bits, shape.low_bits)),
            queue_shift: shape.queue_shift,
            utilization_units: f64::from(1u32 << shape.utilization_bits),
            utilization_rounding: shape.utilization_rounding,
        }
    }

    /// Returns 2 to the power of the sum of `logs` (in units of the table) and `constant`.
    #[inline]
    fn power(&self, logs: u64, constant: f64, draws: &mut impl Draws) -> f64 {
        let exponent = logs as f64 * self.log.unit() + constant;
        match &self.exp {
            Some(table) => table.exp2(exponent, draws),
            None => libm::exp2(exponent),
        }
    }
}

/// Factors for the terms of an update, or the binary logarithms of these factors: 1/T, 1/(B T^2)
/// and 1/(B T).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Factors {
    utilization: f64,
    queue: f64,
    size: f64,
}

/// Updates the utilization U of one link for each packet that leaves through it (PINT, section 4.3,
/// example 3):
///
/// `U <- (T - dt)/T U + queue dt/(B T^2) + size/(B T)`
///
/// T is the base round-trip time, B the rate of the link, dt the time since the previous packet (at
/// most T), and `size` the size of the previous packet.
#[derive(Clone, Debug)]
pub(crate) enum Link {
    /// Double precision; times are in picoseconds.
    Exact { base_rtt: u64, factors: Factors },
    /// By tables; times are whole nanoseconds, like the timestamps of switches. The constants are
    /// exact because the control plane computes them.
    Tables {
        base_rtt: u64,
        logs: Factors,
        tables: Arc<Tables>,
    },
}

impl Link {
    /// Returns a link of `rate`, with `tables` or, without them, exact.
    pub(crate) fn new(rate: Rate, base_rtt: Duration, tables: Option<&Arc<Tables>>) -> Self {
        let bytes_per_second = rate.as_bps_f64() / 8.0;
        match tables {
            None => {
                let rtt = base_rtt.as_ps() as f64;
                let bytes = bytes_per_second * 1e-12 * rtt;
                Self::Exact {
                    base_rtt: base_rtt.as_ps(),
                    factors: Factors {
                        utilization: 1.0 / rtt,
                        queue: 1.0 / (bytes * rtt),
                        size: 1.0 / bytes,
                    },
                }
            }
            Some(tables) => {
                let rtt = libm::log2(base_rtt.as_ns() as f64);
                let size = libm::log2(1e9) - libm::log2(bytes_per_second) - rtt;
                Self::Tables {
                    base_rtt: base_rtt.as_ns(),
                    logs: Factors {
                        utilization: -rtt - libm::log2(tables.utilization_units),
                        queue: size - rtt + f64::from(tables.queue_shift),
                        size,
                    },
                    tables: Arc::clone(tables),
                }
            }
        }
    }

    /// Returns the utilization after a packet leaves. `utilization` is the previous value, `times`
    /// are the departures of the previous packet and of this one, `queue` is the queue behind this
    /// packet, and `size` is the size of the previous one.
    #[inline]
    pub(crate) fn update(
        &self,
        utilization: f64,
        times: (Time, Time),
        queue: Bytes,
        size: Bytes,
        draws: &mut impl Draws,
    ) -> f64 {
        match self.update_exactly(utilization, times, queue, size) {
            Some(next) => next,
            None => self.update_by_tables(utilization, times, queue, size, draws),
        }
    }

    /// Same as [`Self::update`], in double precision and without drawing. Returns `None` for
    /// tables.
    #[inline]
    pub(crate) fn update_exactly(
        &self,
        utilization: f64,
        (last, now): (Time, Time),
        queue: Bytes,
        size: Bytes,
    ) -> Option<f64> {
        let Self::Exact { base_rtt, factors } = self else {
            return None;
        };
        let interval = (now.as_ps() - last.as_ps()).min(*base_rtt);
        let mut next = utilization * (float(base_rtt - interval) * factors.utilization);
        // Most queues are empty.
        if queue > Bytes::ZERO {
            next += float(queue.get()) * float(interval) * factors.queue;
        }
        Some(next + float(size.get()) * factors.size)
    }

    /// Same as [`Self::update`], by tables.
    // Kept out of line, apart from the code of switches that compute exactly.
    #[inline(never)]
    fn update_by_tables(
        &self,
        utilization: f64,
        (last, now): (Time, Time),
        queue: Bytes,
        size: Bytes,
        draws: &mut impl Draws,
    ) -> f64 {
        let Self::Tables {
            base_rtt,
            logs,
            tables,
        } = self
        else {
            return utilization;
        };
        let interval = (now.as_ns() - last.as_ns()).min(*base_rtt);
        // Each product is a sum of logarithms. Zero has no logarithm, so a term with a factor of
        // zero is skipped.
        let queue = queue.get() >> tables.queue_shift;
        let kept = tables
            .utilization_rounding
            .whole(utilization * tables.utilization_units, draws);
        let mut next = 0.0;
        if queue > 0 && interval > 0 {
            let product = tables.log.log2(interval, draws) + tables.log.log2(queue, draws);
            next += tables.power(product, logs.queue, draws);
        }
        if size > Bytes::ZERO {
            let product = tables.log.log2(size.get(), draws);
            next += tables.power(product, logs.size, draws);
        }
        if interval < *base_rtt && kept > 0 {
            let product =
                tables.log.log2(base_rtt - interval, draws) + tables.log.log2(kept, draws);
            next += tables.power(product, logs.utilization, draws);
        }
        next
    }
}

/// Converts a part of a round-trip time, or bytes at a switch, to a float. Both are far below 2^63,
/// and converting a signed integer takes a single instruction.
#[inline]
const fn float(number: u64) -> f64 {
    number.cast_signed() as f64
}

#[cfg(test)]
mod tests;
