//! Files that a run of a configuration writes, and its observations.

use fabricsim_base::input::InputError;

use super::Surroundings;
use super::config::Configuration;
use super::keys::ConfigKey;
use super::lines::Lines;
use super::network::TRAFFIC_START;
use super::trace::ranges;

/// Writes `[output]` and `[observe]`.
pub(super) fn write(
    config: &Configuration<'_>,
    around: &Surroundings<'_>,
    lines: &mut Lines,
) -> Result<(), InputError> {
    lines.table("[output]");
    lines.key("fct_txt", true, &config.value("FCT_OUTPUT_FILE")?);
    lines.key("pauses", true, &config.value("PFC_OUTPUT_FILE")?);
    let (from, until) = (
        config.value("QLEN_MON_START")?,
        config.value("QLEN_MON_END")?,
    );
    if monitors(config)? {
        lines.table("[observe]");
        lines.key("queue_distribution", true, &config.value("QLEN_MON_FILE")?);
        lines.quoted_key("from", from.time("ns")?, &from);
        lines.quoted_key("until", until.time("ns")?, &until);
    } else if !around.traced.is_empty() {
        let trace = config.value("ENABLE_TRACE")?;
        lines.table("[observe]");
        lines.key("links", true, &trace);
        lines.key("queues", true, &trace);
        lines.quoted_key("from", TRAFFIC_START, &trace);
        lines.key("nodes", ranges(around.traced), &config.value("TRACE_FILE")?);
    }
    Ok(())
}

/// Returns `true` if the configuration monitors queues.
fn monitors(config: &Configuration<'_>) -> Result<bool, InputError> {
    let from = config.value("QLEN_MON_START")?.time("ns")?;
    let until = config.value("QLEN_MON_END")?.time("ns")?;
    Ok(config.file("QLEN_MON_FILE").is_some() && from < until)
}

/// Returns the reason for omitting a key of an observation, if it is omitted.
pub(super) fn reason(
    config: &Configuration<'_>,
    key: &ConfigKey,
) -> Result<Option<String>, InputError> {
    let is_traced = config.trace_file()?.is_some();
    Ok(match key.name {
        "QLEN_MON_START" | "QLEN_MON_END" if !monitors(config)? => Some(
            "queues are not monitored: the interval is empty, or no QLEN_MON_FILE is given"
                .to_owned(),
        ),
        "TRACE_FILE" | "ENABLE_TRACE" if !is_traced => {
            Some("nothing is traced: ENABLE_TRACE is 0, or no TRACE_FILE is given".to_owned())
        }
        "TRACE_FILE" | "ENABLE_TRACE" if monitors(config)? => {
            Some("packets are not traced; [observe] records the queues of QLEN_MON_FILE".to_owned())
        }
        _ => None,
    })
}
