//! The model on the engine.

use fabricsim_base::checkpoint::Stored;
use fabricsim_base::fifo::Assign;
use fabricsim_base::rng::mix;
use fabricsim_base::units::{Duration, Time};
use fabricsim_engine::{
    ArrivalOrder, Driver, Engine, Epoch, Execution, Grouped, Inbox, LogicalProcess, Message,
    Processes, SendBuffer, Threads, Timer, Timers, Wiring,
};

use super::dice::{Dice, small};
use super::juggler::{Change, Game, Juggler, Sample, Seen};

/// A ball. With `ORDERED`, balls that arrive at the same time are ordered by value first, then by
/// channel.
#[derive(Clone, Copy, Debug, Stored)]
#[checkpoint(plain)]
struct Ball<const ORDERED: bool> {
    value: u64,
    arrival: Time,
    /// `true` if the receiving process has prepared it.
    prepared: bool,
    /// Balls that arrive at the same time have the same group.
    group: u8,
}

pub(crate) const fn order_of(value: u64) -> u64 {
    value % 3
}

impl<const ORDERED: bool> Assign for Ball<ORDERED> {}

impl<const ORDERED: bool> Message for Ball<ORDERED> {
    fn arrival(&self) -> Time {
        self.arrival
    }

    fn set_arrival(&mut self, at: Time) {
        self.arrival = at;
    }

    fn group(&self) -> u64 {
        u64::from(self.group)
    }
}

/// The balls' own order, if `ORDERED`.
struct BallOrder<const ORDERED: bool>;

impl<const ORDERED: bool> ArrivalOrder<Ball<ORDERED>> for BallOrder<ORDERED> {
    const BY_PLACE: bool = ORDERED;

    fn place(ball: &Ball<ORDERED>) -> u64 {
        order_of(ball.value)
    }
}

fn timer(at: Time, value: u64) -> Timer {
    let part = |shift: u32, bits: u32| value >> shift & ((1 << bits) - 1);
    Timer {
        at,
        set: u32::try_from(part(32, 32)).expect("32 bits"),
        rank: u16::try_from(part(16, 16)).expect("16 bits"),
        index: u16::try_from(part(0, 16)).expect("16 bits"),
    }
}

fn value_of(timer: Timer) -> u64 {
    u64::from(timer.set) << 32 | u64::from(timer.rank) << 16 | u64::from(timer.index)
}

#[derive(Debug)]
struct Part<const ORDERED: bool> {
    juggler: Juggler,
    timers: Timers,
    lazy: bool,
    weight: u64,
}

impl<const ORDERED: bool> LogicalProcess for Part<ORDERED> {
    type Message = Ball<ORDERED>;
    type Order = BallOrder<ORDERED>;

    fn next_event(&self) -> Time {
        self.timers.next_time()
    }

    fn may_run_lazily(&self) -> bool {
        self.lazy
    }

    fn weight(&self) -> u64 {
        self.weight
    }

    fn prepare(&mut self, balls: &mut [Ball<ORDERED>]) {
        for ball in balls {
            assert!(!ball.prepared, "each ball is shown once");
            ball.prepared = true;
            ball.group = u8::try_from(mix(ball.arrival.as_ps()) % 5).expect("small");
        }
    }

    fn groups(&self) -> usize {
        if self.weight.is_multiple_of(3) || self.juggler.state.is_multiple_of(4) {
            0
        } else {
            5
        }
    }

    fn run(
        &mut self,
        end: Time,
        inbox: &mut Inbox<Ball<ORDERED>>,
        send_buffer: &mut SendBuffer<Ball<ORDERED>>,
    ) {
        let mut grouped = ungroup(inbox, end).into_iter().peekable();
        loop {
            let first = grouped.peek().map(|&(arrival, ..)| arrival);
            let arrival = first.unwrap_or_else(|| inbox.next_time());
            let local = self.timers.next_time();
            if arrival.min(local) >= end {
                return;
            }
            if arrival <= local {
                let (_, channel, value, prepared) = grouped.next().unwrap_or_else(|| {
                    assert!(inbox.peek().is_some_and(|ball| ball.arrival == arrival));
                    inbox.read(|channel, ball| (arrival, channel, ball.value, ball.prepared))
                });
                assert!(prepared, "no ball is read before it has been shown");
                let (at, value) = self.juggler.catch(arrival, channel, value);
                self.timers.set(timer(at, value));
            } else {
                let due = self.timers.pop().expect("a timer has just been seen");
                self.juggler
                    .throw(local, value_of(due), |channel, at, value| {
                        let ball = Ball {
                            value,
                            arrival: Time::ZERO,
                            prepared: false,
                            group: 0,
                        };
                        send_buffer.send(channel, at, &ball);
                    });
            }
        }
    }
}

/// Returns the due balls of all groups in time order: their channels and values, and `true` if they
/// were prepared.
fn ungroup<const ORDERED: bool>(
    inbox: &mut Inbox<Ball<ORDERED>>,
    end: Time,
) -> Vec<(Time, usize, u64, bool)> {
    let mut all = Vec::new();
    if !inbox.has_groups() {
        return all;
    }
    assert!(!ORDERED, "balls with an order of their own have no groups");
    let mut order = Vec::new();
    let due = inbox.due() as u64;
    let mut bounds = Vec::new();
    let groups = inbox.read_groups(end);
    let read = groups.len() as u64;
    for mut group in groups {
        let (number, last) = (group.number(), group.last_time());
        let mut latest = None;
        let mut again = true;
        while let Some(arrival) = group.next() {
            // Return each ball a second time.
            again = !again;
            if !again {
                group.step_back();
                continue;
            }
            let Grouped { at, channel, .. } = arrival;
            let ball = arrival.message;
            assert_eq!((at, number), (ball.arrival, ball.group.into()));
            let again = group.current();
            assert_eq!((again.at, again.channel), (at, channel), "once more");
            assert!(std::ptr::eq(again.message, ball));
            latest = Some(at);
            bounds.push(arrival.until);
            order.push((number, at, channel));
            all.push((at, channel, ball.value, ball.prepared));
        }
        assert_eq!(latest, Some(last));
    }
    assert_eq!((read, inbox.due()), (due, 0));
    assert!(order.is_sorted(), "by group, time and channel");
    for (number, &until) in bounds.iter().enumerate() {
        let next = order
            .get(number + 1)
            .filter(|next| next.0 == order[number].0);
        assert_eq!(until, next.map_or(end, |next| next.1), "the next one");
    }
    all.sort_by_key(|&(at, channel, ..)| (at, channel));
    all
}

/// Drives the engine through a game, in epochs of random lengths.
struct Hand<'a> {
    changes: std::slice::Iter<'a, Change>,
    coming: Option<&'a Change>,
    dice: Dice,
    level: Time,
    looks: Vec<Vec<usize>>,
    /// `true` for epochs of the maximum length.
    whole: bool,
}

impl<const ORDERED: bool> Driver<Part<ORDERED>> for Hand<'_> {
    fn before(
        &mut self,
        processes: &mut Processes<'_, Part<ORDERED>>,
        mut next: Time,
    ) -> Option<Epoch> {
        // A change reads all processes, so lazy ones must catch up before.
        while let Some(change) = self.coming.filter(|change| next >= change.at) {
            if processes.may_run_lazily() && self.level < change.at {
                self.level = change.at;
                return Some(Epoch {
                    start: change.at,
                    end: change.at,
                    execution: Execution::Eager,
                });
            }
            let seen = processes.iter().map(|part| part.juggler.log.len());
            self.looks.push(seen.collect());
            for &(own, channel) in &change.recalled {
                processes.recall(own, channel, |part, ball| {
                    part.juggler.note(ball.arrival, Sample::Lost, ball.value);
                });
            }
            for &(own, at, value) in &change.set {
                processes.update(own, |part| part.timers.set(timer(at, value)));
            }
            self.coming = self.changes.next();
            next = processes.next_event();
        }
        if next == Time::MAX {
            return None;
        }
        // The results must not depend on the length of epochs, nor on eager ones in between.
        let most = match self.dice.roll(3) {
            0 => processes.lookahead(),
            _ => processes.longest_epoch(),
        };
        let most = most.as_ps();
        let length = match self.dice.roll(4) {
            0 if !self.whole => 1 + self.dice.roll(most),
            _ => most,
        };
        let look = self.coming.map_or(Time::MAX, |change| change.at);
        let end = next.saturating_add(Duration::from_ps(length)).min(look);
        let execution = if end == look || self.dice.roll(32) == 0 {
            self.level = end;
            Execution::Eager
        } else {
            Execution::Lazy
        };
        Some(Epoch {
            start: next,
            end,
            execution,
        })
    }

    fn collect(&mut self, _processes: &mut Processes<'_, Part<ORDERED>>) {}
}

pub(crate) fn play_by_engine<const ORDERED: bool>(
    game: &Game,
    threads: usize,
    seed: u64,
    probed: bool,
) -> (Seen, u64) {
    let wiring = game.jugglers.iter().map(|juggler| {
        let channels = juggler.channels.iter();
        channels
            .map(|channel| Wiring {
                process: small(channel.far),
                channel: small(channel.far_channel),
                delay: channel.delay,
            })
            .collect()
    });
    let mut parts: Vec<Part<ORDERED>> = game
        .jugglers
        .iter()
        .zip(game.lazy.iter().zip(&game.weights))
        .map(|(juggler, (&lazy, &weight))| Part {
            juggler: juggler.clone(),
            timers: Timers::default(),
            lazy,
            weight,
        })
        .collect();
    for &(own, at, value) in &game.first {
        parts[own].timers.set(timer(at, value));
    }
    let threads = Threads::start(threads).expect("a few threads");
    let mut engine = Engine::new(parts, wiring.collect(), &threads);
    let mut changes = game.changes.iter();
    // The driver's own draws only vary the epochs, which must not matter.
    let mut hand = Hand {
        coming: changes.next(),
        changes,
        dice: Dice(seed),
        level: Time::ZERO,
        looks: Vec::new(),
        whole: seed.is_multiple_of(2),
    };
    if probed {
        engine.run_probed(&mut hand, &mut ());
    } else {
        engine.run(&mut hand);
    }
    let logs = engine.processes().map(|(_, part)| part.juggler.log.clone());
    let seen = Seen {
        logs: logs.collect(),
        looks: hand.looks,
    };
    (seen, engine.epochs())
}
