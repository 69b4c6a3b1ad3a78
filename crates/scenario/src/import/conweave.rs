//! Specifics of ConWeave's configurations: load balancing, and times of traffic.

use fabricsim_base::input::InputError;
use fabricsim_base::units::Duration;

use super::Surroundings;
use super::config::Configuration;
use super::lines::Lines;
use super::mode::Mode;
use super::trace::ranges;

/// Load balancing according to `LB_MODE`.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Balancing {
    Ecmp,
    Drill,
    LetFlow,
}

fn balancing(config: &Configuration<'_>) -> Result<Balancing, InputError> {
    let value = config.value("LB_MODE")?;
    let missing = match value.word() {
        "0" => return Ok(Balancing::Ecmp),
        "2" => return Ok(Balancing::Drill),
        "6" => return Ok(Balancing::LetFlow),
        "3" => "CONGA is not simulated".to_owned(),
        "9" => "ConWeave's own reordering at switches is not simulated".to_owned(),
        other => format!("there is no load balancing `{other}`"),
    };
    Err(value.wrong(missing, "write 0 (ECMP), 2 (DRILL) or 6 (LetFlow)"))
}

/// Returns `true` if the scenario can use the profile of the published simulator: under it, HPCC's
/// header does not distinguish the paths of packets.
fn has_profile(config: &Configuration<'_>, mode: Mode) -> Result<bool, InputError> {
    Ok(mode != Mode::Hpcc || balancing(config)? == Balancing::Ecmp)
}

/// Writes the keys before all tables.
pub(super) fn write_head(
    config: &Configuration<'_>,
    mode: Mode,
    lines: &mut Lines,
) -> Result<(), InputError> {
    let seed = config.value("RANDOM_SEED")?;
    lines.key("seed", seed.whole()?, &seed);
    if has_profile(config, mode)? {
        lines.text_key("profile", "ns3-hpcc");
    }
    Ok(())
}

/// Writes `[routing]`; rejects load balancing that we do not simulate.
pub(super) fn write_routing(
    config: &Configuration<'_>,
    lines: &mut Lines,
) -> Result<(), InputError> {
    let value = config.value("LB_MODE")?;
    lines.table("[routing]");
    let policy = match balancing(config)? {
        Balancing::Ecmp => "\"ecmp\"",
        Balancing::Drill => "{ kind = \"power-of-two\", choices = 2, memory = 1 }",
        Balancing::LetFlow => "{ kind = \"flowlet\", gap = \"100us\" }",
    };
    lines.key("policy", policy, &value);
    Ok(())
}

/// Writes the part of `[switch]` that decides how losses are avoided.
pub(super) fn write_switch(
    config: &Configuration<'_>,
    lines: &mut Lines,
) -> Result<(), InputError> {
    let pauses = config.value("ENABLE_PFC")?;
    lines.key("pfc", pauses.flag()?, &pauses);
    let irn = config.value("ENABLE_IRN")?;
    match (pauses.flag()?, irn.flag()?) {
        (false, false) => Err(irn.wrong(
            "there is neither PFC nor IRN",
            "write ENABLE_IRN 1, or ENABLE_PFC 1: ConWeave's run.py requires one of them",
        )),
        (true, true) => Err(irn.wrong(
            "there is both PFC and IRN",
            "write ENABLE_IRN 0, or ENABLE_PFC 0: ConWeave's run.py allows one of them",
        )),
        _ => Ok(()),
    }
}

/// Writes the part of `[rdma]` that decides how losses are recovered.
pub(super) fn write_recovery(
    config: &Configuration<'_>,
    lines: &mut Lines,
) -> Result<(), InputError> {
    let irn = config.value("ENABLE_IRN")?;
    let recovery = if irn.flag()? {
        "selective"
    } else {
        "go-back-n"
    };
    lines.quoted_key("recovery", recovery, &irn);
    if irn.flag()? {
        lines.quoted_key("rto_min", "320us", &irn);
    }
    Ok(())
}

/// Returns differences other than omitted keys.
pub(super) fn differences(
    config: &Configuration<'_>,
    mode: Mode,
) -> Result<Vec<(&'static str, &'static str)>, InputError> {
    let mut found = vec![(
        "ACKs",
        "they have the switch priority of data; ConWeave's switches send them before all data",
    )];
    if !has_profile(config, mode)? {
        found.push((
            "LB_MODE",
            "telemetry is exact: the published header does not identify the paths of packets",
        ));
    }
    if balancing(config)? == Balancing::LetFlow {
        found.push((
            "LB_MODE",
            "each switch draws the next hop of a flowlet, of ACKs, too; ConWeave's simulator draws whole \
             paths at the sender's rack, and ACKs use ECMP",
        ));
    }
    if config.value("ENABLE_IRN")?.flag()? {
        // A window never exceeds the bandwidth-delay product that IRN keeps in flight.
        found.push(match config.value("HAS_WIN")?.flag()? {
            true => (
                "ENABLE_IRN",
                "losses are recovered one by one with a timeout of 320us (IRN's RTO_high); its RTO_low of \
                 100us is not there, and windows keep its limit of one BDP in flight",
            ),
            false => (
                "ENABLE_IRN",
                "losses are recovered one by one with a timeout of 320us (IRN's RTO_high); IRN's limit \
                 of one BDP in flight and its RTO_low of 100us are not there",
            ),
        });
    } else {
        found.push((
            "headroom",
            "3 x rate x delay of each port, not 2 x (rate x delay + one packet)",
        ));
    }
    Ok(found)
}

/// Time after the last possible start of a flow at which the original gives up.
const PATIENCE: Duration = Duration::from_ms(10_000);

/// Writes `[run]`: the latest end of the original's runs.
pub(super) fn write_end(config: &Configuration<'_>, lines: &mut Lines) -> Result<(), InputError> {
    let stop = config.value("FLOWGEN_STOP_TIME")?;
    lines.table("[run]");
    lines.quoted_key("stop_at", stop.time("s")?.saturating_add(PATIENCE), &stop);
    Ok(())
}

/// Writes `[output]` and `[observe]`: completion times, pauses and the bytes of uplinks.
pub(super) fn write_observation(
    config: &Configuration<'_>,
    around: &Surroundings<'_>,
    lines: &mut Lines,
) -> Result<(), InputError> {
    /// Time after the last possible start of a flow for which the original continues sampling.
    const SAMPLED_ON: Duration = Duration::from_ms(50);
    lines.table("[output]");
    lines.key("fct_txt", true, &config.value("FCT_OUTPUT_FILE")?);
    lines.key("pauses", true, &config.value("PFC_OUTPUT_FILE")?);
    if config.file("UPLINK_MON_FILE").is_none() || around.racks.is_empty() {
        return Ok(());
    }
    let interval = config.value("SW_MONITORING_INTERVAL")?;
    let (from, until) = (
        config.value("FLOWGEN_START_TIME")?,
        config.value("FLOWGEN_STOP_TIME")?,
    );
    let file = config.value("UPLINK_MON_FILE")?;
    lines.table("[observe]");
    lines.key("links", true, &file);
    lines.key("nodes", ranges(around.racks), &file);
    lines.quoted_key("towards", "switches", &file);
    lines.quoted_key("interval", interval.time("ns")?, &interval);
    lines.quoted_key("from", from.time("s")?, &from);
    lines.quoted_key("until", until.time("s")?.saturating_add(SAMPLED_ON), &until);
    Ok(())
}
