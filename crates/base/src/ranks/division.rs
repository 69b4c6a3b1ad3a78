//! Division of the nodes of a network over ranks.

/// A link of a node, for [`divide`].
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Link {
    /// The node at the far end.
    pub peer: u32,
    /// The traffic of the link, relative to other links.
    pub weight: u64,
}

/// Maximum number of passes over all nodes in which nodes are moved; stops earlier if no move
/// helps.
const MOST_PASSES: usize = 8;
/// A rank may exceed an equal share by this fraction (1 / `SLACK`).
const SLACK: u64 = 64;

/// Divides nodes among `count` ranks and returns the rank of each.
///
/// Ranks get about the same sum of `weights`, and neighbors are placed together, so that little
/// traffic crosses between ranks. The result depends only on the arguments.
///
/// # Panics
/// Panics unless there are 1 to 65,536 ranks and each node has its links.
#[must_use]
pub fn divide(weights: &[u64], links: &[Vec<Link>], count: usize) -> Vec<u16> {
    assert_eq!(weights.len(), links.len(), "every node has its links");
    assert!(
        (1..=1 << 16).contains(&count),
        "ranks are numbered by 16 bits"
    );
    let total: u128 = weights
        .iter()
        .map(|&weight| u128::from(weight.max(1)))
        .sum();
    let mut ranks = vec![0; weights.len()];
    let mut before = 0;
    for node in walk(links) {
        let weight = u128::from(weights[node].max(1));
        // The middle of a node's weight decides its share.
        let share = (2 * before + weight) * count as u128 / (2 * total);
        ranks[node] = u16::try_from(share).expect("shares are fewer than ranks");
        before += weight;
    }
    improve(&mut ranks, weights, links, count);
    ranks
}

/// Returns all nodes in depth-first order from the first one, so that each follows soon after a
/// neighbor.
pub fn walk(links: &[Vec<Link>]) -> Vec<usize> {
    let mut order = Vec::with_capacity(links.len());
    let mut seen = vec![false; links.len()];
    let mut stack: Vec<(usize, usize)> = Vec::new();
    for root in 0..links.len() {
        if std::mem::replace(&mut seen[root], true) {
            continue;
        }
        order.push(root);
        stack.push((root, 0));
        while let Some((node, next)) = stack.last_mut() {
            let Some(link) = links[*node].get(*next) else {
                stack.pop();
                continue;
            };
            *next += 1;
            let peer = link.peer as usize;
            if !std::mem::replace(&mut seen[peer], true) {
                order.push(peer);
                stack.push((peer, 0));
            }
        }
    }
    order
}

/// Moves nodes to ranks to which they have more links, as long as no rank gets too much weight.
fn improve(ranks: &mut [u16], weights: &[u64], links: &[Vec<Link>], count: usize) {
    let mut sums = vec![0u64; count];
    for (&rank, &weight) in ranks.iter().zip(weights) {
        sums[usize::from(rank)] += weight.max(1);
    }
    let total: u64 = sums.iter().sum();
    let share = total / count as u64;
    let most = share + share / SLACK;
    let mut towards = vec![0u64; count];
    for _ in 0..MOST_PASSES {
        let mut moved = false;
        for node in 0..ranks.len() {
            let own = usize::from(ranks[node]);
            towards.fill(0);
            for link in &links[node] {
                towards[usize::from(ranks[link.peer as usize])] += link.weight;
            }
            let weight = weights[node].max(1);
            let fits = |rank: &usize| sums[*rank] + weight <= most;
            let others = (0..count).filter(|&rank| rank != own).filter(fits);
            // The first of the ranks with the most links.
            let best = others.rev().max_by_key(|&rank| towards[rank]);
            if let Some(best) = best.filter(|&best| towards[best] > towards[own]) {
                sums[own] -= weight;
                sums[best] += weight;
                ranks[node] = u16::try_from(best).expect("ranks are numbered by 16 bits");
                moved = true;
            }
        }
        if !moved {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns `groups` switches with `hosts` hosts each, all connected to `tops` switches above.
    fn tree(groups: u32, hosts: u32, tops: u32) -> (Vec<u64>, Vec<Vec<Link>>) {
        let switches = groups * hosts;
        let nodes = switches + groups + tops;
        let mut links = vec![Vec::new(); nodes as usize];
        let mut join = |one: u32, other: u32| {
            links[one as usize].push(Link {
                peer: other,
                weight: 1,
            });
            links[other as usize].push(Link {
                peer: one,
                weight: 1,
            });
        };
        for group in 0..groups {
            (0..hosts).for_each(|host| join(group * hosts + host, switches + group));
            (0..tops).for_each(|top| join(switches + group, switches + groups + top));
        }
        (links.iter().map(|own| own.len() as u64).collect(), links)
    }

    fn cut(ranks: &[u16], links: &[Vec<Link>]) -> usize {
        let crossing = |node: usize| {
            let far = links[node].iter().map(|link| ranks[link.peer as usize]);
            far.filter(|&rank| rank != ranks[node]).count()
        };
        (0..ranks.len()).map(crossing).sum::<usize>() / 2
    }

    #[test]
    fn most_hosts_stay_with_their_switch() {
        let (weights, links) = tree(8, 16, 4);
        for count in [1, 2, 4] {
            let ranks = divide(&weights, &links, count);
            // At each border between two ranks, at most the hosts of one switch are separated from
            // it.
            let apart = (0..8 * 16).filter(|&host| ranks[host] != ranks[8 * 16 + host / 16]);
            assert!(apart.count() <= 8 * (count - 1), "{count} ranks");
            let mut sums = vec![0; count];
            for (rank, weight) in ranks.iter().zip(&weights) {
                sums[usize::from(*rank)] += weight;
            }
            let share = weights.iter().sum::<u64>() / count as u64;
            assert!(sums.iter().all(|&sum| sum * 10 <= share * 12), "{sums:?}");
            // Only slightly more links are cut than the links to the switches above.
            assert!(
                cut(&ranks, &links) <= 8 * 4 + 8 * (count - 1),
                "{count} ranks"
            );
        }
    }

    #[test]
    fn more_ranks_than_nodes_leave_some_empty() {
        let (weights, links) = tree(1, 1, 1);
        let ranks = divide(&weights, &links, 16);
        assert_eq!(ranks.len(), 3);
        assert!(ranks.iter().all(|&rank| rank < 16));
    }
}
