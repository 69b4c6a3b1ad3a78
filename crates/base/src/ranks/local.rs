//! Ranks that are threads of one program.

use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, channel};

use super::{Ranks, Receive};

/// A rank that is a thread of one program; each thread runs the whole simulation for its own nodes.
/// For tests, and for measuring the cost of ranks without a network between them.
#[derive(Debug)]
pub struct LocalRanks {
    rank: usize,
    /// Channels to and from each rank.
    lines: Mutex<Lines>,
}

#[derive(Debug)]
struct Lines {
    to: Vec<Sender<Vec<u8>>>,
    from: Vec<Receiver<Vec<u8>>>,
}

const GONE: &str = "all ranks take part in every exchange until the last one";

impl LocalRanks {
    /// Returns `count` ranks, one for each thread.
    #[must_use]
    pub fn new(count: usize) -> Vec<Self> {
        let mut senders: Vec<Vec<Sender<Vec<u8>>>> = (0..count).map(|_| Vec::new()).collect();
        let mut all = Vec::new();
        for rank in 0..count {
            let mut from = Vec::new();
            for to in &mut senders {
                let (sender, receiver) = channel();
                to.push(sender);
                from.push(receiver);
            }
            all.push((rank, from));
        }
        let ranks = all.into_iter().zip(senders);
        ranks
            .map(|((rank, from), to)| Self {
                rank,
                lines: Mutex::new(Lines { to, from }),
            })
            .collect()
    }
}

impl Ranks for LocalRanks {
    fn rank(&self) -> usize {
        self.rank
    }

    fn count(&self) -> usize {
        self.lines.lock().expect(GONE).to.len()
    }

    fn gather(&self, own: &[u8]) -> Vec<Vec<u8>> {
        let lines = self.lines.lock().expect(GONE);
        for to in &lines.to {
            to.send(own.to_vec()).expect(GONE);
        }
        let from = lines.from.iter();
        from.map(|from| from.recv().expect(GONE)).collect()
    }

    fn exchange(
        &self,
        early: &[Vec<u8>],
        meanwhile: &mut dyn FnMut(&mut Vec<u8>),
        receive: &mut Receive<'_>,
    ) {
        let lines = self.lines.lock().expect(GONE);
        let others = || (0..lines.to.len()).filter(|&other| other != self.rank);
        for other in others() {
            lines.to[other].send(early[other].clone()).expect(GONE);
        }
        let mut late = Vec::new();
        meanwhile(&mut late);
        for other in others() {
            lines.to[other].send(late.clone()).expect(GONE);
        }
        for other in others() {
            let early = lines.from[other].recv().expect(GONE);
            let late = lines.from[other].recv().expect(GONE);
            receive(other, &early, &late);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everyone_hears_from_everyone() {
        let ranks = LocalRanks::new(3);
        let heard: Vec<_> = std::thread::scope(|scope| {
            let threads = ranks.iter().zip(0u8..).map(|(ranks, own)| {
                scope.spawn(move || {
                    let gathered = ranks.gather(&[own]);
                    let early: Vec<Vec<u8>> = (0..3).map(|to| vec![own, to]).collect();
                    let mut heard = Vec::new();
                    ranks.exchange(
                        &early,
                        &mut |late| late.push(10 + own),
                        &mut |from, early, late| {
                            heard.push((from, early.to_vec(), late.to_vec()));
                        },
                    );
                    (gathered, heard)
                })
            });
            let threads: Vec<_> = threads.collect();
            threads
                .into_iter()
                .map(|one| one.join().expect("no rank fails"))
                .collect()
        });
        for (own, (gathered, heard)) in (0u8..).zip(heard) {
            assert_eq!(gathered, [[0], [1], [2]]);
            let others: Vec<u8> = (0..3).filter(|&other| other != own).collect();
            let expected = others
                .iter()
                .map(|&other| (other.into(), vec![other, own], vec![10 + other]));
            assert_eq!(heard, expected.collect::<Vec<_>>());
        }
    }
}
