//! The model on a plain list of events.

use std::collections::BTreeMap;

use fabricsim_base::units::Time;

use super::dice::index;
use super::engine::order_of;
use super::juggler::{Channel, Game, Sample, Seen};

/// Plays a game by a list of events: by time, then balls by (own order, channel), then timers.
pub(crate) fn play_by_list(game: &Game, ordered: bool) -> Seen {
    /// Time, process, `true` for timers, order, channel or value, number.
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
        // A change precedes all events of its time, as it does in the engine.
        if let Some(change) = changes.next_if(|change| next.is_none_or(|next| next >= change.at)) {
            looks.push(jugglers.iter().map(|juggler| juggler.log.len()).collect());
            for &(own, channel) in &change.recalled {
                let mut balls = Vec::new();
                events.retain(|&(at, process, is_timer, _, from, number), &mut value| {
                    let lost = process == own && !is_timer && from == channel as u64;
                    if lost {
                        balls.push((at, number, value));
                    }
                    !lost
                });
                // In the order in which they were sent.
                balls.sort_unstable();
                for (at, _, value) in balls {
                    jugglers[own].note(at, Sample::Lost, value);
                }
            }
            for &(own, at, value) in &change.set {
                events.insert((at, own, true, 0, value, next_number()), value);
            }
            continue;
        }
        let Some(((at, own, is_timer, _, channel, _), value)) = events.pop_first() else {
            break;
        };
        if is_timer {
            let channels = &game.jugglers[own].channels;
            jugglers[own].throw(at, value, |channel, at, value| {
                let Channel {
                    far, far_channel, ..
                } = channels[channel];
                let order = if ordered { order_of(value) } else { 0 };
                let key = (at, far, false, order, far_channel as u64, next_number());
                events.insert(key, value);
            });
        } else {
            let (at, value) = jugglers[own].catch(at, index(channel), value);
            events.insert((at, own, true, 0, value, next_number()), value);
        }
    }
    Seen {
        looks,
        logs: jugglers.into_iter().map(|juggler| juggler.log).collect(),
    }
}
