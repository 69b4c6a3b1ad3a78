//! The requests that a driver may make, and the errors for impossible ones.

use fabricsim::driver::{Actions, Driver, Event, EventKind, Message, Next};
use fabricsim::prelude::*;
use fabricsim_core::network::Overload;

use crate::driving::simulation;

const STAR: &str = r#"
    [topology]
    kind = "star"
    hosts = 4
    [cc]
    kind = "hpcc"
"#;

fn message(src: u32, dst: u32, size: u64) -> Message {
    Message::new(NodeId(src), NodeId(dst), Bytes::new(size))
}

#[test]
fn impossible_messages_and_timers_are_refused_in_words() {
    let mut star = simulation(STAR, 1);
    let mut refused = |message: Message| star.send(&message).unwrap_err().to_string();
    assert!(refused(message(0, 4, 1)).contains("destination, node 4, is not a host"));
    assert!(refused(message(9, 0, 1)).contains("source, node 9, is not a host"));
    assert!(refused(message(1, 1, 1)).contains("sends to itself"));
    assert!(refused(message(0, 1, 0)).contains("no bytes"));
    assert!(refused(message(0, 1, u64::MAX)).contains("flows up to"));
    assert!(star.send_at(Time::MAX, &message(0, 1, 1)).is_err());
    assert!(star.set_timer(Time::MAX, 0).is_err());
    star.set_timer(Time::from_ns(5), 7).unwrap();
    let event = star.run_until_next(Time::MAX);
    let kind = EventKind::Timer(7);
    let at = Time::from_ns(5);
    assert_eq!(event, Next::Event(Event { at, kind }));
    assert!(star.send_at(Time::from_ns(4), &message(0, 1, 1)).is_err());
    assert!(star.set_timer(Time::from_ns(4), 0).is_err());
}

#[test]
fn timers_are_moved_and_canceled() {
    let mut star = simulation(STAR, 1);
    star.set_timer(Time::from_ns(10), 1).unwrap();
    star.set_timer(Time::from_ns(20), 2).unwrap();
    star.set_timer(Time::from_ns(30), 1).unwrap();
    star.set_timer(Time::from_ns(40), 3).unwrap();
    assert!(star.cancel_timer(3));
    assert!(!star.cancel_timer(3) && !star.cancel_timer(4));
    let mut heard = Vec::new();
    while let Next::Event(event) = star.run_until_next(Time::MAX) {
        heard.push((event.at, event.kind));
    }
    let timer = |ns, token| (Time::from_ns(ns), EventKind::Timer(token));
    assert_eq!(heard, [timer(20, 2), timer(30, 1)]);
}

#[test]
fn a_run_stops_between_events_at_the_time_that_was_asked_for() {
    let mut star = simulation(STAR, 1);
    star.send(&message(0, 1, 1_000)).unwrap();
    let ideal = star.ideal_time(&message(0, 1, 1_000)).unwrap();
    assert!(ideal > Duration::from_us(4) && star.ideal_time(&message(0, 9, 1)).is_none());
    assert_eq!(
        star.run_until_next(Time::from_ns(100)),
        Next::Stopped(Stop::TimeReached)
    );
    assert_eq!(star.now(), Time::from_ns(100));
    star.send(&message(2, 3, 1_000)).unwrap();
    let mut starts = Vec::new();
    while let Next::Event(_) = star.run_until_next(Time::MAX) {}
    for done in star.take_completions() {
        starts.push(done.flow.request.start);
    }
    assert_eq!(starts, [Time::ZERO, Time::from_ns(100)]);
}

#[test]
fn a_message_without_a_route_is_told_of() {
    let text = format!(
        r#"
        {STAR}
        [[event]]
        kind = "link-down"
        at = "1us"
        link = [0, 4]
    "#
    );
    let mut star = simulation(&text, 1);
    let late = Time::from_ns(2_000);
    star.send_at(late, &message(0, 1, 1_000)).unwrap();
    let Next::Event(event) = star.run_until_next(Time::MAX) else {
        panic!("nothing was heard");
    };
    assert_eq!(event.at, late);
    assert_eq!(event.kind, EventKind::Unreachable(message(0, 1, 1_000)));
    assert_eq!(
        star.run_until_next(Time::MAX),
        Next::Stopped(Stop::Finished)
    );
    assert_eq!(star.unreachable().len(), 1);
}

/// Sets a timer for the present instant, again and again.
struct Endless;

impl Driver for Endless {
    fn on_event(&mut self, _event: &Event, actions: &mut Actions<'_>) {
        actions.set_timer(actions.now(), 0).unwrap();
    }
}

#[test]
fn a_driver_that_does_not_let_time_pass_ends_the_run() {
    let mut star = simulation(STAR, 1);
    star.attach(Endless);
    star.set_timer(Time::ZERO, 0).unwrap();
    let overload = Overload::EndlessTimers(NodeId(0));
    assert_eq!(star.run_until(Time::MAX), Stop::Overloaded(overload));
}

/// Stops at each event.
struct Stopper;

impl Driver for Stopper {
    fn on_event(&mut self, _event: &Event, actions: &mut Actions<'_>) {
        actions.stop();
    }
}

#[test]
fn a_driver_can_stop_the_run_which_goes_on_later() {
    let mut star = simulation(STAR, 1);
    star.attach(Stopper);
    star.send(&message(0, 1, 1_000)).unwrap();
    star.set_timer(Time::ZERO, 0).unwrap();
    star.set_timer(Time::ZERO, 1).unwrap();
    let mut stops = Vec::new();
    while star.run_until(Time::MAX) == Stop::Interrupted {
        stops.push(star.now());
    }
    assert_eq!(stops.len(), 4);
    assert_eq!(stops[..2], [Time::ZERO; 2]);
    assert_eq!(star.take_completions().len(), 1);
}
