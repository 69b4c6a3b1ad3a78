//! Utilization, pauses and queues over time.

use std::collections::BTreeMap;

use fabricsim_base::id::{NodeId, PortId};
use fabricsim_base::units::Time;
use serde_json::{Value, json};

use super::Unknown;
use super::fabric::Fabric;
use super::steps::{Grid, Steps};
use crate::observed::{LinkSample, QueueSample};

/// The byte of the share 1.
const WHOLE: f64 = 250.0;

/// Shortest unit of queue lengths in bytes: a fraction of any packet.
const LEAST_UNIT: u64 = 64;
/// Largest length that a byte can express, in units: 31 times 2 to the power of 14.
const MOST_UNITS: u64 = 31 << 14;

/// Returns the series of a run, or `Null` if there are no samples: in at most `most` steps from
/// `begin` on, or fewer in large fabrics. Utilization and pauses are means over the samples of a
/// step, and queues the longest of them.
///
/// # Errors
/// Fails at a port that the fabric does not have.
pub fn series(
    fabric: &Fabric<'_>,
    begin: Time,
    links: Option<&[LinkSample]>,
    queues: Option<&[QueueSample]>,
    most: usize,
) -> Result<Value, Unknown> {
    // Both have the samples of one `[observe]` table.
    let mut times: Vec<Time> = links.iter().copied().flatten().map(|row| row.at).collect();
    times.extend(queues.iter().copied().flatten().map(|row| row.at));
    times.sort_unstable();
    times.dedup();
    let Some(first) = times.first() else {
        return Ok(Value::Null);
    };
    let steps = Steps::new(begin.min(*first), &times, most, fabric.len());
    let mut data = json!({ "steps": steps.data() });
    if let Some(links) = links {
        let sums = LinkSums::new(links, fabric, &steps)?;
        data["utilization"] = sums.shares(&sums.busy).data();
        data["paused"] = sums.shares(&sums.paused).data();
        data["marked"] = json!(sums.marked.into_iter().collect::<Vec<_>>());
        data["dropped"] = json!(sums.dropped.into_iter().collect::<Vec<_>>());
    }
    if let Some(queues) = queues {
        data["queue"] = longest(queues, fabric, &steps)?;
    }
    Ok(data)
}

fn place(
    file: &'static str,
    fabric: &Fabric<'_>,
    last: usize,
    (node, port): (NodeId, PortId),
) -> Result<usize, Unknown> {
    let place = fabric.port_after(last, node, port);
    place.ok_or_else(|| Unknown {
        file,
        subject: format!("port {} of node {}", port.0, node.0),
    })
}

/// Sums over the samples of each port and step.
struct LinkSums {
    ports: usize,
    steps: usize,
    /// Seconds for which the port was busy.
    busy: Vec<f64>,
    /// Seconds for which the port was paused.
    paused: Vec<f64>,
    /// Observed seconds.
    all: Vec<f64>,
    marked: BTreeMap<usize, u64>,
    dropped: BTreeMap<usize, u64>,
}

impl LinkSums {
    fn new(rows: &[LinkSample], fabric: &Fabric<'_>, steps: &Steps) -> Result<Self, Unknown> {
        let (ports, len) = (fabric.len(), steps.len());
        let zeros = || vec![0.0; ports * len];
        let mut sums = Self {
            ports,
            steps: len,
            busy: zeros(),
            paused: zeros(),
            all: zeros(),
            marked: BTreeMap::new(),
            dropped: BTreeMap::new(),
        };
        let mut begun = vec![steps.begin(); ports];
        let mut port = 0;
        for row in rows {
            port = place("links.csv", fabric, port, (row.node, row.port))?;
            let cell = port * len + steps.of(row.at);
            let seconds = row.at.since(begun[port].min(row.at)).as_secs_f64();
            begun[port] = row.at;
            sums.busy[cell] += seconds * row.utilization;
            sums.paused[cell] += row.paused.as_secs_f64();
            sums.all[cell] += seconds;
            for (count, sum) in [
                (row.marked_packets, &mut sums.marked),
                (row.dropped_packets, &mut sums.dropped),
            ] {
                if count > 0 {
                    let sum = sum.entry(port).or_default();
                    *sum = sum.saturating_add(count);
                }
            }
        }
        Ok(sums)
    }

    /// Returns the shares of the observed time that `part` is.
    fn shares(&self, part: &[f64]) -> Grid {
        Grid::new(self.ports, self.steps, |port| {
            let cells = port * self.steps..(port + 1) * self.steps;
            let all = &self.all[cells.clone()];
            let pairs = part[cells].iter().zip(all);
            (all.iter().any(|all| *all > 0.0))
                .then(|| pairs.map(|(part, all)| share(*part, *all)).collect())
        })
    }
}

/// Returns the byte of a share.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "from 0 to 250"
)]
fn share(part: f64, all: f64) -> u8 {
    if all > 0.0 {
        ((part / all).clamp(0.0, 1.0) * WHOLE).round() as u8
    } else {
        0
    }
}

/// Returns the longest queue of each port in each step.
fn longest(rows: &[QueueSample], fabric: &Fabric<'_>, steps: &Steps) -> Result<Value, Unknown> {
    let len = steps.len();
    let mut longest: Vec<Option<u64>> = vec![None; fabric.len() * len];
    let mut port = 0;
    for row in rows {
        port = place("queues.csv", fabric, port, (row.node, row.port))?;
        let cell = port * len + steps.of(row.at);
        longest[cell] = longest[cell].max(Some(row.queue.get()));
    }
    let most = longest.iter().flatten().max().copied().unwrap_or(0);
    let unit = most.div_ceil(MOST_UNITS).max(LEAST_UNIT);
    let grid = Grid::new(fabric.len(), len, |port| {
        let own = &longest[port * len..(port + 1) * len];
        let lengths = own.iter().map(|length| code(length.unwrap_or(0), unit));
        (own.iter().any(Option::is_some)).then(|| lengths.collect())
    });
    let mut data = grid.data();
    data["unit_bytes"] = json!(unit);
    data["most_bytes"] = json!(most);
    Ok(data)
}

/// Returns the byte of a length: four bits after the first one, rounded up. It is at most a sixteenth
/// or a unit too long.
fn code(length: u64, unit: u64) -> u8 {
    let units = length.div_ceil(unit);
    let mut shift = 0;
    while units.div_ceil(1 << shift) >= 32 {
        shift += 1;
    }
    let code = 16 * shift + units.div_ceil(1 << shift);
    u8::try_from(code).expect("the unit is chosen so that the longest queue fits")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The length of a byte, as the script of the page computes it.
    fn length(code: u8, unit: u64) -> u64 {
        match code {
            0..32 => u64::from(code) * unit,
            _ => (u64::from(16 + code % 16) * unit) << (code / 16 - 1),
        }
    }

    #[test]
    fn lengths_are_rounded_up_by_a_sixteenth_at_most() {
        let mut last = 0;
        for units in 0..=MOST_UNITS {
            let code = code(units, 1);
            let found = length(code, 1);
            assert!(
                found >= units && found - units <= units / 16,
                "{units}: {found}"
            );
            assert!(code >= last, "{units}");
            last = code;
        }
        assert_eq!(last, 255);
        assert_eq!((code(0, 64), code(1, 64), code(65, 64)), (0, 1, 2));
    }

    #[test]
    fn shares_are_bytes() {
        assert_eq!(
            (share(0.0, 1.0), share(0.5, 1.0), share(2.0, 1.0)),
            (0, 125, 250)
        );
        assert_eq!(share(1.0, 0.0), 0);
    }
}
