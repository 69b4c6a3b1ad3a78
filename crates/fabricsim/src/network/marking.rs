//! The markers of the ports of switches: their thresholds, and their sources of random numbers.

use fabricsim_base::priority::{Priority, PrioritySet};
use fabricsim_base::units::Rate;
use fabricsim_core::plugin::quirks::MarkDraws;
use fabricsim_qdisc::{EcnConfig, Markers, PublishedDraws, RedEcn};
use fabricsim_scenario::scenario::Scenario;
use fabricsim_scenario::schema::switch::SwitchSettings;
use fabricsim_topology::Port;

/// The markers of ports, by priority.
pub(super) struct Marking<'a> {
    scenario: &'a Scenario,
    switch: SwitchSettings,
    nic_rate: Rate,
    wanted: [Option<EcnConfig>; Priority::COUNT],
    published_draws: PublishedDraws,
    /// Priorities with packets that are not marked by thresholds.
    unmarked: PrioritySet,
}

impl<'a> Marking<'a> {
    pub(super) fn new(scenario: &'a Scenario, unmarked: PrioritySet) -> Self {
        let nic_rate = scenario.nic_rate();
        Self {
            scenario,
            switch: scenario.switch().resolved(nic_rate, scenario.quirks()),
            nic_rate,
            // Contradicting marks are rejected when the scenario is read.
            wanted: scenario.wanted_marks().unwrap_or_default(),
            published_draws: PublishedDraws::new(scenario.topology().len() as u64, scenario.seed()),
            unmarked,
        }
    }

    /// Returns the markers of `port`, if it has any.
    pub(super) fn at(&self, port: &Port, number: u64) -> Option<Box<Markers>> {
        let scenario = self.scenario;
        let mut markers = Markers::default();
        for ((marker, wanted), priority) in
            markers.iter_mut().zip(&self.wanted).zip(Priority::all())
        {
            if self.unmarked.contains(priority) {
                continue;
            }
            let ecn = (self.switch).ecn_at(port.rate, priority, wanted.as_ref(), self.nic_rate);
            let entity = number * 8 + u64::from(priority.get());
            *marker = ecn.map(|ecn| match scenario.quirks().mark_draws {
                MarkDraws::OwnStream => RedEcn::new(&ecn, scenario.seed(), entity),
                MarkDraws::PortStreams => RedEcn::published(&ecn, &self.published_draws),
            });
        }
        let marks = markers.iter().any(Option::is_some);
        marks.then(|| Box::new(markers))
    }
}
