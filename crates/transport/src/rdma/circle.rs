//! The circle of flows at a NIC port of the published simulator.

use fabricsim_base::checkpoint::Stored;

/// Placeholder of an ended flow.
const ENDED: u32 = u32::MAX;

/// Flows in the order of their starts, by slot. An ended flow keeps its place until a search passes
/// it (`RdmaEgressQueue::GetNextQindex`).
#[derive(Clone, Debug, Default, Stored)]
#[checkpoint(plain)]
pub(crate) struct Circle {
    places: Vec<u32>,
    /// Place of the flow with the last turn. It is not adjusted if an unsuccessful search removes
    /// earlier places, so it may then refer to a later flow.
    last: u32,
}

impl Circle {
    /// Adds the flow in `slot`, which starts.
    pub(crate) fn join(&mut self, slot: u32) {
        self.places.push(slot);
    }

    /// Marks the flow in `slot` as ended.
    pub(crate) fn leave(&mut self, slot: u32) {
        if let Some(place) = self.places.iter_mut().find(|place| **place == slot) {
            *place = ENDED;
        }
    }

    /// Returns the next flow that is `ready`, and gives it the turn.
    ///
    /// Removes all ended flows that are listed after the first ended flow that the search passes.
    pub(crate) fn turn(&mut self, ready: impl Fn(u32) -> bool) -> Option<u32> {
        let count = self.places.len();
        let mut first_ended = count;
        let mut found = None;
        for step in 1..=count {
            let place = (step + self.last as usize) % count;
            match self.places[place] {
                ENDED => first_ended = first_ended.min(place),
                slot if ready(slot) => {
                    found = Some((place, slot));
                    break;
                }
                _ => {}
            }
        }
        let (place, slot) = match found {
            Some((place, slot)) => (place - self.clear(first_ended, place), slot),
            None => {
                self.clear(first_ended, count);
                return None;
            }
        };
        self.last = u32::try_from(place).expect("fewer than 2^32 live flows at a host");
        Some(slot)
    }

    /// Removes all ended flows from place `first` on. Returns the number of them before `place`.
    fn clear(&mut self, first: usize, place: usize) -> usize {
        let ended = |places: &[u32]| places.iter().filter(|&&slot| slot == ENDED).count();
        let before = self.places.get(first..place).map_or(0, ended);
        let mut number = 0;
        self.places.retain(|&slot| {
            number += 1;
            number <= first || slot != ENDED
        });
        before
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn circle(slots: &[u32]) -> Circle {
        let mut circle = Circle::default();
        slots.iter().for_each(|&slot| circle.join(slot));
        circle
    }

    /// The published NIC begins after the first flow.
    #[test]
    fn a_flow_that_starts_comes_last_whatever_its_slot() {
        let mut circle = circle(&[4, 7, 1]);
        let turns: Vec<_> = (0..4).map(|_| circle.turn(|_| true)).collect();
        assert_eq!(turns, [7, 1, 4, 7].map(Some));
        circle.leave(7);
        circle.join(0);
        let turns: Vec<_> = (0..4).map(|_| circle.turn(|_| true)).collect();
        assert_eq!(turns, [1, 0, 4, 1].map(Some));
    }

    #[test]
    fn the_turn_goes_on_behind_the_last_flow_where_a_search_finds_one() {
        let mut circle = circle(&[0, 1, 2, 3]);
        assert_eq!(circle.turn(|slot| slot == 2), Some(2));
        circle.leave(0);
        circle.leave(1);
        // The search passes 3, 0 and 1.
        assert_eq!(circle.turn(|slot| slot == 2), Some(2));
        assert_eq!(circle.places, [2, 3]);
        assert_eq!(circle.turn(|_| true), Some(3));
    }

    #[test]
    fn places_that_a_search_clears_in_vain_move_the_turn_on() {
        let mut circle = circle(&[0, 1, 2, 3]);
        assert_eq!(circle.turn(|slot| slot == 1), Some(1));
        circle.leave(0);
        assert_eq!(circle.turn(|_| false), None);
        assert_eq!(circle.places, [1, 2, 3]);
        // The place of 1 now belongs to 2, so 3 is next.
        assert_eq!(circle.turn(|_| true), Some(3));
    }

    #[test]
    fn ended_flows_before_those_that_a_search_passes_keep_their_places() {
        let mut circle = circle(&[0, 1, 2, 3]);
        assert_eq!(circle.turn(|_| true), Some(1));
        circle.leave(0);
        circle.leave(2);
        assert_eq!(circle.turn(|_| true), Some(3));
        assert_eq!(circle.places, [ENDED, 1, 3]);
    }
}
