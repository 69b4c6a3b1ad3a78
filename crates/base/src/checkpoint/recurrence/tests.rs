use std::collections::BTreeMap;

use super::super::{Checkpointed, Kind, Reader, Recurrence, Snapshot, Stored, Writer};
use crate::units::{Bytes, Duration, Time};

/// A sender that sends a packet of 10 bytes every 7 ps, and a turn that alternates.
#[derive(Checkpointed, Clone, Debug, PartialEq)]
struct Sender {
    next: Time,
    #[checkpoint(sequence)]
    sent: u64,
    #[checkpoint(sequence)]
    acknowledged: u64,
    #[checkpoint(goal)]
    size: u64,
    #[checkpoint(plain)]
    turn: u16,
    #[checkpoint(counter)]
    packets: u32,
    #[checkpoint(counter)]
    total: Bytes,
    #[checkpoint(deadline)]
    timeout: Time,
    #[checkpoint(record)]
    last: Time,
    #[checkpoint(extreme)]
    longest: u64,
}

const PACKET: u64 = 10;

impl Sender {
    fn new() -> Self {
        Self {
            next: Time::from_ps(107),
            sent: 50,
            acknowledged: 20,
            size: 1_000_000,
            turn: 0,
            packets: 5,
            total: Bytes::new(50),
            timeout: Time::MAX,
            last: Time::from_ps(100),
            longest: 3,
        }
    }

    fn step(&mut self) {
        self.last = self.next;
        self.next += Duration::from_ps(7);
        self.sent += PACKET;
        self.acknowledged += PACKET;
        self.turn ^= 1;
        self.packets += 1;
        self.total += Bytes::new(PACKET);
    }

    fn snapshot(&self) -> Snapshot {
        let mut out = Writer::relative(self.last);
        out.in_flow(4, |out| self.save(out));
        out.finish_relative().expect("all numbers have kinds")
    }
}

/// Returns the recurrence of the sender after two steps, if `change` changes it as well.
fn recurs(change: impl FnOnce(&mut Sender)) -> Option<Recurrence> {
    let mut sender = Sender::new();
    let first = sender.snapshot();
    (0..2).for_each(|_| sender.step());
    change(&mut sender);
    sender.snapshot().recurs(&first, PACKET)
}

#[test]
fn a_moved_state_is_the_state_after_as_many_periods() {
    let mut sender = Sender::new();
    let mut snapshots = Vec::new();
    for _ in 0..4 {
        snapshots.push(sender.snapshot());
        sender.step();
    }
    assert!(snapshots[1].recurs(&snapshots[0], PACKET).is_none());
    let found = snapshots[2]
        .recurs(&snapshots[0], PACKET)
        .expect("the turn is the same");
    assert_eq!(found.period, Duration::from_ps(14));
    assert!(found.progresses);
    for periods in [0, 1, 1_000] {
        let mut later = snapshots[2].clone();
        later.advance(&found, periods);
        let mut input = later.read();
        let mut moved = Sender::new();
        moved.load(&mut input).expect("the same type");
        let mut stepped = Sender::new();
        (0..2 + 2 * periods).for_each(|_| stepped.step());
        assert_eq!(moved, stepped);
        assert_eq!(input.now(), stepped.last);
    }
}

#[test]
fn what_has_followed_a_state_follows_it_again() {
    let mut sender = Sender::new();
    sender.timeout = Time::from_ps(100_000);
    let mut snapshots = Vec::new();
    for _ in 0..3 {
        snapshots.push(sender.snapshot());
        sender.step();
    }
    let begun = &snapshots[0];
    let found = (snapshots[2].recurs(begun, PACKET)).expect("the turn is the same");
    for periods in [1, 1_000] {
        let mut again = begun.clone();
        again.advance(&found, periods);
        let flows = found.flows.iter();
        let flows = flows.map(|(&flow, step)| (flow, step * periods)).collect();
        let later = snapshots[1].after_again((begun, &again), &flows);
        let later = later.expect("all numbers can be told");
        let mut moved = Sender::new();
        moved.load(&mut later.read()).expect("the same type");
        let mut stepped = Sender::new();
        stepped.timeout = sender.timeout;
        (0..=2 * periods).for_each(|_| stepped.step());
        assert_eq!(moved, stepped);
    }
}

#[test]
fn a_deadline_that_stays_must_be_told_from_others() {
    let both = |first: u64, second: u64, now: u64| {
        let mut out = Writer::relative(Time::from_ps(now));
        out.declare(Kind::Deadline);
        (Time::from_ps(first), Time::from_ps(second)).store(&mut out);
        out.finish_relative().expect("both have kinds")
    };
    let (begun, again) = (both(500, 120, 100), both(500, 220, 200));
    let after = |first, second| {
        let later = both(first, second, 150).after_again((&begun, &again), &BTreeMap::new())?;
        let mut input = later.read();
        let values = <(Time, Time)>::fetch(&mut input).expect("both are there");
        Some((values.0.as_ps(), values.1.as_ps()))
    };
    assert_eq!(after(500, 170), Some((500, 270)));
    assert_eq!(
        after(500, 120),
        Some((500, 220)),
        "it has moved with the state"
    );
    assert_eq!(after(500, 500), None, "one of them may be new");
    assert_eq!(after(400, 170), None, "the one that stays is gone");
}

#[test]
fn every_kind_has_its_rule() {
    let at = Time::from_ps;
    assert!(recurs(|_| {}).is_some());
    assert!(recurs(|sender| sender.turn = 9).is_none());
    assert!(recurs(|sender| sender.next = at(122)).is_none());
    assert!(
        recurs(|sender| sender.acknowledged += 1).is_none(),
        "positions move together"
    );
    assert!(recurs(|sender| sender.last = at(113)).is_none());
    assert!(recurs(|sender| sender.timeout = at(300)).is_none());
    assert!(recurs(|sender| sender.longest = 77).is_some());
    assert!(recurs(|sender| sender.packets += 5).is_some());
}

#[test]
fn goals_and_deadlines_that_stay_bound_the_jump() {
    let found = recurs(|_| {}).expect("it recurs");
    // From 70 sent bytes to a packet before the end, 20 bytes a period.
    assert_eq!(found.most, (1_000_000 - 70 - PACKET) / 20);
    assert_eq!(found.until, Time::MAX);
    let with = |size: u64, timeout: u64| {
        let mut sender = Sender::new();
        (sender.size, sender.timeout) = (size, Time::from_ps(timeout));
        let first = sender.snapshot();
        (0..2).for_each(|_| sender.step());
        sender.snapshot().recurs(&first, PACKET)
    };
    assert_eq!(
        with(500, 900).map(|found| found.until),
        Some(Time::from_ps(900))
    );
    // It has passed long ago, or in the period.
    assert_eq!(with(500, 99).map(|found| found.until), Some(Time::MAX));
    assert!(with(500, 110).is_none());
    // The end is behind, among the positions, or near.
    assert!(with(20, 900).is_some_and(|found| found.most > 1_000_000));
    assert!(with(60, 900).is_none());
    assert_eq!(with(85, 900).map(|found| found.most), Some(0));
}

#[test]
fn integers_without_a_kind_have_no_relative_form() {
    let mut out = Writer::relative(Time::ZERO);
    7u64.store(&mut out);
    assert!(out.finish_relative().is_err());
    let mut out = Writer::relative(Time::ZERO);
    out.unchanging(|out| 7u64.store(out));
    assert!(out.finish_relative().is_ok());
}

#[derive(Checkpointed)]
#[checkpoint(absolute)]
struct Dice {
    throws: u64,
}

#[test]
fn a_type_may_say_that_it_has_no_relative_form() {
    let mut out = Writer::relative(Time::ZERO);
    Dice { throws: 3 }.save(&mut out);
    let refused = out.finish_relative().expect_err("the type says so");
    assert!(refused.name.ends_with("Dice"), "{refused:?}");
    let mut out = Writer::default();
    Dice { throws: 3 }.save(&mut out);
    let bytes = out.finish().expect("the absolute form has no kinds");
    let mut dice = Dice { throws: 0 };
    dice.load(&mut Reader::new(&bytes)).expect("the same type");
    assert_eq!(dice.throws, 3);
}

#[test]
fn counters_do_not_exceed_their_type() {
    let mut sender = Sender::new();
    sender.packets = u32::MAX - 13;
    let first = sender.snapshot();
    (0..2).for_each(|_| sender.step());
    let found = sender.snapshot().recurs(&first, PACKET).expect("it recurs");
    assert_eq!(found.most, 5);
}
