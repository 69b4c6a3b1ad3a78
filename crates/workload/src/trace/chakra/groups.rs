//! Process groups: the communicator groups that ASTRA-sim reads in addition to a trace.

use std::collections::BTreeMap;

use fabricsim_base::input::InputError;
use serde::Deserialize;

use super::error::{ChakraError, json_message, json_place};
use super::node::Node;

/// The ranks of process groups, by the number of the group.
///
/// The format is defined by `Workload::initialize_comm_groups` in `astra-sim/workload/Workload.cc`
/// of ASTRA-sim: `{"1": [0, 1], "2": [2, 3]}`. A collective without a group has all ranks, and so
/// has one with group 0 (`extract_comm_group` there). Differs from ASTRA-sim: if group 0 is given,
/// its ranks count, because files that number groups from 0 would run no other way.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct ProcessGroups {
    ranks: BTreeMap<u32, Vec<u32>>,
}

/// A process group as PyTorch states it.
#[derive(Debug, Deserialize)]
struct Stated {
    pg_name: String,
    #[serde(default)]
    ranks: Vec<u32>,
}

/// Returns the number at the beginning of the name of a group, as `std::stoi` in ASTRA-sim: 0 for
/// `0.0`.
fn number_in(name: &str) -> Option<u32> {
    let name = name.trim_start();
    let digits = name.len() - name.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    name[..digits].parse().ok()
}

impl ProcessGroups {
    /// Reads the JSON of a file of communicator groups.
    ///
    /// # Errors
    /// Fails if it is no table of lists of ranks, or if a list repeats a rank.
    pub fn parse(text: &str) -> Result<Self, InputError> {
        const HELP: &str = "write for example {\"1\": [0, 1], \"2\": [2, 3]}";
        let named: BTreeMap<String, Vec<u32>> = serde_json::from_str(text).map_err(|error| {
            InputError::new(json_place(text, &error), json_message(&error), HELP)
        })?;
        let mut ranks = BTreeMap::new();
        for (name, mut members) in named {
            let refuse = |message: String| Err(InputError::new(0..0, message, HELP));
            let Ok(number) = name.parse::<u32>() else {
                return refuse(format!("group `{name}` is not a number"));
            };
            members.sort_unstable();
            if members.is_empty() || members.windows(2).any(|pair| pair[0] == pair[1]) {
                return refuse(format!("group {name} has no ranks, or one twice"));
            }
            ranks.insert(number, members);
        }
        Ok(Self { ranks })
    }

    /// Adds the groups that `nodes` of one of `ranks` ranks state. They have precedence over the
    /// groups of a file.
    ///
    /// The format is defined by `Workload::issue_pytorch_pg_metadata` in
    /// `astra-sim/workload/Workload.cc` of ASTRA-sim: a list of tables with two more characters at
    /// either end, `["[{"pg_name": "1", "ranks": [0, 1]}]"]`, as PyTorch prints the input of
    /// `## process_group:init ##`. An empty list means all ranks. As there, text of another format
    /// is ignored.
    pub(super) fn stated(&self, nodes: &[Node], ranks: usize) -> Self {
        let mut groups = self.clone();
        for text in nodes
            .iter()
            .filter_map(|node| node.stated_groups.as_deref())
        {
            let inside = text.len().checked_sub(2).and_then(|end| text.get(2..end));
            let stated = inside.and_then(|inside| serde_json::from_str::<Vec<Stated>>(inside).ok());
            for group in stated.unwrap_or_default() {
                let Some(number) = number_in(&group.pg_name) else {
                    continue;
                };
                let mut members = group.ranks;
                if members.is_empty() {
                    members = (0..u32::try_from(ranks).unwrap_or(u32::MAX)).collect();
                }
                members.sort_unstable();
                members.dedup();
                groups.ranks.insert(number, members);
            }
        }
        groups
    }

    /// Returns the members of the group of `node`, of rank `rank` of `ranks`, or `None` for all
    /// ranks.
    pub(super) fn members(
        &self,
        node: &Node,
        (rank, ranks): (usize, usize),
    ) -> Result<Option<&[u32]>, ChakraError> {
        let Some(name) = node.group.as_deref() else {
            return Ok(None);
        };
        let number = number_in(name);
        if number == Some(0) && !self.ranks.contains_key(&0) {
            return Ok(None);
        }
        let members = number.and_then(|number| self.ranks.get(&number));
        let members = members.ok_or_else(|| {
            ChakraError::new(
                format!(
                    "{} belongs to process group {name}, which is not known",
                    node.in_words()
                ),
                "give the file of communicator groups that has it (--groups), or a trace that states it",
            )
        })?;
        let is_rank = |member: &u32| (*member as usize) < ranks;
        let own = u32::try_from(rank).is_ok_and(|rank| members.contains(&rank));
        if !own || !members.iter().all(is_rank) {
            return Err(ChakraError::new(
                format!(
                    "{} belongs to process group {name}, which does not have rank {rank} and only \
                     ranks of the trace, 0 to {}",
                    node.in_words(),
                    ranks - 1
                ),
                "give the file of communicator groups that belongs to the trace (--groups)",
            ));
        }
        Ok(Some(members))
    }
}
