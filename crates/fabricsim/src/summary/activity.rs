//! The reactions of congestion control in a run, by class.

use fabricsim_base::id::ClassId;
use fabricsim_base::units::Duration;
use fabricsim_core::plugin::{CcActivity, RateTimes};
use fabricsim_scenario::cc::registry::AnyCcConfig;
use fabricsim_scenario::scenario::Scenario;
use serde::{Deserialize, Serialize};

use crate::simulation::Simulation;

/// The reactions of the congestion control of a class.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct CcSummary {
    /// Number of the class.
    pub class: u16,
    /// Name of the algorithm.
    pub algorithm: String,
    /// Packets that acknowledgements reported as marked.
    pub marks_echoed: u64,
    /// Events (acknowledgements, losses, grants, timers) after which a rate or a window was lower than
    /// before.
    pub decreases: u64,
    /// Acknowledgements that the algorithm read, with their telemetry if it uses some.
    #[serde(default)]
    pub acks_read: u64,
    /// Senders: flows of RDMA, and connections.
    pub senders: u64,
    /// Senders with a decrease.
    pub slowed_senders: u64,
    /// Senders with a rate below the rate of their NIC port at their end, or at the end of the run.
    pub below_line_rate: u64,
    /// Share of the time with a pacing rate in which the rate was at least the rate of the NIC port;
    /// absent for TCP and without pacing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_at_line_rate: Option<f64>,
    /// Share of that time in which the rate was the lowest that the algorithm sets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_at_lowest_rate: Option<f64>,
    /// Says that the algorithm never acted, and why, if this is so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub never_acted: Option<String>,
}

/// Returns the reactions of the classes of `simulation`, built from `scenario`.
pub(super) fn activity_of(scenario: &Scenario, simulation: &Simulation) -> Vec<CcSummary> {
    let activity = simulation.cc_activity();
    activity
        .iter()
        .map(|(class, activity)| summary(class, &activity, scenario))
        .collect()
}

fn summary(class: ClassId, activity: &CcActivity, scenario: &Scenario) -> CcSummary {
    let cc = scenario.cc_of(class);
    let RateTimes {
        paced,
        at_line,
        at_floor,
    } = activity.times;
    let share =
        |part: Duration| (paced > Duration::ZERO).then(|| part.as_secs_f64() / paced.as_secs_f64());
    CcSummary {
        class: class.0,
        algorithm: cc.name().to_owned(),
        marks_echoed: activity.marked,
        decreases: activity.decreases,
        acks_read: activity.acks,
        senders: activity.senders,
        slowed_senders: activity.slowed,
        below_line_rate: activity.below_line_rate,
        time_at_line_rate: share(at_line),
        time_at_lowest_rate: share(at_floor),
        never_acted: never_acted(cc, activity, scenario),
    }
}

/// Returns a sentence about an algorithm that has never lowered a rate or a window.
fn never_acted(cc: &AnyCcConfig, activity: &CcActivity, scenario: &Scenario) -> Option<String> {
    let name = cc.name();
    if activity.decreases > 0 || name == "none" {
        return None;
    }
    let reads_marks = cc.marking(scenario.nic_rate()).is_some();
    Some(match activity.marked {
        0 if reads_marks => {
            format!("no acknowledgement reported a mark, so {name} never slowed a flow down")
        }
        0 => format!("{name} never slowed a flow down"),
        marks => format!(
            "{name} never slowed a flow down, although acknowledgements reported {marks} marked packets"
        ),
    })
}
