//! Endings of runs with applications, and the reports about incomplete ones.

use fabricsim::{Scenario, Simulation};
use fabricsim_base::flow::FlowRequest;
use fabricsim_base::id::{ClassId, NodeId};
use fabricsim_base::priority::Priority;
use fabricsim_base::units::{Bytes, Duration, Time};
use fabricsim_core::network::{Overload, Room, Stop};
use fabricsim_core::plugin::{AppContext, AppFlow, Application, StartError};

use crate::hosted::player::{Game, Means, Player, play, silent};

const STAR: &str = r#"kind = "star"
    hosts = 4"#;
const CC: &str = r#"
    [cc]
    kind = "dcqcn""#;

const GAME: Game = Game {
    ping: Bytes::new(1_000),
    pong: Bytes::new(1_000),
    think: Duration::from_us(1),
    rounds: 10,
    priority: Priority::new(3),
    means: Means::Flows,
};

fn simulation(scenario: &Scenario) -> Simulation {
    Simulation::new(scenario, 1).unwrap()
}

fn micros(us: u64) -> Time {
    Time::ZERO + Duration::from_us(us)
}

#[test]
fn an_application_that_never_stops_is_stopped_by_time() {
    let mut simulation = simulation(&silent(STAR, CC));
    let game = Game {
        rounds: u64::MAX,
        ..GAME
    };
    play(&mut simulation, 0, 1, game);
    assert_eq!(simulation.run_until(micros(1_000)), Stop::TimeReached);
    let (host, reason) = simulation.waiting_applications().remove(0);
    assert_eq!(host, NodeId(0));
    assert!(reason.ends_with("pongs from host 1"), "{reason}");
    assert!(simulation.flows_started() - simulation.flows_finished() <= 2);
    assert_eq!(simulation.run_until(micros(2_000)), Stop::TimeReached);
}

#[test]
fn a_client_whose_server_says_nothing_stalls_and_says_so() {
    let mut simulation = simulation(&silent(STAR, CC));
    play(&mut simulation, 0, 1, GAME);
    // Host 3 runs no player that could reply.
    let lonely = Player::new(NodeId(3), GAME);
    simulation.add_application(NodeId(2), lonely).unwrap();
    assert_eq!(simulation.run_until(Time::MAX), Stop::Stalled);
    assert_eq!(
        simulation.waiting_applications(),
        [(NodeId(2), "10 pongs from host 3".to_owned())]
    );
    assert!(simulation.unfinished().is_empty());
    assert_eq!(simulation.flows_finished(), 21);
}

#[test]
fn a_flow_that_cannot_end_stalls_the_run_and_is_listed() {
    let more = format!(
        r#"
            {CC}
            [run]
            stall_after = "20ms"
            [[event]]
            at = "20us"
            kind = "link-down"
            link = [1, 4]"#
    );
    let mut simulation = simulation(&silent(STAR, &more));
    play(
        &mut simulation,
        0,
        1,
        Game {
            rounds: 100,
            ..GAME
        },
    );
    assert_eq!(simulation.run_until(Time::MAX), Stop::Stalled);
    let unfinished = simulation.unfinished();
    let unreachable = simulation.unreachable();
    assert!(!unfinished.is_empty() || !unreachable.is_empty());
    for left in &unfinished {
        assert!(left.reason.contains("link"), "{}", left.reason);
    }
    assert!(
        simulation.waiting_applications()[0]
            .1
            .contains("pongs from host 1")
    );
}

/// Sends one flow after each of several delays.
#[derive(Debug)]
struct Late {
    dst: NodeId,
    delays: Vec<Duration>,
}

impl Application for Late {
    fn on_start(&mut self, context: &mut AppContext<'_>) {
        let flow = AppFlow::new(self.dst, Bytes::new(500), ClassId(1));
        for &delay in &self.delays {
            context.start_flow_after(delay, &flow).unwrap();
        }
    }
}

#[test]
fn flows_without_a_route_are_listed_in_the_order_of_their_starts() {
    // The link of host 3 fails before most of the flows start, so these find no route.
    let more = format!(
        r#"
        {CC}
        [[event]]
        at = "10us"
        kind = "link-down"
        link = [3, 4]"#
    );
    let run = |step: u64| {
        let mut simulation = simulation(&silent(STAR, &more));
        for (host, delays) in [(0, [5, 30, 50]), (1, [20, 30, 60])] {
            let late = Late {
                dst: NodeId(3),
                delays: delays.map(Duration::from_us).into(),
            };
            simulation.add_application(NodeId(host), late).unwrap();
        }
        // A flow from outside must be listed among the flows of applications, by its start.
        let injected = FlowRequest {
            src: NodeId(2),
            dst: NodeId(3),
            size: Bytes::new(1),
            start: micros(40),
            class: ClassId(0),
            priority: Priority::new(3),
            src_port: None,
            dst_port: 1,
        };
        simulation.inject(injected).unwrap();
        // Short steps must list the same flows as one long step.
        let mut until = 0;
        let mut stop = Stop::TimeReached;
        while stop == Stop::TimeReached {
            until += step;
            stop = simulation.run_until(micros(until));
        }
        assert_eq!(stop, Stop::Finished);
        assert_eq!(simulation.flows_started(), 1);
        let unreachable = simulation.unreachable().iter().enumerate();
        let list: Vec<(u32, u64, String)> = unreachable
            .map(|(index, request)| {
                let reason = simulation.unreachable_reason(index).to_owned();
                (request.src.0, request.start.as_ps() / 1_000_000, reason)
            })
            .collect();
        list
    };
    let list = run(1_000);
    let starts: Vec<(u32, u64)> = list.iter().map(|(src, at, _)| (*src, *at)).collect();
    assert_eq!(
        starts,
        [(1, 20), (0, 30), (1, 30), (2, 40), (0, 50), (1, 60)]
    );
    for (_, at, reason) in &list {
        assert!(
            reason.starts_with(&format!("when it was to start ({at}us)")),
            "{reason}"
        );
    }
    assert_eq!(run(7), list);
}

/// Sets timers forever.
#[derive(Debug)]
struct Spinner;

impl Application for Spinner {
    fn on_start(&mut self, context: &mut AppContext<'_>) {
        context.set_timer(Duration::from_us(3), 0);
    }

    fn on_timer(&mut self, context: &mut AppContext<'_>, token: u64) {
        context.set_timer(Duration::ZERO, token + 1);
    }
}

#[test]
fn timers_without_end_at_one_instant_end_the_run() {
    let mut simulation = simulation(&silent(STAR, CC));
    simulation.add_application(NodeId(2), Spinner).unwrap();
    let stop = simulation.run_until(Time::MAX);
    let overload = Overload::EndlessTimers(NodeId(2));
    assert_eq!(stop, Stop::Overloaded(overload));
    assert!(
        overload
            .to_string()
            .starts_with("an application at host 2 has set")
    );
}

#[test]
fn more_flows_than_there_is_room_for_end_the_run() {
    let mut simulation = simulation(&silent(STAR, CC));
    simulation.set_room(Room {
        live_flows: 5,
        ..Room::default()
    });
    let late = Late {
        dst: NodeId(1),
        delays: vec![Duration::ZERO; 9],
    };
    simulation.add_application(NodeId(0), late).unwrap();
    let stop = simulation.run_until(Time::MAX);
    assert_eq!(stop, Stop::Overloaded(Overload::Flows(9)));
}

/// Sets and cancels timers, and tries to start impossible flows.
#[derive(Debug, Default)]
struct Fussy {
    fired: Vec<(u64, Time)>,
    refused: Vec<String>,
    drawn: u64,
}

impl Application for Fussy {
    fn on_start(&mut self, context: &mut AppContext<'_>) {
        context.set_timer(Duration::from_us(9), 1);
        context.set_timer(Duration::from_us(5), 2);
        context.set_timer(Duration::from_us(7), 3);
        context.set_timer(Duration::from_us(2), 1);
        assert!(context.cancel_timer(3) && !context.cancel_timer(3));
        let good = AppFlow::new(NodeId(1), Bytes::new(1), ClassId(0));
        let bad = [
            AppFlow {
                dst: context.host(),
                ..good
            },
            AppFlow {
                dst: NodeId(4),
                ..good
            },
            AppFlow {
                dst: NodeId(99),
                ..good
            },
            AppFlow {
                size: Bytes::ZERO,
                ..good
            },
            AppFlow {
                priority: Priority::CONTROL,
                ..good
            },
        ];
        for flow in bad {
            let Err(StartError::Refused(why)) = context.start_flow(&flow) else {
                panic!("{flow:?} is impossible");
            };
            self.refused.push(why);
        }
        let late = context.start_flow_after(Duration::MAX, &good);
        assert!(matches!(late, Err(StartError::Refused(_))));
        self.drawn = context.random().next_u64();
    }

    fn on_timer(&mut self, context: &mut AppContext<'_>, token: u64) {
        self.fired.push((token, context.now()));
    }
}

#[test]
fn timers_move_and_impossible_flows_are_refused_in_words() {
    let mut simulation = simulation(&silent(STAR, CC));
    for host in [0, 2] {
        simulation
            .add_application(NodeId(host), Fussy::default())
            .unwrap();
    }
    assert_eq!(simulation.run_until(Time::MAX), Stop::Finished);
    assert_eq!(
        (simulation.flows_started(), simulation.ended()),
        (0, micros(5))
    );
    let fussy: Vec<&Fussy> = simulation.applications().map(|(_, fussy)| fussy).collect();
    assert_eq!(fussy[0].fired, [(1, micros(2)), (2, micros(5))]);
    assert_ne!(fussy[0].drawn, fussy[1].drawn);
    assert_eq!(
        fussy[0].refused,
        [
            "host 0 sends to itself",
            "its destination, switch0 (node 4), is not a host",
            "its destination, node 99, is not a host",
            "it has no bytes",
            "its priority is 0, and flows use 1 to 7",
        ]
    );
    let error = simulation.add_application(NodeId(4), Spinner).unwrap_err();
    assert_eq!(
        error.to_string(),
        "cannot add the application: node 4 is not a host"
    );
}

#[test]
fn an_application_can_come_later() {
    let mut simulation = simulation(&silent(STAR, CC));
    play(&mut simulation, 0, 1, GAME);
    assert_eq!(simulation.run_until(micros(10)), Stop::TimeReached);
    play(&mut simulation, 2, 3, GAME);
    assert_eq!(simulation.run_until(Time::MAX), Stop::Finished);
    assert_eq!(simulation.flows_finished(), 40);
    // Also after the end of the run.
    let end = simulation.now();
    play(&mut simulation, 1, 2, GAME);
    assert_eq!(simulation.run_until(Time::MAX), Stop::Finished);
    assert!(simulation.now() > end);
    assert_eq!(simulation.flows_finished(), 60);
}
