//! The two sides of a network in which every link connects one side with the other.

use super::process::Wiring;
use fabricsim_base::units::Duration;

/// Length of the longest epoch with turns, in lookaheads. At its end both sides must be at the same
/// time, so one of its phases is shorter than the rest.
const LOOKAHEADS: u64 = 16;

/// Maximum length of an epoch with turns. With long links an epoch has many messages anyway. If it
/// had more, the messages of a large switch could not be sorted by port, and progress would be
/// reported rarely.
const LONGEST: Duration = Duration::from_us(40);

/// One of two sides.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Side {
    /// The side of process 0, which runs first.
    First,
    /// The other side.
    Second,
}

/// Finds the sides of all processes; returns `None` if some link connects processes of the same
/// side.
pub(super) fn sides_of(wiring: &[Vec<Wiring>]) -> Option<Vec<Side>> {
    let mut sides: Vec<Option<Side>> = vec![None; wiring.len()];
    let mut found = Vec::new();
    for root in 0..wiring.len() {
        if sides[root].is_none() {
            sides[root] = Some(Side::First);
            found.push(root);
        }
        while let Some(process) = found.pop() {
            let far = match sides[process] {
                Some(Side::First) => Side::Second,
                _ => Side::First,
            };
            for channel in &wiring[process] {
                let peer = channel.process as usize;
                match sides[peer] {
                    None => {
                        sides[peer] = Some(far);
                        found.push(peer);
                    }
                    Some(side) if side != far => return None,
                    Some(_) => {}
                }
            }
        }
    }
    sides.into_iter().collect()
}

/// Returns the longest epoch in which two sides can take turns, or `None` if they cannot.
pub(super) fn longest_of(lookahead: Duration) -> Option<Duration> {
    let longest = lookahead.saturating_mul(LOOKAHEADS);
    (longest <= LONGEST).then_some(longest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sides(count: usize, links: &[(u32, u32)]) -> Option<Vec<bool>> {
        let mut wiring = vec![Vec::new(); count];
        for &(one, other) in links {
            for (own, process) in [(one, other), (other, one)] {
                wiring[own as usize].push(Wiring {
                    process,
                    channel: 0,
                    delay: Duration::from_ns(1),
                });
            }
        }
        let sides = sides_of(&wiring)?;
        Some(sides.iter().map(|&side| side == Side::First).collect())
    }

    #[test]
    fn hosts_and_every_second_tier_are_on_one_side() {
        // Two hosts at each of two ToR switches, and a spine; also an isolated pair of nodes.
        let links = [(0, 4), (1, 4), (2, 5), (3, 5), (4, 6), (5, 6), (7, 8)];
        let first = [true, true, true, true, false, false, true, true, false];
        assert_eq!(sides(9, &links), Some(first.into()));
    }

    #[test]
    fn a_circle_of_three_has_no_sides() {
        assert_eq!(sides(4, &[(0, 1), (1, 2), (2, 3), (3, 1)]), None);
        assert_eq!(sides(1, &[(0, 0)]), None, "a link to itself");
        assert!(sides(4, &[(0, 1), (1, 2), (2, 3), (3, 0)]).is_some());
    }
}
