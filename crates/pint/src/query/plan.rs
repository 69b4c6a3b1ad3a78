//! The execution plan: the queries that each packet serves.

#[cfg(not(feature = "plans"))]
#[path = "plan/no_program.rs"]
mod program;
#[cfg(feature = "plans")]
mod program;

use fabricsim_base::input::ConfigError;
use serde::Serialize;

use crate::hash::GlobalHash;

/// Maximum number of queries of a plan. The linear program has a variable for each set of queries.
pub const MOST_QUERIES: usize = 12;
/// Maximum number of bits of all digests in a packet.
pub const MOST_BITS: u32 = 64;
/// Minimum frequency of a query: one packet in ten thousand.
pub const LEAST_FREQUENCY: f64 = 1e-4;
/// A share below this counts as zero. The solver's own tolerance is 1e-7.
const NOTHING: f64 = 1e-6;

/// Demand of a query on packets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Demand {
    /// Bits of the digest in a packet that serves the query.
    pub bits: u32,
    /// Minimum share of the packets that serve the query, [`LEAST_FREQUENCY`] to 1.
    pub frequency: f64,
}

/// A subset of the queries of a plan, by index.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
pub struct QuerySet(u32);

impl QuerySet {
    /// Returns `true` if the set contains query `index`.
    #[inline]
    #[must_use]
    pub const fn has(self, index: usize) -> bool {
        self.0 >> index & 1 != 0
    }

    /// Returns the indices of the queries, in ascending order.
    pub fn iter(self) -> impl Iterator<Item = usize> {
        (0..32).filter(move |&index| self.has(index))
    }
}

/// A set of queries that packets serve together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlannedSet {
    /// The queries.
    pub queries: QuerySet,
    /// Share of the packets that serve this set.
    pub share: f64,
    /// First bit of each query's digest. Digests are in the order of the queries.
    offsets: [u8; MOST_QUERIES],
}

impl PlannedSet {
    /// Returns the lowest bit of the digest of query `index`, which must be in the set.
    #[inline]
    #[must_use]
    pub const fn offset(&self, index: usize) -> u32 {
        self.offsets[index] as u32
    }
}

/// Allocates the bits of packets to queries: a distribution over sets of queries that each fit in
/// the budget (PINT, section 3.4: the query engine). Every switch and sink knows the plan and finds
/// the set of a packet by a hash of its identifier, so packets do not indicate the queries they
/// serve.
#[derive(Clone, Debug)]
pub struct Plan {
    demands: Vec<Demand>,
    budget: u32,
    sets: Vec<PlannedSet>,
    /// Cumulative shares: a packet serves the first set with a limit above the packet's hash.
    limits: Vec<f64>,
    choice: GlobalHash,
}

impl Plan {
    /// Returns the plan that serves `demands` within `budget` bits per packet. Spare bits are
    /// assigned max-min fairly: the query with the lowest ratio of frequency to demand is served as
    /// often as possible, then the next one. `seed` is for the hash that assigns packets.
    ///
    /// # Errors
    /// Returns an error if a demand is out of range or the budget is too small for all demands.
    pub fn new(demands: &[Demand], budget: u32, seed: u64) -> Result<Self, ConfigError> {
        validate(demands, budget)?;
        let sets = largest_sets(demands, budget);
        let shares = match &*sets {
            [_all_queries] => vec![1.0],
            several => program::serve(demands, budget, several)?,
        };
        let planned = |(&queries, share): (&QuerySet, f64)| {
            let mut offsets = [0; MOST_QUERIES];
            let mut next = 0;
            for index in queries.iter() {
                offsets[index] = u8::try_from(next).expect("a budget is at most 64 bits");
                next += demands[index].bits;
            }
            PlannedSet {
                queries,
                share,
                offsets,
            }
        };
        let mut sets: Vec<PlannedSet> = sets
            .iter()
            .zip(shares)
            // Digits beyond the solver's tolerance carry no information.
            .map(|(set, share)| (set, (share / NOTHING).round() * NOTHING))
            .filter(|(_, share)| *share > NOTHING)
            .map(planned)
            .collect();
        // Add the rounding error to the largest share, which it changes least.
        let total: f64 = sets.iter().map(|set| set.share).sum();
        let largest = sets.iter_mut().max_by(|a, b| a.share.total_cmp(&b.share));
        largest.expect("shares of sets add up to one").share += 1.0 - total;
        let mut below = 0.0;
        let limits = sets.iter().map(|set| {
            below += set.share;
            below
        });
        Ok(Self {
            limits: limits.collect(),
            demands: demands.to_vec(),
            budget,
            sets,
            choice: GlobalHash::new(seed),
        })
    }

    /// Returns the demands of the queries, in order.
    #[must_use]
    pub fn demands(&self) -> &[Demand] {
        &self.demands
    }

    /// Returns the bits of all digests in a packet.
    #[must_use]
    pub const fn budget(&self) -> u32 {
        self.budget
    }

    /// Returns the bytes of all digests in a packet on the wire.
    #[must_use]
    pub fn wire_bytes(&self) -> u16 {
        u16::try_from(self.budget.div_ceil(8)).expect("a budget is at most 64 bits")
    }

    /// Returns the sets that packets serve.
    #[must_use]
    pub fn sets(&self) -> &[PlannedSet] {
        &self.sets
    }

    /// Returns the share of the packets that serve query `index`.
    #[must_use]
    pub fn frequency(&self, index: usize) -> f64 {
        let with = self.sets.iter().filter(|set| set.queries.has(index));
        with.map(|set| set.share).sum()
    }

    /// Returns the set of queries that `packet` serves. It is the same at all hops and at the sink.
    #[inline]
    #[must_use]
    pub fn set_of(&self, packet: u64) -> &PlannedSet {
        if let [only] = &*self.sets {
            return only;
        }
        let uniform = self.choice.uniform(packet, 0);
        let index = self.limits.iter().position(|&limit| uniform < limit);
        &self.sets[index.unwrap_or(self.sets.len() - 1)]
    }

    /// Returns the plan as a table for a result file.
    #[must_use]
    pub fn summary(&self, names: &[String]) -> PlanSummary {
        let named = |set: &PlannedSet| PlannedShare {
            queries: set.queries.iter().map(|i| names[i].clone()).collect(),
            share: set.share,
        };
        PlanSummary {
            bits: self.budget,
            sets: self.sets.iter().map(named).collect(),
            frequencies: (0..self.demands.len())
                .map(|index| self.frequency(index))
                .collect(),
        }
    }
}

/// A plan with the names of its queries.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PlanSummary {
    /// Bits of all digests in a packet.
    pub bits: u32,
    /// The sets that packets serve.
    pub sets: Vec<PlannedShare>,
    /// For each query, the share of the packets that serve it.
    pub frequencies: Vec<f64>,
}

/// A set of queries and its share of the packets.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PlannedShare {
    /// Names of the queries.
    pub queries: Vec<String>,
    /// Share of the packets, from 0 to 1.
    pub share: f64,
}

fn validate(demands: &[Demand], budget: u32) -> Result<(), ConfigError> {
    let refuse = |key, message: String, help: String| Err(ConfigError::new(key, message, help));
    if !(1..=MOST_BITS).contains(&budget) {
        return refuse(
            "bits",
            format!("a budget of {budget} bits for a packet is not of 1 to {MOST_BITS}"),
            "give the bits of all digests of a packet, such as 16".to_owned(),
        );
    }
    if !(1..=MOST_QUERIES).contains(&demands.len()) {
        return refuse(
            "query",
            format!("{} queries are not 1 to {MOST_QUERIES}", demands.len()),
            "run the other queries in another simulation".to_owned(),
        );
    }
    for (number, demand) in (1..).zip(demands) {
        if demand.bits == 0 || demand.bits > budget {
            return refuse(
                "bits",
                format!(
                    "query {number} needs {} bits, and a packet has {budget} for all queries",
                    demand.bits
                ),
                format!("give it 1 to {budget} bits, or packets more"),
            );
        }
        if !(LEAST_FREQUENCY..=1.0).contains(&demand.frequency) {
            return refuse(
                "frequency",
                format!(
                    "query {number} has a frequency of {}, which is not between {LEAST_FREQUENCY} and 1",
                    demand.frequency
                ),
                "give the least share of the packets that serve it, such as 0.0625 for one in 16"
                    .to_owned(),
            );
        }
    }
    Ok(())
}

/// Returns the sets that fit in the budget and leave no room for another query.
fn largest_sets(demands: &[Demand], budget: u32) -> Vec<QuerySet> {
    let bits = |set: QuerySet| -> u32 { set.iter().map(|index| demands[index].bits).sum() };
    let all = (1..1u32 << demands.len()).map(QuerySet);
    let is_full = |set: &QuerySet| {
        let mut others = (0..demands.len()).filter(|&index| !set.has(index));
        let used = bits(*set);
        used <= budget && others.all(|index| used + demands[index].bits > budget)
    };
    all.filter(is_full).collect()
}

#[cfg(all(test, feature = "plans"))]
mod tests;
