//! The execution plan: which queries a packet serves.

#[cfg(not(feature = "plans"))]
#[path = "plan/no_program.rs"]
mod program;
#[cfg(feature = "plans")]
mod program;

use fabricsim_base::input::ConfigError;
use serde::Serialize;

use crate::hash::GlobalHash;

/// The most queries of a plan: the program has a variable for each set of them.
pub const MOST_QUERIES: usize = 12;
/// The most bits of all digests of a packet.
pub const MOST_BITS: u32 = 64;
/// The least frequency of a query: one packet in ten thousand.
pub const LEAST_FREQUENCY: f64 = 1e-4;
/// Below this a share is zero: the solver's own tolerance is 1e-7.
const NOTHING: f64 = 1e-6;

/// Demand of a query on packets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Demand {
    /// Bits of its digest in a packet that serves it.
    pub bits: u32,
    /// The least share of the packets that serve it, [`LEAST_FREQUENCY`] to 1.
    pub frequency: f64,
}

/// Some of the queries of a plan, by their places.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
pub struct QuerySet(u32);

impl QuerySet {
    /// Returns whether query `index` is among them.
    #[inline]
    #[must_use]
    pub const fn has(self, index: usize) -> bool {
        self.0 >> index & 1 != 0
    }

    /// Their places, ascending.
    pub fn iter(self) -> impl Iterator<Item = usize> {
        (0..32).filter(move |&index| self.has(index))
    }
}

/// A set of queries that packets serve together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlannedSet {
    /// The queries.
    pub queries: QuerySet,
    /// The share of the packets that serve them.
    pub share: f64,
    /// For each query of the set, where its digest begins: digests lie in the order of the queries.
    offsets: [u8; MOST_QUERIES],
}

impl PlannedSet {
    /// The lowest bit of the digest of query `index`, which is in the set.
    #[inline]
    #[must_use]
    pub const fn offset(&self, index: usize) -> u32 {
        self.offsets[index] as u32
    }
}

/// Allocation of packet bits to queries: a distribution over sets of queries, each of which fits
/// the budget (PINT, section 3.4: the query engine). Every switch and sink knows the plan and finds
/// the set of a packet by a hash of its identifier, so packets do not indicate which queries they
/// serve.
#[derive(Clone, Debug)]
pub struct Plan {
    demands: Vec<Demand>,
    budget: u32,
    sets: Vec<PlannedSet>,
    /// For each set, the hash values below which it or one before it is meant.
    limits: Vec<f64>,
    choice: GlobalHash,
}

impl Plan {
    /// The plan that serves `demands` within `budget` bits of each packet, and beyond what is asked
    /// as evenly as it can: the least served query, by its share of what it asks for, is served as
    /// often as is possible, then the next. `seed` is that of the hash by which packets are
    /// assigned.
    ///
    /// # Errors
    /// Where a demand is not one, and where the budget is too small for all of them.
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
            // What is beyond the solver's tolerance says nothing.
            .map(|(set, share)| (set, (share / NOTHING).round() * NOTHING))
            .filter(|(_, share)| *share > NOTHING)
            .map(planned)
            .collect();
        // What rounding has left over goes where it matters least.
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

    /// Returns the demands of the queries, in their order.
    #[must_use]
    pub fn demands(&self) -> &[Demand] {
        &self.demands
    }

    /// Bits of all digests of a packet.
    #[must_use]
    pub const fn budget(&self) -> u32 {
        self.budget
    }

    /// Bytes that digests take in a packet on the wire.
    #[must_use]
    pub fn wire_bytes(&self) -> u16 {
        u16::try_from(self.budget.div_ceil(8)).expect("a budget is at most 64 bits")
    }

    /// The sets that packets serve.
    #[must_use]
    pub fn sets(&self) -> &[PlannedSet] {
        &self.sets
    }

    /// The share of the packets that serve query `index`.
    #[must_use]
    pub fn frequency(&self, index: usize) -> f64 {
        let with = self.sets.iter().filter(|set| set.queries.has(index));
        with.map(|set| set.share).sum()
    }

    /// Returns the set of queries that `packet` serves, which is the same at all hops and at the
    /// sink.
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

    /// The plan as a table of a result file.
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

/// A plan with the names of queries.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PlanSummary {
    /// Bits of all digests of a packet.
    pub bits: u32,
    /// The sets that packets serve.
    pub sets: Vec<PlannedShare>,
    /// For each query, the share of the packets that serve it.
    pub frequencies: Vec<f64>,
}

/// A set of queries and its share of the packets.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PlannedShare {
    /// Their names.
    pub queries: Vec<String>,
    /// From 0 to 1.
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
            "run the others in another simulation".to_owned(),
        );
    }
    for (number, demand) in (1..).zip(demands) {
        if demand.bits == 0 || demand.bits > budget {
            return refuse(
                "bits",
                format!(
                    "query {number} wants {} bits, and a packet has {budget} for all queries",
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

/// The sets that fit the budget and to which no query could be added.
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
