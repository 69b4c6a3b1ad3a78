//! Construction of an engine: its processes in their partitions, with their channels.

use std::sync::Arc;

use super::channel::SendBuffer;
use super::epochs::Partitions;
use super::exchange::Exchange;
use super::inbox::{Inbox, LONGEST_SPAN, MOST_CHANNELS};
use super::mailboxes::Mailboxes;
use super::partition::{Member, Partition};
use super::placement::{Placement, Position};
use super::sides::{longest_of, sides_of, take_sides};
use super::spare::Pool;
use super::{Engine, Interrupt, LogicalProcess, PARTITIONS_PER_THREAD, Threads, Wiring};
use fabricsim_base::ranks::{Shares, gather};
use fabricsim_base::units::{Duration, Time};

impl<D: LogicalProcess> Engine<D> {
    /// An engine over `processes`. `wiring[i]` lists the links of process `i` in the order of its
    /// channels.
    ///
    /// # Panics
    /// When a link has no delay, or a process has more than 65,536 channels.
    #[must_use]
    pub fn new(processes: Vec<D>, wiring: Vec<Vec<Wiring>>, threads: &Threads) -> Self {
        let processes = processes.into_iter().map(Some).collect();
        Self::on_ranks(processes, wiring, threads, None)
    }

    /// Like [`new`](Self::new), where other ranks hold the processes that are `None` here. `wiring`
    /// is that of all processes. All ranks do the same with their engines, in the same order.
    ///
    /// # Panics
    /// As [`new`](Self::new).
    #[must_use]
    pub fn on_ranks(
        mut processes: Vec<Option<D>>,
        mut wiring: Vec<Vec<Wiring>>,
        threads: &Threads,
        shares: Option<Shares>,
    ) -> Self {
        assert_eq!(
            processes.len(),
            wiring.len(),
            "every process has its wiring"
        );
        let lookahead = lookahead_of(&wiring);
        let wanted = match threads.count() {
            1 => 1,
            count => PARTITIONS_PER_THREAD * count,
        };
        let placement = Placement::new(&processes, &wiring, wanted, shares.as_ref());
        let Placement {
            positions,
            sizes,
            borders,
        } = placement;
        let pool = (sizes.len() > 1).then(|| Arc::new(Pool::new()));
        let mut partitions: Partitions<D> = (sizes.iter().zip(0..))
            .map(|(&size, number)| Box::new(Partition::new(size, number, pool.clone())))
            .collect();
        let ranks = shares.as_ref().map_or(0, |shares| shares.ranks.count());
        let mailboxes = Arc::new(Mailboxes::new(&sizes, ranks));
        let mut exchange = shares.map(Exchange::new);
        let mut lazy = false;
        let sides = sides_of(&wiring);
        for index in placed_here(&positions) {
            let process = processes[index].take().expect("it is here");
            let channels = std::mem::take(&mut wiring[index]);
            assert!(
                channels.len() <= MOST_CHANNELS,
                "a process has at most 65,536 channels"
            );
            let margin = margin_of(&process, &channels, lookahead);
            lazy |= margin > Duration::ZERO;
            let own = positions[index].partition;
            let neighbor = |far: &Wiring| match (positions[far.process as usize], &mut exchange) {
                (Position::ELSEWHERE, Some(exchange)) => {
                    exchange.neighbor(&mailboxes, far.process, far.channel)
                }
                (position, _) => mailboxes.neighbor(position, far.channel, own),
            };
            let partition = &mut partitions[own as usize];
            partition.push(Member {
                index,
                mailbox: mailboxes.of_process(positions[index]),
                inbox: Inbox::new(channels.len()),
                send_buffer: SendBuffer::new(channels.len()),
                neighbors: channels.iter().map(neighbor).collect(),
                margin,
                process,
            });
        }
        if let Some(exchange) = &exchange {
            // Ranks put off the same work.
            let all = gather(Some(&*exchange.shares.ranks), lazy);
            lazy = all.into_iter().any(|lazy| lazy);
        }
        let longest = longest_of(lookahead).filter(|_| !lazy && sides.is_some());
        let sides = sides.filter(|_| longest.is_some() && exchange.is_none());
        let takes_turns = sides.is_some_and(|sides| take_sides(&mut partitions, &sides));
        Self {
            partitions,
            positions,
            mailboxes,
            lazy,
            lookahead,
            longest: longest.unwrap_or(lookahead),
            now: Time::ZERO,
            epochs: 0,
            rounds: 0,
            takes_turns,
            threads: threads.clone(),
            interrupt: Interrupt::default(),
            broken: false,
            steered: None,
            borders,
            exchange,
        }
    }
}

/// The processes of this rank, in the order of their places.
fn placed_here(positions: &[Position]) -> Vec<usize> {
    let all = 0..positions.len();
    let mut here: Vec<usize> = all.filter(|&index| positions[index].is_here()).collect();
    here.sort_by_key(|&index| positions[index]);
    here
}

/// The shortest delay of all channels, no longer than a key can hold.
fn lookahead_of(wiring: &[Vec<Wiring>]) -> Duration {
    let delays = wiring.iter().flatten().map(|channel| channel.delay);
    let lookahead = delays.min().unwrap_or(LONGEST_SPAN).min(LONGEST_SPAN);
    assert!(
        lookahead > Duration::ZERO,
        "an epoch needs links with a delay"
    );
    lookahead
}

/// The simulated time by which a process with these channels may be behind the others.
fn margin_of<D: LogicalProcess>(process: &D, channels: &[Wiring], lookahead: Duration) -> Duration {
    let shortest = channels.iter().map(|channel| channel.delay).min();
    match shortest {
        Some(delay) if process.may_run_lazily() => delay.min(LONGEST_SPAN) - lookahead,
        _ => Duration::ZERO,
    }
}
