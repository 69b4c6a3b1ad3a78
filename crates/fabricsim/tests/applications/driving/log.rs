//! Logs of a simulation, to compare them with another one.

use fabricsim::driver::{Event, Next};
use fabricsim::prelude::*;
use fabricsim_base::units::Time;

/// Start, end, source and destination of each flow, in the order of ends.
pub(crate) fn flows(simulation: &mut Simulation) -> Vec<(Time, Time, NodeId, NodeId, FlowId)> {
    let completions = simulation.take_completions();
    let row = |done: &Completion| {
        let request = &done.flow.request;
        (
            done.finish,
            request.start,
            request.src,
            request.dst,
            done.flow.id,
        )
    };
    completions.iter().map(row).collect()
}

/// Runs to the end, event by event, and calls `react` with each.
pub(crate) fn run_by_events(
    simulation: &mut Simulation,
    mut react: impl FnMut(&mut Simulation, &Event),
) -> Vec<Event> {
    let mut events: Vec<Event> = Vec::new();
    loop {
        match simulation.run_until_next(Time::MAX) {
            Next::Event(event) => {
                assert!(events.last().is_none_or(|last| last.at <= event.at));
                assert_eq!(simulation.now(), event.at);
                events.push(event);
                react(simulation, &event);
            }
            Next::Stopped(stop) => {
                assert_eq!(stop, Stop::Finished);
                return events;
            }
        }
    }
}
