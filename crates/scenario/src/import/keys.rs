//! The keys of a configuration.

use super::mode::Mode;

/// A key that a simulator reads.
#[derive(Debug)]
pub struct ConfigKey {
    /// The key.
    pub name: &'static str,
    /// Words after the key.
    pub(super) words: Words,
    /// The simulator's default; `None` if there is none.
    pub(super) default: Option<&'static str>,
    pub(super) role: Role,
}

/// Words after a key.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Words {
    /// A fixed number.
    Count(usize),
    /// A number n, and n pairs of a rate and a value.
    Map,
}

/// Use of a key in a scenario.
#[derive(Clone, Copy, Debug)]
pub(super) enum Role {
    /// The key is converted.
    Taken,
    /// Only these algorithms read the key. It is converted into `[cc]`, or into the table that can
    /// replace it.
    Of(&'static [Mode]),
    /// The key is omitted, for this reason.
    LeftOut(&'static str),
    /// A key of a related simulator. With the value `at`, its effect is `means`, which is also the
    /// published simulator's behavior. Any other value enables a feature that we do not simulate;
    /// `is_not` describes it.
    Idle {
        at: &'static str,
        means: &'static str,
        is_not: &'static str,
    },
    /// A key of a related simulator: a detail of the named key, without effect while that key is
    /// idle.
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
/// Pauses that NICs send because of a slow PCIe bus.
pub(super) const NIC_PAUSES: Role = Role::Idle {
    at: "0",
    means: "NICs send no pauses of their own",
    is_not: "pauses that NICs send of their own accord are not simulated",
};
/// Keys of algorithms that read marks.
pub(super) const MARKED: Role = Role::Of(&[Mode::Dcqcn, Mode::Dctcp]);

/// Keys that `third.cc` treats differently from other simulators. Keys of related simulators are in
/// [`RELATIVES_KEYS`], shared keys in [`shared_keys`](super::shared_keys).
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

/// Returns the reason for omitting `key`, if it does not depend on the algorithm.
pub(super) fn reason(key: &ConfigKey) -> Option<String> {
    match key.role {
        Role::Taken | Role::Of(_) => None,
        Role::LeftOut(reason) => Some(reason.to_owned()),
        Role::Idle { at, means, .. } => Some(format!("at {at} {means}")),
        Role::PartOf(switch) => Some(format!("a setting of {switch}, which is off")),
    }
}
