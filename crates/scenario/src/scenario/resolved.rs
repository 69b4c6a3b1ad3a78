//! Settings as values, for `summary.json` and `fabricsim check`.

use fabricsim_core::plugin::CcContext;

use crate::scenario::Scenario;
use crate::schema::event::Event;
use crate::schema::host::HostSettings;
use crate::schema::switch::SwitchSettings;

impl Scenario {
    /// Returns every setting with its value, including defaults, as written to `summary.json`.
    #[must_use]
    pub fn resolved(&self) -> serde_json::Value {
        let nic_rate = self.nic_rate();
        let context = CcContext {
            link_rates: self.link_rates().into(),
            seed: self.seed,
            quirks: *self.quirks(),
            overflow: self.overflow(),
            ..CcContext::of_nics(nic_rate)
        };
        let workloads: Vec<serde_json::Value> = self
            .workloads
            .iter()
            .map(|workload| tagged(workload.kind(), &workload.value()))
            .collect();
        let classes: Vec<serde_json::Value> = self
            .class_cc
            .iter()
            .map(|(class, cc)| serde_json::json!({"id": class.0, "cc": cc.resolved(&context)}))
            .collect();
        // These tables are always present, the tables below only if the scenario uses them.
        let mut resolved = serde_json::json!({
            "name": self.name,
            "seed": self.seed,
            "profile": self.profile,
            "topology": tagged(self.topology_config.kind(), &self.topology_config.value()),
            "switch": SwitchSettings {
                ecn: None,
                ecn_rules: self.ecn_in_use(),
                ..self.switch.resolved(nic_rate, self.quirks())
            },
            "rdma": self.transport_resolved(),
            "routing": self.routing.resolved(self.seed, self.quirks()),
            "workload": workloads,
            "cc": self.cc.resolved(&context),
            "class": classes,
            "run": self.run,
        });
        if let Some(run) = resolved["run"].as_object_mut() {
            // It has no effect on results.
            run.remove("fast_forward");
        }
        if self.host != HostSettings::default() {
            resolved["host"] = serde_json::json!(self.host);
        }
        let policy = &self.routing_policy;
        if !policy.keys().is_empty() {
            resolved["routing"]["policy"] = tagged(policy.name(), &policy.value());
        }
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
        if let Some(capture) = &self.capture {
            resolved["capture"] = serde_json::json!(capture);
        }
        resolved
    }
}

/// Returns a table that begins with its kind.
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
