//! The series `delays`: the completion time of each flow, divided by what it waited for.
//!
//! The recorders of hosts and switches keep each packet of the chosen flows: when it arrived at a
//! node, when it left, and for how long it was paused. The recorder of a host also asks its
//! transport after each event why a flow does not send. At each sample, the series takes these
//! records, and follows each [sender](sender). So memory is proportional to the packets of an
//! interval and to the packets in flight, not to the length of the run.

mod journeys;
mod part;
mod recorder;
mod sender;
mod turns;

use std::collections::BTreeMap;
use std::io;
use std::ops::Range;

use fabricsim_base::checkpoint::Checkpointed;
use fabricsim_base::id::{ClassId, NodeId, PortId};
use fabricsim_base::units::Time;
use fabricsim_topology::Topology;
use rustc_hash::FxHashMap;

use self::journeys::Context;
use self::part::{Behind, Part, Stage, spent};
use self::recorder::{
    Carrier, Departure, Ended, HostEvent, HostRecorder, NodePauses, SwitchRecorder,
};
use self::sender::{Parts, Sender};
use self::turns::{Classes, Turns};
use super::ports::{NamedPort, named};
use super::rows::{CellKind, Columns, Rows, SeriesCell};
use super::selection::FlowFilter;
use super::{Scope, Series, View};
use crate::node_log::AttachedObserver;
use crate::runner::Runner;

/// The parts of the completion times of all chosen flows and messages that start and end in the
/// observed time. The parts of a flow add up to its completion time, exactly.
#[derive(Checkpointed, Debug)]
#[checkpoint(absolute)]
pub struct Delays {
    #[checkpoint(rebuilt)]
    filter: FlowFilter,
    #[checkpoint(rebuilt)]
    time: Range<Time>,
    /// The events at hosts since the last sample, in order at each host.
    events: Vec<(NodeId, HostEvent)>,
    /// The packets that have left nodes since the last sample.
    steps: Vec<(NodeId, Departure)>,
    pauses: BTreeMap<NodeId, NodePauses>,
    classes: Classes,
    senders: FxHashMap<Carrier, Sender>,
    #[checkpoint(rebuilt)]
    ports: FxHashMap<(NodeId, PortId), NamedPort>,
}

/// A flow that has ended, with its parts.
#[derive(Debug)]
struct Finished {
    ended: Ended,
    parts: Parts,
}

impl Series for Delays {
    fn columns() -> Columns {
        &[
            ("flow", CellKind::Whole),
            ("class", CellKind::Whole),
            ("src", CellKind::Whole),
            ("dst", CellKind::Whole),
            ("size_bytes", CellKind::Whole),
            ("start_ns", CellKind::Nanoseconds),
            ("fct_ns", CellKind::Nanoseconds),
            ("ideal_fct_ns", CellKind::Nanoseconds),
            ("stage", CellKind::Text),
            ("part", CellKind::Text),
            ("node", CellKind::Optional),
            ("port", CellKind::Optional),
            ("name", CellKind::Text),
            ("tier", CellKind::Text),
            ("peer", CellKind::Text),
            ("behind", CellKind::Text),
            ("time_ns", CellKind::Nanoseconds),
        ]
    }

    fn new(scope: &Scope<'_>) -> Self {
        Self {
            filter: scope.flows.clone(),
            time: scope.time.clone(),
            events: Vec::new(),
            steps: Vec::new(),
            pauses: BTreeMap::new(),
            classes: Classes::default(),
            senders: FxHashMap::default(),
            ports: named_ports(scope.topology),
        }
    }

    fn recorder(scope: &Scope<'_>, node: NodeId) -> Option<Box<dyn AttachedObserver>> {
        let (time, filter) = (scope.time.clone(), scope.flows.clone());
        Some(if scope.topology.is_host(node) {
            Box::new(HostRecorder::new(time, filter))
        } else {
            let ports = scope.topology.ports(node).len();
            Box::new(SwitchRecorder::new(time, filter, ports))
        })
    }

    fn collect(&mut self, network: &mut dyn Runner) {
        network.for_each_log(&mut |node, log| {
            if let Some(host) = log.recorder_mut::<HostRecorder>() {
                self.classes.extend(host.classes.drain(..));
                self.events
                    .extend(host.events.drain(..).map(|own| (node, own)));
                self.steps
                    .extend(host.replies.drain(..).map(|own| (node, own)));
                if !host.pauses.is_empty() {
                    self.pauses.insert(node, host.pauses.clone());
                }
            } else if let Some(switch) = log.recorder_mut::<SwitchRecorder>() {
                self.steps
                    .extend(switch.steps.drain(..).map(|own| (node, own)));
            }
        });
    }

    fn sample(&mut self, view: &View<'_>, rows: &mut dyn Rows) -> io::Result<()> {
        self.write(view, rows)
    }

    fn finish(&mut self, view: &View<'_>, rows: &mut dyn Rows) -> io::Result<()> {
        self.write(view, rows)
    }
}

impl Delays {
    fn write(&mut self, view: &View<'_>, rows: &mut dyn Rows) -> io::Result<()> {
        let mut finished = self.follow(view);
        if rows.is_full() {
            return Ok(());
        }
        finished.sort_by_key(|one| (one.ended.finish, one.ended.flow.id));
        for Finished { ended, parts } in &finished {
            let late = || format!("flow {} and later ones", ended.flow.id);
            if !rows.has_room(parts.len(), &late) {
                break;
            }
            write_parts(ended, parts, &self.ports, rows)?;
        }
        Ok(())
    }

    /// Follows all senders through the records since the last sample. Returns the chosen flows that
    /// have ended.
    fn follow(&mut self, view: &View<'_>) -> Vec<Finished> {
        self.prepare();
        for (node, (carrier, sent_at, step)) in self.steps.drain(..) {
            if let Some(sender) = self.senders.get_mut(&carrier) {
                sender.add_step(sent_at, node, step);
            }
        }
        let switches = view.network.recorders::<SwitchRecorder>().into_iter();
        let turns: FxHashMap<NodeId, &[Turns]> = switches
            .map(|(node, recorder)| (node, &recorder.turns[..]))
            .collect();
        let mut finished = Vec::new();
        for (host, event) in self.events.drain(..) {
            let context = Context {
                topology: view.topology,
                turns: &turns,
                classes: &self.classes,
                pauses: self.pauses.get(&host),
            };
            let ended = handle(&mut self.senders, event, &context);
            finished.extend(ended.filter(|one| {
                let flow = &one.ended.flow;
                let request = &flow.request;
                self.time.contains(&request.start)
                    && one.ended.finish <= self.time.end
                    && self
                        .filter
                        .takes(flow.carrier(), request.class, request.size)
            }));
        }
        finished
    }

    /// Adds new senders, and the packets that have left.
    fn prepare(&mut self) {
        for (host, event) in &self.events {
            match event {
                HostEvent::Start(now, flow) => {
                    let carrier = (flow.carrier(), flow.key().src);
                    let new = || Sender::new(*host, *now, flow);
                    self.senders.entry(carrier).or_insert_with(new);
                }
                HostEvent::Sent {
                    carrier,
                    seq,
                    payload,
                    step,
                    ..
                } => {
                    if let Some(sender) = self.senders.get_mut(carrier) {
                        sender.add_journey(seq + u64::from(*payload), *step);
                    }
                }
                HostEvent::Acknowledged { .. } | HostEvent::Waits { .. } | HostEvent::End(_) => {}
            }
        }
    }
}

/// Handles `event`. Returns the flow that it ends, if it ends one.
fn handle(
    senders: &mut FxHashMap<Carrier, Sender>,
    event: HostEvent,
    context: &Context<'_>,
) -> Option<Finished> {
    match event {
        HostEvent::Start(now, flow) => {
            let sender = senders.get_mut(&(flow.carrier(), flow.key().src))?;
            sender.start(now, &flow);
        }
        HostEvent::Sent {
            carrier,
            seq,
            payload,
            wire,
            step,
        } => {
            let sender = senders.get_mut(&carrier)?;
            sender.send((seq, payload), wire, &step, context);
        }
        HostEvent::Acknowledged {
            carrier,
            at,
            sent_at,
            below,
        } => {
            let sender = senders.get_mut(&carrier)?;
            sender.acknowledge(at, sent_at, below, context);
        }
        HostEvent::Waits { carrier, at, wait } => match wait {
            Some(wait) => senders.get_mut(&carrier)?.wait(at, wait, context),
            None => {
                senders.remove(&carrier);
            }
        },
        HostEvent::End(ended) => {
            let flow = &ended.flow;
            let carrier = (flow.carrier(), flow.key().src);
            let sender = senders.get_mut(&carrier);
            let known = sender.and_then(|own| own.end(flow.id, ended.finish, context));
            if flow.stream.is_none() {
                senders.remove(&carrier);
            }
            let all = ended.finish.since(flow.request.start).as_ps();
            let unknown = spent(Stage::Sending, Part::Unexplained);
            return Some(Finished {
                ended: *ended,
                parts: known.unwrap_or_else(|| Parts::from([(unknown, all)])),
            });
        }
    }
    None
}

fn write_parts(
    ended: &Ended,
    parts: &Parts,
    ports: &FxHashMap<(NodeId, PortId), NamedPort>,
    rows: &mut dyn Rows,
) -> io::Result<()> {
    let request = &ended.flow.request;
    let number = |number: u32| SeriesCell::Whole(u64::from(number));
    let (no, nothing) = (SeriesCell::Empty, SeriesCell::Text(""));
    let nowhere = [no, no, nothing, nothing, nothing];
    for (label, time) in parts {
        let port = label.at.and_then(|at| ports.get(&at));
        let [node, port, name, tier, peer] = port.map_or(nowhere, NamedPort::cells);
        let class;
        let behind = match label.behind {
            None => nothing,
            Some(Behind::Own) => SeriesCell::Text("own"),
            Some(Behind::Class(ClassId(own))) => {
                class = own.to_string();
                SeriesCell::Text(&class)
            }
        };
        rows.write(&[
            number(ended.flow.id.0),
            number(request.class.0.into()),
            number(request.src.0),
            number(request.dst.0),
            SeriesCell::Whole(request.size.get()),
            SeriesCell::Picoseconds(request.start.as_ps()),
            SeriesCell::Picoseconds(ended.finish.since(request.start).as_ps()),
            SeriesCell::Picoseconds(ended.flow.ideal.as_ps()),
            SeriesCell::Text(label.stage.name()),
            SeriesCell::Text(label.part.name()),
            node,
            port,
            name,
            tier,
            peer,
            behind,
            SeriesCell::Picoseconds(*time),
        ])?;
    }
    Ok(())
}

/// Returns the names of all ports of hosts and switches.
fn named_ports(topology: &Topology) -> FxHashMap<(NodeId, PortId), NamedPort> {
    let nodes = (0..topology.len()).map(NodeId::from_index);
    let ports: Vec<(NodeId, PortId)> = nodes
        .flat_map(|node| {
            let own = 0..topology.ports(node).len();
            own.map(move |port| (node, PortId::from_index(port)))
        })
        .collect();
    let names = named(topology, &ports);
    ports.into_iter().zip(names).collect()
}
