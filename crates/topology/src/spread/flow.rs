//! The traffic between classes, computed for one destination class after the other.

use super::classes::{Classes, Way};

/// The distance of an unreached class.
const FAR: u32 = u32::MAX;

/// Returns the traffic on the ways of each class, summed over all members.
pub(super) fn carried(classes: &Classes) -> Vec<Vec<f64>> {
    let all = &classes.classes;
    let mut carried: Vec<Vec<f64>> = all
        .iter()
        .map(|class| vec![0.0; class.ways.len()])
        .collect();
    let mut search = Search {
        distance: vec![FAR; all.len()],
        order: Vec::with_capacity(all.len()),
        amount: vec![0.0; all.len()],
    };
    for to in (0..all.len()).filter(|&class| classes.takes(class)) {
        search.distances(classes, to);
        search.load(classes, to);
        search.push(classes, to, &mut carried);
        among_members(classes, to, &mut carried);
    }
    carried
}

/// The shortest paths to one class, and the traffic on them.
struct Search {
    distance: Vec<u32>,
    /// Classes from the nearest to the farthest.
    order: Vec<usize>,
    amount: Vec<f64>,
}

impl Search {
    /// Computes the distance of each class to `to`.
    fn distances(&mut self, classes: &Classes, to: usize) {
        self.distance.fill(FAR);
        self.order.clear();
        self.distance[to] = 0;
        self.order.push(to);
        let mut head = 0;
        while let Some(&class) = self.order.get(head) {
            head += 1;
            if class != to && !classes.classes[class].forwards {
                continue;
            }
            let next = self.distance[class] + 1;
            for way in &classes.classes[class].ways {
                if self.distance[way.to] == FAR {
                    self.distance[way.to] = next;
                    self.order.push(way.to);
                }
            }
        }
    }

    /// Sets the amount that each class sends to the members of `to`.
    fn load(&mut self, classes: &Classes, to: usize) {
        let goal = &classes.classes[to];
        for (amount, class) in self.amount.iter_mut().zip(&classes.classes) {
            let terms = class.sent.iter().zip(&goal.taken);
            let sum: f64 = terms.map(|(sent, taken)| sent * taken).sum();
            *amount = sum * class.members * goal.members;
        }
        for &(from, amount) in &classes.pairs[to] {
            self.amount[from] += amount;
        }
    }

    /// Moves all traffic to `to`, starting with the farthest classes.
    fn push(&mut self, classes: &Classes, to: usize, carried: &mut [Vec<f64>]) {
        for &class in self.order.iter().skip(1).rev() {
            let amount = self.amount[class];
            if amount <= 0.0 {
                continue;
            }
            let ways = &classes.classes[class].ways;
            let nearer = |way: &Way| {
                self.distance[way.to] != FAR
                    && self.distance[way.to] + 1 == self.distance[class]
                    && (way.to == to || classes.classes[way.to].forwards)
            };
            let links: f64 = ways
                .iter()
                .filter(|way| nearer(way))
                .map(|way| way.links)
                .sum();
            for (index, way) in ways.iter().enumerate().filter(|(_, way)| nearer(way)) {
                let share = amount * way.links / links;
                carried[class][index] += share;
                self.amount[way.to] += share;
            }
        }
    }
}

/// Adds the traffic that members of a class send to one another. It passes through any of their
/// shared neighbors that forward.
fn among_members(classes: &Classes, class: usize, carried: &mut [Vec<f64>]) {
    let own = &classes.classes[class];
    let forwards = |way: &&Way| classes.classes[way.to].forwards;
    let links: f64 = own.ways.iter().filter(forwards).map(|way| way.links).sum();
    if own.within <= 0.0 || links <= 0.0 {
        return;
    }
    for (index, way) in own.ways.iter().enumerate().filter(|(_, way)| forwards(way)) {
        let share = own.within * way.links / links;
        carried[class][index] += share;
        let ways = &classes.classes[way.to].ways;
        if let Ok(back) = ways.binary_search_by_key(&class, |way| way.to) {
            carried[way.to][back] += share;
        }
    }
}
