//! Settings as values, for `summary.json` and `fabricsim check`.

use fabricsim_core::plugin::CcContext;
use fabricsim_core::units::Duration;
use fabricsim_topology::TopologyConfig;
use fabricsim_workload::WorkloadConfig;
use serde::Serialize;

use crate::scenario::Scenario;
use crate::schema::event::Event;
use crate::schema::switch::SwitchSettings;

impl Scenario {
    /// Every setting with its value, defaults filled in, as it stands in `summary.json`.
    #[must_use]
    pub fn resolved(&self) -> serde_json::Value {
        let nic_rate = self.nic_rate();
        let link_rates = self.link_rates();
        let context = CcContext {
            nic_rate,
            link_rates: &link_rates,
            base_rtt: Duration::ZERO,
            longest_path: 0,
            seed: self.seed,
            fidelity: self.fidelity(),
        };
        let workloads: Vec<serde_json::Value> = self
            .workloads
            .iter()
            .map(|workload| tagged(workload.kind(), &workload_value(workload)))
            .collect();
        let classes: Vec<serde_json::Value> = self
            .class_cc
            .iter()
            .map(|(class, cc)| serde_json::json!({"id": class.0, "cc": cc.resolved(&context)}))
            .collect();
        let mut resolved = serde_json::json!({
            "name": self.name,
            "seed": self.seed,
            "profile": self.profile,
            "topology": tagged(self.topology_config.name(), &topology_value(&self.topology_config)),
            "switch": SwitchSettings {
                ecn: None,
                ecn_rules: self.ecn_in_use(),
                ..self.switch.resolved(nic_rate, self.fidelity())
            },
            "transport": self.transport_resolved(),
            "routing": self.routing.resolved(self.seed, self.fidelity()),
            "workload": workloads,
            "cc": self.cc.resolved(&context),
            "class": classes,
            "run": self.run,
        });
        if self.has_tcp() {
            resolved["tcp"] = serde_json::json!(self.tcp.resolved());
            resolved["queue"] = serde_json::json!(self.queues);
            resolved["switch"]["lossy_alpha"] = self.switch.lossy_alpha().into();
        }
        if !self.events.is_empty() {
            resolved["event"] = self.events.iter().map(Event::value).collect();
        }
        if let Some(queries) = &self.queries {
            resolved["pint"] = serde_json::json!(queries.pint);
            resolved["query"] = serde_json::json!(queries.queries);
        }
        if let Some(observe) = &self.observe {
            resolved["observe"] = serde_json::json!(observe);
        }
        resolved
    }
}

fn to_value(settings: &impl Serialize) -> serde_json::Value {
    serde_json::to_value(settings).expect("settings are plain tables")
}

/// A table with its kind in front.
fn tagged(kind: &str, settings: &serde_json::Value) -> serde_json::Value {
    let mut table = serde_json::Map::new();
    table.insert("kind".to_owned(), kind.into());
    if let Some(keys) = settings.as_object() {
        table.extend(
            keys.iter()
                .filter(|(_, value)| !value.is_null())
                .map(|(k, v)| (k.clone(), v.clone())),
        );
    }
    table.into()
}

fn topology_value(config: &TopologyConfig) -> serde_json::Value {
    match config {
        TopologyConfig::FatTree(config) => to_value(config),
        TopologyConfig::LeafSpine(config) => to_value(config),
        TopologyConfig::Dumbbell(config) => to_value(config),
        TopologyConfig::Star(config) => to_value(config),
        TopologyConfig::Chain(config) => to_value(config),
        TopologyConfig::Isp(config) => to_value(config),
        TopologyConfig::Graphml(config) => to_value(config),
        TopologyConfig::File(config) => to_value(config),
    }
}

fn workload_value(config: &WorkloadConfig) -> serde_json::Value {
    match config {
        WorkloadConfig::AllToAll(config) => to_value(config),
        WorkloadConfig::Application(config) => config.factory().value(),
        WorkloadConfig::Incast(config) => to_value(config),
        WorkloadConfig::List(config) => to_value(config),
        WorkloadConfig::Permutation(config) => to_value(config),
        WorkloadConfig::Poisson(config) => to_value(config),
    }
}
