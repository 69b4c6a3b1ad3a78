//! Scenarios from programs equal scenarios from texts, and are rejected for the same reasons.

#![allow(
    clippy::unwrap_used,
    reason = "a test may stop at what it did not expect"
)]

use fabricsim_base::id::ClassId;
use fabricsim_base::units::{Bytes, Rate};
use fabricsim_scenario::cc::registry::AnyCcConfig;
use fabricsim_scenario::schema::profile::Profile;
use fabricsim_scenario::schema::switch::SwitchSettings;
use fabricsim_scenario::{Error, Scenario, ScenarioBuilder};
use fabricsim_topology::StarConfig;
use fabricsim_workload::{IncastConfig, PermutationConfig};

const TEXT: &str = "
name = \"star\"
seed = 7
[topology]
kind = \"star\"
hosts = 9
[[workload]]
kind = \"permutation\"
size = \"1MB\"
[[workload]]
kind = \"permutation\"
size = \"1MB\"
cc = { kind = \"dctcp\" }
[cc]
kind = \"hpcc\"
";

fn cc(name: &str) -> AnyCcConfig {
    AnyCcConfig::by_name(name).unwrap()
}

fn star() -> ScenarioBuilder {
    let topology = StarConfig {
        hosts: 9,
        ..StarConfig::default()
    };
    let builder = Scenario::builder().name("star").seed(7).topology(topology);
    builder
        .workload(PermutationConfig::with_required(Bytes::new(1_000_000)))
        .cc(cc("hpcc"))
}

/// Returns the scenario, the message and the help of an error.
fn refused(builder: ScenarioBuilder) -> (String, String, String) {
    match builder.build() {
        Err(Error::Unsupported {
            scenario,
            message,
            help,
        }) => (scenario, message, help),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_built_scenario_is_that_of_the_text() {
    let built = star()
        .workload(PermutationConfig::with_required(Bytes::new(1_000_000)))
        .class_cc(ClassId(1), cc("dctcp"))
        .build()
        .unwrap();
    let read = Scenario::from_toml(TEXT).unwrap();
    assert_eq!(built.resolved(), read.resolved());
}

#[test]
fn what_is_missing_is_said() {
    let (name, message, help) = refused(Scenario::builder().name("empty").cc(cc("hpcc")));
    assert_eq!(
        (&*name, &*message),
        ("empty", "the scenario has no topology")
    );
    assert!(help.contains("ScenarioBuilder::topology"), "{help}");
    let (_, message, _) = refused(Scenario::builder().topology(StarConfig::default()));
    assert_eq!(message, "the scenario has no cc");
}

#[test]
fn tables_are_checked_by_themselves() {
    let switch = SwitchSettings {
        alpha: 3.0,
        ..SwitchSettings::default()
    };
    let (_, message, _) = refused(star().switch(switch));
    assert!(message.starts_with("[switch], key `alpha`: "), "{message}");
    let (_, message, _) = refused(star().name("../up"));
    assert!(message.starts_with("a name is "), "{message}");
    let (_, message, _) = refused(star().seed(u64::MAX));
    assert!(message.starts_with("a seed is "), "{message}");
    let incast = IncastConfig::once(80, Bytes::new(1_000));
    let (_, message, _) = refused(star().workload(incast));
    assert!(
        message.starts_with("[[workload]] 1, key `fan_in`: "),
        "{message}"
    );
}

#[test]
fn tables_are_checked_together() {
    // The buffer is smaller than the headroom and reserves.
    let switch = SwitchSettings {
        buffer: Some(Bytes::new(1_000)),
        ..SwitchSettings::default()
    };
    let (name, message, _) = refused(star().switch(switch));
    assert_eq!(name, "star");
    assert!(message.starts_with("[switch], key `buffer`: "), "{message}");
    // TCP is not available under the published profile.
    let (_, message, _) = refused(star().profile(Profile::Ns3Hpcc).cc(cc("cubic")));
    assert!(message.contains("has no TCP"), "{message}");
}

#[test]
fn a_scenario_stays_checked() {
    let scenario = star().build().unwrap();
    let error = scenario.with_seed(u64::MAX).unwrap_err();
    assert!(error.to_string().contains("a seed is"), "{error}");
    assert_eq!(scenario.with_seed(8).unwrap().seed(), 8);
    let silent = scenario.with_workloads(Vec::new()).unwrap();
    assert!(silent.workloads().is_empty());
    let tcp = star().cc(cc("cubic")).build().unwrap();
    let queries = star().build().unwrap().latency_queries().unwrap();
    let error = tcp.with_queries(queries.clone()).unwrap_err();
    assert!(error.to_string().contains("no room"), "{error}");
    assert!(scenario.with_queries(queries).is_ok());
}

/// Links inside servers are not NICs, so defaults that depend on NIC rates ignore them.
#[test]
fn the_rate_of_nics_is_not_that_of_links_inside_of_servers() {
    let text = r#"
        [topology]
        kind = "rail"
        servers = 2
        servers_per_unit = 2
        server_rate = "3600Gbps"
        nic_rate = "400Gbps"
        [[workload]]
        kind = "permutation"
        size = "1MB"
        [cc]
        kind = "hpcc"
    "#;
    let scenario = Scenario::from_toml(text).expect("a scenario");
    assert_eq!(scenario.nic_rate(), Rate::from_gbps(400));
}
