//! Completion times in their parts.

use std::collections::{BTreeMap, BTreeSet};

use fabricsim_base::id::{ClassId, FlowId, NodeId, PortId};
use fabricsim_base::input::InputError;
use fabricsim_base::units::{Bytes, Duration, Time};

use crate::record::FctRecord;
use crate::table::Table;

/// A flow or message whose completion time is divided into parts.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct DelayedFlow {
    /// Its number.
    pub flow: FlowId,
    /// Its class.
    pub class: ClassId,
    /// The sending host.
    pub src: NodeId,
    /// The receiving host.
    pub dst: NodeId,
    /// Payload.
    pub size: Bytes,
    /// Start.
    pub start: Time,
    /// Completion time.
    pub fct: Duration,
    /// Completion time in the idle network.
    pub ideal: Duration,
}

impl From<&FctRecord> for DelayedFlow {
    fn from(record: &FctRecord) -> Self {
        Self {
            flow: record.flow,
            class: record.class,
            src: record.src,
            dst: record.dst,
            size: record.size,
            start: record.start,
            fct: record.fct,
            ideal: record.ideal,
        }
    }
}

impl DelayedFlow {
    /// Returns the completion time over the one in the idle network, at least 1.
    #[must_use]
    pub fn slowdown(&self) -> f64 {
        (self.fct.as_secs_f64() / self.ideal.as_secs_f64().max(1e-12)).max(1.0)
    }
}

/// A part of a completion time: a row of `delays.csv`.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct DelayPart<'t> {
    /// Stage of the flow: `sending`, `window`, `packet` or `acknowledgement`.
    pub stage: &'t str,
    /// The part, such as `queue`.
    pub part: &'t str,
    /// The node and its egress port, if the part belongs to a port.
    pub port: Option<(NodeId, PortId)>,
    /// Name of the node, if the part belongs to a port.
    pub name: &'t str,
    /// Tiers at both ends of its link.
    pub tier: &'t str,
    /// Name of the node at the other end.
    pub peer: &'t str,
    /// Owner of the packets in front: a class, `own`, or empty.
    pub behind: &'t str,
}

/// The rows of a `delays.csv`, in their order.
#[derive(Clone, Debug, Default)]
pub struct Delays<'t> {
    pub(super) rows: Vec<(DelayedFlow, DelayPart<'t>, Duration)>,
}

impl<'t> Delays<'t> {
    /// Reads `delays.csv`.
    ///
    /// # Errors
    /// Fails at the offending word.
    pub fn read(text: &'t str) -> Result<Self, InputError> {
        let table = Table::new(text, "delays.csv")?;
        let numbers = table.positions([
            "flow",
            "class",
            "src",
            "dst",
            "size_bytes",
            "start_ns",
            "fct_ns",
            "ideal_fct_ns",
            "time_ns",
        ])?;
        let words = table.positions(["stage", "part", "name", "tier", "peer", "behind"])?;
        let ports = table.positions(["node", "port"])?;
        let rows = table.read(|_, _, fields| {
            let [flow, class, src, dst, size, start, fct, ideal, time] = numbers.map(|p| fields[p]);
            let [stage, part, name, tier, peer, behind] = words.map(|place| fields[place].text);
            let flow = DelayedFlow {
                flow: FlowId(flow.integer("flow")?),
                class: ClassId(class.integer("class")?),
                src: NodeId(src.integer("src")?),
                dst: NodeId(dst.integer("dst")?),
                size: Bytes::new(size.integer("size_bytes")?),
                start: Time::from_ps(start.nanoseconds("start_ns")?),
                fct: Duration::from_ps(fct.nanoseconds("fct_ns")?),
                ideal: Duration::from_ps(ideal.nanoseconds("ideal_fct_ns")?),
            };
            let [node, port] = ports.map(|place| fields[place]);
            let port = match node.text {
                "" => None,
                _ => Some((NodeId(node.integer("node")?), PortId(port.integer("port")?))),
            };
            let part = DelayPart {
                stage,
                part,
                port,
                name,
                tier,
                peer,
                behind,
            };
            Ok((flow, part, Duration::from_ps(time.nanoseconds("time_ns")?)))
        })?;
        Ok(Self { rows })
    }

    /// Keeps the flows for which `choose` returns `true`.
    #[must_use]
    pub fn of(&self, mut choose: impl FnMut(&DelayedFlow) -> bool) -> Self {
        let rows = self.rows.iter().filter(|(flow, ..)| choose(flow));
        Self {
            rows: rows.copied().collect(),
        }
    }

    /// Leaves out the time after the arrival of each flow at its receiver.
    #[must_use]
    pub fn without_acknowledgements(mut self) -> Self {
        self.rows
            .retain(|(_, part, _)| part.stage != "acknowledgement");
        self
    }

    /// Returns the classes of the flows.
    #[must_use]
    pub fn classes(&self) -> BTreeSet<ClassId> {
        self.rows.iter().map(|(flow, ..)| flow.class).collect()
    }

    /// Returns the flows, those with the largest slowdown first.
    #[must_use]
    pub fn slowest_first(&self) -> Vec<DelayedFlow> {
        let all: BTreeMap<FlowId, DelayedFlow> = self
            .rows
            .iter()
            .map(|(flow, ..)| (flow.flow, *flow))
            .collect();
        let mut flows: Vec<DelayedFlow> = all.into_values().collect();
        flows.sort_by(|a, b| b.slowdown().total_cmp(&a.slowdown()));
        flows
    }

    /// Adds up the parts that `name` names alike. Returns them with the largest sum first.
    #[must_use]
    pub fn sums<K: Ord + Clone>(&self, name: impl Fn(&DelayPart<'t>) -> K) -> Vec<(K, Duration)> {
        let mut sums: BTreeMap<K, Duration> = BTreeMap::new();
        for (_, part, time) in &self.rows {
            let sum = sums.entry(name(part)).or_default();
            *sum = super::plus(*sum, *time);
        }
        let mut sums: Vec<(K, Duration)> = sums.into_iter().collect();
        sums.sort_by_key(|(_, time)| std::cmp::Reverse(*time));
        sums
    }

    /// Yields the parts with their flows and times, in the order of the file.
    pub fn parts(&self) -> impl Iterator<Item = &(DelayedFlow, DelayPart<'t>, Duration)> {
        self.rows.iter()
    }

    /// Returns the sum of all parts.
    #[must_use]
    pub fn total(&self) -> Duration {
        let times = self.rows.iter().map(|(.., time)| *time);
        times.fold(Duration::ZERO, super::plus)
    }

    /// Returns `true` if there are no flows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
flow,class,src,dst,size_bytes,start_ns,fct_ns,ideal_fct_ns,stage,part,node,port,name,tier,peer,behind,time_ns
0,1,2,3,1000,5,90,60,sending,transmission,,,,,,,60
0,1,2,3,1000,5,90,60,packet,queue,9,1,leaf0,leaf to host,host3,0,29.999
0,1,2,3,1000,5,90,60,packet,queue,9,1,leaf0,leaf to host,host3,own,0.001
1,0,2,3,1000,5,61,60,sending,transmission,,,,,,,61
";

    #[test]
    fn parts_add_up_by_any_name() {
        let delays = Delays::read(TEXT).expect("rows");
        assert_eq!(delays.total(), Duration::from_ns(151));
        let parts = delays.sums(|part| (part.part, part.behind));
        let ps: Vec<_> = parts
            .iter()
            .map(|(name, sum)| (*name, sum.as_ps()))
            .collect();
        assert_eq!(
            ps,
            [
                (("transmission", ""), 121_000),
                (("queue", "0"), 29_999),
                (("queue", "own"), 1)
            ]
        );
        let slow: Vec<u32> = delays.slowest_first().iter().map(|f| f.flow.0).collect();
        assert_eq!(slow, [0, 1]);
        let own = delays.of(|flow| flow.class == ClassId(0));
        assert_eq!(own.total(), Duration::from_ns(61));
        assert!(delays.of(|_| false).is_empty());
        let ports: Vec<_> = delays.parts().map(|(_, part, _)| part.port).collect();
        let leaf = Some((NodeId(9), PortId(1)));
        assert_eq!(ports, [None, leaf, leaf, None]);
    }
}
