//! Names of ports in observed files.

use std::collections::BTreeMap;

use fabricsim_base::id::{NodeId, PortId};
use fabricsim_base::input::InputError;

use crate::table::Table;

/// Reads the names of the ports in a `queues.csv` or `links.csv`: `leaf3 -> spine1`, the node that
/// sends and its neighbor. Returns an empty map if the file has no columns `name` and `peer`; ports
/// without a name are omitted.
///
/// # Errors
/// Fails at the offending word.
pub fn read_port_names(text: &str) -> Result<BTreeMap<(NodeId, PortId), String>, InputError> {
    let table = Table::new(text, "a file of ports")?;
    let [node, port] = table.positions(["node", "port"])?;
    let Some((name, peer)) = table.position("name").zip(table.position("peer")) else {
        return Ok(BTreeMap::new());
    };
    let rows = table.read(|_, _, fields| {
        let key = (
            NodeId(fields[node].integer("node")?),
            PortId(fields[port].integer("port")?),
        );
        Ok((key, (fields[name].text, fields[peer].text)))
    })?;
    let mut names = BTreeMap::new();
    for (key, (name, peer)) in rows {
        if name.is_empty() || names.contains_key(&key) {
            continue;
        }
        let text = match peer {
            "" => name.to_owned(),
            peer => format!("{name} -> {peer}"),
        };
        names.insert(key, text);
    }
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_are_called_by_both_ends() {
        let text = "time_ns,node,port,name,tier,peer,queue_bytes\n\
                    1,9,0,leaf0,leaf to spine,spine1,5\n2,9,0,leaf0,leaf to spine,spine1,7\n\
                    1,9,1,leaf0,,,0\n1,9,2,,,,0\n";
        let names = read_port_names(text).expect("rows");
        let found: Vec<_> = names
            .iter()
            .map(|((node, port), name)| (node.0, port.0, name.as_str()))
            .collect();
        assert_eq!(found, [(9, 0, "leaf0 -> spine1"), (9, 1, "leaf0")]);
        let without = "time_ns,node,port,queue_bytes\n1,9,0,5\n";
        assert_eq!(read_port_names(without), Ok(BTreeMap::new()));
    }
}
