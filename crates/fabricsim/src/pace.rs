//! Describes the order in which switches process packets, and the obstacle to a faster order.

use fabricsim_core::network::{EpochOrder, Obstacle};
use fabricsim_core::plugin::Interest;
use fabricsim_scenario::scenario::Scenario;

use crate::simulation::Simulation;

/// Returns the order in which the switches of `simulation`, built from `scenario`, process packets,
/// and the setting that prevents processing port by port. This affects only the time of a run, not
/// its results.
#[must_use]
pub fn pace(scenario: &Scenario, simulation: &Simulation) -> String {
    let plan = simulation.epoch_plan();
    // A simulation that is only checked captures nothing, so the setting counts instead.
    let obstacle = match scenario.capture() {
        Some(_) => Some("[capture] records packets in the order of time".to_owned()),
        None => plan.obstacle.map(|obstacle| reason(scenario, obstacle)),
    };
    let order = match plan.order {
        _ if scenario.capture().is_some() => "by time",
        EpochOrder::ByPort => "port by port, which is fastest",
        EpochOrder::Late => "by time, without timers",
        EpochOrder::Timed => "by time",
    };
    match obstacle {
        Some(reason) => format!("{order}: {reason}; 1.0 to 1.5 times the CPU"),
        None => order.to_owned(),
    }
}

/// Returns the setting that causes `obstacle`.
fn reason(scenario: &Scenario, obstacle: Obstacle) -> String {
    match obstacle {
        Obstacle::EventOrder => {
            "the profile has the published simulator's order of simultaneous events".to_owned()
        }
        Obstacle::Observer(_) if scenario.queries().is_some() => {
            "[[query]] follows packets in the order of time".to_owned()
        }
        Obstacle::Observer(interest) if interest.has(Interest::SENDS) => {
            "an observer sees packets in the order of time".to_owned()
        }
        Obstacle::Observer(_) => {
            "[observe] queue_distribution sees ports in the order of time".to_owned()
        }
        Obstacle::Telemetry => {
            "the ports of a switch share the random numbers of the telemetry".to_owned()
        }
        Obstacle::Routing => format!(
            "[routing] policy = \"{}\" may read the state of ports",
            scenario.routing_policy().name()
        ),
    }
}
