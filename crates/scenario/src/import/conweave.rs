//! What ConWeave's configurations have of their own: load balancing, and times of traffic.

use fabricsim_core::input::InputError;
use fabricsim_core::units::Duration;

use super::Surroundings;
use super::config::Configuration;
use super::keys::{ConfigKey, DCQCN, MARKED, Role, UNUSED, Words, key, map};
use super::lines::Lines;
use super::mode::Mode;
use super::observation::ranges;

const MONITORED: Role = Role::LeftOut(
    "[observe] links has the bytes of uplinks; `fabricsim export --format conweave` writes \
     out_fct.txt, out_pfc.txt and out_uplink.txt",
);
const OF_CONWEAVE: Role = Role::LeftOut("for LB_MODE 9 alone, ConWeave itself, which is not there");
const BOTH_HPCC: Role = Role::Of(&[Mode::Hpcc]);

/// All keys, as `network-load-balance.cc` reads them.
pub(super) const CONWEAVE_KEYS: &[ConfigKey] = &[
    key("TOPOLOGY_FILE", None, Role::Taken),
    key("FLOW_FILE", None, Role::Taken),
    key(
        "FLOW_INPUT_FILE",
        Some("flow.txt"),
        Role::LeftOut("the flows that were started are in fct.csv"),
    ),
    key(
        "CNP_OUTPUT_FILE",
        Some("cnp.txt"),
        Role::LeftOut("marks are counted in links.csv, by port"),
    ),
    key("FCT_OUTPUT_FILE", Some("fct.txt"), Role::Taken),
    key("PFC_OUTPUT_FILE", Some("pfc.txt"), Role::Taken),
    key("QLEN_MON_FILE", Some("qlen.txt"), NOT_READ),
    key("QLEN_MON_START", Some("0"), NOT_READ),
    key("QLEN_MON_END", Some("0"), NOT_READ),
    key("VOQ_MON_FILE", Some("voq.txt"), OF_CONWEAVE),
    key("VOQ_MON_DETAIL_FILE", Some("voq_detail.txt"), OF_CONWEAVE),
    key("EST_ERROR_MON_FILE", Some("est_error.txt"), OF_CONWEAVE),
    key("UPLINK_MON_FILE", Some("uplink.txt"), MONITORED),
    key(
        "CONN_MON_FILE",
        Some("conn.txt"),
        Role::LeftOut("flows under way at a time follow from fct.csv"),
    ),
    key("SW_MONITORING_INTERVAL", Some("10000"), Role::Taken),
    key("FLOWGEN_START_TIME", Some("2.0"), Role::Taken),
    key("FLOWGEN_STOP_TIME", Some("2.5"), Role::Taken),
    key("BUFFER_SIZE", None, Role::Taken),
    key("CC_MODE", Some("1"), Role::Taken),
    key("LB_MODE", Some("0"), Role::Taken),
    key("ENABLE_PFC", Some("1"), Role::Taken),
    key("ENABLE_IRN", Some("0"), Role::Taken),
    key("CONWEAVE_TX_EXPIRY_TIME", Some("1000"), OF_CONWEAVE),
    key("CONWEAVE_REPLY_TIMEOUT_EXTRA", Some("4"), OF_CONWEAVE),
    key("CONWEAVE_PATH_PAUSE_TIME", Some("8"), OF_CONWEAVE),
    key("CONWEAVE_EXTRA_VOQ_FLUSH_TIME", Some("32"), OF_CONWEAVE),
    key(
        "CONWEAVE_DEFAULT_VOQ_WAITING_TIME",
        Some("500"),
        OF_CONWEAVE,
    ),
    key("ALPHA_RESUME_INTERVAL", Some("55"), DCQCN),
    key("RATE_DECREASE_INTERVAL", Some("4"), DCQCN),
    key("CLAMP_TARGET_RATE", Some("0"), DCQCN),
    key("RP_TIMER", Some("300"), DCQCN),
    key("FAST_RECOVERY_TIMES", Some("1"), DCQCN),
    key("EWMA_GAIN", None, MARKED),
    key(
        "RATE_AI",
        None,
        Role::Of(&[Mode::Hpcc, Mode::Dcqcn, Mode::Timely]),
    ),
    key("RATE_HAI", None, Role::Of(&[Mode::Dcqcn, Mode::Timely])),
    key("MIN_RATE", Some("100Mb/s"), Role::Taken),
    key("DCTCP_RATE_AI", Some("1000Mb/s"), Role::Of(&[Mode::Dctcp])),
    key("ERROR_RATE_PER_LINK", Some("0.0"), Role::Taken),
    key(
        "L2_CHUNK_SIZE",
        Some("0"),
        Role::LeftOut("senders go back to the first byte that is missing, not to a chunk"),
    ),
    key("L2_ACK_INTERVAL", Some("0"), Role::Taken),
    key("L2_BACK_TO_ZERO", Some("0"), Role::Taken),
    key("RATE_BOUND", Some("1"), Role::Taken),
    key("HAS_WIN", Some("1"), Role::Taken),
    key("VAR_WIN", Some("0"), Role::Taken),
    key("FAST_REACT", Some("1"), BOTH_HPCC),
    key("MI_THRESH", Some("5"), BOTH_HPCC),
    key(
        "INT_MULTI",
        Some("1"),
        Role::LeftOut(
            "the units of telemetry follow the rate of NICs: 1 for each 25 Gbps, as in the \
             published simulator's run.py",
        ),
    ),
    key("GLOBAL_T", Some("1"), Role::Taken),
    key("U_TARGET", Some("0.95"), BOTH_HPCC),
    key("MULTI_RATE", Some("1"), BOTH_HPCC),
    key("SAMPLE_FEEDBACK", Some("0"), BOTH_HPCC),
    key("ENABLE_QCN", Some("1"), MARKED),
    key(
        "USE_DYNAMIC_PFC_THRESHOLD",
        Some("1"),
        Role::LeftOut("thresholds are always dynamic"),
    ),
    key(
        "PAUSE_TIME",
        Some("5"),
        Role::LeftOut("a pause lasts until it is taken back"),
    ),
    key("PACKET_PAYLOAD_SIZE", Some("1000"), Role::Taken),
    key("DATA_RATE", Some("0"), UNUSED),
    key("LINK_DELAY", Some("0"), UNUSED),
    ConfigKey {
        words: Words::Count(3),
        ..key("LINK_DOWN", Some("0 0 0"), Role::Taken)
    },
    map("KMAX_MAP"),
    map("KMIN_MAP"),
    map("PMAX_MAP"),
    key(
        "LOAD",
        Some("10"),
        Role::LeftOut("it is written down for analysis; FLOW_FILE has the traffic"),
    ),
    key("RANDOM_SEED", Some("1"), Role::Taken),
];

const NOT_READ: Role = Role::LeftOut("ConWeave's simulator does not use it, either");

/// Load balancing that `LB_MODE` names.
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

/// Returns whether the profile of the published simulator can hold: HPCC's header under it does not
/// tell the paths of packets apart.
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

/// Writes `[routing]`, and refuses what is not simulated.
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

/// Writes the part of `[switch]` that says how losses are avoided.
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
            "write ENABLE_IRN 1, or ENABLE_PFC 1: ConWeave's run.py wants one of them",
        )),
        (true, true) => Err(irn.wrong(
            "there is both PFC and IRN",
            "write ENABLE_IRN 0, or ENABLE_PFC 0: ConWeave's run.py wants one of them",
        )),
        _ => Ok(()),
    }
}

/// Writes the part of `[rdma]` that says how losses are recovered.
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

/// Returns what differs beside keys that are left out.
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
            "telemetry is exact: the published header does not tell the paths of packets apart",
        ));
    }
    if config.value("ENABLE_IRN")?.flag()? {
        found.push((
            "ENABLE_IRN",
            "losses are recovered one by one with a timeout of 320us (IRN's RTO_high); IRN's limit \
             of one BDP in flight and its RTO_low of 100us are not there",
        ));
    } else {
        found.push((
            "headroom",
            "3 x rate x delay of each port, not 2 x (rate x delay + one packet)",
        ));
    }
    Ok(found)
}

/// Time after the last flow may start at which the original gives up.
const PATIENCE: Duration = Duration::from_ms(10_000);

/// Writes `[run]`: when the original would end at the latest.
pub(super) fn write_end(config: &Configuration<'_>, lines: &mut Lines) -> Result<(), InputError> {
    let stop = config.value("FLOWGEN_STOP_TIME")?;
    lines.table("[run]");
    lines.quoted_key("stop_at", stop.time("s")?.saturating_add(PATIENCE), &stop);
    Ok(())
}

/// Writes `[output]` and `[observe]`: completion times, pauses, and the bytes of uplinks.
pub(super) fn write_observation(
    config: &Configuration<'_>,
    around: &Surroundings<'_>,
    lines: &mut Lines,
) -> Result<(), InputError> {
    /// Time after the last flow may start for which the original samples on.
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
