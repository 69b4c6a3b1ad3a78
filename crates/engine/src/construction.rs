//! Construction of an engine: places processes in partitions, and connects their channels.

use std::sync::Arc;

use super::channel::SendBuffer;
use super::engine::Engine;
use super::exchange::Exchange;
use super::inbox::{Inbox, LONGEST_SPAN, MOST_CHANNELS};
use super::interrupt::Interrupt;
use super::mailboxes::Mailboxes;
use super::member::Member;
use super::partition::Partition;
use super::partitions::Partitions;
use super::placement::{PARTITIONS_PER_THREAD, Placement};
use super::position::Position;
use super::process::{LogicalProcess, Wiring};
use super::schedule::Schedule;
use super::sides::{Side, longest_of, sides_of};
use super::spare::{Pool, Spare};
use super::threads::Threads;
use fabricsim_base::ranks::{Ranks, Shares, gather};
use fabricsim_base::units::{Duration, Time};

impl<D: LogicalProcess> Engine<D> {
    /// Returns an engine with `processes`. `wiring[i]` lists the links of process `i` in the order
    /// of its channels.
    ///
    /// # Panics
    /// Panics if a link has no delay, or a process has more than 65,536 channels.
    #[must_use]
    pub fn new(processes: Vec<D>, wiring: Vec<Vec<Wiring>>, threads: &Threads) -> Self {
        let processes = processes.into_iter().map(Some).collect();
        Self::on_ranks(processes, wiring, threads, None)
    }

    /// Like [`new`](Self::new), for a run over several ranks: processes on other ranks are `None`
    /// here. `wiring` contains the links of all processes. All ranks call the same methods of their
    /// engines, in the same order.
    ///
    /// # Panics
    /// Same as [`new`](Self::new).
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
        let margin = |(process, channels): (&Option<D>, &Vec<Wiring>)| {
            (process.as_ref()).map_or(Duration::ZERO, |one| margin_of(one, channels, lookahead))
        };
        let margins: Vec<Duration> = processes.iter().zip(&wiring).map(margin).collect();
        let lazy = margins.iter().any(|&margin| margin > Duration::ZERO);
        // A rank without lazy processes must still run the same epochs, so ranks agree on this.
        let ranks = shares.as_ref().map(|shares| &*shares.ranks);
        let lazy = gather(ranks, lazy).into_iter().any(|lazy| lazy);
        let count = ranks.map_or(0, Ranks::count);
        let longest = longest_of(lookahead).filter(|_| !lazy);
        let sides = longest.and_then(|_| sides_of(&wiring));
        let longest = longest.filter(|_| sides.is_some());
        let sides = sides.filter(|_| shares.is_none());
        // Several partitions per thread, so that a fast thread can take over work.
        let wanted = match threads.count() {
            1 => 1,
            count => PARTITIONS_PER_THREAD * count,
        };
        let placement = Placement::new(&processes, &wiring, wanted, shares.as_ref());
        let mut partitions = partitions_of(&placement, &wiring, sides.as_deref());
        let Placement {
            positions,
            sizes,
            borders,
        } = placement;
        // Positions decide the addresses of mailboxes, so channels are connected last.
        let mailboxes = Arc::new(Mailboxes::new(&sizes, count));
        let mut exchange = shares.map(Exchange::new);
        for index in placed_here(&positions) {
            let process = processes[index].take().expect("it is here");
            let channels = std::mem::take(&mut wiring[index]);
            assert!(
                channels.len() <= MOST_CHANNELS,
                "a process has at most 65,536 channels"
            );
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
                margin: margins[index],
                process,
            });
        }
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
            threads: threads.clone(),
            interrupt: Interrupt::default(),
            broken: false,
            steered: None,
            borders,
            exchange,
        }
    }
}

/// Returns partitions with room for the processes that `placement` assigns to them. If there are
/// `sides`, the sides take turns.
fn partitions_of<D: LogicalProcess>(
    placement: &Placement,
    wiring: &[Vec<Wiring>],
    sides: Option<&[Side]>,
) -> Partitions<D> {
    let Placement {
        positions, sizes, ..
    } = placement;
    let schedules: Vec<Schedule> = match sides {
        Some(sides) => Schedule::in_turns(sides, wiring, positions, sizes),
        None => sizes.iter().map(|_| Schedule::default()).collect(),
    };
    let pool = (sizes.len() > 1).then(|| Arc::new(Pool::new()));
    let parts = sizes.iter().zip(schedules).zip(0..);
    let partition = |((&size, schedule), number)| {
        let spare = match sides {
            Some(_) => Spare::for_turns(size as usize, pool.clone()),
            None => Spare::new(pool.clone()),
        };
        Box::new(Partition::new(size, number, schedule, spare))
    };
    parts.map(partition).collect()
}

/// Returns the processes of this rank, in the order of their places.
fn placed_here(positions: &[Position]) -> Vec<usize> {
    let all = 0..positions.len();
    let mut here: Vec<usize> = all.filter(|&index| positions[index].is_here()).collect();
    here.sort_by_key(|&index| positions[index]);
    here
}

/// Returns the shortest delay of all channels, limited to the time that a key can store.
fn lookahead_of(wiring: &[Vec<Wiring>]) -> Duration {
    let delays = wiring.iter().flatten().map(|channel| channel.delay);
    let lookahead = delays.min().unwrap_or(LONGEST_SPAN).min(LONGEST_SPAN);
    assert!(
        lookahead > Duration::ZERO,
        "an epoch needs links with a delay"
    );
    lookahead
}

/// Returns the simulated time by which a process with these channels may be behind other processes.
fn margin_of<D: LogicalProcess>(process: &D, channels: &[Wiring], lookahead: Duration) -> Duration {
    let shortest = channels.iter().map(|channel| channel.delay).min();
    match shortest {
        Some(delay) if process.may_run_lazily() => delay.min(LONGEST_SPAN) - lookahead,
        _ => Duration::ZERO,
    }
}
