//! The keys of a configuration.

use super::mode::Mode;

/// A key that a simulator reads.
#[derive(Debug)]
pub struct ConfigKey {
    /// The key.
    pub name: &'static str,
    /// Words that follow it.
    pub(super) words: Words,
    /// What holds where the key is not given; nothing where the simulator has no value then.
    pub(super) default: Option<&'static str>,
    pub(super) role: Role,
}

/// Words that follow a key.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Words {
    /// So many.
    Count(usize),
    /// A number n, and n pairs of a rate and a value.
    Map,
}

/// What becomes of a key in a scenario.
#[derive(Clone, Copy, Debug)]
pub(super) enum Role {
    /// It is taken over.
    Taken,
    /// It is taken over for these algorithms, which alone read it: into `[cc]`, or into the table
    /// that may take its place.
    Of(&'static [Mode]),
    /// It is left out, for this reason.
    LeftOut(&'static str),
    /// Of a relative: with the value `at` it `means` nothing that the published simulator does not
    /// do. Another value asks for what is not simulated: `is_not` says what.
    Idle {
        at: &'static str,
        means: &'static str,
        is_not: &'static str,
    },
    /// Of a relative: a setting of the key named here, without effect as long as that is idle.
    PartOf(&'static str),
}

pub(super) const fn key(
    name: &'static str,
    default: Option<&'static str>,
    role: Role,
) -> ConfigKey {
    ConfigKey {
        name,
        words: Words::Count(1),
        default,
        role,
    }
}

pub(super) const fn map(name: &'static str) -> ConfigKey {
    ConfigKey {
        words: Words::Map,
        ..key(name, None, MARKED)
    }
}

pub(super) const UNUSED: Role = Role::LeftOut("the published simulator does not use it, either");
const NAMED: Role =
    Role::LeftOut("files have names of their own: fct.txt, pauses.csv, queue_distribution.csv");
pub(super) const BOTH_HPCC: Role = Role::Of(&[Mode::Hpcc, Mode::HpccPint]);
pub(super) const DCQCN: Role = Role::Of(&[Mode::Dcqcn]);
/// Pauses that NICs send of their own accord, for the slowness of their PCIe bus.
pub(super) const NIC_PAUSES: Role = Role::Idle {
    at: "0",
    means: "NICs send no pauses of their own",
    is_not: "pauses that NICs send of their own accord are not simulated",
};
/// Of algorithms that read marks.
pub(super) const MARKED: Role = Role::Of(&[Mode::Dcqcn, Mode::Dctcp]);

/// Keys that `third.cc` reads in its own way. Keys of relatives are in [`RELATIVES_KEYS`], others in
/// [`shared_keys`](super::shared_keys).
///
/// [`RELATIVES_KEYS`]: super::relatives_keys::RELATIVES_KEYS
pub(super) const CONFIG_KEYS: &[ConfigKey] = &[
    key(
        "PAUSE_TIME",
        Some("5"),
        Role::LeftOut("a pause lasts until a resume frame, as in the published simulator"),
    ),
    key("TOPOLOGY_FILE", None, Role::Taken),
    key("FLOW_FILE", None, Role::Taken),
    key("TRACE_FILE", Some(""), Role::Taken),
    key(
        "TRACE_OUTPUT_FILE",
        Some(""),
        Role::LeftOut(
            "[capture] writes frames at ports, and [observe] samples queues, links and flows",
        ),
    ),
    key("FCT_OUTPUT_FILE", Some("fct.txt"), NAMED),
    key("PFC_OUTPUT_FILE", Some("pfc.txt"), NAMED),
    key("SIMULATOR_STOP_TIME", Some("3.01"), Role::Taken),
    key("INT_MULTI", Some("1"), Role::Of(&[Mode::Hpcc])),
    key("ENABLE_TRACE", Some("1"), Role::Taken),
    key("QLEN_MON_FILE", Some(""), NAMED),
    key("QLEN_MON_START", Some("2000000000"), Role::Taken),
    key("QLEN_MON_END", Some("2100000000"), Role::Taken),
];

/// Returns why `key` is left out, if it is whatever the algorithm.
pub(super) fn reason(key: &ConfigKey) -> Option<String> {
    match key.role {
        Role::Taken | Role::Of(_) => None,
        Role::LeftOut(reason) => Some(reason.to_owned()),
        Role::Idle { at, means, .. } => Some(format!("at {at} {means}")),
        Role::PartOf(switch) => Some(format!("a setting of {switch}, which is off")),
    }
}
