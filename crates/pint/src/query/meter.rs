//! Measures the utilization of links for queries.

use fabricsim_base::checkpoint::{Checkpointed, LoadError, Reader, Stored, Writer};
use fabricsim_base::rng::{Purpose, Stream};
use fabricsim_base::units::{Bytes, Duration, Rate};
use fabricsim_core::plugin::Hop;

use super::engine::Queries;
use crate::arithmetic::Link;
use crate::port::PortUtilization;

/// Utilization of the links of one switch, with the exact form of HPCC-PINT's average (PINT,
/// section 4.3, example 3). Nothing is measured if no query needs it.
#[derive(Clone, Debug)]
pub(super) struct LinkMeters {
    /// Link rate and utilization of each port.
    ports: Vec<(Rate, PortUtilization)>,
    base_rtt: Duration,
    /// Unused, because exact arithmetic draws nothing.
    draws: Stream,
}

impl Checkpointed for LinkMeters {
    fn save(&self, out: &mut Writer) {
        let Self {
            ports,
            base_rtt: _,
            draws,
        } = self;
        draws.save(out);
        out.number(ports.len());
        for (rate, port) in ports {
            rate.store(out);
            port.save(out);
        }
    }

    fn load(&mut self, input: &mut Reader<'_>) -> Result<(), LoadError> {
        self.draws.load(input)?;
        input.expect_number(self.ports.len())?;
        for (rate, port) in &mut self.ports {
            let followed = Rate::fetch(input)?;
            if *rate != followed {
                *rate = followed;
                port.set_link(Link::new(followed, self.base_rtt, None));
            }
            port.load(input)?;
        }
        Ok(())
    }
}

impl LinkMeters {
    pub(super) fn for_queries(queries: &Queries, rates: &[Rate]) -> Self {
        let base_rtt = queries.base_rtt();
        let port = |&rate: &Rate| (rate, PortUtilization::new(Link::new(rate, base_rtt, None)));
        Self {
            ports: if queries.measure_links() {
                rates.iter().map(port).collect()
            } else {
                Vec::new()
            },
            base_rtt,
            draws: Stream::new(0, 0, Purpose::Rounding),
        }
    }

    /// Records that a packet of `size` leaves at `hop`. Returns the utilization of the port in
    /// thousandths, or 0 if nothing is measured.
    #[inline]
    pub(super) fn measure(&mut self, size: Bytes, hop: &Hop) -> f64 {
        let Some((rate, port)) = self.ports.get_mut(hop.port.index()) else {
            return 0.0;
        };
        if *rate != hop.rate {
            *rate = hop.rate;
            port.set_link(Link::new(hop.rate, self.base_rtt, None));
        }
        port.measure(hop.now, size, hop.queue, &mut self.draws) * 1e3
    }
}
