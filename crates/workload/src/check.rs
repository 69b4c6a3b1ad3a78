//! Checks that several workloads share: each error names the key and suggests a fix.

use fabricsim_base::id::{ClassId, NodeId};
use fabricsim_base::input::ConfigError;
use fabricsim_base::limits::{MAX_DURATION, MAX_FLOWS, MAX_LIVE_FLOWS, MAX_SIZE, MAX_TIME};
use fabricsim_base::priority::Priority;
use fabricsim_base::units::{Bytes, Duration, Time};

use crate::context::{Expected, WorkloadContext};

/// Typical memory of an active flow, in bytes.
const LIVE_FLOW_BYTES: f64 = 1_000.0;

/// The default priority of data in a list: the lossless queue of the HPCC simulator.
pub(crate) const DEFAULT_PRIORITY: u8 = 3;
/// The default destination port of flows in a list.
pub(crate) const DEFAULT_DST_PORT: u16 = 100;
/// The message for an invalid priority.
pub(crate) const NO_PRIORITY: &str = "there is no data priority {value}";
/// The help for an invalid priority.
pub(crate) const PRIORITIES: &str = "choose 1 to 7; 0 is kept for control packets";
/// The message for an invalid load.
pub(crate) const NO_LOAD: &str = "a load of {value} is outside the range above 0 up to 2";
/// The help for an invalid load.
pub(crate) const LOADS: &str =
    "a load is a fraction of the hosts' link rate: write 0.5 for 50 percent";

pub(crate) fn duration(duration: Duration) -> Result<Duration, ConfigError> {
    if duration > Duration::ZERO {
        return span("duration", duration);
    }
    Err(ConfigError::new(
        "duration",
        "a duration of zero makes no flows",
        "write for example \"10ms\"",
    ))
}

/// Checks a time between two flows, or from the first to the last flow, against the longest time
/// that can be simulated.
pub(crate) fn span(key: &'static str, span: Duration) -> Result<Duration, ConfigError> {
    if span <= MAX_DURATION {
        return Ok(span);
    }
    Err(ConfigError::new(
        key,
        format!("{span} is too long: {MAX_DURATION} is the most that can be simulated"),
        "write for example \"10ms\"",
    ))
}

/// Checks the number of iterations that statistics leave out: some iteration must be left.
pub(crate) fn warm_up(warm_up: u32, iterations: u32) -> Result<u32, ConfigError> {
    if warm_up < iterations {
        return Ok(warm_up);
    }
    Err(ConfigError::new(
        "warm_up",
        format!("of {iterations} iterations, a warm-up of {warm_up} leaves none"),
        format!(
            "write a number below `iterations`, at most {}",
            iterations.saturating_sub(1)
        ),
    ))
}

/// Checks an instant against the end of the simulated time.
pub(crate) fn instant(key: &'static str, instant: Time) -> Result<(), ConfigError> {
    if instant <= MAX_TIME {
        return Ok(());
    }
    Err(ConfigError::new(
        key,
        format!("{instant} is too late: {MAX_TIME} is the most that can be simulated"),
        "write for example \"10ms\"",
    ))
}

/// Checks the number of flows against the limit of a run; the error names `key`, which can reduce
/// it.
pub(crate) fn amount(key: &'static str, expected: Expected) -> Result<Expected, ConfigError> {
    if expected.flows <= f64::from(MAX_FLOWS) {
        return Ok(expected);
    }
    Err(ConfigError::new(
        key,
        format!(
            "this makes about {:.0} flows, and a run numbers up to {MAX_FLOWS}",
            expected.flows
        ),
        "choose a value that makes fewer",
    ))
}

/// Checks the number of flows that start together against the limit of active flows; the error
/// names `key`, which can spread them.
pub(crate) fn together(key: &'static str, flows: f64) -> Result<(), ConfigError> {
    if flows <= MAX_LIVE_FLOWS as f64 {
        return Ok(());
    }
    Err(ConfigError::new(
        key,
        format!(
            "this starts {flows:.0} flows at once, which need about {:.0} GB of memory; \
             at most {MAX_LIVE_FLOWS} can be live",
            flows * LIVE_FLOW_BYTES / 1e9
        ),
        "let them start one after the other, such as \"10us\" apart, or make them fewer",
    ))
}

pub(crate) fn size(size: Bytes) -> Result<Bytes, ConfigError> {
    if size > MAX_SIZE {
        return Err(ConfigError::new(
            "size",
            format!("{size} is too large: {MAX_SIZE} is the most that a flow can have"),
            "write for example \"1MB\"",
        ));
    }
    if size > Bytes::ZERO {
        return Ok(size);
    }
    Err(ConfigError::new(
        "size",
        "a flow of zero bytes never ends",
        "write at least \"1B\"",
    ))
}

/// Checks that the name of a job fits into the cell of a table.
pub(crate) fn job(name: Option<&str>) -> Result<(), ConfigError> {
    let fits = |name: &str| {
        let mut letters = name.chars();
        !name.is_empty() && letters.all(|one| one.is_alphanumeric() || "-_.".contains(one))
    };
    if name.is_none_or(fits) {
        return Ok(());
    }
    Err(ConfigError::new(
        "job",
        "a job's name appears in tables: it may have only letters, digits, `-`, `_` and `.`",
        "write for example \"train-a\"",
    ))
}

pub(crate) fn priority(number: u8) -> Result<Priority, ConfigError> {
    match Priority::try_from(number) {
        Ok(priority) if !priority.is_control() => Ok(priority),
        _ => Err(ConfigError::new(
            "priority",
            format!("there is no data priority {number}"),
            "choose 1 to 7; 0 is kept for control packets",
        )),
    }
}

/// Returns the priority `number` and the class `own` of a workload, if all of its flows have them.
/// The result is empty if the priority is invalid, because another check rejects that.
pub(crate) fn sole_user(number: u8, own: ClassId) -> Vec<(Priority, ClassId)> {
    let priority = Priority::try_from(number).ok();
    priority
        .into_iter()
        .map(|priority| (priority, own))
        .collect()
}

/// Checks that a client and a server are two different hosts.
pub(crate) fn pair(
    context: &WorkloadContext,
    client: NodeId,
    server: NodeId,
) -> Result<(), ConfigError> {
    for (key, node) in [("client", client), ("server", server)] {
        if context.position(node).is_none() {
            return Err(ConfigError::new(
                key,
                format!("{} is not a host", context.names.label(node)),
                format!("the hosts are numbered {}", context.host_numbers()),
            ));
        }
    }
    if client != server {
        return Ok(());
    }
    Err(ConfigError::new(
        "server",
        format!("{} queries itself", context.names.label(client)),
        "choose a server that is not the client",
    ))
}

pub(crate) fn two_hosts(context: &WorkloadContext) -> Result<(), ConfigError> {
    let count = context.hosts.len();
    if count >= 2 {
        return Ok(());
    }
    Err(ConfigError::new(
        "kind",
        format!("this workload needs two hosts and the topology has {count}"),
        "add hosts to the topology",
    ))
}
