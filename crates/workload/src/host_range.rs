//! Subsets of hosts: `"0..16"`, or `7`.

use std::fmt;
use std::str::FromStr;

use fabricsim_base::id::NodeId;
use fabricsim_base::input::{ConfigError, ValueKind, deserialize_range, parse_range};
use fabricsim_base::setting_values;
use serde::{Deserialize, Deserializer, Serialize};

use crate::context::WorkloadContext;

/// Hosts by number, written `"0..16"` (0 to 15, without 16), `"7"` or `7` (one host).
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
#[serde(into = "String")]
pub struct HostRange {
    /// The first host's number.
    pub first: u32,
    /// The number after the last host's number.
    pub end: u32,
}

setting_values!(HostRange => ValueKind::Nodes);

impl FromStr for HostRange {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let range = parse_range(text, "host")?;
        Ok(Self {
            first: range.start,
            end: range.end,
        })
    }
}

impl<'de> Deserialize<'de> for HostRange {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserialize_range(deserializer)
    }
}

impl From<HostRange> for String {
    fn from(range: HostRange) -> Self {
        range.to_string()
    }
}

impl fmt::Display for HostRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}..{}", self.first, self.end)
    }
}

/// Returns the positions in `context.hosts` of the hosts in `ranges`, increasing and without
/// repeats. Without ranges, these are all hosts.
pub(crate) fn select(
    key: &'static str,
    ranges: Option<&[HostRange]>,
    context: &WorkloadContext,
) -> Result<Vec<usize>, ConfigError> {
    let Some(ranges) = ranges else {
        return Ok((0..context.hosts.len()).collect());
    };
    let mut by_id: Vec<(NodeId, usize)> = context
        .hosts
        .iter()
        .enumerate()
        .map(|(position, host)| (host.id, position))
        .collect();
    by_id.sort_unstable();
    let mut chosen = Vec::new();
    for range in ranges {
        for id in (range.first..range.end).map(NodeId) {
            let Ok(found) = by_id.binary_search_by_key(&id, |(id, _)| *id) else {
                return Err(ConfigError::new(
                    key,
                    format!(
                        "`{range}` includes {}, which is not a host",
                        context.names.label(id)
                    ),
                    format!("the hosts are numbered {}", context.host_numbers()),
                ));
            };
            chosen.push(by_id[found].1);
        }
    }
    chosen.sort_unstable();
    chosen.dedup();
    if chosen.is_empty() {
        return Err(ConfigError::new(
            key,
            "no hosts are listed",
            "leave the key out to mean all hosts",
        ));
    }
    Ok(chosen)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::testing::context;

    #[test]
    fn ranges_read_as_they_print() {
        let range: HostRange = "4..16".parse().unwrap();
        assert_eq!(range, HostRange { first: 4, end: 16 });
        assert_eq!(range.to_string().parse(), Ok(range));
        assert_eq!("7".parse(), Ok(HostRange { first: 7, end: 8 }));
        assert!("4..4".parse::<HostRange>().unwrap_err().contains("empty"));
        assert!("4-16".parse::<HostRange>().unwrap_err().contains("`0..16`"));
    }

    #[test]
    fn selections_are_sorted_and_checked() {
        let context = context(8, 1);
        let ranges = |texts: &[&str]| texts.iter().map(|t| t.parse().unwrap()).collect::<Vec<_>>();
        let chosen = select("sources", Some(&ranges(&["5..7", "1", "6..8"])), &context);
        assert_eq!(chosen, Ok(vec![1, 5, 6, 7]));
        assert_eq!(
            select("sources", None, &context).map(|all| all.len()),
            Ok(8)
        );
        let error = select("sources", Some(&ranges(&["4..4000000000"])), &context).unwrap_err();
        assert_eq!(error.key, "sources");
        assert!(error.message.contains("node 8"), "{error}");
        assert!(error.help.contains("0 to 7"), "{error}");
        assert!(select("sources", Some(&[]), &context).is_err());
    }
}
