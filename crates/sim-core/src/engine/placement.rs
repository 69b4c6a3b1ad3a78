//! Which domains are run by one thread.

use super::{Domain, Wiring};

/// Where a domain is: its group, and its place there.
#[derive(Clone, Copy, Debug, Default, Eq, Ord, PartialEq, PartialOrd)]
pub(super) struct Place {
    pub(super) group: u32,
    pub(super) place: u32,
}

/// Divides domains into at most `wanted` groups of about the same weight, in which neighbours are
/// together: what they send each other then stays in the cache of one thread. Returns the place of
/// each domain and the size of each group.
pub(super) fn place<D: Domain>(
    domains: &[D],
    wiring: &[Vec<Wiring>],
    wanted: usize,
) -> (Vec<Place>, Vec<u32>) {
    let weight = |index: usize| u128::from(domains[index].weight().max(1));
    let total: u128 = (0..domains.len()).map(weight).sum();
    let wanted = wanted.clamp(1, domains.len().max(1)) as u128;
    let mut places = vec![Place::default(); domains.len()];
    let (mut before, mut group, mut last) = (0, 0, None);
    for index in walk(wiring) {
        // The share of the weight in whose middle the domain lies; a heavy one may skip some.
        let share = (2 * before + weight(index)) * wanted / (2 * total);
        before += weight(index);
        group += u32::from(last.is_some_and(|last| last != share));
        last = Some(share);
        places[index].group = group;
    }
    // Within a group in the order of their numbers: that keeps domains of one kind together.
    let mut sizes = vec![0; group as usize + 1];
    for place in &mut places {
        let size = &mut sizes[place.group as usize];
        place.place = *size;
        *size += 1;
    }
    (places, sizes)
}

/// All domains, each soon after one that it has a link to: depth first, from the first domain on.
fn walk(wiring: &[Vec<Wiring>]) -> Vec<usize> {
    let mut order = Vec::with_capacity(wiring.len());
    let mut seen = vec![false; wiring.len()];
    let mut stack: Vec<(usize, usize)> = Vec::new();
    for root in 0..wiring.len() {
        if std::mem::replace(&mut seen[root], true) {
            continue;
        }
        order.push(root);
        stack.push((root, 0));
        while let Some((domain, lane)) = stack.last_mut() {
            let Some(far) = wiring[*domain].get(*lane) else {
                stack.pop();
                continue;
            };
            *lane += 1;
            let next = far.domain as usize;
            if !std::mem::replace(&mut seen[next], true) {
                order.push(next);
                stack.push((next, 0));
            }
        }
    }
    order
}
