//! Triggers of a connection matrix: flows that start when other flows end.

use std::collections::BTreeMap;

use fabricsim_base::flow::FlowRequest;
use fabricsim_base::input::InputError;

use super::connection::{Begin, Connection, Number, number};
use crate::list::waits::Waits;
use crate::text::Piece;

/// The effect of firing a trigger.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Shots {
    /// The trigger starts all of its flows, and cannot be fired again.
    One,
    /// The trigger starts the next one of its flows.
    Multi,
    /// The trigger starts all of its flows when it has been fired this many times.
    Barrier(u32),
}

/// A line that describes a trigger.
#[derive(Clone, Copy, Debug)]
pub(super) struct TriggerSetting<'t> {
    id: Number<'t>,
    shots: Shots,
}

const HELP: &str = "write `trigger id N oneshot`, `multishot` or `barrier count K`";

impl<'t> TriggerSetting<'t> {
    pub(super) fn read(line: Piece<'t>) -> Result<Self, InputError> {
        let mut words = line.words();
        words.next();
        let (mut id, mut kind, mut count) = (None, None, None);
        while let Some(word) = words.next() {
            let mut value = || {
                words
                    .next()
                    .ok_or_else(|| word.error("its value is missing", HELP))
            };
            match word.text {
                "id" => id = Some(number(value()?)?),
                "count" => count = Some(number(value()?)?),
                "oneshot" | "multishot" | "barrier" if kind.is_none() => kind = Some(word),
                "oneshot" | "multishot" | "barrier" => {
                    return Err(word.error("a second kind of trigger", "keep one of them"));
                }
                other => return Err(word.error(format!("there is no `{other}`"), HELP)),
            }
        }
        let id = id.ok_or_else(|| line.error("the trigger has no id", HELP))?;
        let kind = kind.ok_or_else(|| line.error("the trigger has no kind", HELP))?;
        let shots = match (kind.text, count) {
            ("barrier", Some(count)) => Shots::Barrier(count.value),
            ("barrier", None) => return Err(kind.error("a barrier has a count", HELP)),
            (_, Some(count)) => {
                return Err(count.place.error("only a barrier has a count", HELP));
            }
            ("oneshot", None) => Shots::One,
            (_, None) => Shots::Multi,
        };
        Ok(Self { id, shots })
    }
}

/// All triggers of a matrix.
#[derive(Debug, Default)]
pub(super) struct Triggers<'t> {
    settings: BTreeMap<u32, TriggerSetting<'t>>,
}

/// The flows that fire a trigger, by their positions, and the flows that it starts.
#[derive(Debug, Default)]
struct Firing {
    by: Vec<u32>,
    starts: Vec<u32>,
}

impl<'t> Triggers<'t> {
    pub(super) fn define(&mut self, setting: TriggerSetting<'t>) -> Result<(), InputError> {
        let place = setting.id.place;
        match self.settings.insert(setting.id.value, setting) {
            None => Ok(()),
            Some(_) => Err(place.error(
                format!("a second trigger {}", setting.id.value),
                "describe each trigger once",
            )),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.settings.len()
    }

    /// Returns the dependencies of the flows of `connections`.
    pub(super) fn waits(
        &self,
        connections: &[Connection<'t>],
        flows: &[FlowRequest],
    ) -> Result<Waits, InputError> {
        let firing = self.firing(connections)?;
        let mut after: Vec<Box<[u32]>> = vec![Box::default(); flows.len()];
        let mut needed = vec![0; flows.len()];
        for (id, firing) in &firing {
            let shots = self.settings[id].shots;
            for (turn, &flow) in firing.starts.iter().enumerate() {
                let place = flow as usize;
                needed[place] = match shots {
                    Shots::Multi => turn + 1,
                    Shots::One | Shots::Barrier(_) => firing.by.len(),
                };
                if needed[place] > firing.by.len() || firing.by.is_empty() {
                    return Err(trigger_of(&connections[place]).error(
                        format!(
                            "trigger {id} fires {} times, and this flow is number {} of its flows: it would never start",
                            firing.by.len(),
                            turn + 1
                        ),
                        "let more flows fire it, by send_done_trigger, or let it start fewer",
                    ));
                }
                for &other in &firing.by {
                    refuse_unseen(&connections[place], &connections[other as usize])?;
                }
                after[place] = firing.by.clone().into();
            }
        }
        let names = connections.iter().map(|connection| match connection.id {
            Some(id) => id.place.text.into(),
            None => connection.ends.text.into(),
        });
        Waits::of(after, needed, names.collect(), |flow| {
            trigger_of(&connections[flow as usize])
        })
    }

    /// Returns, by trigger, the flows that fire it and the flows that it starts.
    fn firing(&self, connections: &[Connection<'t>]) -> Result<BTreeMap<u32, Firing>, InputError> {
        let mut firing: BTreeMap<u32, Firing> = BTreeMap::new();
        let mut ids = BTreeMap::new();
        // Check flows one by one, so that an error points at its word.
        for (connection, flow) in connections.iter().zip(0u32..) {
            if let Some(id) = connection.id
                && ids.insert(id.value, flow).is_some()
            {
                let message = format!("a second flow {}", id.value);
                return Err(id.place.error(message, "use each id for one flow"));
            }
            for fired in connection.fires.iter().flatten() {
                let shots = self.known(fired)?;
                let by = &mut firing.entry(fired.value).or_default().by;
                by.push(flow);
                let most = match shots {
                    Shots::One => 1,
                    Shots::Barrier(count) => count as usize,
                    Shots::Multi => usize::MAX,
                };
                if by.len() > most {
                    return Err(fired.place.error(
                        format!(
                            "trigger {} is fired more often than the {most} times that it can be",
                            fired.value
                        ),
                        "make it multishot, or a barrier with a count",
                    ));
                }
            }
            if let Begin::By(trigger) = connection.begin {
                self.known(&trigger)?;
                firing.entry(trigger.value).or_default().starts.push(flow);
            }
        }
        // A barrier can wait in vain, which shows only once all flows are known.
        for (id, found) in &firing {
            let TriggerSetting { id: place, shots } = &self.settings[id];
            if let Shots::Barrier(count) = shots
                && !found.starts.is_empty()
                && found.by.len() < *count as usize
            {
                return Err(place.place.error(
                    format!(
                        "barrier {id} waits for {count} flows, and {} fire it",
                        found.by.len()
                    ),
                    "correct its count, or let more flows fire it",
                ));
            }
        }
        Ok(firing)
    }

    /// Returns the effect of the trigger with the number `named`.
    fn known(&self, named: &Number<'_>) -> Result<Shots, InputError> {
        self.settings
            .get(&named.value)
            .map(|known| known.shots)
            .ok_or_else(|| {
                let message = format!("there is no trigger {}", named.value);
                named
                    .place
                    .error(message, format!("add `trigger id {} oneshot`", named.value))
            })
    }
}

/// Returns the position of a flow's trigger, or of its ends if it has none.
fn trigger_of<'t>(connection: &Connection<'t>) -> Piece<'t> {
    match connection.begin {
        Begin::By(trigger) => trigger.place,
        Begin::At(_) => connection.ends,
    }
}

/// Rejects a flow that is triggered by a flow that neither begins nor ends at its source.
fn refuse_unseen(flow: &Connection<'_>, other: &Connection<'_>) -> Result<(), InputError> {
    if other.dst == flow.src || other.src == flow.src {
        return Ok(());
    }
    Err(trigger_of(flow).error(
        format!(
            "{} is triggered by {}, of whose end its source learns nothing: no message goes there",
            flow.ends.text, other.ends.text
        ),
        "let flows be triggered by flows from or to their source",
    ))
}
