//! How much workloads send per second, in expectation, and between whom.

use std::collections::BTreeMap;

use fabricsim_core::id::NodeId;
use fabricsim_core::input::ConfigError;
use fabricsim_core::units::{Bytes, Duration, Time};

use crate::arrivals::bytes_per_second;
use crate::config::WorkloadConfig;
use crate::context::WorkloadContext;
use crate::host_range::select;
use crate::{IncastConfig, ListConfig, PoissonConfig};

/// Points of a flow-size distribution at which the cost of a flow is taken.
const POINTS: u32 = 4_096;

/// What a flow costs on its path.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FlowCost {
    /// Bytes from the sender to the receiver.
    pub forth: f64,
    /// Bytes from the receiver to the sender.
    pub back: f64,
}

/// Who sends to whom, for each second.
#[derive(Clone, Debug, PartialEq)]
pub enum Traffic {
    /// From each host to each other one: flows per second, what the one sends by what the other
    /// takes, by the positions of the hosts.
    Product {
        /// A factor for each host as a sender.
        sent: Vec<f64>,
        /// A factor for each host as a receiver.
        taken: Vec<f64>,
        /// The mean cost of a flow.
        cost: FlowCost,
    },
    /// Between two hosts, by their positions: from, to, cost of all flows per second.
    Pairs(Vec<(usize, usize, FlowCost)>),
}

/// What a workload sends while it lasts.
#[derive(Clone, Debug, PartialEq)]
pub struct Offered {
    /// When it begins.
    pub from: Time,
    /// When it ends.
    pub until: Time,
    /// Between whom.
    pub traffic: Traffic,
}

impl WorkloadConfig {
    /// What the workload sends per second while it lasts, when a flow costs what `cost` says; `None`
    /// when all its flows start at one time, which is no rate.
    ///
    /// # Errors
    /// As [`WorkloadConfig::build`].
    pub fn offered(
        &self,
        context: &WorkloadContext,
        cost: &dyn Fn(Bytes) -> FlowCost,
    ) -> Result<Option<Offered>, ConfigError> {
        // What is not checked here is checked there.
        self.expected(context)?;
        let rounds = |start: Time, count: u64, gap: Duration, size: Bytes| {
            let span = gap.saturating_mul(count);
            if count < 2 || gap == Duration::ZERO {
                return None;
            }
            let each = 1.0 / gap.as_secs_f64() / (context.hosts.len() as f64 - 1.0);
            Some(Offered {
                from: start,
                until: start.saturating_add(span),
                traffic: Traffic::Product {
                    sent: vec![each; context.hosts.len()],
                    taken: vec![1.0; context.hosts.len()],
                    cost: cost(size),
                },
            })
        };
        Ok(match self {
            Self::Poisson(config) => Some(poisson(config, context, cost)?),
            Self::Incast(config) => incast(config, context, cost),
            Self::Permutation(config) => {
                rounds(config.start, config.count.into(), config.gap, config.size)
            }
            Self::AllToAll(config) => {
                let count = context.hosts.len() as u64 - 1;
                rounds(config.start, count, config.stagger, config.size)
            }
            Self::List(config) => list(config, context, cost),
            // What comes back decides how much is sent.
            Self::Application(_) => None,
        })
    }
}

fn poisson(
    config: &PoissonConfig,
    context: &WorkloadContext,
    cost: &dyn Fn(Bytes) -> FlowCost,
) -> Result<Offered, ConfigError> {
    let hosts = context.hosts.len();
    let (mut sent, mut taken) = (vec![0.0; hosts], vec![0.0; hosts]);
    let destinations = select("destinations", config.destinations.as_deref(), context)?;
    for &position in &destinations {
        taken[position] = 1.0;
    }
    let mean = config.sizes.cdf().map_or(1.0, |sizes| sizes.mean());
    for position in select("sources", config.sources.as_deref(), context)? {
        let choices = destinations.len() as f64 - taken[position];
        let flows = bytes_per_second(context.hosts[position].rate, config.load) / mean;
        sent[position] = flows / choices.max(1.0);
    }
    let mut mean_cost = FlowCost::default();
    if let Some(sizes) = config.sizes.cdf() {
        for point in 0..POINTS {
            let at = (f64::from(point) + 0.5) / f64::from(POINTS);
            let one = cost(sizes.sample(at));
            mean_cost.forth += one.forth / f64::from(POINTS);
            mean_cost.back += one.back / f64::from(POINTS);
        }
    }
    Ok(Offered {
        from: config.start,
        until: config.start.saturating_add(config.duration),
        traffic: Traffic::Product {
            sent,
            taken,
            cost: mean_cost,
        },
    })
}

fn incast(
    config: &IncastConfig,
    context: &WorkloadContext,
    cost: &dyn Fn(Bytes) -> FlowCost,
) -> Option<Offered> {
    let hosts = context.hosts.len();
    let duration = config.duration?;
    let fan_in = f64::from(config.fan_in);
    let events = match (config.load, config.period) {
        (Some(load), _) => {
            let rates = context.hosts.iter().map(|host| host.rate);
            let bytes: f64 = rates.map(|rate| bytes_per_second(rate, load)).sum();
            bytes / (fan_in * config.size.as_f64())
        }
        (None, Some(period)) if period < duration => 1.0 / period.as_secs_f64(),
        (None, _) => return None,
    };
    let taken = match config.receiver {
        None => vec![1.0 / hosts as f64; hosts],
        Some(receiver) => {
            let is_receiver = |id: NodeId| f64::from(u8::from(id == receiver));
            context
                .hosts
                .iter()
                .map(|host| is_receiver(host.id))
                .collect()
        }
    };
    Some(Offered {
        from: config.start,
        until: config.start.saturating_add(duration),
        traffic: Traffic::Product {
            sent: vec![events * fan_in / (hosts as f64 - 1.0); hosts],
            taken,
            cost: cost(config.size),
        },
    })
}

fn list(
    config: &ListConfig,
    context: &WorkloadContext,
    cost: &dyn Fn(Bytes) -> FlowCost,
) -> Option<Offered> {
    let flows = config.list()?.flows();
    let (first, last) = (flows.first()?.start, flows.last()?.start);
    if first == last {
        return None;
    }
    // The last flow is as far from the end as flows are from one another on average.
    let gaps = flows.len() as f64 - 1.0;
    let seconds = last.since(first).as_secs_f64() * (gaps + 1.0) / gaps;
    let hosts = context.hosts.iter().enumerate();
    let positions: BTreeMap<NodeId, usize> = hosts.map(|(at, host)| (host.id, at)).collect();
    let mut sums: BTreeMap<(usize, usize), FlowCost> = BTreeMap::new();
    for flow in flows {
        let (from, to) = (*positions.get(&flow.src)?, *positions.get(&flow.dst)?);
        let sum = sums.entry((from, to)).or_default();
        let one = cost(flow.size);
        sum.forth += one.forth / seconds;
        sum.back += one.back / seconds;
    }
    let pairs = sums.into_iter();
    let pairs = pairs.map(|((from, to), sum)| (from, to, sum)).collect();
    Some(Offered {
        from: first,
        until: last,
        traffic: Traffic::Pairs(pairs),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::testing::context;
    use crate::{AllToAllConfig, FlowTimes, PermutationConfig};

    /// A flow of `size` in packets of 1,000 bytes with 50 of headers, answered by 60 each.
    fn cost(size: Bytes) -> FlowCost {
        let packets = size.get().div_ceil(1_000) as f64;
        FlowCost {
            forth: size.as_f64() + 50.0 * packets,
            back: 60.0 * packets,
        }
    }

    /// Bytes per second from each host to each other one, both ways of a flow.
    fn matrix(offered: &Offered, hosts: usize) -> Vec<Vec<FlowCost>> {
        let mut matrix = vec![vec![FlowCost::default(); hosts]; hosts];
        match &offered.traffic {
            Traffic::Pairs(pairs) => {
                for &(from, to, sum) in pairs {
                    matrix[from][to] = sum;
                }
            }
            Traffic::Product { sent, taken, cost } => {
                for (from, row) in matrix.iter_mut().enumerate() {
                    for (to, cell) in row.iter_mut().enumerate().filter(|(to, _)| *to != from) {
                        let flows = sent[from] * taken[to];
                        cell.forth = flows * cost.forth;
                        cell.back = flows * cost.back;
                    }
                }
            }
        }
        matrix
    }

    /// What the workload really sends, over its whole length, in the mean of many seeds.
    fn drawn(config: &WorkloadConfig, hosts: u32, seeds: u64, seconds: f64) -> Vec<Vec<f64>> {
        let mut sums = vec![vec![0.0; hosts as usize]; hosts as usize];
        for seed in 0..seeds {
            let mut source = config
                .build(&context(hosts, seed), fabricsim_core::id::ClassId(0))
                .unwrap();
            while let Some(flow) = source.next_flow() {
                sums[flow.src.index()][flow.dst.index()] +=
                    cost(flow.size).forth / seconds / seeds as f64;
            }
        }
        sums
    }

    #[test]
    fn every_kind_offers_what_it_sends() {
        let ms = Duration::from_ms;
        let mut poisson = PoissonConfig::new("20KB", 0.3, ms(2));
        poisson.sources = Some(vec!["0..3".parse().unwrap()]);
        poisson.destinations = Some(vec!["2..5".parse().unwrap()]);
        let mut incast = IncastConfig::once(3, Bytes::new(4_500));
        (incast.at, incast.period, incast.duration) =
            (None, Some(Duration::from_us(50)), Some(ms(2)));
        let mut fixed = incast.clone();
        fixed.receiver = Some(NodeId(4));
        let random = IncastConfig::poisson(3, Bytes::new(4_500), 0.2, ms(2));
        let mut rounds = PermutationConfig::new(Bytes::new(1_500));
        (rounds.count, rounds.gap) = (20, Duration::from_us(100));
        let mut shuffle = AllToAllConfig::new(Bytes::new(999));
        shuffle.stagger = Duration::from_us(500);
        for config in [
            WorkloadConfig::Poisson(poisson),
            WorkloadConfig::Incast(incast),
            WorkloadConfig::Incast(fixed),
            WorkloadConfig::Incast(random),
            WorkloadConfig::Permutation(rounds),
            WorkloadConfig::AllToAll(shuffle),
        ] {
            let offered = config.offered(&context(5, 1), &cost).unwrap().unwrap();
            let seconds = offered.until.since(offered.from).as_secs_f64();
            let expected = matrix(&offered, 5);
            let seen = drawn(&config, 5, 400, seconds);
            let total: f64 = seen.iter().flatten().sum();
            for (expected, seen) in expected.iter().flatten().zip(seen.iter().flatten()) {
                // Counts of 400 runs are within 3% or so.
                let near = (expected.forth - seen).abs() <= 0.06 * seen + 1e-6 * total;
                assert!(
                    near,
                    "{}: {} expected, {seen} drawn",
                    config.kind(),
                    expected.forth
                );
            }
        }
    }

    #[test]
    fn sizes_are_counted_in_whole_packets() {
        let config = WorkloadConfig::Poisson(PoissonConfig::new("10B", 0.5, Duration::from_ms(1)));
        let offered = config.offered(&context(2, 1), &cost).unwrap().unwrap();
        let sum = matrix(&offered, 2)[0][1];
        // 6.25 GB/s of payload in flows of 10 bytes, each with 50 bytes of headers.
        assert!((sum.forth / (6.25e9 * 6.0) - 1.0).abs() < 1e-9, "{sum:?}");
        assert!((sum.back / (6.25e9 * 6.0) - 1.0).abs() < 1e-9, "{sum:?}");
    }

    #[test]
    fn lists_offer_what_they_hold_and_bursts_nothing() {
        let context = context(3, 1);
        let load = |text: &str| {
            let mut list = WorkloadConfig::List(ListConfig::new("flows.csv"));
            list.load(text, &context, FlowTimes::Exact).unwrap();
            list.offered(&context, &cost).unwrap()
        };
        let offered =
            load("src,dst,size_bytes,start_ns\n0,1,1000,0\n0,1,3000,1000000\n2,0,2000,2000000\n");
        let matrix = matrix(&offered.unwrap(), 3);
        // Three flows, 1 ms apart: three milliseconds.
        assert!((matrix[0][1].forth - 4_200.0 / 3e-3).abs() < 1e-3);
        assert!((matrix[0][1].back - 240.0 / 3e-3).abs() < 1e-3);
        assert!((matrix[2][0].forth - 2_100.0 / 3e-3).abs() < 1e-3);
        assert_eq!(
            load("src,dst,size_bytes,start_ns\n0,1,1000,5\n2,1,1000,5\n"),
            None
        );
        let none = |config: WorkloadConfig| config.offered(&context, &cost).unwrap().is_none();
        assert!(none(WorkloadConfig::Incast(IncastConfig::once(
            2,
            Bytes::new(9)
        ))));
        assert!(none(WorkloadConfig::Permutation(PermutationConfig::new(
            Bytes::new(9)
        ))));
        assert!(none(WorkloadConfig::AllToAll(AllToAllConfig::new(
            Bytes::new(9)
        ))));
    }
}
