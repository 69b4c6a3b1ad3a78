//! Reading of time series: queues, links, flows.

use std::collections::BTreeMap;

use fabricsim_base::input::InputError;
use fabricsim_report::columns::Word;

use super::quantity::{Quantity, Subject};
use crate::table::CsvRows;

/// Series to read; an empty list selects all.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Selection {
    /// Numbers of nodes, or names if the file has them.
    pub nodes: Vec<String>,
    /// Ports of these nodes.
    pub ports: Vec<u64>,
    /// Numbers of flows.
    pub flows: Vec<u64>,
}

/// Names of nodes and descriptions of flow classes, by number; either may be empty.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct FlowWords {
    /// Names of nodes.
    pub nodes: BTreeMap<u64, String>,
    /// The class and its algorithm: `class 1, dcqcn`.
    pub classes: BTreeMap<u64, String>,
}

/// One series: a port of a node, a flow, or a whole run.
#[derive(Clone, Debug, PartialEq)]
pub struct TimeLine {
    /// `leaf3 -> spine1` if the file names nodes, otherwise `node 3 port 1`; `flow 17: h1 -> h5`.
    pub name: String,
    /// Class and algorithm of a flow, or empty.
    pub detail: String,
    /// (time in ns, value), in the order of the file.
    pub points: Vec<(f64, f64)>,
}

/// Reads the series of `quantity` from the text of its [file](Quantity::file), in the order of
/// nodes and ports, or of flows, which `words` help to name. Rows with an empty value are skipped.
///
/// # Errors
/// Fails at the offending word: a missing column, a row of another length, a malformed number.
pub fn read_time_lines(
    text: &str,
    quantity: Quantity,
    selection: &Selection,
    words: &FlowWords,
) -> Result<Vec<TimeLine>, InputError> {
    let table = CsvRows::new(text)?;
    let time = table.column("time_ns")?;
    let value = table.column(quantity.column())?;
    // The key of a series: equal keys continue the same line, and the selection filters by them.
    let keys: &[(&str, &[u64])] = match quantity.subject() {
        Subject::Port => &[("node", &[]), ("port", &selection.ports)],
        Subject::Flow => &[("flow", &selection.flows)],
        Subject::Run => &[],
    };
    let mut places = Vec::new();
    for (name, wanted) in keys {
        places.push((table.column(name)?, *name, *wanted));
    }
    // Names are easier to read than numbers, but older files have none.
    let names = match quantity.subject() {
        Subject::Port => table.position("name").zip(table.position("peer")),
        Subject::Flow | Subject::Run => None,
    };
    let ends = ["src", "dst", "class"].map(|name| table.position(name));
    let ends = ends.into_iter().collect::<Option<Vec<usize>>>();
    let ends = ends.filter(|_| quantity.subject() == Subject::Flow);
    // A node can be selected by name or by number.
    let of_node = |row: &[Word<'_>], key: &[u64]| {
        let name = names.map(|(name, _)| row[name].text);
        let mut wanted = selection.nodes.iter();
        wanted.any(|node| Some(node.as_str()) == name || node.parse() == Ok(key[0]))
    };
    // A map keeps the series in order of their keys, in any order of the rows.
    let mut lines: BTreeMap<Vec<u64>, TimeLine> = BTreeMap::new();
    for row in table.rows() {
        let row = row?;
        let mut key = Vec::with_capacity(places.len());
        let mut chosen = true;
        for &(place, name, wanted) in &places {
            let number: u64 = row[place].integer(name)?;
            chosen &= wanted.is_empty() || wanted.contains(&number);
            key.push(number);
        }
        chosen &= selection.nodes.is_empty() || key.is_empty() || of_node(&row, &key);
        // An empty value means that the quantity has no value at this time, which is not zero.
        if !chosen || row[value].text.is_empty() {
            continue;
        }
        let at = row[time].number("time_ns")?;
        let value = row[value].number(quantity.column())?;
        let line = lines.entry(key).or_insert_with_key(|key| {
            let name = named(names, &row, &places, key);
            let (ends, detail) = match &ends {
                Some(places) => flow_words(&row, places, words),
                None => Default::default(),
            };
            TimeLine {
                name: name + &ends,
                detail,
                points: Vec::new(),
            }
        });
        match line.points.last_mut() {
            // The total of the run: values of all flows at the same instant are added.
            Some(last) if quantity.subject() == Subject::Run && last.0.total_cmp(&at).is_eq() => {
                last.1 += value;
            }
            _ => line.points.push((at, value)),
        }
    }
    Ok(lines.into_values().collect())
}

/// Returns the ends of the flow of a row, and its class; `places` are the columns of sender, receiver
/// and class.
fn flow_words(row: &[Word<'_>], places: &[usize], words: &FlowWords) -> (String, String) {
    let at = |place: usize| places.get(place).map_or("", |column| row[*column].text);
    let node = |place: usize| {
        let number = at(place);
        let name = number
            .parse()
            .ok()
            .and_then(|number| words.nodes.get(&number));
        name.cloned().unwrap_or_else(|| number.to_owned())
    };
    let class = at(2).parse().ok();
    let detail = class.and_then(|class| words.classes.get(&class).cloned());
    (
        format!(": {} -> {}", node(0), node(1)),
        detail.unwrap_or_default(),
    )
}

/// Returns the name of the series of a row.
fn named(
    names: Option<(usize, usize)>,
    row: &[Word<'_>],
    places: &[(usize, &str, &[u64])],
    key: &[u64],
) -> String {
    if let Some((name, peer)) = names
        && !row[name].text.is_empty()
    {
        return match row[peer].text {
            "" => row[name].text.to_owned(),
            peer => format!("{} -> {peer}", row[name].text),
        };
    }
    if places.is_empty() {
        return "all flows".to_owned();
    }
    let words = places.iter().zip(key);
    let words: Vec<String> = words
        .map(|((_, name, _), number)| format!("{name} {number}"))
        .collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUEUES: &str = "time_ns,node,port,queue_bytes\n\
                          1000,9,0,10\n1000,9,1,0\n1000,8,3,500\n\
                          2000.5,9,0,30\n2000.5,9,1,7\n2000.5,8,3,400\n";

    fn names(lines: &[TimeLine]) -> Vec<&str> {
        lines.iter().map(|line| line.name.as_str()).collect()
    }

    #[test]
    fn series_are_ports_in_order() {
        let all = read_time_lines(
            QUEUES,
            Quantity::Queue,
            &Selection::default(),
            &FlowWords::default(),
        )
        .expect("good");
        assert_eq!(
            names(&all),
            ["node 8 port 3", "node 9 port 0", "node 9 port 1"]
        );
        assert_eq!(all[1].points, [(1_000.0, 10.0), (2_000.5, 30.0)]);
        let selection = Selection {
            nodes: vec!["9".to_owned()],
            ports: vec![1],
            ..Selection::default()
        };
        let one = read_time_lines(QUEUES, Quantity::Queue, &selection, &FlowWords::default())
            .expect("good");
        assert_eq!(names(&one), ["node 9 port 1"]);
    }

    #[test]
    fn ports_have_the_names_that_the_file_has() {
        let text = "time_ns,node,port,name,tier,peer,paused_ns\n\
                    5,3,0,leaf3,leaf to spine,spine1,100\n5,3,1,leaf3,leaf to spine,,200\n\
                    5,4,1,,,,300\n";
        let lines = read_time_lines(
            text,
            Quantity::Paused,
            &Selection::default(),
            &FlowWords::default(),
        )
        .expect("good");
        assert_eq!(names(&lines), ["leaf3 -> spine1", "leaf3", "node 4 port 1"]);
    }

    #[test]
    fn the_throughput_of_a_run_adds_up_at_each_instant() {
        let text = "time_ns,flow,throughput_bps\n5,3,1e9\n5,4,2e9\n6,4,4e9\n";
        let read = |quantity| {
            read_time_lines(text, quantity, &Selection::default(), &FlowWords::default())
        };
        let all = read(Quantity::TotalThroughput).expect("good");
        assert_eq!(names(&all), ["all flows"]);
        assert_eq!(all[0].points, [(5.0, 3e9), (6.0, 4e9)]);
        assert_eq!(names(&read(Quantity::Throughput).expect("good")).len(), 2);
    }

    #[test]
    fn a_flow_without_a_window_has_no_points() {
        let text = "time_ns,flow,src,dst,class,rate_bps,window_bytes,acknowledged_bytes,throughput_bps\n\
                    5,3,0,1,0,1e9,,0,0\n6,4,0,1,0,1e9,2000,0,0\n";
        let lines = read_time_lines(
            text,
            Quantity::Window,
            &Selection::default(),
            &FlowWords::default(),
        )
        .expect("good");
        assert_eq!(names(&lines), ["flow 4: 0 -> 1"]);
        let words = FlowWords {
            nodes: BTreeMap::from([(1, "leaf0/host1".to_owned())]),
            classes: BTreeMap::from([(0, "class 0, bbr".to_owned())]),
        };
        let lines = read_time_lines(text, Quantity::Window, &Selection::default(), &words);
        let lines = lines.expect("good");
        assert_eq!(names(&lines), ["flow 4: 0 -> leaf0/host1"]);
        assert_eq!(lines[0].detail, "class 0, bbr");
        let lines = read_time_lines(
            text,
            Quantity::Rate,
            &Selection::default(),
            &FlowWords::default(),
        )
        .expect("good");
        assert_eq!(lines[0].points, [(5.0, 1e9)]);
    }

    #[test]
    fn errors_have_their_place() {
        for (text, message) in [
            (
                "time_ns,node,port\n",
                "the header has no column `queue_bytes`",
            ),
            (
                "time_ns,node,port,queue_bytes\n1,2,3\n",
                "3 fields where the header has 4",
            ),
            (
                "time_ns,node,port,queue_bytes\n1,2,3,x\n",
                "`x` does not fit `queue_bytes`",
            ),
            (
                "time_ns,node,port,queue_bytes\n1,2,-3,4\n",
                "`-3` does not fit `port`",
            ),
            ("", "the file is empty"),
        ] {
            let result = read_time_lines(
                text,
                Quantity::Queue,
                &Selection::default(),
                &FlowWords::default(),
            );
            assert_eq!(result.expect_err("bad").message, message);
        }
    }
}
