//! Flows of a list that wait for other flows.

use std::collections::BTreeMap;

use fabricsim_base::flow::FlowRequest;
use fabricsim_base::input::InputError;

use crate::text::Piece;

/// Number of flows of a cycle that a message names.
const NAMED: usize = 6;

/// The name of a flow and the flows that it waits for, as stated in a row.
pub(super) struct Stated<'t> {
    /// Empty if the flow has no name.
    pub(super) id: Piece<'t>,
    pub(super) after: Piece<'t>,
    /// The number of these flows that must have ended; all if it is not stated.
    pub(super) needed: Option<Piece<'t>>,
}

/// The dependencies of the flows of a list.
#[derive(Debug, Default, Eq, PartialEq)]
pub(super) struct Waits {
    /// For each flow, the positions of the flows for which it waits, each once.
    after: Box<[Box<[u32]>]>,
    /// For each flow, the number of these flows that must have ended before it starts.
    needed: Box<[usize]>,
    /// For each flow, its name; empty if it has none.
    names: Box<[Box<str>]>,
}

impl Waits {
    /// Returns the positions of the flows that `flow` waits for.
    pub(super) fn after(&self, flow: u32) -> &[u32] {
        &self.after[flow as usize]
    }

    /// Returns the number of these flows that must have ended before `flow` starts.
    pub(super) fn needed(&self, flow: u32) -> usize {
        self.needed[flow as usize]
    }

    /// Describes the flow for messages: its name, or its position.
    pub(super) fn describe(&self, flow: u32) -> String {
        match &*self.names[flow as usize] {
            "" => format!("flow {flow} of the list"),
            name => format!("`{name}`"),
        }
    }

    /// Reads the dependencies of `flows` from their rows `stated`.
    ///
    /// # Errors
    /// Fails at a name that is repeated or unknown, if a flow waits for a flow that its source does
    /// not see, or if flows wait for one another in a cycle.
    pub(super) fn read(flows: &[FlowRequest], stated: &[Stated<'_>]) -> Result<Self, InputError> {
        let mut places: BTreeMap<&str, u32> = BTreeMap::new();
        for (row, place) in stated.iter().zip(0..) {
            if !row.id.text.is_empty() && places.insert(row.id.text, place).is_some() {
                return Err(row.id.error(
                    format!("a second flow `{}`", row.id.text),
                    "use each id for one flow",
                ));
            }
        }
        let mut after = Vec::with_capacity(flows.len());
        let mut needed = Vec::with_capacity(flows.len());
        for (row, flow) in stated.iter().zip(flows) {
            let mut before = Vec::new();
            for name in row.after.names() {
                let Some(&place) = places.get(name.text) else {
                    return Err(name.error(
                        format!("there is no flow `{}`", name.text),
                        "name flows by the column `id`",
                    ));
                };
                refuse_unseen(name, &flows[place as usize], flow)?;
                before.push(place);
            }
            before.sort_unstable();
            before.dedup();
            needed.push(needed_of(row, before.len())?);
            after.push(before.into());
        }
        let names = stated.iter().map(|row| row.id.text.into()).collect();
        Self::of(after, needed, names, |flow| stated[flow as usize].after)
    }

    /// Builds from the flows `after` and the number `needed` of them that must end, by flow;
    /// `place` returns the position of a flow's dependencies in the text.
    ///
    /// # Errors
    /// Fails if flows wait for one another in a cycle.
    pub(super) fn of<'t>(
        after: Vec<Box<[u32]>>,
        needed: Vec<usize>,
        names: Box<[Box<str>]>,
        place: impl Fn(u32) -> Piece<'t>,
    ) -> Result<Self, InputError> {
        let waits = Self {
            after: after.into(),
            needed: needed.into(),
            names,
        };
        match waits.cycle() {
            None => Ok(waits),
            Some(cycle) => {
                let words = cycle.iter().take(NAMED).map(|&flow| waits.describe(flow));
                let words: Vec<String> = words.collect();
                Err(place(cycle[0]).error(
                    format!(
                        "{} flows wait for one another and none can start: {}",
                        cycle.len(),
                        words.join(", after ")
                    ),
                    "remove one of these dependencies",
                ))
            }
        }
    }

    /// Finds flows that wait for one another, each for the next one in the list.
    fn cycle(&self) -> Option<Vec<u32>> {
        let mut needs: Vec<usize> = self.needed.to_vec();
        let mut followers = vec![Vec::new(); needs.len()];
        for (before, flow) in self.after.iter().zip(0u32..) {
            for &other in before {
                followers[other as usize].push(flow);
            }
        }
        let free = (0u32..).zip(&needs).filter(|(_, needs)| **needs == 0);
        let mut ready: Vec<u32> = free.map(|(flow, _)| flow).collect();
        while let Some(flow) = ready.pop() {
            for &follower in &followers[flow as usize] {
                let left = &mut needs[follower as usize];
                if *left == 1 {
                    ready.push(follower);
                }
                *left = left.saturating_sub(1);
            }
        }
        // Each remaining flow waits for another remaining flow, so following them leads into a
        // cycle.
        let waits_for = |flow: u32| {
            let before = self.after[flow as usize].iter();
            before.copied().find(|&other| needs[other as usize] > 0)
        };
        let mut seen = vec![false; needs.len()];
        let first = needs.iter().position(|&left| left > 0)?;
        let mut at = u32::try_from(first).ok()?;
        let mut path = Vec::new();
        while !seen[at as usize] {
            seen[at as usize] = true;
            path.push(at);
            at = waits_for(at)?;
        }
        let begin = path.iter().position(|&flow| flow == at)?;
        Some(path.split_off(begin))
    }
}

/// Checks that the source of `flow` sees the end of `other`, which `name` names.
pub(super) fn refuse_unseen(
    name: Piece<'_>,
    other: &FlowRequest,
    flow: &FlowRequest,
) -> Result<(), InputError> {
    if other.dst == flow.src || other.src == flow.src {
        return Ok(());
    }
    Err(name.error(
        format!(
            "`{}` goes from host {} to host {}: host {} learns nothing of its end",
            name.text, other.src, other.dst, flow.src
        ),
        "let a flow wait for flows to its source or from its source",
    ))
}

/// Returns the number of flows, out of `count`, that a row waits for.
fn needed_of(row: &Stated<'_>, count: usize) -> Result<usize, InputError> {
    let Some(field) = row.needed.filter(|field| !field.text.is_empty()) else {
        return Ok(count);
    };
    let help = "write how many of the flows in `after` must have finished, or nothing for all";
    let needed: u64 = field.integer("a number of flows", help)?;
    let least = u64::from(count > 0);
    match usize::try_from(needed)
        .ok()
        .filter(|needed| *needed <= count)
    {
        Some(needed) if needed as u64 >= least => Ok(needed),
        _ => Err(field.error(
            format!("the flow waits for {count} flows, not for {needed} of them"),
            help,
        )),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::context::testing::context;
    use crate::list::parse_csv;

    proptest! {
        /// Random flows among few hosts that wait for any of the other flows: every list that is
        /// accepted can be completed.
        #[test]
        fn lists_that_are_taken_end(
            flows in prop::collection::vec(
                (0..3u32, 1..3u32, prop::collection::vec(0..8usize, 0..3)),
                1..8,
            ),
        ) {
            let mut text = "id,src,dst,size_bytes,start_ns,after\n".to_owned();
            for (at, (src, offset, after)) in flows.iter().enumerate() {
                let names: Vec<String> = after.iter().map(|other| format!("f{other}")).collect();
                let dst = (src + offset) % 3;
                text += &format!("f{at},{src},{dst},9,0,{}\n", names.join(" "));
            }
            let known = flows.iter().all(|(_, _, after)| {
                after.iter().all(|&other| other < flows.len())
            });
            match parse_csv(&text, &context(3, 1)) {
                Ok(list) => {
                    let waits = list.waits.expect("there is a column `after`");
                    let mut ended = vec![false; flows.len()];
                    for _ in 0..flows.len() {
                        for flow in 0..flows.len() {
                            let place = u32::try_from(flow).unwrap();
                            let mut before = waits.after(place).iter();
                            ended[flow] |= before.all(|&other| ended[other as usize]);
                        }
                    }
                    prop_assert!(ended.iter().all(|&ended| ended), "{text}");
                }
                Err(error) => {
                    let place = text.get(error.span.clone()).unwrap_or("");
                    prop_assert!(place.starts_with('f'), "{place}: {}", error.message);
                    let unknown = error.message.contains("there is no flow");
                    prop_assert!(known || unknown || error.message.contains("learns nothing"));
                }
            }
        }
    }
}
