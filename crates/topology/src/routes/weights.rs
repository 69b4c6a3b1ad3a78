//! Equal next hops weighted by the capacity beyond them: WCMP (Zhou et al., EuroSys 2014). As in
//! the paper, the table repeats a port as many times as its weight.

use fabricsim_base::id::PortId;

use super::hop::Hop;

/// Maximum number of entries of one set.
const MOST_ENTRIES: usize = 256;
/// Maximum weight of the port with the lowest capacity.
const MOST_LEAST: u32 = 32;
/// Accepted relative difference between a port's share of the entries and its share of the
/// capacity.
const EXACT: f64 = 0.01;

/// A switch's hop to the next one on shortest paths, with the rate of its link.
#[derive(Clone, Copy, Debug)]
pub(super) struct WeighedHop {
    pub(super) hop: Hop,
    pub(super) bps: f64,
}

/// Returns the capacity beyond each hop of each switch, for one destination. Switches without hops
/// are the destination's own.
///
/// The onward capacity of a switch is divided among the links into it in proportion to their rates;
/// a hop has no more capacity than its own link.
pub(super) fn capacities(hops: &[Vec<WeighedHop>]) -> Vec<Vec<f64>> {
    let mut arriving = vec![0.0; hops.len()];
    for hop in hops.iter().flatten() {
        arriving[hop.hop.to as usize] += hop.bps;
    }
    let mut onward: Vec<Option<f64>> = hops
        .iter()
        .map(|own| own.is_empty().then_some(f64::INFINITY))
        .collect();
    let share = |hop: &WeighedHop, onward: f64| {
        (onward * hop.bps / arriving[hop.hop.to as usize]).min(hop.bps)
    };
    // A switch needs the capacities of all switches to which it sends, so they are computed first,
    // with an explicit stack as deep as paths are long.
    for switch in 0..hops.len() {
        let mut waiting = vec![switch];
        while let Some(&last) = waiting.last() {
            let before = waiting.len();
            let unknown = hops[last].iter().map(|hop| hop.hop.to as usize);
            waiting.extend(unknown.filter(|&to| onward[to].is_none()));
            if waiting.len() > before {
                continue;
            }
            waiting.pop();
            if onward[last].is_none() {
                let known = |hop: &WeighedHop| {
                    onward[hop.hop.to as usize].expect("a switch beyond is worked out first")
                };
                let sum = hops[last].iter().map(|hop| share(hop, known(hop))).sum();
                onward[last] = Some(sum);
            }
        }
    }
    hops.iter()
        .map(|own| {
            let each = own.iter().map(|hop| {
                let onward = onward[hop.hop.to as usize].expect("all switches are worked out");
                share(hop, onward)
            });
            each.collect()
        })
        .collect()
}

/// Repeats `ports` in proportion to their capacities. Returns the fewest entries with shares within
/// a hundredth of each port's capacity, otherwise the closest ones; `None` if all capacities are
/// equal.
pub(super) fn entries(ports: &[PortId], capacities: &[f64]) -> Option<Vec<PortId>> {
    let least = capacities.iter().copied().fold(f64::INFINITY, f64::min);
    let most = capacities.iter().copied().fold(0.0, f64::max);
    if !(least > 0.0 && most.is_finite()) || most - least <= EXACT * most {
        return None;
    }
    let mut best: Option<(f64, Vec<usize>)> = None;
    for scale in 1..=MOST_LEAST {
        let counts = counts(capacities, f64::from(scale) / least);
        let error = error(capacities, &counts);
        if best.is_some() && counts.iter().sum::<usize>() > MOST_ENTRIES {
            break;
        }
        if best.as_ref().is_none_or(|(lowest, _)| error < *lowest) {
            best = Some((error, counts));
        }
        if error <= EXACT {
            break;
        }
    }
    let (_, counts) = best?;
    let repeated = ports.iter().zip(counts);
    Some(
        repeated
            .flat_map(|(&port, count)| std::iter::repeat_n(port, count))
            .collect(),
    )
}

/// Returns the number of entries of ports with these capacities, in units of 1 / `scale`.
fn counts(capacities: &[f64], scale: f64) -> Vec<usize> {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "from 1 to the most entries"
    )]
    let count =
        |capacity: &f64| (capacity * scale).round().clamp(1.0, MOST_ENTRIES as f64) as usize;
    capacities.iter().map(count).collect()
}

/// Returns the largest relative difference between a port's share of the entries and its share of
/// the capacity.
fn error(capacities: &[f64], counts: &[usize]) -> f64 {
    let all: f64 = capacities.iter().sum();
    let entries = counts.iter().sum::<usize>() as f64;
    let pairs = capacities.iter().zip(counts);
    let errors =
        pairs.map(|(capacity, &count)| (count as f64 / entries / (capacity / all) - 1.0).abs());
    errors.fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    const GBPS: f64 = 1e9;

    const fn hop(to: u32, port: u16, gbps: f64) -> WeighedHop {
        WeighedHop {
            hop: Hop {
                to,
                port: PortId(port),
            },
            bps: gbps * GBPS,
        }
    }

    #[test]
    fn capacity_beyond_is_divided_among_the_links_that_lead_there() {
        // There are two switches below (0, 1), two above (2, 3) and the destination's own (4). The
        // second of the two above can send half as much onward.
        let below = || vec![hop(2, 0, 100.0), hop(3, 1, 100.0)];
        let hops = [
            below(),
            below(),
            vec![hop(4, 0, 200.0)],
            vec![hop(4, 0, 100.0)],
            Vec::new(),
        ];
        let found = capacities(&hops);
        assert_eq!(found[0], [100.0 * GBPS, 50.0 * GBPS]);
        assert_eq!(found[1], found[0]);
        assert_eq!(found[2], [200.0 * GBPS]);
        assert!(found[4].is_empty());
    }

    #[test]
    fn ports_are_repeated_as_their_capacities_ask_for() {
        let ports = [PortId(0), PortId(1), PortId(2)];
        assert_eq!(entries(&ports, &[4.0, 4.0, 4.0]), None);
        let three_to_four = entries(&ports, &[3.0, 4.0, 4.0]).expect("they differ");
        let count = |port: u16| {
            three_to_four
                .iter()
                .filter(|&&found| found == PortId(port))
                .count()
        };
        assert_eq!([count(0), count(1), count(2)], [3, 4, 4]);
        assert!(three_to_four.is_sorted());
    }

    #[test]
    fn very_different_capacities_take_no_more_entries_than_there_is_room_for() {
        let ports = [PortId(0), PortId(1)];
        let found = entries(&ports, &[1.0, 1_000.0]).expect("they differ");
        assert_eq!(found.len(), MOST_ENTRIES + 1);
        assert_eq!(found[1], PortId(1));
    }
}
