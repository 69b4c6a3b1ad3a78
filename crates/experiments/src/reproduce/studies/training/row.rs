//! The results of a run: times, and the critical path.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use fabricsim_base::units::Duration;
use fabricsim_report::observed::{OperationRow, iteration_path};

use super::extent::SERVER;

/// Parts of a critical path that a row lists.
const LISTED: usize = 4;

/// An iteration of a workload.
#[derive(Clone, Debug, PartialEq)]
pub struct TrainingRow {
    /// The workload.
    pub workload: String,
    /// The congestion control.
    pub control: String,
    /// The routing.
    pub routing: String,
    /// `healthy`, `failure` or `straggler`.
    pub condition: String,
    /// Time of the iteration in microseconds.
    pub iteration_us: f64,
    /// Mean computing time of a rank in microseconds.
    pub computation_us: f64,
    /// Least time of the iteration in microseconds; `None` with other settings of the network.
    pub bound_us: Option<f64>,
    /// The critical path.
    pub path: PathParts,
}

/// The parts of a critical path.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PathParts {
    /// Time of computations.
    pub computation: Duration,
    /// Time of messages within servers.
    pub in_servers: Duration,
    /// Time of messages between servers.
    pub between_servers: Duration,
    /// Time in which no operation ended.
    pub other: Duration,
    /// Number of messages.
    pub messages: usize,
    /// The parts by operation, the longest first.
    pub parts: Vec<(String, Duration)>,
}

impl TrainingRow {
    /// Returns the mean time in which a rank does not compute, in microseconds.
    #[must_use]
    pub fn exposed_us(&self) -> f64 {
        self.iteration_us - self.computation_us
    }

    /// Returns the time of the critical path in microseconds.
    #[must_use]
    pub fn path_us(&self) -> f64 {
        let path = &self.path;
        let parts = [
            path.computation,
            path.in_servers,
            path.between_servers,
            path.other,
        ];
        parts.map(us).iter().sum()
    }
}

impl PathParts {
    /// Returns the parts of the critical path of the first iteration in `rows`.
    pub(super) fn of(rows: &[OperationRow<'_>]) -> Self {
        let hosts: BTreeMap<u32, u32> = rows.iter().map(|row| (row.rank, row.host.0)).collect();
        let mut parts = Self::default();
        let mut sums: BTreeMap<String, Duration> = BTreeMap::new();
        for step in iteration_path(rows, 0) {
            let time = step.time();
            let name = match step.operation {
                None => {
                    parts.other = parts.other + time;
                    "no operation".to_owned()
                }
                Some(own) if own.kind == "compute" => {
                    parts.computation = parts.computation + time;
                    "computation".to_owned()
                }
                Some(own) => {
                    parts.messages += 1;
                    let peer = own.peer.and_then(|peer| hosts.get(&peer));
                    let inside = peer.is_some_and(|peer| peer / SERVER == own.host.0 / SERVER);
                    if inside {
                        parts.in_servers = parts.in_servers + time;
                    } else {
                        parts.between_servers = parts.between_servers + time;
                    }
                    let place = if inside { "in" } else { "between" };
                    format!("{} {place} servers", layer(own.name))
                }
            };
            let sum = sums.entry(name).or_insert(Duration::ZERO);
            *sum = *sum + time;
        }
        parts.parts = sums.into_iter().collect();
        parts
            .parts
            .sort_by_key(|(_, time)| std::cmp::Reverse(*time));
        parts
    }

    /// Describes the longest parts with their shares.
    #[must_use]
    pub fn describe(&self) -> String {
        let sum = |sum: Duration, own: &(String, Duration)| sum + own.1;
        let whole = us(self.parts.iter().fold(Duration::ZERO, sum)).max(1e-6);
        let mut text = String::new();
        for (name, time) in self.parts.iter().take(LISTED) {
            let separator = if text.is_empty() { "" } else { "; " };
            let share = us(*time) / whole * 100.0;
            let _ = write!(text, "{separator}{share:.1}% {name}");
        }
        text
    }
}

/// Returns the name of an operation without the number of its layer in front.
fn layer(name: &str) -> &str {
    name.trim_start_matches(|c: char| c.is_ascii_digit())
        .trim_start()
}

/// Returns `span` in microseconds.
pub(super) fn us(span: Duration) -> f64 {
    span.as_ps() as f64 / 1e6
}

/// Returns the table of `rows` as CSV.
pub(super) fn table(rows: &[TrainingRow]) -> String {
    let mut text = "workload,control,routing,condition,iteration_us,computation_us,\
                    exposed_communication_us,bound_us,path_computation_us,path_in_servers_us,\
                    path_between_servers_us,path_other_us,path_messages,path_largest\n"
        .to_owned();
    for row in rows {
        let bound = row
            .bound_us
            .map_or_else(String::new, |us| format!("{us:.3}"));
        let path = &row.path;
        let _ = writeln!(
            text,
            "{},{},{},{},{:.3},{:.3},{:.3},{bound},{:.3},{:.3},{:.3},{:.3},{},{}",
            row.workload,
            row.control,
            row.routing,
            row.condition,
            row.iteration_us,
            row.computation_us,
            row.exposed_us(),
            us(path.computation),
            us(path.in_servers),
            us(path.between_servers),
            us(path.other),
            path.messages,
            path.describe()
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use fabricsim_report::observed::read_operations;

    use super::*;

    /// Rank 0 computes for 100 ns, sends 60 ns to rank 8 on another server, which sends 40 ns to
    /// its neighbor, which computes for 50 ns.
    #[test]
    fn parts_are_named_by_layer_and_place() {
        let text = "\
class,job,rank,host,iteration,operation,kind,name,stream,peer_rank,size_bytes,flow,collective,waited_ns,start_ns,end_ns
0,j,0,0,0,0,compute,0 mlp forward,0,,,,,0,0,100
0,j,8,8,0,1,receive,12 mlp forward,,0,1000,1,,0,100,160
0,j,9,9,0,1,receive,3 mlp forward,,8,1000,2,,0,160,200
0,j,9,9,0,2,compute,4 mlp forward,0,,,,,0,200,250
";
        let rows = read_operations(text).expect("rows");
        let parts = PathParts::of(&rows);
        assert_eq!(parts.messages, 2);
        assert_eq!(
            parts.describe(),
            "60.0% computation; 24.0% mlp forward between servers; 16.0% mlp forward in servers"
        );
        let row = TrainingRow {
            workload: "gpt-13b".to_owned(),
            control: "DCQCN".to_owned(),
            routing: "ECMP".to_owned(),
            condition: "healthy".to_owned(),
            iteration_us: 0.25,
            computation_us: 0.15,
            bound_us: Some(0.2),
            path: parts,
        };
        assert!((row.path_us() - 0.25).abs() < 1e-9);
        let table = table(&[row]);
        let columns: Vec<usize> = table.lines().map(|line| line.split(',').count()).collect();
        assert_eq!(columns, [14, 14], "{table}");
        assert!(
            table.contains(",0.250,0.150,0.100,0.200,0.150,0.040,0.060,0.000,2,"),
            "{table}"
        );
    }
}
