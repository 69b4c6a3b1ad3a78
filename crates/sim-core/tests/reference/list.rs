//! The model on a plain list of events.

use std::collections::BTreeMap;

use fabricsim_core::units::Time;

use super::dice::index;
use super::engine::order_of;
use super::juggler::{Game, Lane, Seen, Sight};

/// Plays by a list of events: by time, then balls by (own order, lane), then timers.
pub(crate) fn play_by_list(game: &Game, ordered: bool) -> Seen {
    /// Time, domain, timers behind balls, order, lane or value, number.
    type Key = (Time, usize, bool, u64, u64, u64);
    let mut jugglers = game.jugglers.clone();
    let mut events: BTreeMap<Key, u64> = BTreeMap::new();
    let mut number = 0;
    let mut next_number = move || {
        number += 1;
        number
    };
    for &(own, at, value) in &game.first {
        events.insert((at, own, true, 0, value, next_number()), value);
    }
    let mut looks = Vec::new();
    let mut changes = game.changes.iter().peekable();
    loop {
        let next = events.first_key_value().map(|(&(at, ..), _)| at);
        if let Some(change) = changes.next_if(|change| next.is_none_or(|next| next >= change.at)) {
            looks.push(jugglers.iter().map(|juggler| juggler.log.len()).collect());
            for &(own, lane) in &change.recalled {
                let mut balls = Vec::new();
                events.retain(|&(at, domain, is_timer, _, from, number), &mut value| {
                    let lost = domain == own && !is_timer && from == lane as u64;
                    if lost {
                        balls.push((at, number, value));
                    }
                    !lost
                });
                // In the order in which they were sent.
                balls.sort_unstable();
                for (at, _, value) in balls {
                    jugglers[own].note(at, Sight::Lost, value);
                }
            }
            for &(own, at, value) in &change.set {
                events.insert((at, own, true, 0, value, next_number()), value);
            }
            continue;
        }
        let Some(((at, own, is_timer, _, lane, _), value)) = events.pop_first() else {
            break;
        };
        if is_timer {
            let lanes = &game.jugglers[own].lanes;
            jugglers[own].throw(at, value, |lane, at, value| {
                let Lane { far, far_lane, .. } = lanes[lane];
                let order = if ordered { order_of(value) } else { 0 };
                let key = (at, far, false, order, far_lane as u64, next_number());
                events.insert(key, value);
            });
        } else {
            let (at, value) = jugglers[own].catch(at, index(lane), value);
            events.insert((at, own, true, 0, value, next_number()), value);
        }
    }
    Seen {
        looks,
        logs: jugglers.into_iter().map(|juggler| juggler.log).collect(),
    }
}
